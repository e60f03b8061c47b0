// SPDX-License-Identifier: MIT
// The refinement under certified distances: climbs on the edit map, with a node map for every
// input near the graph carried along (explain/map_keeper).
//
// A climb improves one member of the chosen set given the others. It moves to the neighbour that
// is worth most to the inputs the others leave, where an input just outside theta is worth nearly
// as much as a covered one, so that there is a slope to follow; not back to a graph it has seen.
// The classifier is a penalty that rises while the climb is among rejected graphs and falls among
// accepted ones, so that it runs along the boundary; neighbours are taken in descending worth, and
// the classifier is asked until no later one can win. Accepted graphs on the way are remembered
// with what they cover; after each round of climbs, remembered graphs are swapped into the set.
//
// A round is a fixed number of climbs that know nothing of each other, so threads need no locks and
// their number makes no difference.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "gcfx/explain/refine.hpp"
#include "gcfx/ged/prepared_graph.hpp"
#include "gcfx/nn/classifier.hpp"

namespace gcfx {

/// As refine(), but fills up to k graphs if fewer are given; of the options, `work` is in units of
/// GedBudget. The classifier is called from several threads.
std::vector<Choice> certified_search(std::vector<Choice> chosen, std::span<const Choice> pool,
                                     std::size_t k, std::span<const PreparedGraph> inputs,
                                     const Classifier& classifier, std::size_t desired_class,
                                     const Constraints& constraints, const RefineOptions& options,
                                     ThreadPool& threads,
                                     const std::function<bool(const RefineProgress&)>& go_on = {});

}  // namespace gcfx
