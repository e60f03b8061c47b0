// SPDX-License-Identifier: MIT
#include "support/rdkit_referee.hpp"

#include <GraphMol/GraphMol.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>
#include <RDGeneral/RDLog.h>

#include <algorithm>
#include <memory>

#include "fewedits/edit/molecule_steps.hpp"

namespace fewedits::test {
namespace {

RDKit::Bond::BondType type_of(Bond bond) {
  switch (bond) {
    case Bond::kSingle: return RDKit::Bond::SINGLE;
    case Bond::kDouble: return RDKit::Bond::DOUBLE;
    case Bond::kTriple: return RDKit::Bond::TRIPLE;
    case Bond::kAromatic: return RDKit::Bond::AROMATIC;
  }
  return RDKit::Bond::ZERO;
}

std::unique_ptr<RDKit::RWMol> to_rdkit(const Graph& graph, const MoleculeRules& rules) {
  auto mol = std::make_unique<RDKit::RWMol>();
  const std::vector<int> charges = rules.charges(graph);
  for (Node v = 0; v < graph.num_nodes(); ++v) {
    auto atom = std::make_unique<RDKit::Atom>(rules.atom(graph.label(v)).element->number);
    atom->setFormalCharge(charges[v]);
    atom->setNoImplicit(rules.writes_hydrogens());
    mol->addAtom(atom.release(), false, true);
  }
  for (const Edge& e : graph.edges()) mol->addBond(e.u, e.v, type_of(*rules.bond(e.label)));
  return mol;
}

void sanitise(RDKit::RWMol& mol) {
  unsigned int failed = 0;
  constexpr unsigned int kWhat = RDKit::MolOps::SANITIZE_ALL ^ RDKit::MolOps::SANITIZE_CLEANUP;
  RDKit::MolOps::sanitizeMol(mol, failed, kWhat);
}

/// Without the numbers that tell one atom from another.
std::string without_numbers(const std::string& text) {
  std::string out;
  std::size_t hash = std::string::npos;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (c == '#') hash = out.size();
    if (digit && hash != std::string::npos) continue;
    if (c == ',') hash = std::string::npos;
    out += c;
  }
  return out;
}

template <typename T>
T pick(const std::vector<T>& all, Rng& rng) {
  return all[rng.below(all.size())];
}

std::vector<Label> orders(const MoleculeRules& rules) {
  std::vector<Label> labels;
  for (const Bond bond : {Bond::kSingle, Bond::kDouble, Bond::kTriple}) {
    if (const auto label = rules.label_of(bond)) labels.push_back(*label);
  }
  return labels;
}

Graph randomly_edited(const Graph& g, const MoleculeRules& rules, Rng& rng) {
  const auto node = [&] { return static_cast<Node>(rng.below(g.num_nodes())); };
  const auto label = [&] { return static_cast<Label>(rng.below(rules.num_labels())); };
  const std::vector<Label> bonds = orders(rules);
  const std::vector<Edge> edges = g.edges();
  const Node u = node();
  switch (rng.below(6)) {
    case 0: return g.with_label(u, label());
    case 1: return g.with_leaf(u, label(), pick(bonds, rng));
    case 2: return g.degree(u) == 1 && g.num_nodes() > 2 ? g.without_node(u) : g;
    case 3: {
      const Node v = node();
      return u != v && !g.has_edge(u, v) ? g.with_edge(u, v, pick(bonds, rng)) : g;
    }
    case 4: {
      if (edges.empty()) return g;
      const Edge e = pick(edges, rng);
      const Graph cut = g.without_edge(e.u, e.v);
      return cut.is_connected() ? cut : g;
    }
    default: {
      if (edges.empty()) return g;
      const Edge e = pick(edges, rng);
      return g.with_edge_label(e.u, e.v, pick(bonds, rng));
    }
  }
}

}  // namespace

RdkitVerdict rdkit_verdict(const Graph& graph, const MoleculeRules& rules) {
  static const bool quiet = [] {
    boost::logging::disable_logs("rdApp.*");
    return true;
  }();
  (void)quiet;
  const auto mol = to_rdkit(graph, rules);
  RdkitVerdict verdict;
  try {
    sanitise(*mol);
  } catch (const std::exception& error) {
    verdict.why = without_numbers(error.what());
    return verdict;
  }
  int charge = 0;
  unsigned int unpaired = 0;
  for (const RDKit::Atom* atom : mol->atoms()) {
    charge += atom->getFormalCharge();
    unpaired += atom->getNumRadicalElectrons();
    verdict.hydrogens.push_back(static_cast<int>(atom->getTotalNumHs()));
  }
  if (unpaired > 0) verdict.why = "unpaired electrons";
  if (charge != 0) verdict.why = "charged";
  verdict.is_accepted = verdict.why.empty();
  return verdict;
}

std::string smiles(const Graph& graph, const MoleculeRules& rules) {
  const auto mol = to_rdkit(graph, rules);
  mol->updatePropertyCache(false);
  RDKit::MolOps::fastFindRings(*mol);
  return RDKit::MolToSmiles(*mol);
}

std::vector<Edge> rdkit_aromatic_edges(const Graph& graph, const MoleculeRules& rules) {
  const auto mol = to_rdkit(graph, rules);
  try {
    sanitise(*mol);
  } catch (const std::exception&) {
    return {};
  }
  std::vector<Edge> edges = graph.edges();
  for (Edge& e : edges) {
    if (mol->getBondBetweenAtoms(e.u, e.v)->getIsAromatic()) {
      e.label = *rules.label_of(Bond::kAromatic);
    }
  }
  return edges;
}

Graph random_neighbour(const Graph& molecule, const MoleculeRules& rules, Rng& rng) {
  Graph g = molecule;
  // Half of them start from a neighbour that ought to be valid, so that both answers are frequent.
  if (rng.chance(0.5)) {
    const std::vector<Step> steps = molecule_steps(g, rules, {.up_to_symmetry = false});
    if (!steps.empty()) g = apply_step(g, pick(steps, rng));
  }
  g = rules.kekule_form(g).value_or(g);
  const std::size_t edits = rng.below(4) / 2 + rng.below(2);
  for (std::size_t i = 0; i < edits; ++i) g = randomly_edited(g, rules, rng);
  return g;
}

void judge(const Graph& kekule_form, const MoleculeRules& rules, Agreement& agreement) {
  const Graph canonical = rules.canonical(kekule_form);
  const std::string why = rules.why_invalid(canonical);
  const RdkitVerdict rdkit = rdkit_verdict(kekule_form, rules);
  ++agreement.graphs;
  agreement.valid += why.empty() ? 1U : 0U;
  agreement.accepted += rdkit.is_accepted ? 1U : 0U;
  if (why.empty() != rdkit.is_accepted) {
    const auto at = why.find('(');
    const std::string ours = why.empty() ? "valid" : at == why.npos ? why : why.substr(at);
    ++agreement.disagreements["we: " + ours +
                              "; RDKit: " + (rdkit.is_accepted ? "accepted" : rdkit.why)];
    return;
  }
  ++agreement.agree;
  if (why.empty() && rules.implied_hydrogens(kekule_form) != rdkit.hydrogens) {
    ++agreement.other_hydrogens;
  }
}

Agreement judge_neighbours(const std::vector<Graph>& molecules, const MoleculeRules& rules,
                           std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  Agreement agreement;
  for (std::size_t i = 0; i < count; ++i) {
    judge(random_neighbour(molecules[i % molecules.size()], rules, rng), rules, agreement);
  }
  return agreement;
}

}  // namespace fewedits::test
