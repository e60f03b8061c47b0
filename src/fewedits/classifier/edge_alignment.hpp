// SPDX-License-Identifier: MIT
// A model that looks at labels of edges, seen through a dataset's eyes.
//
// Labels are matched by name. Molecules are shown in canonical form (chem/graph_view), so that an
// answer does not depend on how a ring was written: with aromatic bonds to a model that knows them,
// else in a Kekulé form that follows from the molecule alone. Graphs may be asked about as they
// are in the dataset or as the search has them; both are the same molecule.
#pragma once

#include <memory>

#include "fewedits/classifier/classifier.hpp"
#include "fewedits/graph/dataset.hpp"

namespace fewedits {

/// The model as it is if it does not look at edges or means the same labels; renumbered if it can
/// be; else wrapped, as it is for molecules. Throws Error if the dataset has no labels of edges, or
/// one that the model does not know.
std::unique_ptr<Classifier> with_edge_labels(std::unique_ptr<Classifier> model,
                                             const Dataset& dataset);

}  // namespace fewedits
