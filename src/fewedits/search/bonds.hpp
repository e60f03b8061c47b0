// SPDX-License-Identifier: MIT
// Whether an explanation uses bonds, and what follows from it.
#pragma once

#include "fewedits/chem/graph_view.hpp"
#include "fewedits/classifier/classifier.hpp"
#include "fewedits/search/options.hpp"
#include "fewedits/search/parts.hpp"

namespace fewedits {

/// With `bonds` decided, where the dataset has labels of edges; whoever decides twice changes
/// nothing. Throws Error if bonds are asked for, or the classifier looks at them, and the distance
/// or the method cannot use them; and if such a classifier is to go without.
ExplainOptions with_bonds_decided(ExplainOptions options, const Dataset& dataset,
                                  const Classifier& classifier, const Parts& parts);

/// The same with the costs and the constraint of those who see the graphs that way. Throws Error if
/// molecules are asked for and there are no rules.
ExplainOptions with_view(ExplainOptions options, const GraphView& view);

}  // namespace fewedits
