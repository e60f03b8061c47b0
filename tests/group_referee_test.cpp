// SPDX-License-Identifier: MIT
// Functional groups beside RDKit: the same patterns in the same places, and the main groups counted
// by other patterns, written for RDKit alone.
#include "support/group_referee.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "fewedits/chem/atom_pattern.hpp"
#include "fewedits/chem/functional_groups.hpp"
#include "fewedits/formats/molecule_file.hpp"
#include "fewedits/formats/open_dataset.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

using test::AskedPattern;
using test::NodeSets;

struct Material {
  std::vector<Graph> molecules;
  std::shared_ptr<const MoleculeRules> rules;
};

std::vector<std::string> names(const std::vector<NamedValue>& table) {
  std::vector<std::string> out;
  for (const NamedValue& entry : table) out.push_back(entry.name);
  return out;
}

Material material(const std::vector<Graph>& graphs, const std::vector<std::string>& atoms,
                  std::vector<std::string> bonds) {
  for (const auto name : kBondNames) {
    if (std::find(bonds.begin(), bonds.end(), name) == bonds.end()) bonds.emplace_back(name);
  }
  Material out;
  out.rules = std::make_shared<const MoleculeRules>(*MoleculeRules::of(atoms, bonds));
  for (const Graph& g : graphs) out.molecules.push_back(out.rules->canonical(g));
  return out;
}

Material of_dataset(const char* name, std::size_t step) {
  const Dataset data = open_dataset(test::shared_root() / "datasets" / name);
  std::vector<Graph> some;
  for (std::size_t i = 0; i < data.size(); i += step) some.push_back(data.graphs[i]);
  return material(some, names(data.node_labels), names(data.edge_labels));
}

Material known(bool hydrogens) {
  MoleculeOptions options;
  options.explicit_hydrogens = hydrogens;
  const RawDataset raw = read_molecules(FEWEDITS_KNOWN_MOLECULES, options);
  return material(raw.graphs, names(raw.node_labels), names(raw.edge_labels));
}

NodeSets ours(const MoleculeFacts& facts, const AtomPattern& pattern, std::size_t own) {
  NodeSets out;
  pattern.visit(facts, [&](std::span<const MoleculeFacts::Atom> image) {
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < own; ++i) nodes.push_back(facts.atoms[image[i]].node);
    std::sort(nodes.begin(), nodes.end());
    out.insert(std::move(nodes));
    return true;
  });
  return out;
}

/// Every pattern of the table by itself, whatever else has its atoms.
struct Compared {
  std::size_t molecules = 0;
  std::size_t matches = 0;
  std::size_t asked = 0;  ///< molecule and pattern
  std::size_t different = 0;
  std::size_t molecules_with_some = 0;
  std::string which;

  [[nodiscard]] double share() const {
    return static_cast<double>(molecules_with_some) / static_cast<double>(molecules);
  }
};

Compared compare(const Material& m) {
  std::vector<AskedPattern> asked;
  std::vector<AtomPattern> patterns;
  for (const FunctionalGroup& group : functional_groups()) {
    asked.push_back({std::string(group.pattern), group.own});
    patterns.emplace_back(group.pattern);
  }
  Compared out;
  for (std::size_t i = 0; i < m.molecules.size(); ++i) {
    const Graph& g = m.molecules[i];
    const auto kekule = m.rules->kekule_form(g);
    const auto facts = MoleculeFacts::of(g, *m.rules);
    if (!kekule || !facts) continue;
    const auto theirs = test::rdkit_matches(*kekule, *m.rules, asked);
    if (theirs.empty()) continue;
    ++out.molecules;
    const std::size_t before = out.different;
    for (std::size_t p = 0; p < patterns.size(); ++p) {
      const NodeSets sets = ours(*facts, patterns[p], asked[p].own);
      ++out.asked;
      out.matches += theirs[p].size();
      if (sets == theirs[p]) continue;
      ++out.different;
      out.which += std::to_string(i) + ": " + std::string(functional_groups()[p].one) + " " +
                   std::to_string(sets.size()) + " for us, " + std::to_string(theirs[p].size()) +
                   " for RDKit\n";
    }
    out.molecules_with_some += out.different > before ? 1U : 0U;
  }
  return out;
}

TEST(GroupReferee, KnownMoleculesHaveTheSamePatterns) {
  for (const bool hydrogens : {false, true}) {
    const Compared all = compare(known(hydrogens));
    EXPECT_GT(all.molecules, 60U);
    EXPECT_GT(all.matches, 300U);
    EXPECT_EQ(all.different, 0U) << all.which;
  }
}

// Which rings are aromatic is a matter of opinion for a few fused ones; hence not all.
TEST(GroupReferee, MoleculesOfAidsHaveTheSamePatterns) {
  FEWEDITS_REQUIRE_SHARED("datasets/AIDS");
  const Compared all = compare(of_dataset("AIDS", 1));
  EXPECT_GT(all.molecules, 1500U);
  EXPECT_LE(all.share(), 0.002) << all.which;
}

TEST(GroupReferee, MoleculesOfMutagenicityHaveTheSamePatterns) {
  FEWEDITS_REQUIRE_SHARED("datasets/Mutagenicity");
  const Compared all = compare(of_dataset("Mutagenicity", 1));
  EXPECT_GT(all.molecules, 4000U);
  EXPECT_LE(all.share(), 0.002) << all.which;
}

/// What the table says in the end, by patterns that say in one what the table says by its order.
struct Whole {
  const char* group;
  AskedPattern asked;
};

const std::vector<Whole>& wholes() {
  static const std::vector<Whole> kAll = {
      {"nitro group", {"[$([N+](=O)[O-])](=O)[O-]", 3}},
      {"nitrile", {"C#[N;D1]", 2}},
      {"azo group", {"[N;D2](=[N;D2][#6])[#6]", 2}},
      {"sulfonamide", {"S(=O)(=O)N", 4}},
      {"sulfone", {"S(=O)(=O)([#6])[#6]", 3}},
      {"aldehyde", {"[CX3;H1;!$(C~[#7,#8X2,#16])]=O", 2}},
      {"ketone",
       {"[$([#6](=O)([#6])[#6]);!$([#6]1(=O)[#6]~[#6][#6](=O)[#6]~[#6]1);"
        "!$([#6]1(=O)[#6](=O)[#6]~[#6]~[#6]~[#6]1)]=[OX1]",
        2}},
      {"phenol", {"[OX2H,OX1-]-c", 1}},
      {"primary aromatic amine", {"[NX3H2,NX4H3;$(N-a)]", 1}},
      {"thiol", {"[SX2H,SX1-;$(S-[#6])]", 1}},
      {"aromatic chloride", {"Clc", 1}},
      {"aromatic bromide", {"Brc", 1}},
      {"epoxide", {"O1CC1", 3}},
      {"alkyne", {"C#C", 2}},
      {"benzene ring",
       {"[$(c1ccccc1);!$(c1ccc2aaaac2c1);!$(c1ccc2aaac2c1);!$(c12aaaac1cccc2);!$(c12aaac1cccc2)]"
        "1[c;!$(c12aaaac1cccc2);!$(c12aaac1cccc2)][c;!$(c12aaaac1cccc2);!$(c12aaac1cccc2)]"
        "[c;!$(c12aaaac1cccc2);!$(c12aaac1cccc2)][c;!$(c12aaaac1cccc2);!$(c12aaac1cccc2)]"
        "[c;!$(c12aaaac1cccc2);!$(c12aaac1cccc2)]1",
        6}},
  };
  return kAll;
}

void expect_the_same_groups(const Material& m, std::size_t least_matches, double share) {
  const GroupFinder finder(m.rules, GroupFinder::Bonds::kKnown);
  std::vector<AskedPattern> asked;
  for (const Whole& one : wholes()) asked.push_back(one.asked);
  std::size_t matches = 0;
  std::size_t compared = 0;
  std::size_t different = 0;
  std::string which;
  for (std::size_t i = 0; i < m.molecules.size(); ++i) {
    const auto kekule = m.rules->kekule_form(m.molecules[i]);
    if (!kekule) continue;
    const auto theirs = test::rdkit_matches(*kekule, *m.rules, asked);
    if (theirs.empty()) continue;
    const std::vector<GroupMatch> found = finder.find(m.molecules[i]);
    for (std::size_t w = 0; w < wholes().size(); ++w) {
      NodeSets sets;
      for (const GroupMatch& match : found) {
        if (finder.table()[match.group].one == wholes()[w].group) sets.insert(match.nodes);
      }
      ++compared;
      matches += theirs[w].size();
      if (sets == theirs[w]) continue;
      ++different;
      which += std::to_string(i) + ": " + wholes()[w].group + " " + std::to_string(sets.size()) +
               " for us, " + std::to_string(theirs[w].size()) + " for RDKit\n";
    }
  }
  EXPECT_GT(matches, least_matches);
  EXPECT_LE(static_cast<double>(different), share * static_cast<double>(compared)) << which;
}

TEST(GroupReferee, MainGroupsAreThoseOfOtherPatterns) {
  expect_the_same_groups(known(false), 50, 0.01);
  expect_the_same_groups(known(true), 50, 0.01);
}

TEST(GroupReferee, MainGroupsOfMutagenicityAreThoseOfOtherPatterns) {
  FEWEDITS_REQUIRE_SHARED("datasets/Mutagenicity");
  expect_the_same_groups(of_dataset("Mutagenicity", 10), 300, 0.01);
}

}  // namespace
}  // namespace fewedits
