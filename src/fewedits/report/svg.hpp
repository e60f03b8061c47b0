// SPDX-License-Identifier: MIT
// Still pictures for papers, as SVG: a graph, or an input beside its counterfactual with the
// difference marked. They look as the report's do (web/report.js draws those).
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fewedits/chem/molecule_rules.hpp"
#include "fewedits/graph/dataset.hpp"
#include "fewedits/graph/positions.hpp"
#include "fewedits/report/label_style.hpp"
#include "fewedits/report/marks.hpp"

namespace fewedits {

class SvgPainter {
 public:
  explicit SvgPainter(const Dataset& dataset);

  /// Every node and edge is a group with data-part="node 3" or "edge 1-4".
  [[nodiscard]] std::string graph(const Graph& graph, const Positions& at) const;

  struct Side {
    const Graph& graph;  ///< with edge labels, if its bonds are to be told apart
    const Positions& at;
    std::string caption;
  };
  /// Both in one frame and at one scale; what differs has the class removed, added or relabelled.
  /// A target without bond orders is drawn with those of the bonds that stay, and the picture says
  /// so.
  [[nodiscard]] std::string pair(const Side& start, const Side& target,
                                 const EditScript& script) const;

  struct Panel {
    Overlay shown;
    Positions at;
    std::string caption;
  };
  /// All in frames of one size, at one scale, side by side in as many rows as are needed: nodes at
  /// one position are at one place of their frames.
  [[nodiscard]] std::string strip(std::span<const Panel> panels) const;

 private:
  class Canvas;
  [[nodiscard]] int bond_order(Label label) const;
  [[nodiscard]] std::map<std::pair<Node, Node>, int> carried_orders(const Graph& start,
                                                                    const Graph& target,
                                                                    const EditScript& script) const;

  std::vector<LabelStyle> styles_;
  std::vector<int> bonds_;
  std::shared_ptr<const MoleculeRules> rules_;  ///< null: nothing tells charges
  bool molecules_;
};

}  // namespace fewedits
