// SPDX-License-Identifier: MIT
// Any text as a model file: an Error or a model, and a model must survive writing, compiling
// against a few fixed tensors, and classifying a graph.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/classifier/native/native_classifier.hpp"

namespace {

/// What a layer of that kind named "a" reads, a batch norm "b", and "f": nothing may be left over.
fewedits::StateDict weights_for(const fewedits::ModelSpec& spec) {
  fewedits::StateDict weights;
  const auto add = [&](const std::string& name, std::vector<std::int64_t> shape) {
    std::size_t count = 1;
    for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
    weights[name] =
        fewedits::Tensor::from_floats(std::move(shape), std::vector<float>(count, 0.5F));
  };
  const auto add_norm = [&](const std::string& prefix) {
    if (prefix != "b") return;
    for (const char* name : {"b.weight", "b.bias", "b.running_mean", "b.running_var"}) {
      add(name, {4});
    }
  };
  for (const fewedits::LayerSpec& layer : spec.layers) {
    add_norm(layer.batch_norm);
    switch (layer.conv) {
      case fewedits::Conv::kGcn: add("a.lin.weight", {4, 4}); break;
      case fewedits::Conv::kGine: add("a.lin.weight", {4, 4}); [[fallthrough]];
      case fewedits::Conv::kGin:
        add("a.nn.0.weight", {4, 4});
        add("a.nn.2.weight", {4, 4});
        break;
      case fewedits::Conv::kSage:
        add("a.lin_l.weight", {4, 4});
        add("a.lin_r.weight", {4, 4});
        break;
      case fewedits::Conv::kGat:
        add("a.lin_src.weight", {4, 4});
        add("a.att_src", {1, 2, 2});
        add("a.att_dst", {1, 2, 2});
        if (layer.edges) {
          add("a.lin_edge.weight", {4, 4});
          add("a.att_edge", {1, 2, 2});
        }
        break;
    }
    if (layer.edge_embedding == "e" || spec.edge_embedding == "e") add("e.weight", {2, 4});
  }
  if (spec.node_embedding == "n") add("n.weight", {4, 4});
  for (const fewedits::HeadSpec& part : spec.head) add_norm(part.batch_norm);
  add("f.weight", {4, 4});
  return weights;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const fewedits::ModelFile model = fewedits::parse_model_file(text, "fuzz");
    const std::string written = fewedits::to_json(model);
    if (fewedits::to_json(fewedits::parse_model_file(written, "again")) != written) std::abort();
    const fewedits::NativeClassifier classifier(model.spec, weights_for(model.spec), "fuzz");
    const std::vector<fewedits::Label> labels{0, 1, 2, 3};
    const fewedits::Graph graph(labels, std::vector<fewedits::Edge>{{0, 1, 1}, {1, 2}},
                                fewedits::Graph::EdgeLabels::kPresent);
    std::vector<float> out(classifier.num_classes());
    fewedits::ThreadPool pool(1);
    classifier.log_probabilities({&graph, 1}, out, pool);
  } catch (const fewedits::Error&) {
    // The expected answer to nonsense.
  }
  return 0;
}
