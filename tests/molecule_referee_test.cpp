// SPDX-License-Identifier: MIT
// The rules of molecules beside RDKit's. bench/chemistry does the same on many more.
#include <gtest/gtest.h>

#include <algorithm>

#include "fewedits/chem/atom_label.hpp"
#include "fewedits/formats/molecule_file.hpp"
#include "fewedits/formats/open_dataset.hpp"
#include "fewedits/graph/identity.hpp"
#include "support/rdkit_referee.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

using test::Agreement;

std::vector<std::string> names(const std::vector<NamedValue>& table) {
  std::vector<std::string> result;
  for (const NamedValue& entry : table) result.push_back(entry.name);
  return result;
}

std::vector<std::string> with_all_bonds(std::vector<std::string> bonds) {
  for (const auto name : kBondNames) {
    if (std::find(bonds.begin(), bonds.end(), name) == bonds.end()) bonds.emplace_back(name);
  }
  return bonds;
}

std::string report(const Agreement& agreement) {
  std::string text;
  for (const auto& [kind, count] : agreement.disagreements) {
    text += std::to_string(count) + "  " + kind + "\n";
  }
  return text;
}

struct Material {
  std::vector<Graph> molecules;
  std::vector<std::string> atoms;
  std::vector<std::string> bonds;
  MoleculeRules rules = *MoleculeRules::of(atoms, bonds);

  Material(const std::vector<Graph>& graphs, std::vector<std::string> atom_names,
           std::vector<std::string> bond_names)
      : atoms(std::move(atom_names)), bonds(with_all_bonds(std::move(bond_names))) {
    for (const Graph& g : graphs) molecules.push_back(rules.canonical(g));
  }
};

Material of_dataset(const char* name) {
  const Dataset data = open_dataset(test::shared_root() / "datasets" / name);
  return {data.graphs, names(data.node_labels), names(data.edge_labels)};
}

RawDataset known_molecules(const MoleculeOptions& options) {
  return read_molecules(FEWEDITS_KNOWN_MOLECULES, options);
}

void expect_agreement(const Material& m, std::size_t count) {
  const Agreement agreement = test::judge_neighbours(m.molecules, m.rules, count, 1);
  EXPECT_GE(agreement.share(), 0.999) << report(agreement);
  EXPECT_EQ(agreement.other_hydrogens, 0U);
  // Both answers occur.
  EXPECT_GT(agreement.valid, count / 5);
  EXPECT_LT(agreement.valid, count * 9 / 10);
}

TEST(MoleculeRefereeTest, RdkitAgreesOnNeighboursOfAids) {
  FEWEDITS_REQUIRE_SHARED("datasets/AIDS");
  expect_agreement(of_dataset("AIDS"), 4000);
}

TEST(MoleculeRefereeTest, RdkitAgreesOnNeighboursOfMutagenicity) {
  FEWEDITS_REQUIRE_SHARED("datasets/Mutagenicity");
  expect_agreement(of_dataset("Mutagenicity"), 3000);
}

TEST(MoleculeRefereeTest, RdkitAgreesOnNeighboursOfKnownMolecules) {
  for (const bool hydrogens : {false, true}) {
    for (const bool charges : {false, true}) {
      const RawDataset raw = known_molecules({.explicit_hydrogens = hydrogens, .charges = charges});
      expect_agreement({raw.graphs, names(raw.node_labels), names(raw.edge_labels)}, 3000);
    }
  }
}

TEST(MoleculeRefereeTest, KnownMoleculesAreValid) {
  for (const bool hydrogens : {false, true}) {
    for (const bool charges : {false, true}) {
      const RawDataset raw = known_molecules({.explicit_hydrogens = hydrogens, .charges = charges});
      const Material m(raw.graphs, names(raw.node_labels), names(raw.edge_labels));
      for (const Graph& g : m.molecules) {
        EXPECT_EQ(m.rules.why_invalid(g), "")
            << to_smiles(g, m.atoms, m.bonds) << (hydrogens ? " with hydrogens" : "");
      }
    }
  }
}

/// The charges, ascending: which of a carboxylate's oxygens has one does not matter.
std::vector<int> sorted_charges(const MoleculeRules& rules, const Graph& g) {
  std::vector<int> charges = rules.charges(g);
  std::sort(charges.begin(), charges.end());
  return charges;
}

TEST(MoleculeRefereeTest, ChargesThatAreStrippedAreFoundAgain) {
  for (const bool hydrogens : {false, true}) {
    const RawDataset known = known_molecules({.explicit_hydrogens = hydrogens});
    const RawDataset plain = known_molecules({.explicit_hydrogens = hydrogens, .charges = false});
    const Material with(known.graphs, names(known.node_labels), names(known.edge_labels));
    const Material without(plain.graphs, names(plain.node_labels), names(plain.edge_labels));
    std::size_t found = 0;
    for (std::size_t i = 0; i < with.molecules.size(); ++i) {
      const bool same = sorted_charges(with.rules, with.molecules[i]) ==
                        sorted_charges(without.rules, without.molecules[i]);
      found += same ? 1U : 0U;
      // Without its protons nobody can see what has lost one, but for what is beside.
      EXPECT_TRUE(same || !hydrogens) << to_smiles(with.molecules[i], with.atoms, with.bonds);
    }
    EXPECT_GE(found, with.molecules.size() - (hydrogens ? 0 : 8));
  }
}

TEST(MoleculeRefereeTest, RingsThatRdkitCallsAromaticBecomeOurs) {
  const RawDataset raw = known_molecules({.explicit_hydrogens = true});
  const Material m(raw.graphs, names(raw.node_labels), names(raw.edge_labels));
  for (const Graph& g : m.molecules) {
    const Graph form = *m.rules.kekule_form(g);
    const Graph foreign(form.labels(), test::rdkit_aromatic_edges(form, m.rules),
                        Graph::EdgeLabels::kPresent);
    EXPECT_TRUE(m.rules.canonical(foreign, MoleculeRules::Aromatic::kForeign) == g)
        << to_smiles(g, m.atoms, m.bonds);
  }
}

/// Out as SMILES and in again, with the labels that it had.
std::vector<Graph> through_smiles(const std::vector<Graph>& graphs, const Material& m) {
  std::vector<MoleculeRecord> records;
  for (const Graph& g : graphs) records.emplace_back().text = to_smiles(g, m.atoms, m.bonds);
  const bool charges = m.rules.charges() == MoleculeRules::Charges::kInLabels;
  const RawDataset raw = molecules_as_graphs(
      records, "test", {.explicit_hydrogens = m.rules.writes_hydrogens(), .charges = charges});
  const auto same_name = [](const std::vector<std::string>& all, const std::string& name) {
    const auto at = std::find(all.begin(), all.end(), name);
    EXPECT_NE(at, all.end()) << name;
    return static_cast<Label>(at - all.begin());
  };
  std::vector<Graph> back;
  for (const Graph& g : raw.graphs) {
    std::vector<Label> labels;
    for (const Label l : g.labels()) labels.push_back(same_name(m.atoms, raw.node_labels[l].name));
    std::vector<Edge> edges = g.edges();
    for (Edge& e : edges) e.label = same_name(m.bonds, raw.edge_labels[e.label].name);
    back.push_back(m.rules.canonical({labels, edges, Graph::EdgeLabels::kPresent}));
  }
  return back;
}

void expect_return(const Material& m, std::size_t count) {
  Rng rng(2);
  std::vector<Graph> valid;
  for (std::size_t i = 0; i < count; ++i) {
    const Graph& from = m.molecules[i % m.molecules.size()];
    const Graph g = m.rules.canonical(test::random_neighbour(from, m.rules, rng));
    if (m.rules.is_valid(g)) valid.push_back(g);
  }
  EXPECT_GT(valid.size(), count / 5);
  const std::vector<Graph> back = through_smiles(valid, m);
  ASSERT_EQ(back.size(), valid.size());
  std::size_t same = 0;
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const bool equal = isomorphic(back[i], valid[i]);
    same += equal ? 1U : 0U;
    EXPECT_TRUE(equal) << to_smiles(valid[i], m.atoms, m.bonds) << " became "
                       << to_smiles(back[i], m.atoms, m.bonds);
  }
  EXPECT_EQ(same, valid.size());
}

TEST(MoleculeRefereeTest, ValidNeighboursSurviveSmilesOutAndIn) {
  FEWEDITS_REQUIRE_SHARED("datasets/Mutagenicity");
  FEWEDITS_REQUIRE_SHARED("datasets/AIDS");
  expect_return(of_dataset("AIDS"), 3000);
  expect_return(of_dataset("Mutagenicity"), 3000);
  for (const bool hydrogens : {false, true}) {
    const RawDataset raw = known_molecules({.explicit_hydrogens = hydrogens});
    expect_return({raw.graphs, names(raw.node_labels), names(raw.edge_labels)}, 1500);
  }
}

}  // namespace
}  // namespace fewedits
