// SPDX-License-Identifier: MIT
#include "fewedits/chem/functional_groups.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "fewedits/chem/atom_pattern.hpp"
#include "fewedits/chem/molecule_facts.hpp"

namespace fewedits {
namespace {

std::vector<AtomPattern> parsed(std::span<const FunctionalGroup> table) {
  std::vector<AtomPattern> out;
  out.reserve(table.size());
  for (const FunctionalGroup& group : table) out.emplace_back(group.pattern);
  return out;
}

const std::vector<AtomPattern>& patterns(GroupFinder::Bonds bonds) {
  static const std::vector<AtomPattern> known = parsed(functional_groups());
  static const std::vector<AtomPattern> unknown = parsed(functional_groups_without_bonds());
  return bonds == GroupFinder::Bonds::kKnown ? known : unknown;
}

}  // namespace

GroupFinder::GroupFinder(std::shared_ptr<const MoleculeRules> rules, Bonds bonds)
    : rules_(std::move(rules)),
      bonds_(bonds),
      table_(bonds == Bonds::kKnown ? functional_groups() : functional_groups_without_bonds()) {}

std::vector<GroupMatch> GroupFinder::find(const Graph& graph) const {
  const auto facts = bonds_ == Bonds::kKnown ? MoleculeFacts::of(graph, *rules_)
                                             : MoleculeFacts::without_bonds(graph, *rules_);
  std::vector<GroupMatch> out;
  if (!facts) return out;
  const auto& all = patterns(bonds_);
  // By kind and atom: has a group before it this atom?
  std::vector<std::vector<bool>> taken(3, std::vector<bool>(facts->atoms.size(), false));
  for (std::size_t g = 0; g < table_.size(); ++g) {
    std::vector<bool>& of_kind = taken[static_cast<std::size_t>(table_[g].kind)];
    std::set<std::vector<MoleculeFacts::Atom>> found;
    all[g].visit(*facts, [&](std::span<const MoleculeFacts::Atom> image) {
      std::vector<MoleculeFacts::Atom> own(
          image.begin(), image.begin() + static_cast<std::ptrdiff_t>(table_[g].own));
      const bool is_taken =
          std::all_of(own.begin(), own.end(), [&](auto atom) { return of_kind[atom]; });
      std::sort(own.begin(), own.end());
      if (!is_taken) found.insert(std::move(own));
      return true;
    });
    for (const auto& own : found) {
      GroupMatch match{g, {}};
      for (const auto atom : own) {
        of_kind[atom] = true;
        match.nodes.push_back(facts->atoms[atom].node);
      }
      std::sort(match.nodes.begin(), match.nodes.end());
      out.push_back(std::move(match));
    }
  }
  return out;
}

}  // namespace fewedits
