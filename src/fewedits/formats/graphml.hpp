// SPDX-License-Identifier: MIT
// Graphs as GraphML (Brandes et al. 2002), which Gephi, yEd, Cytoscape and networkx open.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "fewedits/graph/graph.hpp"

namespace fewedits {

/// What is said of a graph beside its nodes and edges.
struct GraphFacts {
  double probability = 0;  ///< of the desired class
  std::size_t covers = 0;  ///< number of inputs
};

/// One <graph> each, "c0", "c1" …, with ids unique in the file ("c0n4") and the name of its label
/// on every node (its number, if it has no name), and on every edge if those have names. `facts`
/// has an entry per graph, or none. What XML cannot hold (control characters, bytes that are no
/// UTF-8) is replaced by U+FFFD.
std::string to_graphml(std::span<const Graph> graphs, const std::vector<std::string>& label_names,
                       std::span<const GraphFacts> facts = {},
                       const std::vector<std::string>& edge_label_names = {});

}  // namespace fewedits
