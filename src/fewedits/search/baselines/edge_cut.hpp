// SPDX-License-Identifier: MIT
// Counterfactuals made by removing edges: the graph that is left, and whether it is one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fewedits/base/parallel.hpp"
#include "fewedits/classifier/classifier.hpp"
#include "fewedits/edit/constraints.hpp"
#include "fewedits/proof/node_map.hpp"

namespace fewedits {

/// What is left of a graph, and where its nodes are.
struct CutGraph {
  Graph graph;
  NodeMap map;  ///< from the whole graph
};

/// Without the edges of these places in graph.edges(). With `keep_isolated` all nodes stay; else
/// only the largest connected part, of equals the one with the lowest node.
CutGraph cut_graph(const Graph& graph, std::span<const std::uint32_t> removed, bool keep_isolated);

/// Which of the graphs that are left are counterfactuals.
struct CutRules {
  Goal goal;
  Constraints constraints;     ///< with keep_isolated they need not be connected
  bool keep_isolated = false;  ///< nodes that lost all edges, and parts that were cut off
};

struct EdgeCut {
  Graph graph;
  NodeMap map;  ///< from the input
  Judgement judged;
};

/// For each graph itself, if it is one.
std::vector<std::optional<EdgeCut>> judged_cuts(std::vector<CutGraph> cuts, const CutRules& rules,
                                                const Classifier& classifier, ThreadPool& pool);

/// Removes edges in that order, one by one, until what is left is one.
std::optional<EdgeCut> first_cut(const Graph& graph, std::span<const std::uint32_t> order,
                                 const CutRules& rules, const Classifier& classifier,
                                 ThreadPool& pool);

}  // namespace fewedits
