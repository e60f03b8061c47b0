// SPDX-License-Identifier: MIT
#include "fewedits/chem/atom_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/chem/elements.hpp"

namespace fewedits {
namespace {

using Atom = MoleculeFacts::Atom;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Elements with a small letter when they are aromatic.
constexpr std::array<std::string_view, 6> kSmall = {"b", "c", "n", "o", "p", "s"};

}  // namespace

// ---- Reading

class AtomPattern::Reader {
 public:
  Reader(std::string_view text, AtomPattern& out) : text_(text), out_(out) {}

  void read() {
    std::vector<std::size_t> branches;
    std::optional<std::size_t> last;
    std::optional<BondAsk> bond;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '(') {
        if (!last) fail("a branch without an atom");
        branches.push_back(*last);
        ++at_;
      } else if (c == ')') {
        if (branches.empty()) fail("a ) without its (");
        last = branches.back();
        branches.pop_back();
        ++at_;
      } else if (is_digit(c)) {
        if (!last) fail("a ring closure without an atom");
        close_ring(c, *last, bond);
        bond.reset();
        ++at_;
      } else if (auto one = read_bond()) {
        bond = one;
      } else {
        PatternNode node{read_atom(), {}};
        if (last) node.back.push_back({*last, bond.value_or(BondAsk::kUsual)});
        bond.reset();
        last = out_.nodes_.size();
        out_.nodes_.push_back(std::move(node));
      }
    }
    if (!branches.empty() || !open_.empty() || bond || out_.nodes_.empty()) {
      fail("it is not complete");
    }
    for (std::size_t v = 1; v < out_.nodes_.size(); ++v) {
      if (out_.nodes_[v].back.empty()) fail("it is not connected");
    }
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(fmt::format("the pattern \"{}\": {} (at character {})", text_, why, at_ + 1),
                "patterns are written as in SMARTS (chem/atom_pattern.hpp)");
  }

  std::optional<BondAsk> read_bond() {
    static const std::map<char, BondAsk> bonds = {
        {'-', BondAsk::kSingle},   {'=', BondAsk::kDouble}, {'#', BondAsk::kTriple},
        {':', BondAsk::kAromatic}, {'~', BondAsk::kAny},    {'@', BondAsk::kRing}};
    if (text_.substr(at_, 2) == "!@") {
      at_ += 2;
      return BondAsk::kNoRing;
    }
    const auto found = bonds.find(text_[at_]);
    if (found == bonds.end()) return std::nullopt;
    ++at_;
    return found->second;
  }

  void close_ring(char digit, std::size_t node, std::optional<BondAsk> bond) {
    const auto open = open_.find(digit);
    if (open == open_.end()) {
      open_[digit] = {node, bond.value_or(BondAsk::kUsual)};
      return;
    }
    if (open->second.to == node) fail("a ring of one atom");
    Back back = open->second;
    if (bond) back.bond = *bond;
    out_.nodes_[node].back.push_back(back);
    open_.erase(open);
  }

  Test read_atom() {
    if (text_[at_] != '[') return {{{read_plain()}}};
    ++at_;
    Test test{{{}}};
    while (true) {
      if (at_ >= text_.size()) fail("a [ without its ]");
      const char c = text_[at_];
      if (c == ']') break;
      if (c == ';') {
        test.push_back({{}});
      } else if (c == ',') {
        test.back().emplace_back();
      } else if (c != '&') {
        test.back().back().push_back(read_question());
        continue;
      }
      ++at_;
    }
    ++at_;
    for (const Any& any : test) {
      for (const All& all : any) {
        if (all.empty()) fail("nothing is asked of an atom");
      }
    }
    return test;
  }

  /// Outside brackets: elements and wildcards only.
  Question read_plain() {
    if (const auto wild = read_wildcard()) return *wild;
    if (const auto element = read_element()) return *element;
    fail("no atom");
  }

  std::optional<Question> read_wildcard() {
    const char c = text_[at_];
    if (c != '*' && c != 'a' && c != 'A') return std::nullopt;
    ++at_;
    return Question{c == '*' ? Ask::kAny : c == 'a' ? Ask::kAromatic : Ask::kAliphatic};
  }

  std::optional<Question> read_element() {
    // Two letters first: Cl is no carbon.
    for (const std::size_t length : {std::size_t{2}, std::size_t{1}}) {
      const std::string_view symbol = text_.substr(at_, length);
      if (symbol.size() < length || !std::isupper(static_cast<unsigned char>(symbol[0]))) continue;
      const Element* element = find_element(symbol);
      if (element == nullptr || element->number == 1) continue;
      at_ += length;
      return Question{Ask::kAliphaticElement, element->number};
    }
    const std::string_view small = text_.substr(at_, 1);
    if (std::find(kSmall.begin(), kSmall.end(), small) == kSmall.end()) return std::nullopt;
    const std::string symbol(1,
                             static_cast<char>(std::toupper(static_cast<unsigned char>(small[0]))));
    ++at_;
    return Question{Ask::kAromaticElement, find_element(symbol)->number};
  }

  Question read_question() {
    if (text_[at_] == '!') {
      ++at_;
      if (at_ >= text_.size()) fail("nothing is negated");
      Question question = read_question();
      question.is_negated = !question.is_negated;
      return question;
    }
    const char c = text_[at_];
    if (c == '$') return read_inner();
    if (c == '#') return read_number(Ask::kElement, 0);
    // Symbols of two letters go before the questions of one: Rb is no ring.
    const bool is_symbol = at_ + 1 < text_.size() &&
                           std::islower(static_cast<unsigned char>(text_[at_ + 1])) &&
                           find_element(text_.substr(at_, 2)) != nullptr;
    if (!is_symbol) {
      if (c == 'H') return read_number(Ask::kHydrogens, 1);
      if (c == 'X') return read_number(Ask::kNeighbours, 1);
      if (c == 'D') return read_number(Ask::kHeavyNeighbours, 1);
      if (c == 'R') return read_number(Ask::kInRing, 1);
      if (c == '+') return read_number(Ask::kCharge, 1);
      if (c == '-') {
        Question question = read_number(Ask::kCharge, 1);
        question.value = -question.value;
        return question;
      }
    }
    return read_plain();
  }

  Question read_number(Ask ask, int usual) {
    ++at_;
    int value = 0;
    std::size_t digits = 0;
    for (; at_ < text_.size() && is_digit(text_[at_]) && digits < 3; ++at_, ++digits) {
      value = 10 * value + (text_[at_] - '0');
    }
    return {ask, digits == 0 ? usual : value};
  }

  Question read_inner() {
    const std::size_t begin = at_ + 2;
    if (text_.substr(at_, 2) != "$(") fail("no pattern after a $");
    int depth = 1;
    std::size_t end = begin;
    for (; end < text_.size(); ++end) {
      if (text_[end] == '(') ++depth;
      if (text_[end] == ')' && --depth == 0) break;
    }
    if (end >= text_.size()) fail("a ( without its )");
    const auto place = static_cast<int>(out_.inner_.size());
    out_.inner_.emplace_back(text_.substr(begin, end - begin));
    at_ = end + 1;
    return {Ask::kPattern, place};
  }

  std::string_view text_;
  AtomPattern& out_;
  std::size_t at_ = 0;
  std::map<char, Back> open_;
};

AtomPattern::AtomPattern(std::string_view text) { Reader(text, *this).read(); }

// ---- Matching

bool AtomPattern::holds(const Question& question, const MoleculeFacts& molecule, Atom atom) const {
  const MoleculeFacts::AtomFact& fact = molecule.atoms[atom];
  const auto is = [&](std::size_t count) {
    return count == static_cast<std::size_t>(question.value);
  };
  switch (question.ask) {
    case Ask::kAny: return true;
    case Ask::kAromatic: return fact.is_aromatic;
    case Ask::kAliphatic: return !fact.is_aromatic;
    case Ask::kElement: return fact.number == question.value;
    case Ask::kAliphaticElement: return fact.number == question.value && !fact.is_aromatic;
    case Ask::kAromaticElement: return fact.number == question.value && fact.is_aromatic;
    case Ask::kHydrogens: return is(fact.hydrogens);
    case Ask::kNeighbours: return is(fact.neighbours());
    case Ask::kHeavyNeighbours: return is(fact.bonds.size());
    case Ask::kInRing: return fact.is_in_ring == (question.value != 0);
    case Ask::kCharge: return fact.charge == question.value;
    case Ask::kPattern:
      return inner_[static_cast<std::size_t>(question.value)].is_at(molecule, atom);
  }
  return false;
}

bool AtomPattern::passes(const Test& test, const MoleculeFacts& molecule, Atom atom) const {
  return std::all_of(test.begin(), test.end(), [&](const Any& any) {
    return std::any_of(any.begin(), any.end(), [&](const All& all) {
      return std::all_of(all.begin(), all.end(), [&](const Question& question) {
        return holds(question, molecule, atom) != question.is_negated;
      });
    });
  });
}

bool AtomPattern::fits(BondAsk ask, const MoleculeFacts::BondFact& bond) {
  switch (ask) {
    case BondAsk::kUsual: return bond.is_aromatic || bond.order == 1;
    case BondAsk::kSingle: return !bond.is_aromatic && bond.order == 1;
    case BondAsk::kDouble: return !bond.is_aromatic && bond.order == 2;
    case BondAsk::kTriple: return bond.order == 3;
    case BondAsk::kAromatic: return bond.is_aromatic;
    case BondAsk::kAny: return true;
    case BondAsk::kRing: return bond.is_in_ring;
    case BondAsk::kNoRing: return !bond.is_in_ring;
  }
  return false;
}

struct AtomPattern::Search {
  const AtomPattern& pattern;
  const MoleculeFacts& molecule;
  const std::function<bool(std::span<const Atom>)>& visitor;
  std::vector<Atom> image = {};
  bool over = false;

  [[nodiscard]] bool fits_at(const PatternNode& node, Atom atom) const {
    if (std::find(image.begin(), image.end(), atom) != image.end()) return false;
    const auto& bonds = molecule.atoms[atom].bonds;
    for (const Back& back : node.back) {
      const auto bond = std::find_if(bonds.begin(), bonds.end(),
                                     [&](const auto& one) { return one.to == image[back.to]; });
      if (bond == bonds.end() || !fits(back.bond, *bond)) return false;
    }
    return pattern.passes(node.test, molecule, atom);
  }
  void place(const PatternNode& node, Atom atom) {
    if (!fits_at(node, atom)) return;
    image.push_back(atom);
    extend();
    image.pop_back();
  }
  void extend() {
    if (image.size() == pattern.nodes_.size()) {
      over = !visitor(image);
      return;
    }
    const PatternNode& node = pattern.nodes_[image.size()];
    for (const MoleculeFacts::BondFact& bond : molecule.atoms[image[node.back[0].to]].bonds) {
      if (over) return;
      place(node, bond.to);
    }
  }
};

void AtomPattern::visit(const MoleculeFacts& molecule,
                        const std::function<bool(std::span<const Atom>)>& visitor) const {
  Search search{*this, molecule, visitor};
  for (Atom atom = 0; atom < molecule.atoms.size() && !search.over; ++atom) {
    search.place(nodes_[0], atom);
  }
}

bool AtomPattern::is_at(const MoleculeFacts& molecule, Atom atom) const {
  bool found = false;
  const std::function<bool(std::span<const Atom>)> visitor = [&](std::span<const Atom>) {
    found = true;
    return false;
  };
  Search search{*this, molecule, visitor};
  search.place(nodes_[0], atom);
  return found;
}

}  // namespace fewedits
