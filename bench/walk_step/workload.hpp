// SPDX-License-Identifier: MIT
// What a step of the walk has to evaluate: neighbourhoods of graphs that a real walk visits.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "fewedits/distance/distance.hpp"
#include "fewedits/edit/edit.hpp"
#include "fewedits/search/evaluator.hpp"
#include "support/published.hpp"

namespace fewedits::bench {

/// A graph and all the edits that lead to its neighbours.
struct Expansion {
  Graph graph;
  std::vector<Edit> edits;

  /// The graph itself is evaluated too: the walk may stay.
  [[nodiscard]] std::size_t entries() const { return edits.size() + 1; }
};

/// GREED as published, for the graphs that φ rejects.
std::unique_ptr<Distance> greed_of(const Published& models, ThreadPool& pool);
/// φ as published and a distance; keeps references.
ModelEvaluator evaluator_of(const Published& models, Distance& distance);

/// The first `count` graphs that a walk with the paper's options and seed 1 expands.
std::vector<Expansion> expansions(Evaluator& evaluator, std::size_t num_labels, std::size_t count,
                                  ThreadPool& pool);
/// As many of them, drawn by lot, as have at most `entries` entries together; 0: all.
std::vector<Expansion> drawn(std::vector<Expansion> from, std::size_t entries);
/// The entries of all of them, in order.
std::vector<Graph> entries_of(std::span<const Expansion> expansions);

}  // namespace fewedits::bench
