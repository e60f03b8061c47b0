// SPDX-License-Identifier: MIT
#include "fewedits/chem/molecule_rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "fewedits/graph/identity.hpp"
#include "support/shared.hpp"
#include "support/small_smiles.hpp"

namespace fewedits {
namespace {

using test::implied_hydrogens;
using test::labelled_charges;
using test::molecule;
using test::MoleculeWorld;
using test::written_hydrogens;

TEST(ElementsTest, AreFoundBySymbolAndByNumber) {
  for (int number = 1; number <= 118; ++number) {
    const Element* element = find_element(number);
    ASSERT_NE(element, nullptr);
    EXPECT_EQ(element->number, number);
    EXPECT_EQ(find_element(element->symbol), element);
  }
  EXPECT_EQ(find_element(0), nullptr);
  EXPECT_EQ(find_element(119), nullptr);
}

// ---- pairings, against trying them all

struct PairingCase {
  Pairing::Point points;
  std::vector<Pairing::Line> lines;
};

std::vector<std::set<Pairing::Line>> all_perfect_pairings(const PairingCase& c) {
  std::vector<std::set<Pairing::Line>> found;
  std::vector<bool> paired(c.points, false);
  std::set<Pairing::Line> chosen;
  const auto extend = [&](const auto& self) -> void {
    const auto first = std::find(paired.begin(), paired.end(), false);
    if (first == paired.end()) {
      found.push_back(chosen);
      return;
    }
    const auto v = static_cast<Pairing::Point>(first - paired.begin());
    for (const auto& line : c.lines) {
      if (line.first != v && line.second != v) continue;
      const auto w = line.first == v ? line.second : line.first;
      if (paired[w]) continue;
      paired[v] = paired[w] = true;
      chosen.insert(line);
      self(self);
      chosen.erase(line);
      paired[v] = paired[w] = false;
    }
  };
  extend(extend);
  return found;
}

PairingCase random_case(Rng& rng) {
  PairingCase c{static_cast<Pairing::Point>(2 * (1 + rng.below(5))), {}};
  const double density = 0.2 + 0.5 * rng.uniform();
  for (Pairing::Point u = 0; u < c.points; ++u) {
    for (Pairing::Point v = u + 1; v < c.points; ++v) {
      if (rng.chance(density)) c.lines.emplace_back(u, v);
    }
  }
  return c;
}

TEST(PairingTest, FindsAPerfectPairingIffThereIsOneAndAlternatingLinesAreThoseThatDiffer) {
  Rng rng(1);
  std::size_t perfect = 0;
  for (int i = 0; i < 3000; ++i) {
    const PairingCase c = random_case(rng);
    const auto all = all_perfect_pairings(c);
    Pairing pairing(c.points, c.lines);
    bool complete = true;
    for (Pairing::Point v = 0; v < c.points; ++v) complete = pairing.find_mate(v) && complete;
    ASSERT_EQ(complete, !all.empty()) << "case " << i;
    if (!complete) continue;
    ++perfect;
    const std::vector<bool> alternating = pairing.alternating();
    for (std::size_t l = 0; l < c.lines.size(); ++l) {
      const auto with = std::count_if(all.begin(), all.end(),
                                      [&](const auto& one) { return one.contains(c.lines[l]); });
      const bool differs = with > 0 && with < static_cast<std::ptrdiff_t>(all.size());
      ASSERT_EQ(alternating[l], differs) << "case " << i << " line " << l;
      for (const bool paired : {true, false}) {
        const bool can = paired ? with > 0 : with < static_cast<std::ptrdiff_t>(all.size());
        ASSERT_EQ(pairing.force(l, paired), can) << "case " << i << " line " << l;
        if (can) {
          ASSERT_EQ(pairing.mate(c.lines[l].first) == c.lines[l].second, paired);
        }
        for (Pairing::Point v = 0; v < c.points; ++v) {
          ASSERT_EQ(pairing.mate(pairing.mate(v)), v);
        }
      }
    }
  }
  EXPECT_GT(perfect, 800U);
}

TEST(PairingTest, ThoseThatNeedAMateTakeItFromThoseThatDoNot) {
  // A path of three: the middle is paired with an end that may be alone; the other end needs it.
  const std::vector<Pairing::Line> lines = {{0, 1}, {1, 2}};
  const std::array<bool, 3> may_be_alone = {true, false, false};
  Pairing pairing(3, lines);
  pairing.pair(0, 1);
  EXPECT_FALSE(pairing.find_mate(2));
  EXPECT_TRUE(pairing.find_mate(2, may_be_alone));
  EXPECT_EQ(pairing.mate(1), 2U);
  EXPECT_EQ(pairing.mate(0), Pairing::kNone);
}

TEST(PairingTest, ALargeTubeIsQuick) {
  // A ladder of 2,000 rungs has as many perfect pairings as a Fibonacci number.
  std::vector<Pairing::Line> lines;
  constexpr Pairing::Point kRungs = 2000;
  for (Pairing::Point i = 0; i < kRungs; ++i) {
    lines.emplace_back(2 * i, 2 * i + 1);
    if (i + 1 == kRungs) continue;
    lines.emplace_back(2 * i, 2 * i + 2);
    lines.emplace_back(2 * i + 1, 2 * i + 3);
  }
  Pairing pairing(2 * kRungs, lines);
  for (Pairing::Point i = 0; i < kRungs; ++i) pairing.pair(2 * i, 2 * i + 1);
  const std::vector<bool> alternating = pairing.alternating();
  EXPECT_TRUE(std::all_of(alternating.begin(), alternating.end(), [](bool b) { return b; }));
}

// ---- what is aromatic

std::size_t aromatic_bonds(const Graph& g) {
  std::size_t count = 0;
  for (const Edge& e : g.edges()) count += e.label == 3 ? 1 : 0;
  return count;
}

TEST(MoleculeRulesTest, BondsAreAromaticIffTheirOrderDiffersBetweenKekuleForms) {
  const std::map<std::string, std::size_t> expected = {
      {"C1=CC=CC=C1", 6},         // benzene
      {"c1ccccc1", 6},            // written otherwise
      {"n1ccccc1", 6},            // pyridine
      {"c1ccc2ccccc2c1", 11},     // naphthalene
      {"c1ccccc1-c1ccccc1", 12},  // biphenyl: the bond between the rings is single
      {"o1cccc1", 0},             // furan
      {"[nH]1cccc1", 0},          // pyrrole
      {"O=C1C=CC(=O)C=C1", 0},    // quinone
      {"C=CC=C", 0},              // butadiene
      {"c1ccc2[nH]ccc2c1", 6},    // indole: the six-ring only
      {"c1cc2cccccc2c1", 10},     // azulene: its perimeter, not the bond between the rings
      {"C1CC1", 0},
      {"C=C1C=CC=C1", 0},                 // fulvene
      {"Cn1cnc2c1c(=O)n(C)c(=O)n2C", 0},  // caffeine
      {"CC(=O)Oc1ccccc1C(=O)O", 6},       // aspirin
      {"[O-][n+]1ccccc1", 6},             // pyridine N-oxide
      {"C1=CC=C1", 4}};                   // cyclobutadiene: no electrons are counted
  for (const MoleculeWorld& world : {implied_hydrogens(), written_hydrogens()}) {
    for (const auto& [smiles, count] : expected) {
      const Graph g = molecule(smiles, world);
      EXPECT_EQ(aromatic_bonds(g), count) << smiles;
      EXPECT_EQ(world.rules.why_invalid(g), "") << smiles;
      EXPECT_TRUE(world.rules.is_valid(g)) << smiles;
    }
  }
}

const std::vector<std::string> kMolecules = {"c1ccccc1",
                                             "c1ccc2ccccc2c1",
                                             "c1ccc2cc3ccccc3cc2c1",
                                             "c1cc2ccc3cccc4ccc(c1)c2c34",
                                             "O=[N+]([O-])c1ccc(N)cc1",
                                             "Cn1cnc2c1c(=O)n(C)c(=O)n2C",
                                             "CC(=O)Oc1ccccc1C(=O)O",
                                             "c1ccc2[nH]ccc2c1",
                                             "c1cnc2ncncc2n1",
                                             "O=C1C=CC(=O)c2ccccc12",
                                             "[N-]=[N+]=NCc1ccccc1",
                                             "CS(=O)(=O)c1ccncc1",
                                             "c1ccc(cc1)-c1ccccc1",
                                             "CC#N",
                                             "OP(=O)(O)OCC",
                                             "[O-][n+]1cc[n+]([O-])cc1"};

TEST(MoleculeRulesTest, AnotherKekuleFormAndAnotherOrderGiveTheSameMolecule) {
  Rng rng(3);
  for (const MoleculeWorld& world : {implied_hydrogens(), written_hydrogens()}) {
    for (const std::string& smiles : kMolecules) {
      const Graph canonical = molecule(smiles, world);
      EXPECT_EQ(world.rules.canonical(canonical), canonical) << smiles;
      for (int i = 0; i < 20; ++i) {
        const auto order = test::random_permutation(rng, canonical.num_nodes());
        const Graph permuted = canonical.permuted(order);
        EXPECT_EQ(world.rules.canonical(permuted), permuted) << smiles;
        // Which form is found depends on the order of the nodes.
        const auto form = world.rules.kekule_form(permuted);
        ASSERT_TRUE(form) << smiles;
        EXPECT_EQ(aromatic_bonds(*form), 0U);
        EXPECT_EQ(world.rules.canonical(*form), permuted) << smiles;
        EXPECT_TRUE(world.rules.is_valid(permuted)) << world.rules.why_invalid(permuted);
        if (aromatic_bonds(permuted) > 0) {
          EXPECT_FALSE(world.rules.is_valid(*form));
        }
      }
    }
  }
}

TEST(MoleculeRulesTest, TheCanonicalKekuleFormFollowsFromTheMolecule) {
  Rng rng(4);
  std::size_t found_otherwise = 0;
  for (const MoleculeWorld& world : {implied_hydrogens(), written_hydrogens()}) {
    for (const std::string& smiles : kMolecules) {
      const Graph canonical = molecule(smiles, world);
      EXPECT_TRUE(world.rules.is_canonical(canonical)) << smiles;
      const auto expected = world.rules.canonical_kekule_form(canonical);
      ASSERT_TRUE(expected) << smiles;
      EXPECT_EQ(aromatic_bonds(*expected), 0U);
      EXPECT_EQ(world.rules.canonical(*expected), canonical) << smiles;
      EXPECT_EQ(world.rules.is_canonical(*expected), aromatic_bonds(canonical) == 0);
      const Identity identity(*expected);
      for (int i = 0; i < 20; ++i) {
        const Graph permuted =
            canonical.permuted(test::random_permutation(rng, canonical.num_nodes()));
        const auto form = world.rules.canonical_kekule_form(permuted);
        ASSERT_TRUE(form) << smiles;
        EXPECT_TRUE(Identity(*form) == identity) << smiles;
        found_otherwise += Identity(*world.rules.kekule_form(permuted)) == identity ? 0U : 1U;
      }
    }
  }
  EXPECT_GT(found_otherwise, 0U) << "any form would have done";
}

// ---- what is valid

TEST(MoleculeRulesTest, ChargesFollowFromTheBonds) {
  struct Case {
    const char* smiles;
    std::map<std::string, int> charges;  // by element: their sum
    std::size_t charged;
  };
  for (const Case& c :
       {Case{"O=[N+]([O-])C", {{"N", 1}, {"O", -1}}, 2},
        Case{"O=[N+]([O-])c1ccc([N+](=O)[O-])cc1", {{"N", 2}, {"O", -2}}, 4},
        Case{"C[N+](C)(C)CC(=O)[O-]", {{"N", 1}, {"O", -1}}, 2},
        Case{"CC(=O)[O-].[Na+]", {{"Na", 1}, {"O", -1}}, 2}, Case{"CN=[N+]=[N-]", {{"N", 0}}, 2},
        Case{"C[N+]#[C-]", {{"N", 1}, {"C", -1}}, 2},
        Case{"[Na+].[Cl-]", {{"Na", 1}, {"Cl", -1}}, 2},
        Case{"[O-][n+]1ccccc1", {{"N", 1}, {"O", -1}}, 2}, Case{"CCO", {}, 0}}) {
    for (const MoleculeWorld& world : {implied_hydrogens(), written_hydrogens()}) {
      const Graph g = molecule(c.smiles, world);
      EXPECT_TRUE(world.rules.is_valid(g)) << c.smiles << ": " << world.rules.why_invalid(g);
      const auto charges = world.rules.charges(g);
      std::map<std::string, int> sums;
      for (Node v = 0; v < g.num_nodes(); ++v) {
        if (charges[v] != 0) sums[world.atoms[g.label(v)]] += charges[v];
      }
      EXPECT_EQ(sums, c.charges) << c.smiles;
      EXPECT_EQ(
          g.num_nodes() - static_cast<std::size_t>(std::count(charges.begin(), charges.end(), 0)),
          c.charged)
          << c.smiles;
    }
  }
}

TEST(MoleculeRulesTest, HydrogensFillUp) {
  const MoleculeWorld world = implied_hydrogens();
  EXPECT_EQ(world.rules.implied_hydrogens(molecule("CCO", world)), (std::vector<int>{3, 2, 1}));
  EXPECT_EQ(world.rules.implied_hydrogens(molecule("O=[N+]([O-])C", world)),
            (std::vector<int>{0, 0, 0, 3}));
  EXPECT_EQ(world.rules.implied_hydrogens(molecule("c1cc[nH]c1", world)),
            (std::vector<int>{1, 1, 1, 1, 1}));
  EXPECT_EQ(world.rules.implied_hydrogens(molecule("CS(C)(=O)=O", world)),
            (std::vector<int>{3, 0, 3, 0, 0}));
}

Graph graph(const MoleculeWorld& world, const std::vector<std::string>& atoms,
            const std::vector<Edge>& bonds) {
  std::vector<Label> labels;
  for (const auto& name : atoms) labels.push_back(world.atom(name));
  return {labels, bonds, Graph::EdgeLabels::kPresent};
}

TEST(MoleculeRulesTest, SaysWhyAGraphIsNoMolecule) {
  const MoleculeWorld written = written_hydrogens();
  const MoleculeWorld implied = implied_hydrogens();
  const auto why = [](const MoleculeWorld& world, const Graph& g) {
    EXPECT_EQ(world.rules.is_valid(g), world.rules.why_invalid(g).empty());
    return world.rules.why_invalid(g);
  };
  EXPECT_EQ(why(implied, graph(implied, {"C", "F"}, {{0, 1, 2}})),
            "node 1 (F) has bonds of 3 in all, which it cannot have");
  EXPECT_EQ(why(written, graph(written, {"C", "H", "H", "H"}, {{0, 1, 0}, {0, 2, 0}, {0, 3, 0}})),
            "node 0 (C) lacks 1 hydrogen, or has unpaired electrons");
  EXPECT_EQ(why(written, graph(written, {"N", "H", "H", "H", "H"},
                               {{0, 1, 0}, {0, 2, 0}, {0, 3, 0}, {0, 4, 0}})),
            "its charges sum to +1");
  EXPECT_EQ(why(implied, graph(implied, {"C", "C", "C"}, {{0, 1, 3}, {1, 2, 3}})),
            "its aromatic bonds have no Kekulé form");
  EXPECT_EQ(why(implied, graph(implied, {"C", "C"}, {{0, 1, 3}})),
            "the bond between nodes 0 and 1 is not aromatic");
  EXPECT_EQ(why(implied, *implied.rules.kekule_form(molecule("c1ccccc1", implied))),
            "the bond between nodes 0 and 1 is aromatic");
  EXPECT_EQ(why(implied, graph(implied, {"C", "C"}, {{0, 1, 7}})),
            "it has labels that are no elements, or no bonds");
  EXPECT_EQ(why(implied, {std::vector<Label>{0, 99}, std::vector<Edge>{}}),
            "it has labels that are no elements, or no bonds");
  EXPECT_EQ(why(implied, {std::vector<Label>{0, 0}, std::vector<Edge>{{0, 1}}}),
            "it has labels that are no elements, or no bonds");
  EXPECT_EQ(why(implied, Graph()), "");
}

TEST(MoleculeRulesTest, ChargesInLabelsAreTakenAsTheyAre) {
  const MoleculeWorld world = labelled_charges();
  EXPECT_EQ(world.rules.charges(), MoleculeRules::Charges::kInLabels);
  EXPECT_TRUE(world.rules.is_valid(molecule("O=[N+]([O-])c1ccccc1", world)));
  EXPECT_TRUE(world.rules.is_valid(molecule("[NH3+]CC(=O)[O-]", world)));
  EXPECT_FALSE(world.rules.is_valid(molecule("[NH3+]CC", world)));
  // Without its charge, nitrogen has no four bonds.
  EXPECT_FALSE(
      world.rules.is_valid(graph(world, {"N", "O", "O", "C"}, {{0, 1, 1}, {0, 2, 0}, {0, 3, 0}})));
}

TEST(MoleculeRulesTest, RefusesLabelsThatAreNoElementsOrBonds) {
  const std::vector<std::string> bonds = {"single", "double"};
  EXPECT_TRUE(MoleculeRules::of({"C", "N"}, bonds));
  EXPECT_FALSE(MoleculeRules::of({"C", "helix"}, bonds));
  EXPECT_FALSE(MoleculeRules::of({"C"}, {"single", "dative"}));
  EXPECT_FALSE(MoleculeRules::of({"C"}, {"double"}));
  EXPECT_FALSE(MoleculeRules::of({"C"}, {}));
}

TEST(MoleculeRulesTest, WithoutALabelForAromaticBondsRingsKeepTheirForm) {
  MoleculeWorld world{{"C"}, {"single", "double"}};
  std::vector<Edge> ring;
  for (Node v = 0; v < 6; ++v) ring.push_back({v, (v + 1) % 6, v % 2});
  const Graph g(std::vector<Label>(6, 0), ring, Graph::EdgeLabels::kPresent);
  EXPECT_EQ(world.rules.canonical(g), g);
  EXPECT_FALSE(world.rules.is_valid(g));
}

TEST(MoleculeRulesTest, AromaticBondsOfFilesGetAKekuleFormWithoutCharges) {
  const MoleculeWorld world = implied_hydrogens();
  // Two rings of pyrrole: eight aromatic atoms that could all be paired, with N+ twice.
  const Graph g = molecule("c1[nH]c2[nH]ccc2c1", world);
  EXPECT_TRUE(world.rules.is_valid(g)) << world.rules.why_invalid(g);
  EXPECT_EQ(world.rules.charges(g), std::vector<int>(8, 0));
}

TEST(MoleculeRulesTest, AnswersForAnyGraph) {
  Rng rng(5);
  const std::vector<MoleculeWorld> worlds = {implied_hydrogens(), written_hydrogens(),
                                             labelled_charges()};
  for (int i = 0; i < 20000; ++i) {
    const MoleculeWorld& world = worlds[rng.below(worlds.size())];
    const Graph g = test::random_graph(rng, static_cast<Node>(1 + rng.below(12)), rng.below(8),
                                       static_cast<Label>(world.atoms.size() + rng.below(2)),
                                       static_cast<Label>(4 + rng.below(2)));
    EXPECT_EQ(world.rules.is_valid(g), world.rules.why_invalid(g).empty());
    const Graph canonical = world.rules.canonical(g);
    EXPECT_EQ(canonical.num_edges(), g.num_edges());
    EXPECT_EQ(world.rules.canonical(canonical), canonical) << i;
    EXPECT_EQ(world.rules.charges(g).size(), g.num_nodes());
    EXPECT_EQ(world.rules.implied_hydrogens(g).size(), g.num_nodes());
  }
}

}  // namespace
}  // namespace fewedits
