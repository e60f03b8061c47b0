// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "fewedits/chem/molecule_rules.hpp"
#include "fewedits/graph/dataset.hpp"

namespace fewedits::python {

/// Datasets never change once they are made, so that threads and explanations share them.
using DatasetHandle = std::shared_ptr<const Dataset>;

/// The search knows molecules by a form in which aromatic bonds are called so. A dataset that has
/// no such label writes them as single and double ones, and that is what its models have seen.
class BondWriter {
 public:
  explicit BondWriter(const Dataset& dataset);
  /// As the dataset writes it: in one of its Kekulé forms, the same for the same graph.
  [[nodiscard]] Graph operator()(const Graph& graph) const;
  /// Are there graphs that it does not leave as they are?
  [[nodiscard]] bool changes() const { return rules_ != nullptr; }

 private:
  std::shared_ptr<const MoleculeRules> rules_;  ///< null: all graphs are as they should be
  std::size_t labels_;                          ///< of edges that the dataset has
};

}  // namespace fewedits::python
