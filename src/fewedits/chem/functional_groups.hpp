// SPDX-License-Identifier: MIT
// Functional groups and rings by name, from a table of patterns of our own. Specific names win: a
// group is left out where others that stand before it in the table have all its own atoms, so that
// an ester is no ether and no ketone. Rings are named apart from groups: a ring of pyridine may be
// part of a lactam, too.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fewedits/chem/molecule_rules.hpp"
#include "fewedits/graph/graph.hpp"

namespace fewedits {

enum class GroupKind : std::uint8_t { kGroup, kRing };

struct FunctionalGroup {
  std::string_view one;      ///< "nitro group"
  std::string_view many;     ///< "nitro groups"
  std::string_view pattern;  ///< chem/atom_pattern
  std::size_t own = 0;       ///< so many nodes of the pattern, the first ones, are its own
  GroupKind kind = GroupKind::kGroup;
};

/// The whole table, for graphs with bonds. Names are different.
std::span<const FunctionalGroup> functional_groups();
/// What can be said where bonds are not known: fewer groups, with names that claim no more.
std::span<const FunctionalGroup> functional_groups_without_bonds();

struct GroupMatch {
  std::size_t group = 0;    ///< place in the table
  std::vector<Node> nodes;  ///< its own, of the graph, ascending; no hydrogens
  friend bool operator==(const GroupMatch&, const GroupMatch&) = default;
};

/// Immutable; any thread may ask.
class GroupFinder {
 public:
  enum class Bonds : std::uint8_t { kKnown, kUnknown };
  GroupFinder(std::shared_ptr<const MoleculeRules> rules, Bonds bonds);

  [[nodiscard]] std::span<const FunctionalGroup> table() const { return table_; }
  /// In the order of the table, then of their nodes; none in what is no molecule.
  [[nodiscard]] std::vector<GroupMatch> find(const Graph& graph) const;

 private:
  std::shared_ptr<const MoleculeRules> rules_;
  Bonds bonds_;
  std::span<const FunctionalGroup> table_;
};

}  // namespace fewedits
