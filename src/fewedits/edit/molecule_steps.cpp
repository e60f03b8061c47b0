// SPDX-License-Identifier: MIT
#include "fewedits/edit/molecule_steps.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include "fewedits/edit/bridges.hpp"
#include "fewedits/edit/orbits.hpp"

namespace fewedits {
namespace {

using Atom = MoleculeSketch::Atom;
constexpr Atom kNone = MoleculeSketch::kNone;

/// What an atom becomes: its label, and how many hydrogens are written at it.
struct Outcome {
  Label label = 0;
  std::uint32_t hydrogens = 0;
  int charge = 0;
};

/// Few, so no heap.
class Outcomes {
 public:
  void add(const Outcome& one) {
    for (std::size_t i = 0; i < size_; ++i) {
      if (all_[i].label == one.label && all_[i].hydrogens == one.hydrogens) return;
    }
    if (size_ < all_.size()) all_[size_++] = one;
  }
  [[nodiscard]] const Outcome* begin() const { return all_.data(); }
  [[nodiscard]] const Outcome* end() const { return all_.data() + size_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::array<Outcome, 8> all_ = {};
  std::size_t size_ = 0;
};

/// A change of the heavy atoms and bonds; what hydrogens, charges and aromatic bonds do follows.
struct Change {
  enum class Kind : std::uint8_t {
    kElement,     ///< a becomes `label`
    kSubstitute,  ///< a gets a new neighbour with `label`, at a bond of `order`
    kRemove,      ///< b goes, whose only bond is `bond`, to a
    kOrder,       ///< `bond`, between a and b, gets `order`
    kClose,       ///< a and b get a bond of `order`
    kOpen,        ///< `bond`, between a and b, goes
    kMend         ///< a gets the hydrogens or the charge that it should have
  };
  Kind kind = Kind::kElement;
  Atom a = 0;
  Atom b = kNone;
  Label label = 0;
  std::uint8_t order = 0;
  std::uint32_t bond = kNone;
  /// Which bonds are aromatic may change.
  bool perceive = false;
};

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
        net_(rules.net_charge(now_)) {
    find_targets();
    find_parts();
    for (Atom a = 0; a < now_.atoms.size(); ++a) {
      is_charged_ = is_charged_ || rules_.state(now_, a).charge != 0;
      has_carbanion_ = has_carbanion_ || needs_neighbour(a);
      was_odd_.push_back(is_odd(a, now_.atoms[a].label, now_.atoms[a].hydrogens.size()));
    }
    is_strained_ = has_strained_ring();
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
    return std::move(steps_);
  }

 private:
  using Kind = Change::Kind;
  using BondData = MoleculeSketch::BondData;

  /// What a change touches, as it was.
  struct Before {
    MoleculeSketch::AtomData a = {};
    MoleculeSketch::AtomData b = {};
    BondData bond = {};
    std::size_t atoms = 0;
    std::size_t bonds = 0;
    bool possible = false;  ///< was a?
  };

  // ---- what there is

  [[nodiscard]] Node node(Atom a) const { return now_.atoms[a].node; }
  [[nodiscard]] bool is_heavy(Atom a) const { return is_heavy_label(now_.atoms[a].label); }
  [[nodiscard]] bool is_heavy_label(Label label) const {
    return rules_.atom(label).element->number != 1;
  }
  [[nodiscard]] bool is_allowed(Label label) const { return allowed_.empty() || allowed_[label]; }
  [[nodiscard]] bool is_frozen(Node v) const { return !frozen_.empty() && frozen_[v]; }
  [[nodiscard]] Label single() const { return *rules_.label_of(Bond::kSingle); }

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
      const bool known = std::any_of(targets_.begin(), targets_.end(),
                                     [&](Label other) { return is_same_element(l, other); });
      if (!known) targets_.push_back(l);
    }
  }

  [[nodiscard]] bool is_same_element(Label a, Label b) const {
    return rules_.atom(a).element == rules_.atom(b).element;
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
      if (!is_same_element(l, now_.atoms[a].label))
        consider({.kind = Kind::kElement, .a = a, .label = l});
    }
  }

  void substitute(Atom a) {
    for (std::uint8_t order = 1; order <= 3; ++order) {
      if (outcomes(a, now_.atoms[a].label, now_.atoms[a].bond_sum + order).size() == 0) continue;
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
        has_room[a] = is_heavy(a) && outcomes(a, atom.label, atom.bond_sum + order).size() > 0;
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

  // ---- what follows from one

  /// What an atom with bonds of some sum can be, as `label` or as a label of that element with
  /// another charge. `a`: kNone for a new one.
  [[nodiscard]] Outcomes outcomes(Atom a, Label label, std::uint32_t bond_sum) const {
    Outcomes found;
    if (rules_.charges() == MoleculeRules::Charges::kFromBonds) {
      add_outcomes(a, label, bond_sum, found);
      return found;
    }
    for (Label l = 0; l < rules_.num_labels(); ++l) {
      const bool keeps = a != kNone && l == now_.atoms[a].label;
      if (is_same_element(l, label) && (keeps || is_allowed(l)))
        add_outcomes(a, l, bond_sum, found);
    }
    return found;
  }

  void add_outcomes(Atom a, Label label, std::uint32_t bond_sum, Outcomes& found) const {
    const bool is_itself = a != kNone && label == now_.atoms[a].label;
    const auto written =
        a == kNone ? 0 : static_cast<std::uint32_t>(now_.atoms[a].hydrogens.size());
    if (!rules_.writes_hydrogens()) {
      const auto state = rules_.state(label, bond_sum);
      const auto is_odd = [&](std::uint32_t sum) {
        const auto implied = rules_.state(label, sum).hydrogens;
        return implied > 0 && is_expanded(label, sum + implied);
      };
      const bool was_odd = is_itself && is_odd(now_.atoms[a].bond_sum);
      if (state.possible && (was_odd || !is_odd(bond_sum))) found.add({label, 0, state.charge});
      return;
    }
    // As many as would be implied, and so many that it is charged.
    bool has_neutral = false;
    bool has_plus = false;
    bool has_minus = false;
    for (std::uint32_t h = 0; h <= 4; ++h) {
      const auto state = rules_.state(label, bond_sum + h);
      bool& known = state.charge == 0 ? has_neutral : state.charge > 0 ? has_plus : has_minus;
      if (!state.possible || known) continue;
      const bool is_odd = is_expanded(label, bond_sum + h) && !(is_itself && h <= written);
      if (h > 0 && (state.charge < 0 || is_odd)) continue;
      known = true;
      found.add({label, h, state.charge});
    }
    if (a == kNone && is_carbanion(label, bond_sum)) found.add({label, 0, -1});
    const auto state = rules_.state(label, bond_sum + written);
    if (is_itself && state.possible) found.add({label, written, state.charge});
  }

  /// More bonds than the element usually has: such an atom gets no hydrogens (no SH4).
  [[nodiscard]] bool is_expanded(Label label, std::uint32_t valence) const {
    const int charge = rules_.state(label, valence).charge;
    const auto usual = implied_hydrogens(*rules_.atom(label).element, charge, 0);
    return usual && static_cast<int>(valence) > *usual;
  }

  /// An isonitrile's, where bonds tell the charges.
  [[nodiscard]] bool is_carbanion(Label label, std::uint32_t bond_sum) const {
    constexpr int kCarbon = 6;
    return rules_.atom(label).element->number == kCarbon && bond_sum == 3 &&
           rules_.charges() == MoleculeRules::Charges::kFromBonds;
  }

  void consider(const Change& change) {
    if (change.kind == Kind::kSubstitute && !is_allowed(change.label)) return;
    if (goes_against_frozen(change)) return;
    // The atoms whose hydrogens and charges the change decides, as they are now.
    const bool has_second =
        change.kind == Kind::kOrder || change.kind == Kind::kClose || change.kind == Kind::kOpen;
    const Atom first = change.a;
    const Atom second = has_second                         ? change.b
                        : change.kind == Kind::kSubstitute ? static_cast<Atom>(now_.atoms.size())
                                                           : kNone;
    const int bonds = gain(change);
    const auto& atom = now_.atoms[first];
    const auto sum = static_cast<std::uint32_t>(static_cast<int>(atom.bond_sum) + bonds);
    const Outcomes of_first =
        outcomes(first, change.kind == Kind::kElement ? change.label : atom.label, sum);
    Outcomes of_second;
    if (has_second) {
      const auto& other = now_.atoms[second];
      of_second = outcomes(second, other.label,
                           static_cast<std::uint32_t>(static_cast<int>(other.bond_sum) + bonds));
    } else if (second != kNone) {
      of_second = outcomes(kNone, change.label, change.order);
    } else {
      of_second.add({});
    }
    if (of_first.size() == 0 || of_second.size() == 0) return;
    judge(change, first, second, of_first, of_second);
  }

  /// What the sum of bonds of the touched atoms gains.
  [[nodiscard]] int gain(const Change& change) const {
    switch (change.kind) {
      case Kind::kElement:
      case Kind::kMend: return 0;
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
      case Kind::kOrder:
      case Kind::kOpen: return is_frozen(node(change.a)) && is_frozen(node(change.b));
      default: return false;
    }
  }

  struct Verdict {
    Outcome first;
    Outcome second;
    Atom third = kNone;  ///< a neighbour that gives or takes a proton
    Outcome of_third = {};
    int distance = 0;
    int charged = 0;
  };

  void judge(const Change& change, Atom first, Atom second, const Outcomes& of_first,
             const Outcomes& of_second) {
    const Before before = save(change);
    make(change);
    std::vector<Verdict> verdicts;
    bool is_neutral = false;
    for (const Outcome& x : of_first) {
      for (const Outcome& y : of_second) {
        if (!is_possible(change, before, first, second, {x, y}, verdicts)) continue;
        is_neutral = is_neutral || (x.charge == 0 && y.charge == 0);
      }
    }
    if (!is_neutral) ask_neighbours(change, before, first, second, of_first, of_second, verdicts);
    if (!verdicts.empty() && !brings_strain(change)) {
      const std::optional<std::vector<bool>> aromatic =
          change.perceive ? std::optional(DoubleBonds(now_).aromatic(effect_of(change, before)))
                          : std::nullopt;
      for (const Verdict& verdict : best_of(verdicts)) write(change, before, verdict, aromatic);
    }
    restore(change, before);
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
        for (const Outcome& z : outcomes(third, atom.label, atom.bond_sum)) {
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
      set(first, verdict.first);
      if (second != kNone) set(second, verdict.second);
      const bool has_third = verdict.third != kNone;
      const auto saved = has_third ? now_.atoms[verdict.third] : MoleculeSketch::AtomData{};
      if (has_third) set(verdict.third, verdict.of_third);
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

  /// More bonds than the element usually has, and not because of double bonds to oxygen, sulphur or
  /// nitrogen: no sulphur with four methyl groups. `other` has another label now, unless it is
  /// kNone.
  [[nodiscard]] bool is_odd(Atom a, Label label, std::size_t hydrogens, Atom other = kNone,
                            Label other_label = 0) const {
    constexpr int kNitrogen = 7;
    const Element& element = *rules_.atom(label).element;
    const auto valence = now_.atoms[a].bond_sum + static_cast<std::uint32_t>(hydrogens);
    if (element.outer < 5 || element.outer > 7 || !is_expanded(label, valence)) return false;
    const int usual = *implied_hydrogens(element, rules_.state(label, valence).charge, 0);
    int excess = static_cast<int>(valence) - usual;
    for (const std::uint32_t bond : now_.atoms[a].bonds) {
      const Atom b = now_.other(bond, a);
      const Element& far = *rules_.atom(b == other ? other_label : now_.atoms[b].label).element;
      const bool takes = far.outer == 6 || far.number == kNitrogen;
      // Which bonds of a ring are double is no property of the molecule.
      const bool is_double = now_.bonds[bond].order == 2 && !now_.bonds[bond].aromatic;
      if (is_double && takes) excess -= 2;
    }
    return excess > 0;
  }

  [[nodiscard]] bool makes_odd(const Change& change, Atom first, Atom second,
                               const Verdict& verdict) const {
    const auto is_new = [&](Atom a) { return a >= was_odd_.size() || !was_odd_[a]; };
    if (is_new(first) && is_odd(first, verdict.first.label, verdict.first.hydrogens)) return true;
    if (second != kNone && is_new(second) &&
        is_odd(second, verdict.second.label, verdict.second.hydrogens)) {
      return true;
    }
    if (change.kind != Kind::kElement) return false;
    const auto& bonds = now_.atoms[first].bonds;
    return std::any_of(bonds.begin(), bonds.end(), [&](std::uint32_t bond) {
      const Atom b = now_.other(bond, first);
      const auto& atom = now_.atoms[b];
      return is_new(b) && is_odd(b, atom.label, atom.hydrogens.size(), first, verdict.first.label);
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
    return is_paired(first, verdict.first, &before.a) &&
           (second == kNone || is_paired(second, verdict.second, is_new ? nullptr : &before.b)) &&
           (verdict.third == kNone || is_paired(verdict.third, verdict.of_third, nullptr));
  }

  /// `before`: null if it had no charge.
  [[nodiscard]] bool is_paired(Atom a, const Outcome& outcome,
                               const MoleculeSketch::AtomData* before) const {
    if (outcome.charge == 0) return true;
    if (before != nullptr && before->label == outcome.label) {
      const auto hydrogens = static_cast<std::uint32_t>(before->hydrogens.size());
      const int charge = rules_.state(before->label, before->bond_sum + hydrogens).charge;
      if (charge == outcome.charge) return true;
    }
    const auto& bonds = now_.atoms[a].bonds;
    return std::any_of(bonds.begin(), bonds.end(), [&](std::uint32_t bond) {
      const Atom b = now_.other(bond, a);
      return outcome.charge > 0 ? are_partners(a, b, bond) : are_partners(b, a, bond);
    });
  }

  [[nodiscard]] bool are_partners(Atom plus, Atom minus, std::uint32_t bond) const {
    constexpr int kCarbon = 6;
    constexpr int kNitrogen = 7;
    const auto& end = now_.atoms[minus];
    if (rules_.atom(now_.atoms[plus].label).element->number != kNitrogen) return false;
    if (end.bonds.size() != 1 || rules_.state(now_, plus).charge <= 0) return false;
    // Where hydrogens are implied, so is the lost proton.
    const bool is_hidden =
        !rules_.writes_hydrogens() && rules_.charges() == MoleculeRules::Charges::kFromBonds;
    if (!is_hidden && rules_.state(now_, minus).charge >= 0) return false;
    const Element& element = *rules_.atom(end.label).element;
    const int order = now_.bonds[bond].order;
    if (element.outer == 6) return order == 1;
    if (element.number == kNitrogen) return order == 2 && now_.doubles_at(plus) == 2;
    return element.number == kCarbon && order == 3;
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

  // ---- making a change, and taking it back

  [[nodiscard]] Before save(const Change& change) const {
    Before before{.a = now_.atoms[change.a],
                  .atoms = now_.atoms.size(),
                  .bonds = now_.bonds.size(),
                  .possible = rules_.state(now_, change.a).possible};
    if (change.b != kNone) before.b = now_.atoms[change.b];
    if (change.bond != kNone) before.bond = now_.bonds[change.bond];
    return before;
  }

  void make(const Change& change) {
    switch (change.kind) {
      case Kind::kElement:
      case Kind::kMend: break;
      case Kind::kSubstitute:
        now_.atoms.push_back({.label = change.label, .node = graph_.num_nodes()});
        add_bond(change.a, static_cast<Atom>(now_.atoms.size()) - 1, change.order);
        break;
      case Kind::kClose: add_bond(change.a, change.b, change.order); break;
      case Kind::kRemove: now_.atoms[change.b].is_gone = true; [[fallthrough]];
      case Kind::kOpen:
        set_order(change.bond, 0);
        std::erase(now_.atoms[change.a].bonds, change.bond);
        std::erase(now_.atoms[change.b].bonds, change.bond);
        break;
      case Kind::kOrder: set_order(change.bond, change.order); break;
    }
  }

  void add_bond(Atom a, Atom b, std::uint8_t order) {
    now_.bonds.push_back({a, b, 0});
    const auto bond = static_cast<std::uint32_t>(now_.bonds.size()) - 1;
    now_.atoms[a].bonds.push_back(bond);
    now_.atoms[b].bonds.push_back(bond);
    set_order(bond, order);
  }

  void set_order(std::uint32_t i, std::uint8_t order) {
    BondData& bond = now_.bonds[i];
    for (const Atom a : {bond.a, bond.b}) {
      now_.atoms[a].bond_sum += order;
      now_.atoms[a].bond_sum -= bond.order;
    }
    bond.order = order;
  }

  void set(Atom a, const Outcome& outcome) {
    now_.atoms[a].label = outcome.label;
    now_.atoms[a].hydrogens.resize(outcome.hydrogens);
  }

  void restore(const Change& change, const Before& before) {
    now_.atoms.resize(before.atoms);
    now_.bonds.resize(before.bonds);
    now_.atoms[change.a] = before.a;
    if (change.b != kNone) now_.atoms[change.b] = before.b;
    if (change.bond != kNone) now_.bonds[change.bond] = before.bond;
  }

  // ---- strain

  /// Did a ring come that is too small for its bonds, or such bonds to a ring?
  [[nodiscard]] bool brings_strain(const Change& change) const {
    if (change.kind == Kind::kSubstitute && change.order > 1) return is_in_triangle(change.a);
    if (change.kind != Kind::kOrder && change.kind != Kind::kClose) return false;
    return is_tight(change) || (!is_strained_ && has_strained_ring());
  }

  [[nodiscard]] bool is_in_triangle(Atom a) const {
    const auto& bonds = now_.atoms[a].bonds;
    return std::any_of(bonds.begin(), bonds.end(), [&](std::uint32_t bond) {
      return are_joined(a, now_.other(bond, a), 2, [](auto) { return true; });
    });
  }

  /// Rings of three atoms that have double bonds, and of four with one in the ring, do not come.
  [[nodiscard]] bool is_tight(const Change& change) const {
    if (change.kind == Kind::kOrder && change.order == 1) return false;
    const auto has_multiple = [&](Atom a) {
      const auto& bonds = now_.atoms[a].bonds;
      return std::any_of(bonds.begin(), bonds.end(),
                         [&](std::uint32_t b) { return now_.bonds[b].order > 1; });
    };
    const bool ends = has_multiple(change.a) || has_multiple(change.b);
    const auto in_triangle = [&](const auto& way) {
      return ends || has_multiple(now_.other(way[0], change.a));
    };
    const auto in_square = [&](const auto& way) {
      return change.order > 1 || std::any_of(way.begin(), way.end(), [&](std::uint32_t b) {
               return now_.bonds[b].order > 1 || now_.bonds[b].aromatic;
             });
    };
    return are_joined(change.a, change.b, 2, in_triangle) ||
           are_joined(change.a, change.b, 3, in_square);
  }

  /// By so many bonds, 2 or 3, one after the other, that pass?
  template <typename Passes>
  [[nodiscard]] bool are_joined(Atom a, Atom b, std::size_t length, const Passes& passes) const {
    for (const std::uint32_t first : now_.atoms[a].bonds) {
      const Atom x = now_.other(first, a);
      if (x == b) continue;
      for (const std::uint32_t second : now_.atoms[x].bonds) {
        const Atom y = now_.other(second, x);
        if (y == a) continue;
        if (length == 2) {
          if (y == b && passes(std::array{first, second})) return true;
          continue;
        }
        if (y == b) continue;
        for (const std::uint32_t third : now_.atoms[y].bonds) {
          if (now_.other(third, y) == b && passes(std::array{first, second, third})) return true;
        }
      }
    }
    return false;
  }

  /// A triple bond, or a carbon between two double bonds, is straight: it takes eight atoms to get
  /// around it.
  [[nodiscard]] bool has_strained_ring() const {
    constexpr std::uint32_t kLargestStrained = 7;
    constexpr int kCarbon = 6;
    for (const BondData& bond : now_.bonds) {
      if (bond.order == 3 && are_near(bond.a, bond.b, kNone, kLargestStrained - 1)) return true;
    }
    for (Atom a = 0; a < now_.atoms.size(); ++a) {
      const auto& atom = now_.atoms[a];
      if (rules_.atom(atom.label).element->number != kCarbon || now_.doubles_at(a) < 2) continue;
      for (const std::uint32_t x : atom.bonds) {
        for (const std::uint32_t y : atom.bonds) {
          if (x >= y || now_.bonds[x].order != 2 || now_.bonds[y].order != 2) continue;
          if (are_near(now_.other(x, a), now_.other(y, a), a, kLargestStrained - 2)) return true;
        }
      }
    }
    return false;
  }

  /// Is there a way of at most so many bonds, beside the bond that the two may have and around a
  /// third atom?
  [[nodiscard]] bool are_near(Atom from, Atom to, Atom around, std::uint32_t most) const {
    std::vector<bool> seen(now_.atoms.size(), false);
    seen[from] = true;
    if (around != kNone) seen[around] = true;
    std::vector<Atom> here = {from};
    for (std::uint32_t length = 1; length <= most && !here.empty(); ++length) {
      std::vector<Atom> next;
      for (const Atom a : here) {
        for (const std::uint32_t bond : now_.atoms[a].bonds) {
          const Atom b = now_.other(bond, a);
          if (seen[b] || (a == from && b == to && length == 1)) continue;
          if (b == to) return true;
          seen[b] = true;
          next.push_back(b);
        }
      }
      here = std::move(next);
    }
    return false;
  }

  // ---- the edits that it takes

  /// In the order in which they are applied, so that nodes keep their numbers until the last.
  struct Draft {
    std::vector<Edit> relabel;
    std::vector<Edit> relabel_edges;
    std::vector<Edit> add_edges;
    std::vector<Edit> add_leaves;
    std::vector<Edit> remove_edges;
    std::vector<Node> remove;
    Node next = 0;
    bool possible = true;
  };

  void write(const Change& change, const Before& before, const Verdict& verdict,
             const std::optional<std::vector<bool>>& aromatic) {
    const auto& [x, y] = std::tie(verdict.first, verdict.second);
    Draft draft;
    draft.next = graph_.num_nodes();
    switch (change.kind) {
      case Kind::kSubstitute: write_substitution(change, before.a, x, y, draft); break;
      case Kind::kRemove: write_removal(before, x, draft); break;
      case Kind::kElement:
      case Kind::kMend: write_atom(before.a, x, draft); break;
      case Kind::kClose: write_new_edge(change, before, aromatic, draft); [[fallthrough]];
      case Kind::kOpen:
      case Kind::kOrder:
        write_atom(before.a, x, draft);
        write_atom(before.b, y, draft);
        break;
    }
    if (change.kind == Kind::kOpen) {
      const auto [u, v] = std::minmax(before.a.node, before.b.node);
      draft.remove_edges.push_back({Edit::Kind::kRemoveEdge, u, v});
    }
    if (verdict.third != kNone) write_atom(now_.atoms[verdict.third], verdict.of_third, draft);
    if (aromatic) write_orders(before, *aromatic, draft);
    if (draft.possible) steps_.push_back(joined(draft));
  }

  void relabel(Node v, Label label, Draft& draft) const {
    if (graph_.label(v) == label) return;
    if (is_frozen(v) || !is_allowed(label)) draft.possible = false;
    draft.relabel.push_back({Edit::Kind::kRelabel, v, 0, label});
  }

  [[nodiscard]] Label bond_label(Bond bond, Draft& draft) const {
    const auto label = rules_.label_of(bond);
    if (!label) draft.possible = false;
    return label.value_or(0);
  }

  void relabel_edge(Node u, Node v, Bond bond, Draft& draft) const {
    const Label label = bond_label(bond, draft);
    if (graph_.edge_label(u, v) == label) return;
    if (is_frozen(u) && is_frozen(v)) draft.possible = false;
    draft.relabel_edges.push_back(
        {Edit::Kind::kRelabelEdge, std::min(u, v), std::max(u, v), label});
  }

  /// The new node.
  Node add_leaf(Node anchor, Label label, Bond bond, Draft& draft) const {
    if (!is_allowed(label)) draft.possible = false;
    draft.add_leaves.push_back({Edit::Kind::kAddLeaf, anchor, 0, label, bond_label(bond, draft)});
    return draft.next++;
  }

  void add_hydrogens(Node anchor, std::uint32_t count, Draft& draft) const {
    for (; count > 0; --count) add_leaf(anchor, *rules_.hydrogen(), Bond::kSingle, draft);
  }

  void remove_node(Node v, Draft& draft) const {
    if (is_frozen(v)) draft.possible = false;
    draft.remove.push_back(v);
  }

  /// The last ones that are not frozen, of equals.
  [[nodiscard]] std::vector<Node> some_hydrogens(const MoleculeSketch::AtomData& atom,
                                                 std::uint32_t count, Draft& draft) const {
    std::vector<Node> some;
    for (auto it = atom.hydrogens.rbegin(); it != atom.hydrogens.rend(); ++it) {
      if (some.size() < count && !is_frozen(*it)) some.push_back(*it);
    }
    if (some.size() < count) draft.possible = false;
    return some;
  }

  void write_hydrogens(const MoleculeSketch::AtomData& atom, std::uint32_t wanted,
                       Draft& draft) const {
    const auto have = static_cast<std::uint32_t>(atom.hydrogens.size());
    if (wanted > have) return add_hydrogens(atom.node, wanted - have, draft);
    for (const Node h : some_hydrogens(atom, have - wanted, draft)) remove_node(h, draft);
  }

  void write_atom(const MoleculeSketch::AtomData& atom, const Outcome& outcome,
                  Draft& draft) const {
    relabel(atom.node, outcome.label, draft);
    write_hydrogens(atom, outcome.hydrogens, draft);
  }

  /// A hydrogen becomes the new atom, if one goes: that is cheaper than to remove and to add.
  void write_substitution(const Change& change, const MoleculeSketch::AtomData& anchor,
                          const Outcome& of_anchor, const Outcome& of_new, Draft& draft) const {
    const auto bond = static_cast<Bond>(change.order);
    relabel(anchor.node, of_anchor.label, draft);
    if (anchor.hydrogens.size() > of_anchor.hydrogens) {
      const auto leaving =
          static_cast<std::uint32_t>(anchor.hydrogens.size()) - of_anchor.hydrogens;
      const std::vector<Node> those = some_hydrogens(anchor, leaving, draft);
      if (!draft.possible) return;
      relabel(those[0], of_new.label, draft);
      relabel_edge(anchor.node, those[0], bond, draft);
      for (std::size_t i = 1; i < those.size(); ++i) remove_node(those[i], draft);
      add_hydrogens(those[0], of_new.hydrogens, draft);
      return;
    }
    const Node added = add_leaf(anchor.node, of_new.label, bond, draft);
    write_hydrogens(anchor, of_anchor.hydrogens, draft);
    add_hydrogens(added, of_new.hydrogens, draft);
  }

  /// The atom becomes a hydrogen, if one comes.
  void write_removal(const Before& before, const Outcome& of_anchor, Draft& draft) const {
    const auto& [anchor, gone] = std::tie(before.a, before.b);
    relabel(anchor.node, of_anchor.label, draft);
    for (const Node h : gone.hydrogens) remove_node(h, draft);
    if (of_anchor.hydrogens > anchor.hydrogens.size()) {
      relabel(gone.node, *rules_.hydrogen(), draft);
      relabel_edge(anchor.node, gone.node, Bond::kSingle, draft);
      const auto coming = of_anchor.hydrogens - static_cast<std::uint32_t>(anchor.hydrogens.size());
      add_hydrogens(anchor.node, coming - 1, draft);
      return;
    }
    remove_node(gone.node, draft);
    write_hydrogens(anchor, of_anchor.hydrogens, draft);
  }

  void write_new_edge(const Change& change, const Before& before,
                      const std::optional<std::vector<bool>>& aromatic, Draft& draft) const {
    const bool is_aromatic = aromatic && aromatic->back();
    const auto bond = is_aromatic ? Bond::kAromatic : static_cast<Bond>(change.order);
    const auto [u, v] = std::minmax(before.a.node, before.b.node);
    draft.add_edges.push_back({Edit::Kind::kAddEdge, u, v, 0, bond_label(bond, draft)});
  }

  /// Of the bonds that were there and still are.
  void write_orders(const Before& before, const std::vector<bool>& aromatic, Draft& draft) const {
    for (std::size_t i = 0; i < before.bonds; ++i) {
      const BondData& bond = now_.bonds[i];
      if (bond.order == 0) continue;
      relabel_edge(now_.atoms[bond.a].node, now_.atoms[bond.b].node,
                   aromatic[i] ? Bond::kAromatic : static_cast<Bond>(bond.order), draft);
    }
  }

  [[nodiscard]] static Step joined(Draft& draft) {
    Step step = std::move(draft.relabel);
    for (const auto* part :
         {&draft.relabel_edges, &draft.add_edges, &draft.add_leaves, &draft.remove_edges}) {
      step.insert(step.end(), part->begin(), part->end());
    }
    // An atom goes after its hydrogens; those that are gone have made later numbers smaller.
    for (std::size_t i = 0; i < draft.remove.size(); ++i) {
      const Node v = draft.remove[i];
      const auto before =
          std::count_if(draft.remove.begin(), draft.remove.begin() + static_cast<std::ptrdiff_t>(i),
                        [&](Node w) { return w < v; });
      step.push_back({Edit::Kind::kRemoveLeaf, v - static_cast<Node>(before)});
    }
    return step;
  }

  const Graph& graph_;
  const MoleculeRules& rules_;
  std::span<const bool> frozen_;
  const std::vector<bool>& allowed_;
  Orbits orbits_;
  Bridges bridges_;
  /// The molecule; while a change is judged, with the change.
  MoleculeSketch now_;
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
