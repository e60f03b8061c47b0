// SPDX-License-Identifier: MIT
// The graphs of a dataset as an explanation sees them: without labels of edges or, if bonds are
// used, with them; molecules then in canonical form, so that a distance does not depend on how a
// ring was written.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fewedits/chem/molecule_rules.hpp"
#include "fewedits/graph/dataset.hpp"

namespace fewedits {

class GraphView {
 public:
  /// Edges have no labels.
  GraphView() = default;
  /// With bonds or without. With them, throws Error if the dataset has no labels of edges.
  GraphView(const Dataset& dataset, bool bonds);
  /// As an explanation recorded it: these are the labels of edges, none if they play no part.
  /// Throws Error naming `file` if they are not the dataset's.
  GraphView(const Dataset& dataset, const std::vector<std::string>& recorded,
            const std::string& file);

  /// Is it a set of molecules whose labels are all known, so that bonds can be used?
  static bool knows_bonds(const Dataset& dataset);

  [[nodiscard]] bool has_bonds() const { return !edge_label_names_.empty(); }
  /// By label; molecules have one called aromatic, which need not be among the dataset's.
  [[nodiscard]] const std::vector<std::string>& edge_label_names() const {
    return edge_label_names_;
  }
  /// Null: they are no molecules, or bonds are not used.
  [[nodiscard]] const std::shared_ptr<const MoleculeRules>& rules() const { return rules_; }

  [[nodiscard]] Graph operator()(const Graph& graph) const;
  [[nodiscard]] std::vector<Graph> of(const Dataset& dataset,
                                      std::span<const std::uint32_t> indices) const;

 private:
  std::vector<std::string> edge_label_names_;
  std::shared_ptr<const MoleculeRules> rules_;
};

}  // namespace fewedits
