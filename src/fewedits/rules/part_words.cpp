// SPDX-License-Identifier: MIT
#include "fewedits/rules/part_words.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "fewedits/chem/atom_label.hpp"

namespace fewedits {
namespace {

/// With the hydrogens that are written where hydrogens are.
constexpr std::array<std::pair<std::string_view, std::string_view>, 37> kWords = {{
    {"-N(=O)(=O)", "nitro"},
    {"-N(-O)(=O)", "nitro"},
    {"~N(~O)(~O)", "nitro"},
    {"-N(=O)", "nitroso"},
    {"-C(#N)", "cyano"},
    {"-N(=N(=N))", "azido"},
    {"-N(=N(#N))", "azido"},
    {"-N(=C(=O))", "isocyanato"},
    {"-N(=C(=S))", "isothiocyanato"},
    {"-C(-OH1)(=O)", "carboxy"},
    {"-C(-NH2)(=O)", "carbamoyl"},
    {"-C(-Cl)(=O)", "chlorocarbonyl"},
    {"-CH1(=O)", "formyl"},
    {"-C(-CH3)(=O)", "acetyl"},
    {"-O(-C(-CH3)(=O))", "acetoxy"},
    {"-NH1(-C(-CH3)(=O))", "acetamido"},
    {"-O(-CH3)", "methoxy"},
    {"-O(-CH2(-CH3))", "ethoxy"},
    {"-CH2(-CH3)", "ethyl"},
    {"-CH2(-CH2(-CH3))", "propyl"},
    {"-CH1(-CH3)(-CH3)", "isopropyl"},
    {"-C(-CH3)(-CH3)(-CH3)", "tert-butyl"},
    {"-CH1(=CH2)", "vinyl"},
    {"-C(#CH1)", "ethynyl"},
    {"-CH2(-OH1)", "hydroxymethyl"},
    {"-CH2(-Cl)", "chloromethyl"},
    {"-C(-F)(-F)(-F)", "trifluoromethyl"},
    {"-C(-Cl)(-Cl)(-Cl)", "trichloromethyl"},
    {"-NH1(-CH3)", "methylamino"},
    {"-N(-CH3)(-CH3)", "dimethylamino"},
    {"-NH1(-NH2)", "hydrazino"},
    {"-NH1(-OH1)", "hydroxyamino"},
    {"-S(-CH3)", "methylthio"},
    {"-S(-CH3)(=O)(=O)", "methylsulfonyl"},
    {"-S(-NH2)(=O)(=O)", "sulfamoyl"},
    {"-S(-OH1)(=O)(=O)", "sulfo"},
    {"-P(-OH1)(-OH1)(=O)", "phosphono"},
}};

std::string without_hydrogens(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == 'H' && i + 1 < text.size() && text[i + 1] >= '1' && text[i + 1] <= '9') {
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

class Writer {
 public:
  Writer(const Rule& rule, const RuleNames& names, RuleSide side)
      : rule_(rule), names_(names), side_(side) {}

  std::optional<std::string> write(Node from, Node v) {
    nodes_.push_back(v);
    std::string out;
    std::vector<std::string> branches;
    std::size_t hydrogens = 0;
    for (const RuleEdge& e : rule_.edges()) {
      const Label bond = of(e.before, e.after);
      if (bond == kAbsent || (e.u != v && e.v != v)) continue;
      const Node w = e.u == v ? e.v : e.u;
      const char symbol = symbol_of(bond);
      if (symbol == 0) return std::nullopt;
      if (w == from) {
        out += symbol;
        continue;
      }
      // A ring, or another atom that stays: no part that hangs on one atom.
      if (std::find(nodes_.begin(), nodes_.end(), w) != nodes_.end()) return std::nullopt;
      if (!rule_.nodes()[w].changes()) return std::nullopt;
      if (name(w) == "H" && symbol != '=') {
        nodes_.push_back(w);
        ++hydrogens;
        continue;
      }
      auto branch = write(v, w);
      if (!branch) return std::nullopt;
      branches.push_back(std::move(*branch));
    }
    out += name(v);
    if (hydrogens > 0) out += "H" + std::to_string(hydrogens);
    std::sort(branches.begin(), branches.end());
    for (const std::string& branch : branches) out += "(" + branch + ")";
    return out;
  }
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }

 private:
  [[nodiscard]] Label of(Label before, Label after) const {
    return side_ == RuleSide::kBefore ? before : after;
  }
  [[nodiscard]] std::string name(Node v) const {
    const RuleNode& node = rule_.nodes()[v];
    const Label label = of(node.before, node.after);
    return label < names_.nodes.size() ? std::string(element_of(names_.nodes[label])) : "?";
  }
  [[nodiscard]] char symbol_of(Label bond) const {
    if (names_.edges.empty()) return '~';
    if (bond >= names_.edges.size()) return 0;
    const std::string& is = names_.edges[bond];
    return is == "single" ? '-' : is == "double" ? '=' : is == "triple" ? '#' : char{0};
  }

  const Rule& rule_;
  const RuleNames& names_;
  RuleSide side_;
  std::vector<Node> nodes_;
};

}  // namespace

std::optional<PartText> hanging_part(const Rule& rule, const RuleNames& names, RuleSide side,
                                     Node anchor, Node first) {
  Writer writer(rule, names, side);
  auto text = writer.write(anchor, first);
  if (!text) return std::nullopt;
  return PartText{std::move(*text), writer.nodes()};
}

std::string_view word_of_part(std::string_view text, bool hydrogens) {
  for (const auto& [part, word] : kWords) {
    if (hydrogens ? part == text : without_hydrogens(part) == text) return word;
  }
  return "";
}

}  // namespace fewedits
