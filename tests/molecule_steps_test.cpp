// SPDX-License-Identifier: MIT
#include "fewedits/edit/molecule_steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <unordered_set>

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

std::vector<MoleculeWorld> worlds() {
  return {implied_hydrogens(), written_hydrogens(), labelled_charges()};
}

std::unordered_set<Identity> results(const Graph& g, const MoleculeWorld& world,
                                     const NeighbourOptions& options = {}) {
  std::unordered_set<Identity> found;
  for (const Step& step : molecule_steps(g, world.rules, options)) {
    found.emplace(apply_step(g, step));
  }
  return found;
}

bool fits(const std::string& smiles, const MoleculeWorld& world) {
  const auto parsed = test::parse_smiles(smiles);
  return world.rules.charges() != MoleculeRules::Charges::kInLabels ||
         std::all_of(parsed.names.begin(), parsed.names.end(), [&](const std::string& name) {
           return name != "N-" &&
                  std::find(world.atoms.begin(), world.atoms.end(), name) != world.atoms.end();
         });
}

TEST(MoleculeStepsTest, WhatAChemistExpectsIsOneStep) {
  const std::vector<std::pair<const char*, const char*>> pairs = {
      {"c1ccccc1", "c1ccncc1"},  // an atom of the ring
      {"c1ccncc1", "c1ccccc1"},
      {"Oc1ccccc1", "c1ccccc1"},  // a group comes, a group goes
      {"c1ccccc1", "Oc1ccccc1"},
      {"c1ccccc1", "Fc1ccccc1"},
      {"c1ccccc1", "Nc1ccccc1"},
      {"c1ccccc1", "Cc1ccccc1"},
      {"CC(=O)C", "CC=O"},  // ketone to aldehyde
      {"CC=O", "CC(=O)C"},
      {"CC=O", "CC(=O)O"},
      {"CC=O", "CC"},
      {"CC", "CC=O"},
      {"CC=O", "CCO"},  // carbonyl to alcohol
      {"CCO", "CC=O"},
      {"CC", "CC#N"},  // three hydrogens for a nitrogen
      {"CC#N", "CC"},
      {"CC", "C=C"},
      {"C=C", "C#C"},
      {"C#C", "C=C"},
      {"c1ccccc1", "C1C=CC=CC1"},  // a ring stops being aromatic
      {"C1C=CC=CC1", "c1ccccc1"},  // or becomes it
      {"C=CC=CC=C", "c1ccccc1"},
      {"CCCCCC", "C1CCCCC1"},
      {"C1CCCCC1", "CCCCCC"},
      {"c1ccc2ccccc2c1", "C=Cc1ccccc1C=C"},  // one of two rings opens
      {"c1cc[nH]c1", "o1cccc1"},
      {"CSC", "CS(=O)C"},  // sulphur has room
      {"CS(=O)C", "CS(=O)(=O)C"},
      {"CS(=O)(=O)C", "CS(=O)C"},
      {"CP(C)C", "CP(=O)(C)C"},
      {"Nc1ccccc1", "O=Nc1ccccc1"},  // amine, nitroso, nitro
      {"O=Nc1ccccc1", "O=[N+]([O-])c1ccccc1"},
      {"O=[N+]([O-])c1ccccc1", "O=Nc1ccccc1"},
      {"O=[N+]([O-])c1ccccc1", "O=[N+]([O-])c1ccncc1"},
      {"O=[N+]([O-])c1ccccc1", "OC(=O)c1ccccc1"},
      {"OC(=O)c1ccccc1", "O=[N+]([O-])c1ccccc1"},
      {"n1ccccc1", "[O-][n+]1ccccc1"},
      {"O=C1C=CC(=O)C=C1", "OC1C=CC(=O)C=C1"},
      {"CCl", "CF"},
      {"CC(=O)O", "CC(=O)N"},
      {"CC(=O)O", "CC(=O)C"},
      {"CC(=O)O", "CC(=O)S"},
      {"CCC", "COC"},
      {"CCC", "CNC"},
      {"C", "CC"},
      {"CC", "C"},
      {"Cc1ccccc1O", "Cc1cccc(O)c1"},  // a group moves on
      {"Cc1cccc(O)c1", "Cc1ccc(O)cc1"},
      {"COc1ccccc1N", "COc1cccc(N)c1"},
      {"CC(C)C(=O)O", "CCCC(=O)O"},
      {"CC(C)(C)O", "CC(C)OC"},
      {"CCC", "CCCC"},  // something comes between
      {"Cc1ccccc1", "COc1ccccc1"},
      {"COC(C)=O", "CNOC(C)=O"},
      {"C1CCCC1", "C1CCCCC1"},
      {"C1CCCCC1", "C1CCCC1"},  // or goes
      {"COc1ccccc1", "Cc1ccccc1"},
      {"C1C=CC=CC=C1", "c1ccccc1"},
      {"CCNCC", "CCCC"},
  };
  for (const MoleculeWorld& world : worlds()) {
    for (const auto& [from, to] : pairs) {
      if (!fits(from, world)) continue;
      const Graph g = molecule(from, world);
      EXPECT_TRUE(results(g, world).contains(Identity(molecule(to, world))))
          << from << " to " << to;
    }
  }
}

TEST(MoleculeStepsTest, WhatIsNoMoleculeIsNoStep) {
  const std::vector<std::pair<const char*, const char*>> pairs = {
      {"C1CCCCC1", "C1CC#CCC1"},  // too small for it
      {"C1=CCCCC1", "C1=C=CCCC1"},
      {"c1ccccc1", "c1c#cccc1"},
      {"CF", "CFC"},
      {"CC(C)(C)C", "CS(C)(C)C"},  // sulphur has more than two bonds with oxygen only
      {"CS(=O)C", "CS(=C)C"},
      {"CSC", "CS(C)(C)C"},
      {"CO", "CO[Na]"},
      {"CC(=O)C", "CC(=[O+][O-])C"},  // only nitrogen gets a positive charge
      {"CS(=O)C", "C[S+](C)[O-]"},
      {"CC(=O)NC", "CC(=O)[N+](C)=[N-]"},
      {"CCC", "C1=CC1"},
      {"CC(=O)C", "C1CC1=O"},
      {"C1CC1", "O=C1CC1"},
      {"c1ccccc1", "C12=CC1=CC=C2"},
      {"C1C=CC1", "C1C=C1"},  // too tight
      {"C1CC=C1", "C1=CC1"},
  };
  for (const auto& [from, to] : pairs) {
    const MoleculeWorld world = implied_hydrogens();
    const Graph g = molecule(from, world);
    EXPECT_FALSE(results(g, world).contains(Identity(molecule(to, world)))) << from << " to " << to;
  }
}

const std::vector<std::string> kMolecules = {
    "c1ccccc1",
    "c1ccc2ccccc2c1",
    "c1cc2ccc3cccc4ccc(c1)c2c34",
    "O=[N+]([O-])c1ccc(N)cc1",
    "Cn1cnc2c1c(=O)n(C)c(=O)n2C",
    "CC(=O)Oc1ccccc1C(=O)O",
    "c1ccc2[nH]ccc2c1",
    "O=C1C=CC(=O)c2ccccc12",
    "[N-]=[N+]=NCc1ccccc1",
    "CS(=O)(=O)c1ccncc1",
    "CC#N",
    "[O-][n+]1cc[n+]([O-])cc1",
    "C[N+](C)(C)CC(=O)[O-]",
    "C=C=CC#CC",
    "c1cc2cccccc2c1",
    "C1CC1",
    "C",
    "O=C1NC(=O)C=CN1C2CC(N=[N+]=[N-])C(CO)O2",
    "CC(=O)[O-].[Na+]",
};

void expect_good(const Graph& before, const Step& step, const Graph& after,
                 const MoleculeWorld& world, const std::string& what) {
  ASSERT_FALSE(step.empty()) << what;
  ASSERT_EQ(world.rules.why_invalid(after), "") << what;
  ASSERT_EQ(world.rules.canonical(after), after) << what;
  ASSERT_TRUE(after.is_connected() || !before.is_connected()) << what;
  ASSERT_FALSE(after == before) << what;
}

TEST(MoleculeStepsTest, AValidMoleculeGetsValidCanonicalNeighbours) {
  Rng rng(7);
  std::size_t steps = 0;
  for (const MoleculeWorld& world : worlds()) {
    for (const std::string& smiles : kMolecules) {
      if (!fits(smiles, world)) continue;
      // A walk leads to molecules that nobody thought of.
      Graph g = molecule(smiles, world);
      ASSERT_EQ(world.rules.why_invalid(g), "") << smiles;
      for (int turn = 0; turn < 8; ++turn) {
        const std::vector<Step> all = molecule_steps(g, world.rules);
        ASSERT_FALSE(all.empty()) << smiles;
        for (const Step& step : all) {
          const Graph after = apply_step(g, step);
          ++steps;
          expect_good(g, step, after, world, smiles + " turn " + std::to_string(turn));
          if (HasFatalFailure()) return;
        }
        const Graph next = apply_step(g, all[rng.below(all.size())]);
        if (next.num_nodes() < 60) g = next;
      }
    }
  }
  EXPECT_GT(steps, 30000U);
}

TEST(MoleculeStepsTest, SymmetryAndTheOrderOfNodesLoseNothing) {
  Rng rng(9);
  for (const MoleculeWorld& world : worlds()) {
    for (const std::string& smiles : kMolecules) {
      if (!fits(smiles, world)) continue;
      const Graph g = molecule(smiles, world);
      const auto all = results(g, world, {.up_to_symmetry = false});
      EXPECT_TRUE(results(g, world) == all) << smiles;
      const Graph permuted = g.permuted(test::random_permutation(rng, g.num_nodes()));
      EXPECT_TRUE(results(permuted, world) == all) << smiles;
      EXPECT_LE(molecule_steps(g, world.rules).size(),
                molecule_steps(g, world.rules, {.up_to_symmetry = false}).size());
    }
  }
}

Graph without_hydrogens(const Graph& g, const MoleculeWorld& from, const MoleculeWorld& to) {
  Graph heavy = g;
  for (Node v = g.num_nodes(); v-- > 0;) {
    if (g.label(v) == *from.rules.hydrogen()) heavy = heavy.without_node(v);
  }
  std::vector<Label> labels;
  for (const Label l : heavy.labels()) labels.push_back(to.atom(from.atoms[l]));
  return {labels, heavy.edges(), Graph::EdgeLabels::kPresent};
}

TEST(MoleculeStepsTest, AreTheSameWhetherHydrogensAreWrittenOrNot) {
  const MoleculeWorld written{{"C", "O", "H", "N", "F", "S"}};
  const MoleculeWorld implied{{"C", "O", "N", "F", "S"}};
  for (const char* smiles :
       {"c1ccccc1", "CC(=O)Oc1ccccc1C(=O)O", "c1ccc2[nH]ccc2c1", "O=C1C=CC(=O)c2ccccc12",
        "CS(=O)(=O)c1ccncc1", "CC#N", "O=[N+]([O-])c1ccc(N)cc1", "CN=[N+]=[N-]",
        "[O-][n+]1cc[n+]([O-])cc1", "NCCO", "c1cc2cccccc2c1", "CNCC(=O)O", "CSCC(=O)O",
        "Cn1cnc2c1c(=O)n(C)c(=O)n2C", "OC(=O)c1ccc(N(C)C)cc1"}) {
    const Graph g = molecule(smiles, written);
    std::unordered_set<Identity> stripped;
    for (const Step& step : molecule_steps(g, written.rules)) {
      stripped.emplace(without_hydrogens(apply_step(g, step), written, implied));
    }
    EXPECT_TRUE(stripped == results(molecule(smiles, implied), implied))
        << smiles << ": " << stripped.size() << " and "
        << results(molecule(smiles, implied), implied).size();
  }
}

TEST(MoleculeStepsTest, ASheetOfRingsIsQuick) {
  // Twelve by twelve hexagons: 336 atoms, nearly all bonds aromatic.
  const MoleculeWorld world = implied_hydrogens();
  constexpr Node kRows = 12;
  constexpr Node kColumns = 28;
  std::vector<Edge> bonds;
  for (Node r = 0; r < kRows; ++r) {
    for (Node c = 0; c < kColumns; ++c) {
      const Node v = r * kColumns + c;
      if (c + 1 < kColumns) bonds.push_back({v, v + 1, 3});
      if (r + 1 < kRows && (r + c) % 2 == 0) bonds.push_back({v, v + kColumns, 3});
    }
  }
  const Graph g = world.rules.canonical(
      {std::vector<Label>(std::size_t{kRows} * kColumns, 0), bonds, Graph::EdgeLabels::kPresent});
  ASSERT_TRUE(world.rules.is_valid(g)) << world.rules.why_invalid(g);
  EXPECT_GT(molecule_steps(g, world.rules).size(), 1000U);
}

TEST(MoleculeStepsTest, OnlyAllowedLabelsCome) {
  const MoleculeWorld world = written_hydrogens();
  std::vector<bool> allowed(world.atoms.size(), false);
  for (const char* name : {"C", "H", "O"}) allowed[world.atom(name)] = true;
  const Graph g = molecule("Nc1ccccc1Cl", world);
  const std::vector<Step> steps = molecule_steps(g, world.rules, {}, allowed);
  EXPECT_GT(steps.size(), 10U);
  for (const Step& step : steps) {
    for (const Edit& edit : step) {
      if (edit.kind == Edit::Kind::kRelabel || edit.kind == Edit::Kind::kAddLeaf) {
        EXPECT_TRUE(allowed[edit.label]);
      }
    }
  }
}

TEST(MoleculeStepsTest, FrozenNodesStay) {
  Rng rng(11);
  for (const MoleculeWorld& world : worlds()) {
    for (const std::string& smiles : kMolecules) {
      if (!fits(smiles, world)) continue;
      const Graph g = molecule(smiles, world);
      const auto frozen = std::make_unique<bool[]>(g.num_nodes());
      for (Node v = 0; v < g.num_nodes(); ++v) frozen[v] = rng.chance(0.5);
      const std::span<const bool> flags(frozen.get(), g.num_nodes());
      for (const Step& step : molecule_steps(g, world.rules, {.frozen = flags})) {
        std::vector<Node> original(g.num_nodes());
        for (Node v = 0; v < original.size(); ++v) original[v] = v;
        for (const Edit& e : step) {
          const auto is_frozen = [&](Node v) {
            return v < original.size() && original[v] < g.num_nodes() && flags[original[v]];
          };
          const bool at_edge =
              e.kind == Edit::Kind::kRelabelEdge || e.kind == Edit::Kind::kRemoveEdge;
          const bool at_node = e.kind == Edit::Kind::kRelabel || e.kind == Edit::Kind::kRemoveLeaf;
          EXPECT_FALSE(at_edge && is_frozen(e.u) && is_frozen(e.v)) << smiles;
          EXPECT_FALSE(at_node && is_frozen(e.u)) << smiles;
          if (e.kind == Edit::Kind::kAddLeaf) original.push_back(g.num_nodes());
          if (e.kind == Edit::Kind::kRemoveLeaf) original.erase(original.begin() + e.u);
        }
      }
    }
  }
}

Graph without_some_hydrogen(const Graph& g, const MoleculeWorld& world, Rng& rng) {
  for (;;) {
    const auto v = static_cast<Node>(rng.below(g.num_nodes()));
    if (g.label(v) == *world.rules.hydrogen()) return g.without_node(v);
  }
}

TEST(MoleculeStepsTest, DamageElsewhereStaysOrIsMended) {
  Rng rng(13);
  const MoleculeWorld world = written_hydrogens();
  for (const char* smiles : {"CC(=O)Oc1ccccc1C(=O)O", "O=[N+]([O-])c1ccc(N)cc1", "CCCCO"}) {
    for (int i = 0; i < 10; ++i) {
      const Graph whole = molecule(smiles, world);
      const Graph g = without_some_hydrogen(whole, world, rng);
      if (world.rules.is_valid(g)) continue;
      bool is_mended = false;
      std::size_t others = 0;
      for (const Step& step : molecule_steps(g, world.rules)) {
        const Graph after = apply_step(g, step);
        EXPECT_EQ(world.rules.canonical(after), after) << smiles;
        is_mended = is_mended || isomorphic(after, whole);
        others += world.rules.is_valid(after) ? 0U : 1U;
      }
      EXPECT_TRUE(is_mended) << smiles;
      EXPECT_GT(others, 10U) << smiles;
    }
  }
}

TEST(MoleculeStepsTest, ChargesThatNothingBalancesMayGo) {
  const MoleculeWorld world = written_hydrogens();
  const Graph cation = molecule("[NH3+]CC", world);
  EXPECT_FALSE(world.rules.is_valid(cation));
  EXPECT_TRUE(results(cation, world).contains(Identity(molecule("NCC", world))));
}

TEST(MoleculeStepsTest, EditsAreAsFewAsCanBe) {
  const MoleculeWorld world = written_hydrogens();
  const auto cost = [&](const char* from, const char* to) {
    const Graph g = molecule(from, world);
    const Identity wanted(molecule(to, world));
    int least = 1000;
    for (const Step& step : molecule_steps(g, world.rules)) {
      if (Identity(apply_step(g, step)) == wanted) least = std::min(least, cost_of(step));
    }
    return least;
  };
  EXPECT_EQ(cost("c1ccccc1", "Fc1ccccc1"), 1);
  EXPECT_EQ(cost("c1ccccc1", "Oc1ccccc1"), 3);
  EXPECT_EQ(cost("Oc1ccccc1", "c1ccccc1"), 3);
  EXPECT_EQ(cost("c1ccccc1", "c1ccncc1"), 3);
  EXPECT_EQ(cost("CC", "CC=O"), 4);  // relabel a hydrogen and its bond, remove the other
  EXPECT_EQ(cost("CC=O", "CC"), 4);
  EXPECT_EQ(cost("CC", "C=C"), 5);
  EXPECT_EQ(cost("CSC", "CS(=O)C"), 2);
  EXPECT_EQ(cost("CCC", "C1CC1"), 5);
  EXPECT_EQ(cost("CC", "COC"), 4);  // a leaf and an edge come, an edge goes
  EXPECT_EQ(cost("COC", "CC"), 4);
  EXPECT_EQ(cost("Cc1ccccc1O", "Cc1cccc(O)c1"), 6);  // two edges, and a hydrogen each
}

TEST(MoleculeStepsTest, AnyGraphIsAnswered) {
  Rng rng(15);
  for (int i = 0; i < 3000; ++i) {
    const MoleculeWorld world = worlds()[rng.below(3)];
    const Graph g = world.rules.canonical(
        test::random_graph(rng, static_cast<Node>(1 + rng.below(10)), rng.below(6),
                           static_cast<Label>(world.atoms.size() + rng.below(2)),
                           static_cast<Label>(4 + rng.below(2))));
    for (const Step& step : molecule_steps(g, world.rules)) {
      const Graph after = apply_step(g, step);
      ASSERT_EQ(world.rules.canonical(after), after);
    }
  }
}

}  // namespace
}  // namespace fewedits
