// SPDX-License-Identifier: MIT
// Any text as a model file: an Error or a model, and a model must survive writing, compiling
// against a few fixed tensors, and classifying a graph.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "gcfx/base/error.hpp"
#include "gcfx/nn/model_file.hpp"
#include "gcfx/nn/native_classifier.hpp"

namespace {

const gcfx::StateDict& some_weights() {
  static const gcfx::StateDict kWeights = [] {
    gcfx::StateDict weights;
    const auto add = [&](const std::string& name, std::vector<std::int64_t> shape) {
      std::size_t count = 1;
      for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
      weights[name] = gcfx::Tensor::from_floats(std::move(shape), std::vector<float>(count, 0.5F));
    };
    for (const char* name : {"a.lin.weight", "a.lin_l.weight", "a.lin_r.weight", "a.lin_src.weight",
                             "a.nn.0.weight", "a.nn.2.weight", "f.weight"}) {
      add(name, {4, 4});
    }
    for (const char* name : {"b.weight", "b.bias", "b.running_mean", "b.running_var", "a.bias"}) {
      add(name, {4});
    }
    add("a.att_src", {1, 2, 2});
    add("a.att_dst", {1, 2, 2});
    return weights;
  }();
  return kWeights;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const gcfx::ModelFile model = gcfx::parse_model_file(text, "fuzz");
    const std::string written = gcfx::to_json(model);
    if (gcfx::to_json(gcfx::parse_model_file(written, "again")) != written) std::abort();
    const gcfx::NativeClassifier classifier(model.spec, some_weights(), "fuzz");
    const std::vector<gcfx::Label> labels{0, 1, 2, 3};
    const gcfx::Graph graph(labels, std::vector<gcfx::Edge>{{0, 1}, {1, 2}});
    std::vector<float> out(classifier.num_classes());
    gcfx::ThreadPool pool(1);
    classifier.log_probabilities({&graph, 1}, out, pool);
  } catch (const gcfx::Error&) {
    // The expected answer to nonsense.
  }
  return 0;
}
