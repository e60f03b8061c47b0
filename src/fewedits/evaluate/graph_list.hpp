// SPDX-License-Identifier: MIT
// Brings graphs of a file and a dataset to the same node labels.
#pragma once

#include <string>

#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/graph/dataset.hpp"

namespace fewedits {

/// From now on both have the same node labels: those of an explanation, in the order its model
/// knows them, or else the dataset's. `file` is for messages. Throws Error naming a label that only
/// one side knows.
void share_labels(const std::string& file, GraphList& list, Dataset& dataset);

}  // namespace fewedits
