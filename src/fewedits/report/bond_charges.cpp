// SPDX-License-Identifier: MIT
#include "fewedits/report/bond_charges.hpp"

namespace fewedits {

std::vector<int> bond_charges(const MoleculeRules* rules, const Graph& graph) {
  if (rules == nullptr || !graph.has_edge_labels()) return {};
  if (rules->charges() != MoleculeRules::Charges::kFromBonds) return {};
  return rules->charges(graph);
}

}  // namespace fewedits
