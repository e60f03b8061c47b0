// SPDX-License-Identifier: MIT
#include "support/group_referee.hpp"

#include <GraphMol/GraphMol.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/SmilesParse/SmilesParse.h>
#include <GraphMol/Substruct/SubstructMatch.h>
#include <RDGeneral/RDLog.h>

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>

namespace fewedits::test {
namespace {

const RDKit::ROMol& query(const std::string& smarts) {
  static std::map<std::string, std::unique_ptr<RDKit::ROMol>> known;
  auto& mol = known[smarts];
  if (!mol) mol.reset(RDKit::SmartsToMol(smarts));
  if (!mol) throw std::invalid_argument("RDKit cannot read the pattern " + smarts);
  return *mol;
}

/// Hydrogens are counted at their atoms, as chemists' patterns expect; null: refused.
std::unique_ptr<RDKit::RWMol> molecule_of(const Graph& graph, const MoleculeRules& rules) {
  auto mol = std::make_unique<RDKit::RWMol>();
  const std::vector<int> charges = rules.charges(graph);
  for (Node v = 0; v < graph.num_nodes(); ++v) {
    auto atom = std::make_unique<RDKit::Atom>(rules.atom(graph.label(v)).element->number);
    atom->setFormalCharge(charges[v]);
    atom->setNoImplicit(rules.writes_hydrogens());
    atom->setProp("node", static_cast<unsigned int>(v));
    mol->addAtom(atom.release(), false, true);
  }
  for (const Edge& e : graph.edges()) {
    const Bond bond = *rules.bond(e.label);
    mol->addBond(e.u, e.v,
                 bond == Bond::kDouble   ? RDKit::Bond::DOUBLE
                 : bond == Bond::kTriple ? RDKit::Bond::TRIPLE
                                         : RDKit::Bond::SINGLE);
  }
  try {
    unsigned int failed = 0;
    constexpr unsigned int kWhat = RDKit::MolOps::SANITIZE_ALL ^ RDKit::MolOps::SANITIZE_CLEANUP;
    RDKit::MolOps::sanitizeMol(*mol, failed, kWhat);
    RDKit::MolOps::removeHs(*mol, false, false, false);
    RDKit::MolOps::sanitizeMol(*mol, failed, kWhat);
  } catch (const std::exception&) {
    return nullptr;
  }
  return mol;
}

}  // namespace

std::vector<NodeSets> rdkit_matches(const Graph& kekule_form, const MoleculeRules& rules,
                                    const std::vector<AskedPattern>& patterns) {
  static const bool quiet = [] {
    boost::logging::disable_logs("rdApp.*");
    return true;
  }();
  (void)quiet;
  const auto mol = molecule_of(kekule_form, rules);
  std::vector<NodeSets> out;
  if (!mol) return out;
  for (const AskedPattern& pattern : patterns) {
    RDKit::SubstructMatchParameters how;
    how.uniquify = false;
    how.maxMatches = 100000;
    NodeSets sets;
    for (const auto& match : RDKit::SubstructMatch(*mol, query(pattern.smarts), how)) {
      std::vector<Node> nodes;
      for (const auto& [in_pattern, atom] : match) {
        if (static_cast<std::size_t>(in_pattern) >= pattern.own) continue;
        nodes.push_back(
            mol->getAtomWithIdx(static_cast<unsigned int>(atom))->getProp<unsigned int>("node"));
      }
      std::sort(nodes.begin(), nodes.end());
      sets.insert(std::move(nodes));
    }
    out.push_back(std::move(sets));
  }
  return out;
}

}  // namespace fewedits::test
