// SPDX-License-Identifier: MIT
// Uses the installed library from outside: identity, distance, generator, prediction.
#include <cstdint>
#include <cstdio>
#include <fewedits/fewedits.hpp>
#include <fewedits/graph/identity.hpp>
#include <fewedits/synthetic/generator.hpp>
#include <fstream>
#include <string>
#include <vector>

namespace {

/// A checkpoint as other programs write it: one GCN layer of two features and a linear head.
void write_model(const std::string& file, std::size_t labels) {
  const std::vector<float> values(2 * labels + 4, 0.5F);
  const std::size_t first = 2 * labels * sizeof(float);
  const std::string header =
      R"({"convs.0.lin.weight":{"dtype":"F32","shape":[2,)" + std::to_string(labels) +
      R"(],"data_offsets":[0,)" + std::to_string(first) +
      R"(]},"fc.weight":{"dtype":"F32","shape":[2,2],"data_offsets":[)" + std::to_string(first) +
      "," + std::to_string(first + 4 * sizeof(float)) + "]}}";
  const std::uint64_t length = header.size();
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(&length), sizeof length);
  out << header;
  out.write(reinterpret_cast<const char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(float)));
}

}  // namespace

int main(int /*argc*/, char** argv) {
  const std::vector<fewedits::Label> labels{0, 1, 1};
  const fewedits::Graph a(labels, std::vector<fewedits::Edge>{{0, 1}, {1, 2}});
  const std::vector<fewedits::Node> turned{2, 1, 0};
  if (!fewedits::isomorphic(a, a.permuted(turned))) return 1;

  const fewedits::Graph b = a.with_leaf(2, 0);
  const fewedits::GedBounds distance = fewedits::edit_distance(a, b);
  const fewedits::EditScript script = fewedits::edit_script(a, b, distance.map);
  if (!distance.exact() || script.ops.size() != 2) return 1;
  if (!fewedits::check_certificate(a, b, script).holds) return 1;

  const fewedits::Dataset data = fewedits::prepare(
      fewedits::generate({.graphs = 20, .seed = 1, .undesired_share = 0.5, .threads = 1}),
      fewedits::generated_metadata());
  const std::string file = std::string(argv[0]) + ".safetensors";
  write_model(file, data.node_labels.size());
  const auto model = fewedits::open_classifier(file, data);
  fewedits::ThreadPool pool(2);
  const fewedits::Predictions result = fewedits::predict(data, *model, pool);
  std::printf("fewedits %s: %zu graphs classified\n", fewedits::version().c_str(),
              result.predicted.size());
  return result.predicted.size() == 20 ? 0 : 1;
}
