// SPDX-License-Identifier: MIT
#include "fewedits/classifier/classifiers.hpp"

#include <utility>

#include "fewedits/classifier/aligned_classifier.hpp"
#include "fewedits/classifier/native/kernels.hpp"
#include "fewedits/classifier/native/native_classifier.hpp"

namespace fewedits {
namespace {

/// Checkpoints and model files have no ending of their own: whatever nobody else reads.
ClassifierKind native(const Kernels& kernels) {
  return {"GCN, GIN, GINE, GraphSAGE and GAT from PyTorch or safetensors checkpoints",
          [](const std::filesystem::path&) { return true; },
          [&kernels](const std::filesystem::path& file) {
            return std::make_unique<NativeClassifier>(load_classifier(file, kernels));
          }};
}

}  // namespace

ClassifierRegistry builtin_classifiers() { return builtin_classifiers(best_kernels()); }

ClassifierRegistry builtin_classifiers(const Kernels& kernels) {
  ClassifierRegistry out("kind of model");
  out.add("native", native(kernels));
  return out;
}

std::unique_ptr<Classifier> open_classifier(const std::filesystem::path& file,
                                            const Dataset& dataset, const ClassifierRegistry& kinds,
                                            ClassMatch match) {
  // Built-in kinds come first in the registry, but read anything: ask the last first.
  const auto names = kinds.names();
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    const ClassifierKind& kind = kinds.at(*name);
    if (!kind.reads(file)) continue;
    auto model = kind.load(file);
    model->set_origin(file.string());
    return aligned(std::move(model), dataset, match);
  }
  throw Error({file.string()}, "no kind of model reads this file");
}

}  // namespace fewedits
