// SPDX-License-Identifier: MIT
// Functional groups by name, as a chemist would name them: however the molecule was written.
#include "fewedits/chem/functional_groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "fewedits/base/error.hpp"
#include "fewedits/base/rng.hpp"
#include "fewedits/chem/atom_pattern.hpp"
#include "support/small_smiles.hpp"

namespace fewedits {
namespace {

using test::MoleculeWorld;
using Names = std::multiset<std::string>;

GroupFinder finder_of(const MoleculeWorld& world,
                      GroupFinder::Bonds bonds = GroupFinder::Bonds::kKnown) {
  return {std::make_shared<const MoleculeRules>(world.rules), bonds};
}

Names names_in(const Graph& graph, const GroupFinder& finder) {
  Names out;
  for (const GroupMatch& match : finder.find(graph)) {
    out.emplace(finder.table()[match.group].one);
  }
  return out;
}

struct Named {
  const char* smiles;
  Names names;
};

const std::vector<Named>& named() {
  static const std::vector<Named> kAll = {
      {"CCO", {"hydroxy group"}},
      {"COC", {"ether"}},
      {"CC=O", {"aldehyde"}},
      {"CC(C)=O", {"ketone"}},
      {"CC(=O)O", {"carboxylic acid"}},
      {"CC(=O)OC", {"ester"}},
      {"CC(=O)NC", {"amide"}},
      {"CC(=O)OC(=O)C", {"acid anhydride"}},
      {"CC(=O)Cl", {"acyl halide"}},
      {"NC(=O)N", {"urea"}},
      {"COC(=O)NC", {"carbamate"}},
      {"CN", {"primary amine"}},
      {"CNC", {"secondary amine"}},
      {"CN(C)C", {"tertiary amine"}},
      {"Nc1ccccc1", {"primary aromatic amine", "benzene ring"}},
      {"CN(C)c1ccccc1", {"secondary or tertiary aromatic amine", "benzene ring"}},
      {"[O-][N+](=O)c1ccccc1", {"nitro group", "benzene ring"}},
      {"O=Nc1ccccc1", {"nitroso group", "benzene ring"}},
      {"CN(C)N=O", {"nitrosamine"}},
      {"c1ccccc1N=Nc1ccccc1", {"azo group", "benzene ring", "benzene ring"}},
      {"CN=[N+]=[N-]", {"azide"}},
      {"CNN", {"hydrazine"}},
      {"CC#N", {"nitrile"}},
      {"CN=C=O", {"isocyanate"}},
      {"Oc1ccccc1", {"phenol", "benzene ring"}},
      {"COc1ccccc1", {"aromatic ether", "benzene ring"}},
      {"CS", {"thiol"}},
      {"CSC", {"thioether"}},
      {"CS(C)=O", {"sulfoxide"}},
      {"CS(C)(=O)=O", {"sulfone"}},
      {"CS(N)(=O)=O", {"sulfonamide"}},
      {"CS(O)(=O)=O", {"sulfonic acid"}},
      {"CSSC", {"disulfide"}},
      {"C1CO1", {"epoxide"}},
      {"C1CN1", {"aziridine"}},
      {"Clc1ccccc1", {"aromatic chloride", "benzene ring"}},
      {"CCBr", {"aliphatic bromide"}},
      {"CC(F)(F)F", {"trifluoromethyl group"}},
      {"CC=C", {"alkene"}},
      {"CC#C", {"alkyne"}},
      {"CC=CC(C)=O", {"Michael acceptor", "ketone"}},
      {"O=C1C=CC(=O)C=C1", {"para-quinone"}},
      {"O=C1C(=O)C=CC=C1", {"ortho-quinone"}},
      {"CC=NO", {"oxime"}},
      {"CC(C)=NNC", {"hydrazone"}},
      {"CP(=O)(O)O", {"phosphonate"}},
      {"OP(=O)(O)O", {"phosphate"}},
      {"NC(=N)N", {"guanidine"}},
      {"NC(=S)N", {"thiourea"}},
      {"COO", {"peroxide"}},
      {"COCOC", {"acetal"}},
      {"O=C1CCCO1", {"lactone"}},
      {"O=C1CCCN1", {"lactam"}},
      {"c1ccncc1", {"pyridine ring"}},
      {"c1ccoc1", {"furan ring"}},
      {"c1ccsc1", {"thiophene ring"}},
      {"c1cc[nH]c1", {"pyrrole ring"}},
      {"c1ccc2ccccc2c1", {"naphthalene"}},
      {"c1ccc2[nH]ccc2c1", {"indole"}},
      {"c1ccc2cc3ccccc3cc2c1", {"linear system of three aromatic rings"}},
      {"C1CCCCC1", {"cyclohexane ring"}},
      {"C1CCNCC1", {"piperidine ring", "secondary amine"}},
      {"C1COCCN1", {"morpholine ring", "ether", "secondary amine"}},
      {"CC(=O)[O-].[Na+]", {"carboxylic acid", "alkali metal"}},
  };
  return kAll;
}

TEST(FunctionalGroups, AreNamedAsChemistsDo) {
  const MoleculeWorld world = test::implied_hydrogens();
  const GroupFinder finder = finder_of(world);
  for (const Named& one : named()) {
    EXPECT_EQ(names_in(test::molecule(one.smiles, world), finder), one.names) << one.smiles;
  }
}

TEST(FunctionalGroups, WrittenHydrogensMakeNoDifference) {
  const MoleculeWorld world = test::written_hydrogens();
  const GroupFinder finder = finder_of(world);
  for (const Named& one : named()) {
    EXPECT_EQ(names_in(test::molecule(one.smiles, world), finder), one.names) << one.smiles;
  }
}

TEST(FunctionalGroups, ChargesInLabelsMakeNoDifference) {
  MoleculeWorld world{{"C", "N", "O", "S", "P", "F", "Cl", "Br", "N+", "N-", "O-", "Na+"}};
  const GroupFinder finder = finder_of(world);
  ASSERT_EQ(world.rules.charges(), MoleculeRules::Charges::kInLabels);
  for (const Named& one : named()) {
    EXPECT_EQ(names_in(test::molecule(one.smiles, world), finder), one.names) << one.smiles;
  }
}

TEST(FunctionalGroups, NitroIsNitroHoweverItIsWritten) {
  // With two double bonds and without charges, as the generator and old files have it.
  const MoleculeWorld world = test::written_hydrogens();
  const Graph old(
      {std::vector<Label>{world.atom("C"), world.atom("N"), world.atom("O"), world.atom("O"), 3, 3,
                          3}},
      std::vector<Edge>{{0, 1, 0}, {1, 2, 1}, {1, 3, 1}, {0, 4, 0}, {0, 5, 0}, {0, 6, 0}},
      Graph::EdgeLabels::kPresent);
  EXPECT_THAT(names_in(old, finder_of(world)), testing::ElementsAre("nitro group"));
}

/// One of the two Kekulé forms of its six-ring, with single and double bonds.
Graph toluidine(bool first, const MoleculeWorld& world) {
  std::vector<Label> labels(7, world.atom("C"));
  labels.push_back(world.atom("N"));
  std::vector<Edge> edges{{5, 6, 0}, {2, 7, 0}};
  for (Node v = 0; v < 6; ++v) {
    const Label order = (v % 2 == 0) == first ? 1 : 0;
    edges.push_back({std::min<Node>(v, (v + 1) % 6), std::max<Node>(v, (v + 1) % 6), order});
  }
  return {labels, edges, Graph::EdgeLabels::kPresent};
}

TEST(FunctionalGroups, AnyKekuleFormWillDo) {
  const MoleculeWorld world = test::implied_hydrogens();
  const GroupFinder finder = finder_of(world);
  for (const bool first : {false, true}) {
    const Graph written = toluidine(first, world);
    EXPECT_THAT(names_in(written, finder),
                testing::UnorderedElementsAre("primary aromatic amine", "benzene ring"));
    EXPECT_EQ(finder.find(written), finder.find(world.rules.canonical(written)));
  }
}

TEST(FunctionalGroups, TheOrderOfTheAtomsMakesNoDifference) {
  const MoleculeWorld world = test::implied_hydrogens();
  const GroupFinder finder = finder_of(world);
  Rng rng(1);
  for (const Named& one : named()) {
    const Graph graph = test::molecule(one.smiles, world);
    std::vector<Node> to(graph.num_nodes());
    std::iota(to.begin(), to.end(), Node{0});
    for (std::size_t i = to.size(); i > 1; --i) std::swap(to[i - 1], to[rng.below(i)]);
    EXPECT_EQ(names_in(graph.permuted(to), finder), one.names) << one.smiles;
  }
}

TEST(FunctionalGroups, WhereBondsAreUnknownLessIsSaid) {
  const MoleculeWorld world = test::implied_hydrogens();
  const GroupFinder finder = finder_of(world, GroupFinder::Bonds::kUnknown);
  const auto blind = [&](const char* smiles) {
    return names_in(test::molecule(smiles, world).without_edge_labels(), finder);
  };
  EXPECT_THAT(blind("[O-][N+](=O)c1ccccc1"), testing::ElementsAre("nitro group"));
  EXPECT_THAT(blind("CCCl"), testing::ElementsAre("chlorine at a carbon"));
  // Ketone or alcohol, aldehyde or primary alcohol: nobody can tell.
  EXPECT_THAT(blind("CC(C)=O"), testing::IsEmpty());
  EXPECT_THAT(blind("CC=O"), testing::IsEmpty());
  // And with known bonds asked of graphs without any, nothing is made up.
  const GroupFinder asks_bonds = finder_of(world);
  EXPECT_TRUE(asks_bonds.find(test::molecule("CC(C)=O", world).without_edge_labels()).empty());
}

TEST(FunctionalGroups, NamesAreDifferentAndOwnNodesInThePattern) {
  for (const auto table : {functional_groups(), functional_groups_without_bonds()}) {
    std::set<std::string_view> names;
    for (const FunctionalGroup& group : table) {
      EXPECT_TRUE(names.insert(group.one).second) << group.one;
      EXPECT_NE(group.many, group.one);
      const AtomPattern pattern(group.pattern);
      EXPECT_GE(group.own, 1U) << group.one;
      EXPECT_LE(group.own, pattern.size()) << group.one;
    }
  }
  EXPECT_GE(functional_groups().size(), 80U);
}

TEST(AtomPatterns, WhatIsNoneIsRefused) {
  for (const char* text : {"", "C(", "C)", "[C", "C1", "C=", "[C;]", "[$(C]", "Q", "[C,]", "1C",
                           "(C)", "[!]", "C11", "C.C"}) {
    EXPECT_THROW(AtomPattern{text}, Error) << text;
  }
}

}  // namespace
}  // namespace fewedits
