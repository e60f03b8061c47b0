// SPDX-License-Identifier: MIT
// Draws the graphs of one dataset: what is built like molecules by RDKit where that is built in,
// others by stress. A picture never has other nodes or edges than its graph: only positions come
// out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fewedits/graph/dataset.hpp"
#include "fewedits/graph/positions.hpp"
#include "fewedits/proof/node_map.hpp"

namespace fewedits {

class Artist {
 public:
  explicit Artist(const Dataset& dataset);

  /// Node labels are element symbols and pictures are structural formulas.
  [[nodiscard]] bool molecules() const { return molecules_; }

  /// Edges are about 1 long, in graphs that are no molecules somewhat longer.
  [[nodiscard]] Positions draw(const Graph& graph) const;

  /// The same with every node that `map` keeps where its image is in the picture of the target, as
  /// far as that gives a picture one can read; else turned so that the two are alike.
  [[nodiscard]] Positions draw_like(const Graph& graph, const Positions& target,
                                    std::span<const Node> map) const;

  /// What a graph becomes, beside the picture of that graph: the largest part that stays and hangs
  /// together by edges that stay is in the same place, as far as the rest can be drawn around it.
  [[nodiscard]] Positions draw_changed(const Graph& start, const Positions& start_at,
                                       const Graph& target, std::span<const Node> map) const;

 private:
  [[nodiscard]] Positions by_rdkit(const Graph& graph, const Anchors& anchors) const;

  bool molecules_;
  bool use_rdkit_;
  double edge_;                        ///< length of an edge
  std::vector<std::string> elements_;  ///< by label, for RDKit
};

/// What is hard to read in a picture: 0 is fine. Nodes on top of each other or on edges, edges that
/// cross or are far too long, and nodes far from their anchor.
double flaws(const Graph& graph, const Positions& at, const Anchors& anchors = {});

}  // namespace fewedits
