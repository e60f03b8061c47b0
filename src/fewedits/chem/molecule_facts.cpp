// SPDX-License-Identifier: MIT
#include "fewedits/chem/molecule_facts.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fewedits {
namespace {

using Atom = MoleculeFacts::Atom;
using AtomFact = MoleculeFacts::AtomFact;
using BondFact = MoleculeFacts::BondFact;

constexpr int kBoron = 5;
constexpr int kCarbon = 6;
constexpr int kNitrogen = 7;
constexpr int kOxygen = 8;
constexpr int kPhosphorus = 15;
constexpr int kSulphur = 16;
constexpr int kSelenium = 34;
constexpr int kTellurium = 52;

/// Ring bonds are those that are no bridges: Tarjan's low points, without recursion.
class RingBonds {
 public:
  explicit RingBonds(std::vector<AtomFact>& atoms)
      : atoms_(atoms), entered_(atoms.size(), 0), low_(atoms.size(), 0) {
    for (Atom a = 0; a < atoms_.size(); ++a) {
      if (entered_[a] == 0) visit(a);
    }
    for (AtomFact& atom : atoms_) {
      atom.is_in_ring = std::any_of(atom.bonds.begin(), atom.bonds.end(),
                                    [](const BondFact& bond) { return bond.is_in_ring; });
    }
  }

 private:
  struct Frame {
    Atom atom;
    Atom from;
    std::size_t next = 0;
  };

  void visit(Atom root) {
    std::vector<Frame> way{{root, root}};
    entered_[root] = low_[root] = ++clock_;
    while (!way.empty()) {
      Frame& at = way.back();
      if (at.next < atoms_[at.atom].bonds.size()) {
        const Atom to = atoms_[at.atom].bonds[at.next++].to;
        if (to == at.from) continue;
        if (entered_[to] == 0) {
          entered_[to] = low_[to] = ++clock_;
          way.push_back({to, at.atom});
        } else {
          low_[at.atom] = std::min(low_[at.atom], entered_[to]);
          mark(at.atom, to);
        }
        continue;
      }
      const Frame done = at;
      way.pop_back();
      if (way.empty()) break;
      low_[done.from] = std::min(low_[done.from], low_[done.atom]);
      if (low_[done.atom] <= entered_[done.from]) mark(done.from, done.atom);
    }
  }
  void mark(Atom a, Atom b) {
    for (const auto& [one, other] : {std::pair(a, b), std::pair(b, a)}) {
      for (BondFact& bond : atoms_[one].bonds) {
        if (bond.to == other) bond.is_in_ring = true;
      }
    }
  }

  std::vector<AtomFact>& atoms_;
  std::vector<std::uint32_t> entered_;
  std::vector<std::uint32_t> low_;
  std::uint32_t clock_ = 0;
};

/// Hückel's rule for rings of five to seven atoms, and for the outlines of two or three of them
/// that are fused (azulene, the ring system of methylene blue).
class AromaticRings {
 public:
  explicit AromaticRings(std::vector<AtomFact>& atoms) : atoms_(atoms), on_way_(atoms.size()) {
    for (Atom a = 0; a < atoms_.size(); ++a) electrons_.push_back(electrons_of(atoms_[a]));
    for (Atom a = 0; a < atoms_.size(); ++a) {
      if (electrons_[a] == kNone) continue;
      way_ = {a};
      on_way_[a] = true;
      extend();
      on_way_[a] = false;
    }
    for (const Bonds& ring : rings_) take(ring);
    // Outlines of aromatic rings alone tell nothing new.
    if (rings_.size() <= kMostFused) take_outlines();
  }

 private:
  /// Ascending; the lesser atom first.
  using Bonds = std::vector<std::pair<Atom, Atom>>;

  static constexpr int kNone = -1;
  static constexpr std::size_t kFewest = 5;
  static constexpr std::size_t kMost = 7;
  /// Rings of one molecule whose outlines are looked at; fullerenes are left alone.
  static constexpr std::size_t kMostFused = 64;

  /// That the atom gives to a ring it is in; kNone: it cannot be in an aromatic one.
  [[nodiscard]] int electrons_of(const AtomFact& atom) const {
    if (!atom.is_in_ring || atom.neighbours() > 3) return kNone;
    const BondFact* twofold = nullptr;
    for (const BondFact& bond : atom.bonds) {
      if (bond.order == 0 || bond.order == 3) return kNone;
      if (bond.order != 2) continue;
      if (twofold != nullptr) return kNone;
      twofold = &bond;
    }
    if (twofold != nullptr) {
      if (twofold->is_in_ring) return 1;
      const int other = atoms_[twofold->to].number;
      const bool is_drawn_out = other == kNitrogen || other == kOxygen || other == kSulphur;
      return is_drawn_out && atom.number == kCarbon ? 0 : 1;
    }
    switch (atom.number) {
      case kNitrogen:
      case kPhosphorus: return atom.charge <= 0 ? 2 : kNone;
      case kOxygen:
      case kSulphur:
      case kSelenium:
      case kTellurium: return atom.charge == 0 && atom.neighbours() == 2 ? 2 : kNone;
      case kCarbon: return atom.charge == 1 ? 0 : atom.charge == -1 ? 2 : kNone;
      case kBoron: return atom.charge == 0 ? 0 : kNone;
      default: return kNone;
    }
  }

  /// Ways begin at their least atom, so that a ring comes twice, once each way round.
  void extend() {
    for (const BondFact& bond : atoms_[way_.back()].bonds) {
      if (!bond.is_in_ring || electrons_[bond.to] == kNone) continue;
      if (bond.to == way_.front() && way_.size() >= kFewest) note_ring();
      if (bond.to < way_.front() || on_way_[bond.to] || way_.size() == kMost) continue;
      way_.push_back(bond.to);
      on_way_[bond.to] = true;
      extend();
      on_way_[bond.to] = false;
      way_.pop_back();
    }
  }

  void note_ring() {
    std::size_t inner_bonds = 0;
    Bonds ring;
    for (std::size_t i = 0; i < way_.size(); ++i) {
      ring.push_back(std::minmax(way_[i], way_[(i + 1) % way_.size()]));
      for (const BondFact& bond : atoms_[way_[i]].bonds) inner_bonds += on_way_[bond.to] ? 1U : 0U;
    }
    // A bond across would make it two smaller rings; the other way round it has been met.
    if (inner_bonds != 2 * way_.size() || way_[1] > way_.back()) return;
    std::sort(ring.begin(), ring.end());
    rings_.push_back(std::move(ring));
  }

  void take(const Bonds& outline) {
    int twice = 0;  // every atom has two of the bonds
    for (const auto& [a, b] : outline) twice += electrons_[a] + electrons_[b];
    if ((twice / 2) % 4 != 2) return;
    for (const auto& [a, b] : outline) {
      for (const auto& [one, other] : {std::pair(a, b), std::pair(b, a)}) {
        atoms_[one].is_aromatic = true;
        for (BondFact& bond : atoms_[one].bonds) {
          bond.is_aromatic = bond.is_aromatic || bond.to == other;
        }
      }
    }
  }

  [[nodiscard]] bool is_aromatic(const Bonds& ring) const {
    return std::all_of(ring.begin(), ring.end(), [&](const auto& bond) {
      const auto& bonds = atoms_[bond.first].bonds;
      return std::any_of(bonds.begin(), bonds.end(), [&](const BondFact& one) {
        return one.to == bond.second && one.is_aromatic;
      });
    });
  }
  /// Of two rings, or a ring and an outline, that have bonds in common; empty if they have none.
  static Bonds outline_of(const Bonds& a, const Bonds& b) {
    Bonds out;
    std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
    if (out.size() == a.size() + b.size() || !is_one_ring(out)) out.clear();
    return out;
  }
  /// Has every atom two of the bonds?
  static bool is_one_ring(const Bonds& bonds) {
    std::vector<Atom> ends;
    for (const auto& [a, b] : bonds) ends.insert(ends.end(), {a, b});
    std::sort(ends.begin(), ends.end());
    for (std::size_t i = 0; i < ends.size(); i += 2) {
      if (ends[i] != ends[i + 1] || (i >= 2 && ends[i] == ends[i - 2])) return false;
    }
    return true;
  }

  void take_outlines() {
    std::vector<bool> done;
    for (const Bonds& ring : rings_) done.push_back(is_aromatic(ring));
    for (std::size_t i = 0; i < rings_.size(); ++i) {
      for (std::size_t j = i + 1; j < rings_.size(); ++j) {
        const Bonds two = outline_of(rings_[i], rings_[j]);
        if (two.empty()) continue;
        if (!done[i] || !done[j]) take(two);
        for (std::size_t k = 0; k < rings_.size(); ++k) {
          if (k == i || k == j || (done[i] && done[j] && done[k])) continue;
          const Bonds three = outline_of(two, rings_[k]);
          if (!three.empty()) take(three);
        }
      }
    }
  }

  std::vector<AtomFact>& atoms_;
  std::vector<int> electrons_;
  std::vector<bool> on_way_;
  std::vector<Atom> way_;
  std::vector<Bonds> rings_;
};

}  // namespace

std::optional<MoleculeFacts> MoleculeFacts::of(const Graph& graph, const MoleculeRules& rules) {
  const auto sketch = rules.sketch(graph);
  if (!sketch) return std::nullopt;
  const std::vector<int> charges = rules.charges(graph);
  const std::vector<int> implied = rules.implied_hydrogens(graph);

  MoleculeFacts out;
  out.hydrogens_of.resize(graph.num_nodes());
  for (const MoleculeSketch::AtomData& atom : sketch->atoms) {
    AtomFact fact;
    fact.node = atom.node;
    fact.number = rules.atom(atom.label).element->number;
    fact.charge = charges[atom.node];
    fact.hydrogens = static_cast<std::uint32_t>(atom.hydrogens.size()) +
                     static_cast<std::uint32_t>(implied[atom.node]);
    out.hydrogens_of[atom.node] = atom.hydrogens;
    for (const std::uint32_t b : atom.bonds) {
      const auto& bond = sketch->bonds[b];
      const auto self = static_cast<Atom>(out.atoms.size());
      fact.bonds.push_back({bond.a == self ? bond.b : bond.a, bond.order, false, false});
    }
    out.atoms.push_back(std::move(fact));
  }
  const RingBonds ring_bonds(out.atoms);
  const AromaticRings aromatic_rings(out.atoms);
  return out;
}

std::optional<MoleculeFacts> MoleculeFacts::without_bonds(const Graph& graph,
                                                          const MoleculeRules& rules) {
  const auto hydrogen = rules.hydrogen();
  std::vector<Atom> atom_of(graph.num_nodes(), ~Atom{0});
  MoleculeFacts out;
  out.hydrogens_of.resize(graph.num_nodes());
  for (Node v = 0; v < graph.num_nodes(); ++v) {
    if (graph.label(v) >= rules.num_labels()) return std::nullopt;
    const bool is_counted = hydrogen && graph.label(v) == *hydrogen && graph.degree(v) == 1 &&
                            graph.label(graph.neighbours(v)[0]) != *hydrogen;
    if (is_counted) {
      out.hydrogens_of[graph.neighbours(v)[0]].push_back(v);
      continue;
    }
    atom_of[v] = static_cast<Atom>(out.atoms.size());
    AtomFact fact;
    fact.node = v;
    fact.number = rules.atom(graph.label(v)).element->number;
    fact.charge = rules.atom(graph.label(v)).charge;
    out.atoms.push_back(std::move(fact));
  }
  for (AtomFact& fact : out.atoms) {
    fact.hydrogens = static_cast<std::uint32_t>(out.hydrogens_of[fact.node].size());
    for (const Node w : graph.neighbours(fact.node)) {
      if (atom_of[w] != ~Atom{0}) fact.bonds.push_back({atom_of[w], 0, false, false});
    }
  }
  const RingBonds ring_bonds(out.atoms);
  return out;
}

}  // namespace fewedits
