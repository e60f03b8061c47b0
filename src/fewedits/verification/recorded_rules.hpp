// SPDX-License-Identifier: MIT
// The rules of an explanation, from the options that it records: which graphs are explained, and
// when a graph is a counterfactual.
#pragma once

#include <string>

#include "fewedits/classifier/classifier.hpp"
#include "fewedits/classifier/input_selection.hpp"
#include "fewedits/explanation/explanation.hpp"
#include "fewedits/graph/dataset.hpp"

namespace fewedits {

/// Which graphs of the dataset it explains; a part of a split is looked up in the model's file.
/// Throws Error naming the explanation `file` for an option that makes no sense.
InputSelection recorded_selection(const Provenance& recorded, const Dataset& data,
                                  const std::string& model, const std::string& file);

/// What it accepts; nothing recorded is nothing asked for. Throws Error as above.
Acceptance recorded_acceptance(const Provenance& recorded, const std::string& file);

}  // namespace fewedits
