// SPDX-License-Identifier: MIT
// Uses the installed library from outside: identity, distance, generator, prediction.
#include <cstdio>
#include <fewedits/fewedits.hpp>
#include <fewedits/graph/identity.hpp>
#include <fewedits/synthetic/generator.hpp>
#include <vector>

int main() {
  const std::vector<fewedits::Label> labels{0, 1, 1};
  const fewedits::Graph a(labels, std::vector<fewedits::Edge>{{0, 1}, {1, 2}});
  const std::vector<fewedits::Node> turned{2, 1, 0};
  if (!fewedits::isomorphic(a, a.permuted(turned))) return 1;

  const fewedits::Graph b = a.with_leaf(2, 0);
  const fewedits::GedBounds distance = fewedits::exact(a, b);
  const fewedits::EditScript script = fewedits::edit_script(a, b, distance.map);
  if (!distance.exact() || script.ops.size() != 2) return 1;
  if (!fewedits::check_certificate(a, b, script).holds) return 1;

  const fewedits::Dataset data = fewedits::prepare(
      fewedits::generate({.graphs = 20, .seed = 1, .undesired_share = 0.5, .threads = 1}),
      fewedits::generated_metadata());
  fewedits::StateDict weights;
  const auto labels_known = static_cast<std::int64_t>(data.node_labels.size());
  weights["convs.0.lin.weight"] = fewedits::Tensor::from_floats(
      {2, labels_known}, std::vector<float>(2 * data.node_labels.size(), 0.5F));
  weights["fc.weight"] = fewedits::Tensor::from_floats({2, 2}, {1, 0, 0, 1});
  fewedits::ModelSpec spec;
  spec.layers = {fewedits::LayerSpec{}};
  spec.layers[0].weights = "convs.0";
  spec.head = {{"fc", ""}};
  const fewedits::NativeClassifier model(spec, weights, "consumer");
  fewedits::ThreadPool pool(2);
  const fewedits::Predictions result = fewedits::predict(data, model, pool);
  std::printf("fewedits %s: %zu graphs classified\n", fewedits::version().c_str(),
              result.predicted.size());
  return result.predicted.size() == 20 ? 0 : 1;
}
