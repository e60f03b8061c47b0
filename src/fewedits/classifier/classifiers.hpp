// SPDX-License-Identifier: MIT
// The kinds of models that can be read from files, by name.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "fewedits/base/registry.hpp"
#include "fewedits/classifier/classifier.hpp"
#include "fewedits/graph/dataset.hpp"

namespace fewedits {

struct Kernels;

struct ClassifierKind {
  std::string about;
  /// Is this file one of its own? The kind that was added last is asked first; it may look at the
  /// name, or into the file.
  std::function<bool(const std::filesystem::path& file)> reads;
  std::function<std::unique_ptr<Classifier>(const std::filesystem::path& file)> load;
};

using ClassifierRegistry = Registry<ClassifierKind>;

ClassifierRegistry builtin_classifiers();
/// Native models compute with these kernels (classifier/native/kernels.hpp), not the fastest ones.
ClassifierRegistry builtin_classifiers(const Kernels& kernels);

/// Reads a model and aligns it with the dataset. Throws Error if no kind reads the file, or labels
/// or classes do not fit.
std::unique_ptr<Classifier> open_classifier(const std::filesystem::path& file,
                                            const Dataset& dataset, const ClassifierRegistry& kinds,
                                            ClassMatch match = ClassMatch::kRequired);

}  // namespace fewedits
