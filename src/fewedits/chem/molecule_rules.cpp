// SPDX-License-Identifier: MIT
#include "fewedits/chem/molecule_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "fewedits/chem/atom_label.hpp"
#include "fewedits/graph/identity.hpp"

namespace fewedits {
namespace {

using Atom = MoleculeSketch::Atom;

constexpr int kHydrogen = 1;
constexpr int kBoron = 5;
constexpr int kCarbon = 6;
constexpr int kNitrogen = 7;
constexpr int kOxygen = 8;
constexpr int kPhosphorus = 15;
constexpr int kCalcium = 20;

bool is_alkali(const Element& e) { return e.outer == 1 && e.number > kHydrogen; }
// Without beryllium: it has bonds.
bool is_alkaline_earth(const Element& e) {
  return e.outer == 2 && (e.number == 12 || e.number == kCalcium || e.number == 38 ||
                          e.number == 56 || e.number == 88);
}
bool is_halogen(const Element& e) { return e.outer == 7 && !e.valences().empty(); }
bool is_chalcogen(const Element& e) { return e.outer == 6 && !e.valences().empty(); }
// Nitrogen's heavy relatives.
bool is_pnictogen(const Element& e) {
  return e.outer == 5 && e.number >= kPhosphorus && !e.valences().empty();
}

/// A table row each of ../shared/CHEMISTRY.md's, and boron's, for the heavier members of a group,
/// too.
int charge_from_bonds(const Element& e, int valence, bool writes_hydrogens) {
  switch (valence) {
    case 0:
      if (is_alkali(e)) return 1;
      if (is_alkaline_earth(e)) return 2;
      // Where hydrogens are implied it may be an acid.
      return is_halogen(e) && writes_hydrogens ? -1 : 0;
    case 1: return is_chalcogen(e) && writes_hydrogens ? -1 : 0;
    case 2: return e.number == kNitrogen && writes_hydrogens ? -1 : 0;
    case 3: return is_chalcogen(e) ? 1 : 0;
    case 4:
      if (e.number == kBoron) return -1;
      return e.number == kNitrogen || is_pnictogen(e) ? 1 : 0;
    default: return 0;
  }
}

}  // namespace

// ---- labels

std::optional<MoleculeRules> MoleculeRules::of(const std::vector<std::string>& atom_names,
                                               const std::vector<std::string>& bond_names) {
  const bool charged = std::any_of(atom_names.begin(), atom_names.end(), [](const auto& name) {
    const auto atom = atom_of(name);
    return atom && atom->charge != 0;
  });
  return of(atom_names, bond_names, charged ? Charges::kInLabels : Charges::kFromBonds);
}

std::optional<MoleculeRules> MoleculeRules::of(const std::vector<std::string>& atom_names,
                                               const std::vector<std::string>& bond_names,
                                               Charges charges) {
  MoleculeRules rules;
  rules.charges_ = charges;
  for (const std::string& name : atom_names) {
    const auto named = atom_of(name);
    const RuledAtom atom{named ? find_element(named->element) : nullptr, named ? named->charge : 0};
    if (atom.element == nullptr) return std::nullopt;
    const auto label = static_cast<Label>(rules.atoms_.size());
    if (atom.element->number == kHydrogen && atom.charge == 0 && !rules.hydrogen_) {
      rules.hydrogen_ = label;
    }
    rules.atoms_.push_back(atom);
  }
  for (const std::string& name : bond_names) {
    const auto bond = bond_of(name);
    if (!bond) return std::nullopt;
    auto& label = rules.bond_labels_[static_cast<std::size_t>(*bond)];
    if (!label) label = static_cast<Label>(rules.bonds_.size());
    rules.bonds_.push_back(*bond);
  }
  if (!rules.label_of(Bond::kSingle)) return std::nullopt;
  rules.fill_states();
  return rules;
}

void MoleculeRules::fill_states() {
  for (Label label = 0; label < atoms_.size(); ++label) {
    const Element& element = *atoms_[label].element;
    for (int valence = 0; valence < static_cast<int>(kValences); ++valence) {
      AtomState state;
      const int charge = charge_of(label, valence);
      state.charge = charge;
      if (writes_hydrogens()) {
        const auto unpaired = unpaired_electrons(element, charge, valence);
        state.possible = unpaired == 0;
        state.unpaired = static_cast<std::uint8_t>(unpaired.value_or(0));
      } else {
        const auto implied = fewedits::implied_hydrogens(element, charge, valence);
        state.possible = implied.has_value();
        state.hydrogens = static_cast<std::uint8_t>(implied.value_or(0));
      }
      states_.push_back(state);
    }
  }
}

int MoleculeRules::charge_of(Label label, int valence) const {
  const RuledAtom& name = atoms_[label];
  if (charges_ == Charges::kInLabels || name.charge != 0) return name.charge;
  return charge_from_bonds(*name.element, valence, writes_hydrogens());
}

std::optional<Bond> MoleculeRules::bond(Label edge_label) const {
  if (edge_label >= bonds_.size()) return std::nullopt;
  return bonds_[edge_label];
}

bool MoleculeRules::has_known_labels(const Graph& graph) const {
  if (graph.num_edges() > 0 && !graph.has_edge_labels()) return false;
  for (Node v = 0; v < graph.num_nodes(); ++v) {
    if (graph.label(v) >= atoms_.size()) return false;
    for (const Label l : graph.edge_labels(v)) {
      if (l >= bonds_.size()) return false;
    }
  }
  return true;
}

std::string MoleculeRules::name(Label label) const {
  return name_of({std::string(atoms_[label].element->symbol), atoms_[label].charge});
}

// ---- the sketch

/// Aromatic bonds have order 1, as yet.
MoleculeSketch MoleculeRules::raw_sketch(const Graph& graph) const {
  MoleculeSketch sketch;
  sketch.atom_of.assign(graph.num_nodes(), MoleculeSketch::kNone);
  const auto is_counted = [&](Node v) {
    if (!hydrogen_ || graph.label(v) != *hydrogen_ || graph.degree(v) != 1) return false;
    return graph.label(graph.neighbours(v)[0]) != *hydrogen_ &&
           bonds_[graph.edge_labels(v)[0]] == Bond::kSingle;
  };
  for (Node v = 0; v < graph.num_nodes(); ++v) {
    if (is_counted(v)) continue;
    sketch.atom_of[v] = static_cast<Atom>(sketch.atoms.size());
    auto& atom = sketch.atoms.emplace_back();
    atom.label = graph.label(v);
    atom.node = v;
  }
  for (Node v = 0; v < graph.num_nodes(); ++v) {
    const auto row = graph.neighbours(v);
    const Atom a = sketch.atom_of[v];
    if (a == MoleculeSketch::kNone) {
      sketch.atoms[sketch.atom_of[row[0]]].hydrogens.push_back(v);
      continue;
    }
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Atom b = sketch.atom_of[row[i]];
      if (b == MoleculeSketch::kNone || b < a) continue;
      const Bond name = bonds_[graph.edge_labels(v)[i]];
      const bool aromatic = name == Bond::kAromatic;
      const auto order = aromatic ? std::uint8_t{1} : static_cast<std::uint8_t>(name);
      for (const Atom end : {a, b}) {
        sketch.atoms[end].bonds.push_back(static_cast<std::uint32_t>(sketch.bonds.size()));
        sketch.atoms[end].bond_sum += order;
      }
      sketch.bonds.push_back({a, b, order, aromatic});
    }
  }
  return sketch;
}

bool MoleculeRules::may_be_paired(const MoleculeSketch& sketch, Atom a) const {
  const AtomState paired = state(sketch.atoms[a].label, sketch.valence(a) + 1);
  return paired.possible && (charges_ == Charges::kInLabels || paired.charge == 0);
}

bool MoleculeRules::may_be_alone(const MoleculeSketch& sketch, Atom a) const {
  const AtomState alone = state(sketch.atoms[a].label, sketch.valence(a));
  const bool gets_hydrogen = alone.hydrogens > 0;
  // Pyrrole's nitrogen has a hydrogen that nobody writes; carbon that needs one is not aromatic.
  return alone.possible &&
         !(gets_hydrogen && atoms_[sketch.atoms[a].label].element->number == kCarbon);
}

bool MoleculeRules::find_kekule_form(MoleculeSketch& sketch, Aromatic labels) const {
  std::vector<Pairing::Line> lines;
  std::vector<std::uint32_t> bond_of;
  std::vector<bool> involved(sketch.atoms.size(), false);
  for (std::uint32_t b = 0; b < sketch.bonds.size(); ++b) {
    const auto& bond = sketch.bonds[b];
    if (!bond.aromatic) continue;
    involved[bond.a] = involved[bond.b] = true;
    const bool all = labels == Aromatic::kOurs;
    if (!all && !(may_be_paired(sketch, bond.a) && may_be_paired(sketch, bond.b))) continue;
    lines.emplace_back(bond.a, bond.b);
    bond_of.push_back(b);
  }
  const auto count = static_cast<Atom>(sketch.atoms.size());
  Pairing pairing(count, lines);
  const auto alone = std::make_unique<bool[]>(count);
  if (labels == Aromatic::kForeign) {
    for (Atom a = 0; a < count; ++a) alone[a] = may_be_alone(sketch, a);
  }
  for (const auto& [u, v] : lines) {
    if (pairing.mate(u) == Pairing::kNone && pairing.mate(v) == Pairing::kNone) pairing.pair(u, v);
  }
  for (Atom a = 0; a < count; ++a) {
    if (involved[a] && !alone[a] && !pairing.find_mate(a, {alone.get(), count})) return false;
  }
  // Pyridine rather than its dihydride: those that need no mate take one if there is one.
  for (Atom a = 0; a < count; ++a) {
    if (involved[a] && alone[a]) pairing.find_mate(a);
  }
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const auto [u, v] = lines[l];
    if (pairing.mate(u) != v) continue;
    sketch.bonds[bond_of[l]].order = 2;
    ++sketch.atoms[u].bond_sum;
    ++sketch.atoms[v].bond_sum;
  }
  return true;
}

std::optional<MoleculeSketch> MoleculeRules::sketch(const Graph& graph) const {
  if (!has_known_labels(graph)) return std::nullopt;
  MoleculeSketch sketch = raw_sketch(graph);
  if (!find_kekule_form(sketch, Aromatic::kOurs)) return std::nullopt;
  return sketch;
}

Graph MoleculeRules::with_bonds(const Graph& graph, const MoleculeSketch& sketch,
                                const std::vector<bool>& aromatic) const {
  std::vector<Edge> edges = graph.edges();
  for (Edge& edge : edges) {
    const Atom a = sketch.atom_of[edge.u];
    const Atom b = sketch.atom_of[edge.v];
    if (a == MoleculeSketch::kNone || b == MoleculeSketch::kNone) continue;
    for (const std::uint32_t i : sketch.atoms[a].bonds) {
      if (sketch.other(i, a) != b) continue;
      const auto order = static_cast<Bond>(sketch.bonds[i].order);
      edge.label = *(aromatic[i] ? label_of(Bond::kAromatic) : label_of(order));
    }
  }
  return {graph.labels(), edges, Graph::EdgeLabels::kPresent};
}

std::optional<Graph> MoleculeRules::perceived(const Graph& graph, Aromatic labels,
                                              bool neutral) const {
  MoleculeSketch sketch = raw_sketch(graph);
  if (!find_kekule_form(sketch, labels)) return std::nullopt;
  if (neutral && net_charge(sketch).distance() != 0) return std::nullopt;
  for (const auto& bond : sketch.bonds) {
    if (!label_of(static_cast<Bond>(bond.order))) return std::nullopt;
  }
  std::vector<bool> aromatic(sketch.bonds.size(), false);
  if (label_of(Bond::kAromatic)) aromatic = DoubleBonds(sketch).aromatic();
  return with_bonds(graph, sketch, aromatic);
}

Graph MoleculeRules::canonical(const Graph& graph, Aromatic labels) const {
  if (!has_known_labels(graph)) return graph;
  if (labels == Aromatic::kForeign) {
    // The oxide of pyrazine has four charges, but they balance each other.
    for (const Aromatic reading : {Aromatic::kForeign, Aromatic::kOurs}) {
      if (auto found = perceived(graph, reading, /*neutral=*/true)) return *found;
    }
    if (auto found = perceived(graph, Aromatic::kForeign, false)) return *found;
    return perceived(graph, Aromatic::kOurs, false).value_or(graph);
  }
  // Without a look at the charges: what is canonical stays as it is.
  if (auto found = perceived(graph, Aromatic::kOurs, false)) return *found;
  return perceived(graph, Aromatic::kForeign, false).value_or(graph);
}

std::optional<Graph> MoleculeRules::kekule_form(const Graph& graph) const {
  const auto form = sketch(graph);
  if (!form) return std::nullopt;
  for (const auto& bond : form->bonds) {
    if (!label_of(static_cast<Bond>(bond.order))) return std::nullopt;
  }
  return with_bonds(graph, *form, std::vector<bool>(form->bonds.size(), false));
}

bool MoleculeRules::is_canonical(const Graph& graph) const {
  const auto form = sketch(graph);
  return form && misnamed_bond(*form) == nullptr;
}

std::optional<Graph> MoleculeRules::canonical_kekule_form(const Graph& graph) const {
  auto form = sketch(graph);
  if (!form) return std::nullopt;
  choose_double_bonds(*form, graph);
  for (const auto& bond : form->bonds) {
    if (!label_of(static_cast<Bond>(bond.order))) return std::nullopt;
  }
  return with_bonds(graph, *form, std::vector<bool>(form->bonds.size(), false));
}

/// Of the bonds called aromatic the first in canonical order that can be double is, then the first
/// of the rest, and so on. An automorphism that takes one canonical order to another takes one
/// result to the other.
void MoleculeRules::choose_double_bonds(MoleculeSketch& sketch, const Graph& graph) {
  std::vector<std::uint32_t> open;
  std::vector<Atom> mate(sketch.atoms.size(), MoleculeSketch::kNone);
  for (std::uint32_t b = 0; b < sketch.bonds.size(); ++b) {
    const auto& bond = sketch.bonds[b];
    if (!bond.aromatic) continue;
    open.push_back(b);
    if (bond.order != 2) continue;
    mate[bond.a] = bond.b;
    mate[bond.b] = bond.a;
  }
  if (open.empty()) return;
  const std::vector<Node> place = canonical_positions(graph);
  const auto key = [&](std::uint32_t b) {
    const Node u = place[sketch.atoms[sketch.bonds[b].a].node];
    const Node v = place[sketch.atoms[sketch.bonds[b].b].node];
    return std::pair(std::min(u, v), std::max(u, v));
  };
  std::ranges::sort(open, {}, key);
  const auto set_order = [&](std::uint32_t b, std::uint8_t order) {
    auto& bond = sketch.bonds[b];
    for (const Atom end : {bond.a, bond.b}) sketch.atoms[end].bond_sum += order - bond.order;
    bond.order = order;
  };
  for (const std::uint32_t b : open) set_order(b, 1);
  std::vector<bool> is_done(sketch.atoms.size(), false);
  for (const std::uint32_t b : open) {
    const Atom u = sketch.bonds[b].a;
    const Atom v = sketch.bonds[b].b;
    if (is_done[u] || is_done[v]) continue;
    is_done[u] = is_done[v] = true;
    if (mate[u] != v && !pair_the_rest(sketch, open, is_done, mate, u, v)) {
      is_done[u] = is_done[v] = false;
      continue;
    }
    set_order(b, 2);
  }
}

/// The atoms that are not done paired without u and v, whose mates need others; false, and nothing
/// changes: that cannot be.
bool MoleculeRules::pair_the_rest(const MoleculeSketch& sketch,
                                  const std::vector<std::uint32_t>& bonds,
                                  const std::vector<bool>& is_done, std::vector<Atom>& mate, Atom u,
                                  Atom v) {
  const auto count = static_cast<Atom>(sketch.atoms.size());
  std::vector<Pairing::Line> lines;
  for (const std::uint32_t b : bonds) {
    const auto& bond = sketch.bonds[b];
    if (!is_done[bond.a] && !is_done[bond.b]) lines.emplace_back(bond.a, bond.b);
  }
  Pairing pairing(count, lines);
  for (const auto& [a, b] : lines) {
    if (mate[a] == b) pairing.pair(a, b);
  }
  if (!pairing.find_mate(mate[u])) return false;
  for (Atom a = 0; a < count; ++a) {
    if (!is_done[a]) mate[a] = pairing.mate(a);
  }
  mate[u] = v;
  mate[v] = u;
  return true;
}

// ---- charges

MoleculeRules::AtomState MoleculeRules::state(const MoleculeSketch& sketch, Atom a) const {
  const auto& atom = sketch.atoms[a];
  const std::uint32_t valence = sketch.valence(a);
  AtomState found = state(atom.label, valence);
  if (charges_ == Charges::kInLabels || !writes_hydrogens()) return found;
  // Isonitriles and carbon monoxide: C− at a triple bond to N+ or O+.
  if (valence != 3 || atom.bonds.size() != 1 || sketch.bonds[atom.bonds[0]].order != 3)
    return found;
  if (atoms_[atom.label].element->number != kCarbon) return found;
  const Atom other = sketch.other(atom.bonds[0], a);
  if (state(sketch.atoms[other].label, sketch.valence(other)).charge != 1) return found;
  return {.possible = true, .charge = -1};
}

int MoleculeRules::acidity(const MoleculeSketch& sketch, Atom a) const {
  const auto& atom = sketch.atoms[a];
  const Element& element = *atoms_[atom.label].element;
  if (atom.bonds.empty()) return is_halogen(element) ? 2 : is_chalcogen(element) ? 1 : 0;
  const bool is_oxygen_like = is_chalcogen(element) && atom.bonds.size() == 1 && atom.bond_sum == 1;
  const bool is_imine_like = element.number == kNitrogen && atom.bond_sum == 2;
  const bool is_isonitrile_like =
      element.number == kCarbon && atom.bonds.size() == 1 && sketch.bonds[atom.bonds[0]].order == 3;
  if (!is_oxygen_like && !is_imine_like && !is_isonitrile_like) return 0;
  int found = 0;
  for (const std::uint32_t b : atom.bonds) {
    const Atom other = sketch.other(b, a);
    if (state(sketch.atoms[other].label, sketch.valence(other)).charge > 0) return 2;
    if (!is_oxygen_like) continue;
    // The same in every Kekulé form, since no ring goes through an oxygen that has one neighbour.
    for (const std::uint32_t c : sketch.atoms[other].bonds) {
      const auto& far = sketch.atoms[sketch.other(c, other)];
      const bool is_end = far.bonds.size() == 1 && is_chalcogen(*atoms_[far.label].element);
      if (sketch.bonds[c].order == 2 && is_end) found = 1;
    }
  }
  return found;
}

MoleculeRules::NetCharge MoleculeRules::net_charge(const MoleculeSketch& sketch) const {
  NetCharge net;
  for (Atom a = 0; a < sketch.atoms.size(); ++a) {
    const int charge = sketch.atoms[a].is_gone ? 0 : state(sketch, a).charge;
    net.sum += charge;
    net.charged += charge != 0 ? 1 : 0;
  }
  if (net.sum <= 0 || writes_hydrogens() || charges_ == Charges::kInLabels) return net;
  for (Atom a = 0; a < sketch.atoms.size(); ++a) {
    const int found = sketch.atoms[a].is_gone ? 0 : acidity(sketch, a);
    net.acids += found > 0 ? 1 : 0;
    net.partners += found > 1 ? 1 : 0;
  }
  return net;
}

std::vector<int> MoleculeRules::charges_of(const MoleculeSketch& sketch) const {
  std::vector<int> charge(sketch.atoms.size());
  for (Atom a = 0; a < charge.size(); ++a) charge[a] = state(sketch, a).charge;
  NetCharge net = net_charge(sketch);
  if (net.acids == 0) return charge;
  const auto take_proton = [&](Atom a, int least) {
    if (net.sum == 0 || charge[a] != 0 || acidity(sketch, a) < least) return false;
    charge[a] = -1;
    --net.sum;
    return true;
  };
  // Every positive atom its own neighbour first: two nitro groups have an O− each. Oxygen rather
  // than nitrogen.
  for (Atom a = 0; a < charge.size(); ++a) {
    if (charge[a] <= 0) continue;
    bool is_paired = false;
    for (const bool oxygen : {true, false}) {
      for (const std::uint32_t b : sketch.atoms[a].bonds) {
        const Atom other = sketch.other(b, a);
        const bool fits = is_chalcogen(*atoms_[sketch.atoms[other].label].element) == oxygen;
        is_paired = is_paired || (fits && take_proton(other, 2));
      }
    }
  }
  for (const int least : {2, 1}) {
    for (Atom a = 0; a < charge.size(); ++a) take_proton(a, least);
  }
  return charge;
}

std::vector<int> MoleculeRules::charges(const Graph& graph) const {
  std::vector<int> charge(graph.num_nodes(), 0);
  const auto form = sketch(graph);
  if (!form) return charge;
  const std::vector<int> of_atom = charges_of(*form);
  for (Atom a = 0; a < of_atom.size(); ++a) charge[form->atoms[a].node] = of_atom[a];
  return charge;
}

std::vector<int> MoleculeRules::implied_hydrogens(const Graph& graph) const {
  std::vector<int> count(graph.num_nodes(), 0);
  const auto form = sketch(graph);
  if (!form || writes_hydrogens()) return count;
  const std::vector<int> charge = charges_of(*form);
  for (Atom a = 0; a < charge.size(); ++a) {
    const AtomState found = state(*form, a);
    const int lost = found.charge - charge[a];
    count[form->atoms[a].node] = std::max(0, found.hydrogens - lost);
  }
  return count;
}

// ---- validity

const MoleculeSketch::BondData* MoleculeRules::misnamed_bond(const MoleculeSketch& sketch) const {
  const std::vector<bool> aromatic = DoubleBonds(sketch).aromatic();
  for (std::size_t b = 0; b < aromatic.size(); ++b) {
    if (aromatic[b] != sketch.bonds[b].aromatic) return &sketch.bonds[b];
  }
  return nullptr;
}

bool MoleculeRules::is_valid(const Graph& graph) const {
  const auto form = sketch(graph);
  if (!form) return false;
  for (Atom a = 0; a < form->atoms.size(); ++a) {
    if (!state(*form, a).possible) return false;
  }
  return net_charge(*form).distance() == 0 && misnamed_bond(*form) == nullptr;
}

std::string MoleculeRules::why_impossible(const MoleculeSketch& sketch, Atom a) const {
  const AtomState found = state(sketch, a);
  if (found.possible) return {};
  const auto& atom = sketch.atoms[a];
  const std::string who = fmt::format("node {} ({})", atom.node, name(atom.label));
  if (found.unpaired > 0) {
    return fmt::format("{} lacks {} hydrogen{}, or has unpaired electrons", who, found.unpaired,
                       found.unpaired > 1 ? "s" : "");
  }
  return fmt::format("{} has bonds of {} in all, which it cannot have", who, sketch.valence(a));
}

std::string MoleculeRules::why_invalid(const Graph& graph) const {
  if (!has_known_labels(graph)) return "it has labels that are no elements, or no bonds";
  const auto form = sketch(graph);
  if (!form) return "its aromatic bonds have no Kekulé form";
  for (Atom a = 0; a < form->atoms.size(); ++a) {
    if (std::string why = why_impossible(*form, a); !why.empty()) return why;
  }
  if (const NetCharge net = net_charge(*form); net.distance() != 0) {
    return fmt::format("its charges sum to {:+}", net.sum);
  }
  if (const auto* bond = misnamed_bond(*form)) {
    return fmt::format("the bond between nodes {} and {} is {}aromatic", form->atoms[bond->a].node,
                       form->atoms[bond->b].node, bond->aromatic ? "not " : "");
  }
  return {};
}

}  // namespace fewedits
