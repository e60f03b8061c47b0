// SPDX-License-Identifier: MIT
// Patterns of atoms as text, a part of the SMARTS language, and where they are in a molecule:
//
//   N(~[OX1])~[OX1]      nitro, however its charges are written
//   [NX3;H2]c            an amine at an aromatic carbon
//   [CX3H1](=O)[#6]      an aldehyde
//
// Atoms: symbols (small: aromatic), * a A, and in brackets also #n, Hn, Xn (neighbours with
// hydrogens), Dn (without), R, R0, + and - with a number, $(pattern), joined by ! & , ; as in
// SMARTS. Bonds: - = # : ~ @ !@; none written: single or aromatic. Branches and ring closures (one
// digit) as in SMILES. Nodes are numbered as they are written.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "fewedits/chem/molecule_facts.hpp"

namespace fewedits {

class AtomPattern {
 public:
  /// Throws Error naming the text and what is wrong.
  explicit AtomPattern(std::string_view text);

  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

  /// Every way to lay the pattern onto the molecule in turn, atoms by node of the pattern, until
  /// the visitor says no.
  void visit(const MoleculeFacts& molecule,
             const std::function<bool(std::span<const MoleculeFacts::Atom>)>& visitor) const;
  /// With its first node there.
  [[nodiscard]] bool is_at(const MoleculeFacts& molecule, MoleculeFacts::Atom atom) const;

 private:
  enum class Ask : std::uint8_t {
    kAny,
    kAromatic,
    kAliphatic,
    kElement,           ///< of either kind
    kAliphaticElement,  ///< "C"
    kAromaticElement,   ///< "c"
    kHydrogens,
    kNeighbours,
    kHeavyNeighbours,
    kInRing,  ///< 1 or 0
    kCharge,
    kPattern  ///< place in inner_
  };
  struct Question {
    Ask ask = Ask::kAny;
    int value = 0;
    bool is_negated = false;
  };
  /// Anded at two levels with an or between: a;b,c&d.
  using All = std::vector<Question>;
  using Any = std::vector<All>;
  using Test = std::vector<Any>;

  enum class BondAsk : std::uint8_t {
    kUsual,
    kSingle,
    kDouble,
    kTriple,
    kAromatic,
    kAny,
    kRing,
    kNoRing
  };
  struct Back {
    std::size_t to = 0;
    BondAsk bond = BondAsk::kUsual;
  };
  struct PatternNode {
    Test test;
    std::vector<Back> back;  ///< to nodes before; the first one's neighbours are tried
  };

  class Reader;
  struct Search;
  [[nodiscard]] bool passes(const Test& test, const MoleculeFacts& molecule,
                            MoleculeFacts::Atom atom) const;
  [[nodiscard]] bool holds(const Question& question, const MoleculeFacts& molecule,
                           MoleculeFacts::Atom atom) const;
  static bool fits(BondAsk ask, const MoleculeFacts::BondFact& bond);

  std::vector<PatternNode> nodes_;
  std::vector<AtomPattern> inner_;
};

}  // namespace fewedits
