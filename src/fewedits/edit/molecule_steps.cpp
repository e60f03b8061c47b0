// SPDX-License-Identifier: MIT
#include "fewedits/edit/molecule_steps.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "fewedits/edit/atom_choices.hpp"
#include "fewedits/edit/bridges.hpp"
#include "fewedits/edit/molecule_change.hpp"
#include "fewedits/edit/molecule_strain.hpp"
#include "fewedits/edit/orbits.hpp"
#include "fewedits/edit/step_writer.hpp"

namespace fewedits {
namespace {

using Atom = MoleculeSketch::Atom;
constexpr Atom kNone = MoleculeSketch::kNone;
using Outcome = AtomOutcome;
using Outcomes = AtomOutcomes;
using Change = MoleculeChange;
using Before = BeforeChange;
using Verdict = ChangeVerdict;

class MoleculeListing {
 public:
  MoleculeListing(const Graph& graph, const MoleculeRules& rules, const NeighbourOptions& options,
                  const std::vector<bool>& allowed_labels, MoleculeSketch sketch)
      : graph_(graph),
        rules_(rules),
        frozen_(options.frozen),
        allowed_(allowed_labels),
        orbits_(Orbits::of(graph, options)),
        bridges_(graph),
        now_(std::move(sketch)),
        choices_(rules_, now_, allowed_),
        net_(rules.net_charge(now_)) {
    find_targets();
    find_parts();
    for (Atom a = 0; a < now_.atoms.size(); ++a) {
      is_charged_ = is_charged_ || rules_.state(now_, a).charge != 0;
      has_carbanion_ = has_carbanion_ || needs_neighbour(a);
      was_odd_.push_back(choices_.is_odd(a, now_.atoms[a].label, now_.atoms[a].hydrogens.size()));
    }
    is_strained_ = has_strained_ring(now_, rules);
  }

  std::vector<Step> run() {
    for (Atom a = 0; a < now_.atoms.size(); ++a) {
      if (!is_heavy(a) || !orbits_.is_first(node(a))) continue;
      change_element(a);
      substitute(a);
      remove(a);
      mend(a);
    }
    change_orders();
    close_rings();
    open_rings();
    shift_groups();
    change_lengths();
    return std::move(steps_);
  }

 private:
  using Kind = Change::Kind;
  using BondData = MoleculeSketch::BondData;

  // ---- what there is

  [[nodiscard]] Node node(Atom a) const { return now_.atoms[a].node; }
  [[nodiscard]] bool is_heavy(Atom a) const { return is_heavy_label(now_.atoms[a].label); }
  [[nodiscard]] bool is_heavy_label(Label label) const {
    return rules_.atom(label).element->number != 1;
  }
  [[nodiscard]] bool is_allowed(Label label) const { return allowed_.empty() || allowed_[label]; }
  [[nodiscard]] bool is_frozen(Node v) const { return !frozen_.empty() && frozen_[v]; }

  /// Boron, silicon, arsenic and what is right of them, but for noble gases: others are ions, or
  /// what bonds they have follows other rules.
  [[nodiscard]] static bool is_covalent(const Element& element) {
    constexpr std::array<int, 14> kNumbers = {5, 6, 7, 8, 9, 14, 15, 16, 17, 33, 34, 35, 52, 53};
    return std::find(kNumbers.begin(), kNumbers.end(), element.number) != kNumbers.end();
  }

  /// A label each for the elements that atoms may get. Which charge, if labels have charges, is
  /// found with the hydrogens.
  void find_targets() {
    for (Label l = 0; l < rules_.num_labels(); ++l) {
      if (!is_allowed(l) || !is_covalent(*rules_.atom(l).element)) continue;
      const bool known = std::any_of(targets_.begin(), targets_.end(), [&](Label other) {
        return choices_.is_same_element(l, other);
      });
      if (!known) targets_.push_back(l);
    }
  }

  /// Atoms that a path of atoms with double bonds joins: a new bond can make a cycle of them.
  void find_parts() {
    const DoubleBonds doubles(now_);
    part_.assign(now_.atoms.size(), kNone);
    std::vector<Atom> stack;
    for (Atom root = 0; root < part_.size(); ++root) {
      if (part_[root] != kNone || !doubles.contain(root)) continue;
      part_[root] = root;
      stack.push_back(root);
      while (!stack.empty()) {
        const Atom a = stack.back();
        stack.pop_back();
        for (const std::uint32_t bond : now_.atoms[a].bonds) {
          const Atom b = now_.other(bond, a);
          if (part_[b] != kNone || !doubles.contain(b)) continue;
          part_[b] = root;
          stack.push_back(b);
        }
      }
    }
  }

  /// An isonitrile's carbon, which is valid only because of what it is bound to.
  [[nodiscard]] bool needs_neighbour(Atom a) const {
    return rules_.state(now_, a).charge !=
           rules_.state(now_.atoms[a].label, now_.valence(a)).charge;
  }

  [[nodiscard]] bool has_aromatic_bond(Atom a) const {
    return std::any_of(now_.atoms[a].bonds.begin(), now_.atoms[a].bonds.end(),
                       [&](std::uint32_t b) { return now_.bonds[b].aromatic; });
  }

  // ---- the changes there are

  void change_element(Atom a) {
    for (const Label l : targets_) {
      if (!choices_.is_same_element(l, now_.atoms[a].label))
        consider({.kind = Kind::kElement, .a = a, .label = l});
    }
  }

  void substitute(Atom a) {
    for (std::uint8_t order = 1; order <= 3; ++order) {
      if (choices_.outcomes(a, now_.atoms[a].label, now_.atoms[a].bond_sum + order).size() == 0)
        continue;
      for (const Label l : targets_) {
        consider({.kind = Kind::kSubstitute,
                  .a = a,
                  .label = l,
                  .order = order,
                  .perceive = order > 1 && has_aromatic_bond(a)});
      }
    }
  }

  void remove(Atom b) {
    if (now_.atoms[b].bonds.size() != 1) return;
    const std::uint32_t bond = now_.atoms[b].bonds[0];
    const Atom a = now_.other(bond, b);
    if (!is_heavy(a)) return;
    consider({.kind = Kind::kRemove,
              .a = a,
              .b = b,
              .bond = bond,
              .perceive = now_.bonds[bond].order == 2 && now_.doubles_at(a) > 1});
  }

  void mend(Atom a) {
    if (net_.distance() != 0 || !rules_.state(now_, a).possible)
      consider({.kind = Kind::kMend, .a = a});
  }

  [[nodiscard]] bool is_first(const BondData& bond) const {
    return is_heavy(bond.a) && is_heavy(bond.b) && orbits_.is_first(node(bond.a), node(bond.b));
  }

  void change_orders() {
    for (std::uint32_t i = 0; i < now_.bonds.size(); ++i) {
      const BondData bond = now_.bonds[i];
      if (!is_first(bond)) continue;
      Change change{.kind = Kind::kOrder, .a = bond.a, .b = bond.b, .bond = i, .perceive = true};
      if (bond.aromatic) {
        change.order = 1;
        in_form_with(i, 2, change);
        continue;
      }
      for (const int order : {bond.order - 1, bond.order + 1}) {
        if (order < 1 || order > 3) continue;
        change.order = static_cast<std::uint8_t>(order);
        consider(change);
      }
    }
  }

  void open_rings() {
    for (std::uint32_t i = 0; i < now_.bonds.size(); ++i) {
      const BondData bond = now_.bonds[i];
      if (!is_first(bond) || bridges_.contain(node(bond.a), node(bond.b))) continue;
      const bool pairs = part_[bond.a] != kNone && part_[bond.a] == part_[bond.b];
      const Change change{.kind = Kind::kOpen,
                          .a = bond.a,
                          .b = bond.b,
                          .bond = i,
                          .perceive = bond.order > 1 || pairs};
      if (bond.aromatic) {
        in_form_with(i, 1, change);
      } else {
        consider(change);
      }
    }
  }

  /// In a Kekulé form in which the aromatic bond has that order.
  void in_form_with(std::uint32_t bond, std::uint32_t order, const Change& change) {
    if (now_.bonds[bond].order == order) return consider(change);
    DoubleBonds doubles(now_);
    if (!doubles.force(bond, order)) return;
    MoleculeSketch other = now_;
    doubles.write_to(other);
    std::swap(now_, other);
    consider(change);
    std::swap(now_, other);
  }

  void close_rings() {
    const auto atoms = static_cast<Atom>(now_.atoms.size());
    for (std::uint8_t order = 1; order <= 2; ++order) {
      std::vector<bool> has_room(atoms, false);
      for (Atom a = 0; a < atoms; ++a) {
        const auto& atom = now_.atoms[a];
        has_room[a] =
            is_heavy(a) && choices_.outcomes(a, atom.label, atom.bond_sum + order).size() > 0;
      }
      for (Atom a = 0; a < atoms; ++a) {
        for (Atom b = a + 1; b < atoms && has_room[a]; ++b) {
          if (!has_room[b] || !orbits_.is_first(node(a), node(b))) continue;
          if (graph_.has_edge(node(a), node(b))) continue;
          const bool pairs = part_[a] != kNone && part_[a] == part_[b];
          consider({.kind = Kind::kClose,
                    .a = a,
                    .b = b,
                    .order = order,
                    .perceive = order > 1 || pairs});
        }
      }
    }
  }

  // ---- at single bonds between atoms without charges, so that those stay as they are

  /// Where hydrogens are implied, a lost proton cannot be seen: beside a positive atom it may be
  /// so.
  [[nodiscard]] bool is_plain(Atom a) const {
    const auto state = rules_.state(now_, a);
    if (!is_heavy(a) || !state.possible || state.charge != 0) return false;
    const auto& bonds = now_.atoms[a].bonds;
    return bonds.size() != 1 || rules_.state(now_, now_.other(bonds[0], a)).charge <= 0;
  }
  [[nodiscard]] static bool is_plain(const BondData& bond) {
    return bond.order == 1 && !bond.aromatic;
  }

  /// A group moves on, one atom or two farther. Rings stay.
  void shift_groups() {
    for (std::uint32_t i = 0; i < now_.bonds.size(); ++i) {
      const BondData bond = now_.bonds[i];
      if (!is_plain(bond) || !is_first(bond) || !bridges_.contain(node(bond.a), node(bond.b)))
        continue;
      shift(i, bond.a, bond.b);
      shift(i, bond.b, bond.a);
    }
  }

  void shift(std::uint32_t bond, Atom from, Atom group) {
    if (!is_plain(from) || !is_plain(group)) return;
    std::vector<Atom> near{from};
    std::size_t begin = 0;
    for (int distance = 1; distance <= 2; ++distance) {
      const std::size_t end = near.size();
      for (; begin < end; ++begin) {
        for (const std::uint32_t way : now_.atoms[near[begin]].bonds) {
          const Atom to = now_.other(way, near[begin]);
          if (to != group && std::find(near.begin(), near.end(), to) == near.end())
            near.push_back(to);
        }
      }
    }
    for (const Atom to : std::span(near).subspan(1)) {
      if (!is_plain(to)) continue;
      consider({.kind = Kind::kShift, .a = from, .b = to, .c = group, .order = 1, .bond = bond});
    }
  }

  /// Of chains and rings.
  void change_lengths() {
    for (std::uint32_t i = 0; i < now_.bonds.size(); ++i) {
      const BondData bond = now_.bonds[i];
      if (!is_plain(bond) || !is_first(bond) || !is_plain(bond.a) || !is_plain(bond.b)) continue;
      for (const Label l : targets_) {
        consider(
            {.kind = Kind::kInsert, .a = bond.a, .b = bond.b, .label = l, .order = 1, .bond = i});
      }
    }
    for (Atom c = 0; c < now_.atoms.size(); ++c) {
      if (is_heavy(c) && orbits_.is_first(node(c))) contract(c);
    }
  }

  void contract(Atom c) {
    const auto& bonds = now_.atoms[c].bonds;
    if (!is_plain(c) || bonds.size() != 2) return;
    if (!is_plain(now_.bonds[bonds[0]]) || !is_plain(now_.bonds[bonds[1]])) return;
    const Atom a = now_.other(bonds[0], c);
    const Atom b = now_.other(bonds[1], c);
    if (!is_plain(a) || !is_plain(b) || graph_.has_edge(node(a), node(b))) return;
    consider({.kind = Kind::kContract,
              .a = a,
              .b = b,
              .c = c,
              .order = 1,
              .bond = bonds[0],
              .other_bond = bonds[1],
              .perceive = part_[a] != kNone && part_[a] == part_[b]});
  }

  // ---- what follows from one

  void consider(const Change& change) {
    if (change.kind == Kind::kSubstitute && !is_allowed(change.label)) return;
    if (goes_against_frozen(change)) return;
    // The atoms whose hydrogens and charges the change decides, as they are now.
    const bool has_second = change.kind == Kind::kOrder || change.kind == Kind::kClose ||
                            change.kind == Kind::kOpen || change.kind == Kind::kShift;
    const bool has_new = change.kind == Kind::kSubstitute || change.kind == Kind::kInsert;
    const Atom first = change.a;
    const Atom second = has_second ? change.b
                        : has_new  ? static_cast<Atom>(now_.atoms.size())
                                   : kNone;
    const int bonds = gain(change);
    const auto& atom = now_.atoms[first];
    const auto sum = static_cast<std::uint32_t>(static_cast<int>(atom.bond_sum) + bonds);
    Outcomes of_first;
    if (change.kind == Kind::kInsert || change.kind == Kind::kContract) {
      of_first.add({atom.label, static_cast<std::uint32_t>(atom.hydrogens.size()), 0});
    } else {
      of_first =
          choices_.outcomes(first, change.kind == Kind::kElement ? change.label : atom.label, sum);
    }
    Outcomes of_second;
    if (has_second) {
      const auto& other = now_.atoms[second];
      const int more = change.kind == Kind::kShift ? -bonds : bonds;
      of_second = choices_.outcomes(
          second, other.label, static_cast<std::uint32_t>(static_cast<int>(other.bond_sum) + more));
    } else if (has_new) {
      const std::uint32_t ends = change.kind == Kind::kInsert ? 2 : 1;
      of_second = choices_.outcomes(kNone, change.label, ends * change.order);
    } else {
      of_second.add({});
    }
    if (keeps_charges(change)) {
      of_first = neutral(of_first);
      of_second = neutral(of_second);
    }
    if (of_first.size() == 0 || of_second.size() == 0) return;
    judge(change, first, second, of_first, of_second);
  }

  [[nodiscard]] static bool keeps_charges(const Change& change) {
    return change.kind == Kind::kShift || change.kind == Kind::kInsert ||
           change.kind == Kind::kContract;
  }
  [[nodiscard]] static Outcomes neutral(const Outcomes& all) {
    Outcomes found;
    for (const Outcome& x : all) {
      if (x.charge == 0) found.add(x);
    }
    return found;
  }

  /// What the sum of bonds of the touched atoms gains; a group that moves is lost by the first.
  [[nodiscard]] int gain(const Change& change) const {
    switch (change.kind) {
      case Kind::kElement:
      case Kind::kMend:
      case Kind::kInsert:
      case Kind::kContract: return 0;
      case Kind::kShift: return -change.order;
      case Kind::kSubstitute:
      case Kind::kClose: return change.order;
      case Kind::kRemove:
      case Kind::kOpen: return -now_.bonds[change.bond].order;
      case Kind::kOrder: return change.order - now_.bonds[change.bond].order;
    }
    return 0;
  }

  /// Once it is made. An atom with two double bonds takes no part in cycles, but may when it loses
  /// one.
  [[nodiscard]] DoubleBonds::After effect_of(const Change& change, const Before& before) const {
    using After = DoubleBonds::After;
    if (change.kind == Kind::kClose && change.order == 1) return After::kBondMore;
    if (change.kind == Kind::kContract) return After::kBondMore;
    if (change.kind == Kind::kOpen && before.bond.order == 1) return After::kBondLess;
    const bool loses_double = change.kind == Kind::kOrder && before.bond.order == 2;
    const bool have_none =
        loses_double && now_.doubles_at(change.a) == 0 && now_.doubles_at(change.b) == 0;
    return have_none ? After::kBondLess : After::kAnything;
  }

  [[nodiscard]] bool goes_against_frozen(const Change& change) const {
    if (frozen_.empty()) return false;
    switch (change.kind) {
      case Kind::kElement: return is_frozen(node(change.a));
      case Kind::kRemove: return is_frozen(node(change.b));
      case Kind::kContract: return is_frozen(node(change.c));
      case Kind::kShift: return is_frozen(node(change.a)) && is_frozen(node(change.c));
      case Kind::kInsert:
      case Kind::kOrder:
      case Kind::kOpen: return is_frozen(node(change.a)) && is_frozen(node(change.b));
      default: return false;
    }
  }

  void judge(const Change& change, Atom first, Atom second, const Outcomes& of_first,
             const Outcomes& of_second) {
    Before before = save(now_, change);
    before.possible = rules_.state(now_, change.a).possible;
    make(change, graph_.num_nodes(), now_);
    std::vector<Verdict> verdicts;
    bool is_neutral = false;
    for (const Outcome& x : of_first) {
      for (const Outcome& y : of_second) {
        if (!is_possible(change, before, first, second, {x, y}, verdicts)) continue;
        is_neutral = is_neutral || (x.charge == 0 && y.charge == 0);
      }
    }
    if (!is_neutral && !keeps_charges(change))
      ask_neighbours(change, before, first, second, of_first, of_second, verdicts);
    if (!verdicts.empty() && !brings_strain(change, now_, rules_, is_strained_)) {
      const std::optional<std::vector<bool>> aromatic =
          change.perceive ? std::optional(DoubleBonds(now_).aromatic(effect_of(change, before)))
                          : std::nullopt;
      for (const Verdict& verdict : best_of(verdicts)) {
        auto step = write_step(graph_, rules_, {frozen_, allowed_}, now_, change, before, verdict,
                               aromatic);
        if (step) steps_.push_back(std::move(*step));
      }
    }
    restore(change, before, now_);
  }

  /// Nitro to a carboxylic acid: as nitrogen goes, the O− beside it needs a hydrogen. Where
  /// hydrogens are implied that needs no edit.
  void ask_neighbours(const Change& change, const Before& before, Atom first, Atom second,
                      const Outcomes& of_first, const Outcomes& of_second,
                      std::vector<Verdict>& verdicts) {
    if (!rules_.writes_hydrogens() && rules_.charges() == MoleculeRules::Charges::kFromBonds) {
      return;
    }
    for (const Atom one : {first, second}) {
      if (one == kNone) continue;
      for (const std::uint32_t bond : now_.atoms[one].bonds) {
        const Atom third = now_.other(bond, one);
        if (third == first || third == second || !is_heavy(third)) continue;
        const auto& atom = now_.atoms[third];
        for (const Outcome& z : choices_.outcomes(third, atom.label, atom.bond_sum)) {
          if (z.label == atom.label && z.hydrogens == atom.hydrogens.size()) continue;
          for (const Outcome& x : of_first) {
            for (const Outcome& y : of_second) {
              is_possible(change, before, first, second, {x, y, third, z}, verdicts);
            }
          }
        }
      }
    }
  }

  /// Those with the charge nearest to 0 and, of them, with the fewest charges; and those with the
  /// fewest charges, if the molecule is charged anyway.
  [[nodiscard]] static std::vector<Verdict> best_of(const std::vector<Verdict>& all) {
    std::pair<int, int> best = {all[0].distance, all[0].charged};
    std::pair<int, int> plain = {all[0].charged, all[0].distance};
    for (const Verdict& v : all) {
      best = std::min(best, {v.distance, v.charged});
      plain = std::min(plain, {v.charged, v.distance});
    }
    std::vector<Verdict> chosen;
    for (const Verdict& v : all) {
      const bool is_best = std::pair(v.distance, v.charged) == best;
      if (is_best || std::pair(v.charged, v.distance) == plain) chosen.push_back(v);
    }
    return chosen;
  }

  /// One way to make the change: not if the molecule's charge would become worse, or an atom would
  /// be impossible.
  bool is_possible(const Change& change, const Before& before, Atom first, Atom second,
                   Verdict verdict, std::vector<Verdict>& verdicts) {
    if (change.kind == Kind::kMend && !mends(before, verdict.first)) return false;
    if (makes_odd(change, first, second, verdict)) return false;
    const bool is_neutral = verdict.first.charge == 0 && verdict.second.charge == 0;
    if (is_charged_ || !is_neutral || verdict.third != kNone) {
      set(first, verdict.first, now_);
      if (second != kNone) set(second, verdict.second, now_);
      const bool has_third = verdict.third != kNone;
      const auto saved = has_third ? now_.atoms[verdict.third] : MoleculeSketch::AtomData{};
      if (has_third) set(verdict.third, verdict.of_third, now_);
      const auto net = rules_.net_charge(now_);
      const bool is_good = net.distance() <= net_.distance() && net.far() <= net_.far() &&
                           keeps_carbanions(second) && are_pairs(before, first, second, verdict);
      if (has_third) now_.atoms[verdict.third] = saved;
      const bool mends_charge = net.distance() < net_.distance();
      if (!is_good || (change.kind == Kind::kMend && before.possible && !mends_charge)) {
        return false;
      }
      verdict.distance = net.distance();
      verdict.charged = net.charged;
    }
    verdicts.push_back(verdict);
    return true;
  }

  [[nodiscard]] bool makes_odd(const Change& change, Atom first, Atom second,
                               const Verdict& verdict) const {
    const auto is_new = [&](Atom a) { return a >= was_odd_.size() || !was_odd_[a]; };
    if (is_new(first) && choices_.is_odd(first, verdict.first.label, verdict.first.hydrogens))
      return true;
    if (second != kNone && is_new(second) &&
        choices_.is_odd(second, verdict.second.label, verdict.second.hydrogens)) {
      return true;
    }
    if (change.kind != Kind::kElement) return false;
    const auto& bonds = now_.atoms[first].bonds;
    return std::any_of(bonds.begin(), bonds.end(), [&](std::uint32_t bond) {
      const Atom b = now_.other(bond, first);
      const auto& atom = now_.atoms[b];
      return is_new(b) &&
             choices_.is_odd(b, atom.label, atom.hydrogens.size(), first, verdict.first.label);
    });
  }

  [[nodiscard]] bool mends(const Before& before, const Outcome& x) const {
    return x.label != before.a.label || x.hydrogens != before.a.hydrogens.size();
  }

  /// New charges are those of nitro groups and N-oxides, of azides and diazo groups, and of
  /// isonitriles: a positive nitrogen beside its partner. (RDKit takes others, too.)
  [[nodiscard]] bool are_pairs(const Before& before, Atom first, Atom second,
                               const Verdict& verdict) const {
    const bool is_new = second >= before.atoms;
    return choices_.is_paired(first, verdict.first, &before.a) &&
           (second == kNone ||
            choices_.is_paired(second, verdict.second, is_new ? nullptr : &before.b)) &&
           (verdict.third == kNone || choices_.is_paired(verdict.third, verdict.of_third, nullptr));
  }

  /// Those that there were, and the new atom if it is one.
  [[nodiscard]] bool keeps_carbanions(Atom second) const {
    if (second != kNone && !rules_.state(now_, second).possible) return false;
    for (Atom a = 0; a < now_.atoms.size() && has_carbanion_; ++a) {
      const auto& atom = now_.atoms[a];
      if (atom.is_gone || atom.bonds.size() != 1 || now_.bonds[atom.bonds[0]].order != 3) continue;
      if (!rules_.state(now_, a).possible) return false;
    }
    return true;
  }

  const Graph& graph_;
  const MoleculeRules& rules_;
  std::span<const bool> frozen_;
  const std::vector<bool>& allowed_;
  Orbits orbits_;
  Bridges bridges_;
  /// The molecule; while a change is judged, with the change.
  MoleculeSketch now_;
  AtomChoices choices_;
  MoleculeRules::NetCharge net_;
  std::vector<Label> targets_;
  /// By atom, of the atoms with one double bond: which of them hang together.
  std::vector<Atom> part_;
  std::vector<bool> was_odd_;  ///< by atom
  bool is_charged_ = false;
  bool has_carbanion_ = false;
  bool is_strained_ = false;
  std::vector<Step> steps_;
};

}  // namespace

std::vector<Step> molecule_steps(const Graph& molecule, const MoleculeRules& rules,
                                 const NeighbourOptions& options,
                                 const std::vector<bool>& allowed_labels) {
  auto sketch = rules.sketch(molecule);
  if (!sketch) return {};
  return MoleculeListing(molecule, rules, options, allowed_labels, std::move(*sketch)).run();
}

}  // namespace fewedits
