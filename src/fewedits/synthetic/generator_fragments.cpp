// SPDX-License-Identifier: MIT
#include "fewedits/synthetic/generator_fragments.hpp"

#include <array>
#include <cassert>
#include <utility>

namespace fewedits::generator {
namespace {

using Row = FragmentTable::Row;

// The weights were tuned until element shares, H/C ratio and ring counts of generated sets came
// near Mutagenicity's (tests/generator_test.cpp holds the ranges).
//
// Notation: SMILES without brackets, charges or aromatic bonds. Lower-case c marks a carbon of a
// benzene ring, whose bonds are nevertheless written out in Kekulé form. Fused systems use the
// structure in which every six-ring alternates (all shared bonds double), which is why anthracene,
// which has none, is absent: with and without edge labels the motif must mean the same.
// Six-rings whose carbons all have three neighbours without being benzene (quinones) are left out
// for the same reason.
constexpr auto kScaffolds = std::to_array<Row>({
    {"c1=cc=cc=c1", 30},                           // benzene
    {"c1=cc=cc2=c1c=cc=c2", 20},                   // naphthalene
    {"c1=cc=cc2=c1c=cc3=c2c=cc=c3", 20},           // phenanthrene
    {"c1=cc=cc2=c1c=cc3=c2c=cc4=c3c=cc=c4", 16},   // chrysene
    {"c1=cc=cc2=c1c3=c(c=cc=c3)c4=c2c=cc=c4", 8},  // triphenylene
    {"c1=cc=cc=c1c2=cc=cc=c2", 12},                // biphenyl
    {"c1=cc=c2Cc3=cc=cc=c3c2=c1", 8},              // fluorene
    {"c1=cc=c2CCCCc2=c1", 4},                      // tetralin
    {"c1=cc=cc2=c1C=CC=N2", 5},                    // quinoline
    {"c1=cc=c2OCOc2=c1", 3},                       // benzodioxole
    {"C1=CC=NC=C1", 4},                            // pyridine
    {"C1CCCCC1", 5},                               // cyclohexane
    {"C1CCCC1", 4},                                // cyclopentane
    {"C1CCC2CCCCC2C1", 3},                         // decalin
    {"CC1CO1", 2},                                 // methyl oxirane
    {"C1CCNCC1", 2},                               // piperidine
    {"C1=COC=C1", 3},                              // furan
    {"C1=CSC=C1", 2},                              // thiophene
    {"C", 3},
    {"CC", 4},
    {"CCC", 4},
    {"CC=C", 3},
    {"CCCC", 3},
    {"CC(C)C", 2},
    {"CC(=O)C", 2},
    {"CCOCC", 2},
    {"CCCCCC", 2},
});

constexpr auto kRings = std::to_array<Row>({
    {"c1=cc=cc=c1", 60},
    {"c1=cc=cc2=c1c=cc=c2", 6},
    {"C1CCCCC1", 9},
    {"C1CCCC1", 6},
    {"C1=CC=NC=C1", 6},
    {"C1=COC=C1", 4},
    {"C1=CSC=C1", 2},
    {"C1CO1", 3},
    {"C1CC1", 2},
});

constexpr auto kChains = std::to_array<Row>({
    {"C", 40},
    {"CC", 20},
    {"C=C", 14},
    {"CCC", 6},
    {"C(C)C", 6},
    {"C(C)(C)C", 3},
    {"C#C", 2},
    {"COC", 4},
});

constexpr auto kOxygenGroups = std::to_array<Row>({
    {"O", 34},        // hydroxyl
    {"OC", 16},       // ether
    {"C(=O)O", 13},   // carboxyl
    {"C(=O)OC", 12},  // ester
    {"OC(=O)C", 8},   // ester, the other way round
    {"C=O", 9},       // aldehyde
    {"C(=O)C", 12},   // ketone
    {"OCCO", 4},
});

constexpr auto kRareGroups = std::to_array<Row>({
    {"Cl", 100},
    {"C(Cl)(Cl)Cl", 6},
    {"Br", 28},
    {"F", 11},
    {"C(F)(F)F", 4},
    {"I", 2},
    {"SC", 34},            // thioether
    {"S", 5},              // thiol
    {"S(=O)(=O)O", 14},    // sulphonic acid
    {"S(=O)(=O)C", 5},     // sulphone
    {"OP(=O)(OC)OC", 30},  // phosphate
    {"P(C)C", 2},          // phosphine
});

constexpr auto kNitrogenDecoys = std::to_array<Row>({
    {"C(=O)N", 14},                 // amide
    {"NC(=O)C", 12},                // anilide, when it meets a benzene ring
    {"N", 14, Anchor::kSaturated},  // aliphatic amine; on a benzene ring it is the motif
    {"CN", 10},                     // benzylamine, when it meets a benzene ring
    {"C#N", 8},                     // nitrile
    {"NC", 9},                      // secondary amine
    {"N(C)C", 10},                  // tertiary amine
    {"ON=O", 8},                    // nitrite ester: nitro's atoms in another order
    {"N=O", 6},                     // nitroso
    {"N(C)N=O", 6},                 // nitrosamine
    {"C(=O)NO", 5},                 // hydroxamic acid
    {"OC(=O)N", 8},                 // carbamate
    {"NC(=O)N", 3},                 // urea
    {"C(=N)N", 3},                  // amidine
    {"C=NO", 5},                    // oxime
    {"S(=O)(=O)N", 4},              // sulphonamide
    {"N=Nc1=cc=cc=c1", 4},          // azo
});

struct Valences {
  Element element;
  std::array<std::uint8_t, 3> allowed;  ///< ascending, 0 where there are no more
};

// The smallest that covers the written bonds counts, as in SMILES. Pentavalent nitrogen is for the
// nitro group alone, in the old way to write it without charges: N(=O)=O.
constexpr auto kValences = std::to_array<Valences>({
    {kC, {4}},
    {kO, {2}},
    {kCl, {1}},
    {kH, {1}},
    {kN, {3, 5}},
    {kF, {1}},
    {kBr, {1}},
    {kS, {2, 4, 6}},
    {kP, {3, 5}},
    {kI, {1}},
});

std::uint8_t valence_for(Element element, std::uint8_t bonds) {
  assert(kValences[element].element == element);
  for (const std::uint8_t valence : kValences[element].allowed) {
    if (valence >= bonds) return valence;
  }
  assert(false && "fragment table: too many bonds on an atom");
  return bonds;
}

// One pass over a table row; the tables are ours, so whatever is wrong is an assert.
class Parser {
 public:
  explicit Parser(const Row& row) : text_(row.smiles) {
    fragment_.weight = row.weight;
    fragment_.anchor = row.anchor;
  }

  Fragment parse() {
    while (at_ < text_.size()) step();
    for (std::size_t v = 0; v < fragment_.atoms.size(); ++v) finish(v);
    return std::move(fragment_);
  }

 private:
  void step() {
    const char c = text_[at_++];
    switch (c) {
      case '(': branches_.push_back(previous_); break;
      case ')':
        previous_ = branches_.back();
        branches_.pop_back();
        break;
      case '=': order_ = kDouble; break;
      case '#': order_ = kTriple; break;
      default:
        if (c >= '1' && c <= '9') {
          close_ring(static_cast<std::size_t>(c - '0'));
        } else {
          add_atom(c);
        }
    }
  }

  Element element_of(char c) {
    const char next = at_ < text_.size() ? text_[at_] : '\0';
    switch (c) {
      case 'C':
        if (next != 'l') return kC;
        ++at_;
        return kCl;
      case 'B':
        assert(next == 'r');
        ++at_;
        return kBr;
      case 'O': return kO;
      case 'N': return kN;
      case 'F': return kF;
      case 'S': return kS;
      case 'P': return kP;
      case 'I': return kI;
      default: assert(c == 'c'); return kC;
    }
  }

  void add_atom(char c) {
    const auto v = static_cast<Node>(fragment_.atoms.size());
    FragmentAtom atom;
    atom.element = element_of(c);
    atom.benzene = c == 'c';
    fragment_.atoms.push_back(atom);
    if (previous_ != kNoAtom) add_bond(previous_, v);
    previous_ = v;
  }

  void close_ring(std::size_t digit) {
    if (ring_[digit] == kNoAtom) {
      ring_[digit] = previous_;
      return;
    }
    add_bond(ring_[digit], previous_);
    ring_[digit] = kNoAtom;
  }

  // `open` counts the bonds until finish() turns it into what is left of the valence.
  void add_bond(Node u, Node v) {
    fragment_.bonds.push_back({u, v, order_});
    for (const auto& [a, b] : {std::pair{u, v}, std::pair{v, u}}) {
      FragmentAtom& atom = fragment_.atoms[a];
      atom.open = static_cast<std::uint8_t>(atom.open + order_ + 1);
      atom.saturated = atom.saturated && order_ == kSingle;
      atom.polar = atom.polar || fragment_.atoms[b].element != kC;
    }
    order_ = kSingle;
  }

  void finish(std::size_t v) {
    FragmentAtom& atom = fragment_.atoms[v];
    atom.open = static_cast<std::uint8_t>(valence_for(atom.element, atom.open) - atom.open);
    fragment_.size += 1U + atom.open;
  }

  static constexpr Node kNoAtom = ~Node{0};
  std::string_view text_;
  std::size_t at_ = 0;
  Fragment fragment_;
  Node previous_ = kNoAtom;
  Label order_ = kSingle;
  std::vector<Node> branches_;
  std::array<Node, 10> ring_ = {kNoAtom, kNoAtom, kNoAtom, kNoAtom, kNoAtom,
                                kNoAtom, kNoAtom, kNoAtom, kNoAtom, kNoAtom};
};

}  // namespace

FragmentTable::FragmentTable(std::span<const Row> rows) {
  fragments_.reserve(rows.size());
  for (const Row& row : rows) {
    fragments_.push_back(Parser(row).parse());
    total_weight_ += row.weight;
  }
}

const Fragment& FragmentTable::pick(Rng& rng) const {
  std::uint64_t at = rng.below(total_weight_);
  for (const Fragment& fragment : fragments_) {
    if (at < fragment.weight) return fragment;
    at -= fragment.weight;
  }
  assert(false && "weights do not add up");
  return fragments_.back();
}

const FragmentTable& scaffolds() {
  static const FragmentTable table(kScaffolds);
  return table;
}

const FragmentTable& rings() {
  static const FragmentTable table(kRings);
  return table;
}

const FragmentTable& chains() {
  static const FragmentTable table(kChains);
  return table;
}

const FragmentTable& oxygen_groups() {
  static const FragmentTable table(kOxygenGroups);
  return table;
}

const FragmentTable& rare_groups() {
  static const FragmentTable table(kRareGroups);
  return table;
}

const FragmentTable& nitrogen_decoys() {
  static const FragmentTable table(kNitrogenDecoys);
  return table;
}

const Fragment& nitro_group() {
  static const Fragment group = Parser({"N(=O)=O", 1}).parse();
  return group;
}

const Fragment& aromatic_amine_group() {
  static const Fragment group = Parser({"N", 1, Anchor::kBenzene}).parse();
  return group;
}

}  // namespace fewedits::generator
