// SPDX-License-Identifier: MIT
// Uses the installed library from outside: identity, distance, generator, prediction.
#include <cstdio>
#include <gcfx/gcfx.hpp>
#include <gcfx/graph/identity.hpp>
#include <gcfx/input/generator.hpp>
#include <vector>

int main() {
  const std::vector<gcfx::Label> labels{0, 1, 1};
  const gcfx::Graph a(labels, std::vector<gcfx::Edge>{{0, 1}, {1, 2}});
  const std::vector<gcfx::Node> turned{2, 1, 0};
  if (!gcfx::isomorphic(a, a.permuted(turned))) return 1;

  const gcfx::Graph b = a.with_leaf(2, 0);
  const gcfx::GedBounds distance = gcfx::exact(a, b);
  const gcfx::EditScript script = gcfx::edit_script(a, b, distance.map);
  if (!distance.exact() || script.ops.size() != 2) return 1;
  if (!gcfx::check_certificate(a, b, script).holds) return 1;

  const gcfx::Dataset data =
      gcfx::prepare(gcfx::generate({.graphs = 20, .seed = 1, .undesired_share = 0.5, .threads = 1}),
                    gcfx::generated_metadata());
  gcfx::StateDict weights;
  const auto labels_known = static_cast<std::int64_t>(data.node_labels.size());
  weights["convs.0.lin.weight"] = gcfx::Tensor::from_floats(
      {2, labels_known}, std::vector<float>(2 * data.node_labels.size(), 0.5F));
  weights["fc.weight"] = gcfx::Tensor::from_floats({2, 2}, {1, 0, 0, 1});
  gcfx::ModelSpec spec;
  spec.layers = {gcfx::LayerSpec{}};
  spec.layers[0].weights = "convs.0";
  spec.head = {{"fc", ""}};
  const gcfx::NativeClassifier model(spec, weights, "consumer");
  gcfx::ThreadPool pool(2);
  const gcfx::Predictions result = gcfx::predict(data, model, pool);
  std::printf("gcfx %s: %zu graphs classified\n", gcfx::version().c_str(), result.predicted.size());
  return result.predicted.size() == 20 ? 0 : 1;
}
