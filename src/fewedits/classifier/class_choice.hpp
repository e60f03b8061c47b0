// SPDX-License-Identifier: MIT
// Which of a model's classes is meant. The model is one that was aligned with the dataset
// (classifier/aligned_classifier), or whose classes are the dataset's by themselves.
#pragma once

#include <cstddef>
#include <string>

#include "fewedits/classifier/classifier.hpp"
#include "fewedits/graph/dataset.hpp"

namespace fewedits {

/// The desired class among the model's. Throws Error if nobody said which, or if the model has no
/// such class.
std::size_t desired_class(const Dataset& dataset, const Classifier& classifier);

/// The class that a person means: a number is the dataset's value, "model:N" the model's output N,
/// other text a name, the dataset's or else the model's. Throws Error naming all if there is none.
std::size_t class_meant(const std::string& text, const Dataset& dataset,
                        const Classifier& classifier);

/// The dataset's name for one of the model's classes, else the model's, else "model:N".
std::string class_name(std::size_t index, const Dataset& dataset, const Classifier& classifier);

}  // namespace fewedits
