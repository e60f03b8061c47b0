// SPDX-License-Identifier: MIT
#include "fewedits/rules/rule_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "fewedits/chem/atom_label.hpp"
#include "fewedits/rules/part_words.hpp"

namespace fewedits {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 42> kElements = {
    {{"H", "hydrogen"},   {"Li", "lithium"},   {"Be", "beryllium"}, {"B", "boron"},
     {"C", "carbon"},     {"N", "nitrogen"},   {"O", "oxygen"},     {"F", "fluorine"},
     {"Na", "sodium"},    {"Mg", "magnesium"}, {"Al", "aluminium"}, {"Si", "silicon"},
     {"P", "phosphorus"}, {"S", "sulphur"},    {"Cl", "chlorine"},  {"K", "potassium"},
     {"Ca", "calcium"},   {"Ti", "titanium"},  {"Cr", "chromium"},  {"Mn", "manganese"},
     {"Fe", "iron"},      {"Co", "cobalt"},    {"Ni", "nickel"},    {"Cu", "copper"},
     {"Zn", "zinc"},      {"Ga", "gallium"},   {"Ge", "germanium"}, {"As", "arsenic"},
     {"Se", "selenium"},  {"Br", "bromine"},   {"Ru", "ruthenium"}, {"Rh", "rhodium"},
     {"Pd", "palladium"}, {"Ag", "silver"},    {"Sn", "tin"},       {"Sb", "antimony"},
     {"Te", "tellurium"}, {"I", "iodine"},     {"Pt", "platinum"},  {"Au", "gold"},
     {"Hg", "mercury"},   {"Pb", "lead"}}};

std::string with_article(const std::string& noun) {
  const bool vowel =
      !noun.empty() && std::string_view("aeiouAEIOU").find(noun[0]) != std::string_view::npos;
  return (vowel ? "an " : "a ") + noun;
}

class Sentence {
 public:
  Sentence(const Rule& rule, const RuleNames& names, bool molecules)
      : rule_(rule),
        names_(names),
        molecules_(molecules),
        said_(rule.size(), false),
        told_(rule.size(), false),
        with_its_atom_(rule.size(), false),
        hydrogens_(rule.size(), 0) {}

  std::string write() {
    if (molecules_) exchange_groups();
    if (molecules_) take_hydrogens();
    for (Node v = 0; v < rule_.size(); ++v) relabel(v);
    exchange_parts();
    for (const RuleEdge& e : rule_.edges()) change_edge(e);
    std::string out = fmt::format("{}", fmt::join(clauses_, " and "));
    if (has_more_context()) {
      out += fmt::format(" (in {}{})", is_ring() ? "the ring " : "", pattern());
    }
    return out;
  }

 private:
  [[nodiscard]] const RuleNode& node(Node v) const { return rule_.nodes()[v]; }
  [[nodiscard]] std::string raw(Label label) const {
    return label < names_.nodes.size() ? names_.nodes[label] : fmt::format("#{}", label);
  }
  [[nodiscard]] std::string name(Label label) const {
    return molecules_ ? element_words(raw(label)) : raw(label);
  }
  /// "an oxygen"; elsewhere "a node A".
  [[nodiscard]] std::string one(Label label) const {
    return molecules_ ? with_article(name(label)) : "a node " + name(label);
  }
  [[nodiscard]] std::string bond(Label label) const {
    if (names_.edges.empty()) return "";
    return label < names_.edges.size() ? names_.edges[label] : fmt::format("#{}", label);
  }
  [[nodiscard]] const char* edge_noun() const { return molecules_ ? "bond" : "edge"; }

  [[nodiscard]] bool is_hydrogen(Label label) const {
    return label != kAbsent && raw(label) == "H";
  }

  // ---- Groups that hang on one atom

  /// Nodes that change and are joined, on either side, with v.
  [[nodiscard]] std::vector<Node> changed_around(Node v) const {
    std::vector<Node> out{v};
    for (std::size_t i = 0; i < out.size(); ++i) {
      for (const RuleEdge& e : rule_.edges()) {
        if (e.u != out[i] && e.v != out[i]) continue;
        const Node w = e.u == out[i] ? e.v : e.u;
        if (node(w).changes() && std::find(out.begin(), out.end(), w) == out.end()) {
          out.push_back(w);
        }
      }
    }
    return out;
  }
  /// What hangs on the anchor on one side: "nitro", "NH2", "hydrogen". Empty: nobody has a word for
  /// it, or it is not all of the part.
  [[nodiscard]] std::string word_of_side(const std::vector<Node>& part, Node anchor,
                                         RuleSide side) const {
    const auto is_there = [&](const RuleNode& v) {
      return side == RuleSide::kBefore ? !v.comes() : !v.goes();
    };
    std::optional<Node> first;
    for (const RuleEdge& e : rule_.edges()) {
      if (e.u != anchor && e.v != anchor) continue;
      const Node w = e.u == anchor ? e.v : e.u;
      const bool there = (side == RuleSide::kBefore ? e.before : e.after) != kAbsent;
      if (!there || std::find(part.begin(), part.end(), w) == part.end()) continue;
      if (first) return "";
      first = w;
    }
    const auto all = static_cast<std::size_t>(
        std::count_if(part.begin(), part.end(), [&](Node v) { return is_there(node(v)); }));
    if (!first) return "";
    const auto text = hanging_part(rule_, names_, side, anchor, *first);
    if (!text || text->nodes.size() != all) return "";
    const bool hydrogens =
        std::find(names_.nodes.begin(), names_.nodes.end(), "H") != names_.nodes.end();
    const std::string_view word = word_of_part(text->text, hydrogens);
    if (!word.empty()) return std::string(word);
    const Label label = side == RuleSide::kBefore ? node(*first).before : node(*first).after;
    const bool is_usual = text->text[0] == '-' || text->text[0] == '~';
    if (!is_usual || text->text.find('(') != std::string::npos) return "";
    if (all == 1) return name(label);
    return raw(label) + (all == 2 ? "H" : fmt::format("H{}", all - 1));
  }
  /// The one atom that stays which the part hangs on.
  [[nodiscard]] std::optional<Node> anchor_of(const std::vector<Node>& part) const {
    std::optional<Node> anchor;
    for (const RuleEdge& e : rule_.edges()) {
      const bool u_in = std::find(part.begin(), part.end(), e.u) != part.end();
      const bool v_in = std::find(part.begin(), part.end(), e.v) != part.end();
      if (u_in == v_in) continue;
      const Node other = u_in ? e.v : e.u;
      if (anchor && *anchor != other) return std::nullopt;
      anchor = other;
    }
    return anchor;
  }

  /// Whole groups are exchanged in one clause: "replace nitro at a carbon by hydrogen". Single
  /// atoms are left to what follows.
  void exchange_groups() {
    for (Node v = 0; v < rule_.size(); ++v) {
      if (told_[v] || !node(v).changes()) continue;
      const std::vector<Node> part = changed_around(v);
      const auto anchor = part.size() > 1 ? anchor_of(part) : std::nullopt;
      if (!anchor) continue;
      const std::string before = word_of_side(part, *anchor, RuleSide::kBefore);
      const std::string after = word_of_side(part, *anchor, RuleSide::kAfter);
      if (before.empty() || after.empty()) continue;
      clauses_.push_back(
          fmt::format("replace {} at {} by {}", before, one(node(*anchor).before), after));
      said_[*anchor] = true;
      for (const Node w : part) told_[w] = said_[w] = true;
    }
  }

  /// Hydrogens that come to an atom that comes or becomes another are told with it ("OH"); those
  /// that such an atom loses are not told: they follow.
  void take_hydrogens() {
    for (const RuleEdge& e : rule_.edges()) {
      for (const auto& [h, at] : {std::pair(e.u, e.v), std::pair(e.v, e.u)}) {
        const bool comes = node(h).comes() && is_hydrogen(node(h).after);
        const bool goes = node(h).goes() && is_hydrogen(node(h).before);
        if ((!comes && !goes) || told_[h]) continue;
        if (!node(at).changes() || node(at).goes() || is_hydrogen(node(at).after)) continue;
        said_[h] = with_its_atom_[h] = true;
        if (comes) ++hydrogens_[at];
      }
    }
  }
  /// Of a node that comes or becomes another: "oxygen", "OH".
  [[nodiscard]] std::string name_after(Node v) const {
    const std::size_t count = hydrogens_[v];
    if (count == 0) return name(node(v).after);
    return raw(node(v).after) + (count == 1 ? "H" : fmt::format("H{}", count));
  }

  /// The neighbours of v in L.
  [[nodiscard]] std::vector<Node> beside(Node v) const {
    std::vector<Node> out;
    for (const RuleEdge& e : rule_.edges()) {
      if (e.comes() || (e.u != v && e.v != v)) continue;
      out.push_back(e.u == v ? e.v : e.u);
    }
    return out;
  }

  void relabel(Node v) {
    const RuleNode& is = node(v);
    if (!is.changes() || is.comes() || is.goes() || told_[v]) return;
    said_[v] = true;
    const auto at = beside(v);
    // A node with one neighbour in L is told with it.
    std::string place;
    if (at.size() == 1 && !node(at[0]).changes()) {
      said_[at[0]] = true;
      place = " at " + one(node(at[0]).before);
    }
    if (molecules_ && (raw(is.before) == "H" || raw(is.after) == "H")) {
      clauses_.push_back(fmt::format("replace {}{} by {}", name(is.before), place, name_after(v)));
    } else {
      clauses_.push_back(fmt::format("{} {}{} {} {}", molecules_ ? "turn" : "relabel",
                                     one(is.before), place, molecules_ ? "into" : "as",
                                     name(is.after)));
    }
  }

  struct Part {
    std::vector<Node> nodes;
    std::vector<Node> anchors;  ///< nodes that stay
    bool comes = false;
    std::string text;
  };

  /// Connected pieces of nodes that come, and of those that go.
  [[nodiscard]] std::vector<Part> parts() {
    std::vector<Part> out;
    std::vector<bool> seen(rule_.size(), false);
    for (Node v = 0; v < rule_.size(); ++v) {
      if (seen[v] || told_[v] || with_its_atom_[v] || (!node(v).comes() && !node(v).goes()))
        continue;
      Part part{{}, {}, node(v).comes(), {}};
      collect(v, part, seen);
      part.text = part_text(part);
      out.push_back(std::move(part));
    }
    return out;
  }
  void collect(Node v, Part& part, std::vector<bool>& seen) {
    seen[v] = true;
    said_[v] = true;
    part.nodes.push_back(v);
    for (const RuleEdge& e : rule_.edges()) {
      if (e.u != v && e.v != v) continue;
      const Node w = e.u == v ? e.v : e.u;
      if (with_its_atom_[w]) continue;
      const bool inside = part.comes ? node(w).comes() : node(w).goes();
      if (inside) {
        if (!seen[w]) collect(w, part, seen);
      } else if (std::find(part.anchors.begin(), part.anchors.end(), w) == part.anchors.end()) {
        part.anchors.push_back(w);
      }
    }
  }
  [[nodiscard]] std::string part_text(const Part& part) const {
    if (molecules_ && part.nodes.size() > 1 && part.anchors.size() == 1) {
      const RuleSide side = part.comes ? RuleSide::kAfter : RuleSide::kBefore;
      std::string word = word_of_side(changed_around(part.nodes[0]), part.anchors[0], side);
      if (!word.empty()) return word;
    }
    if (part.nodes.size() == 1) {
      const Node only = part.nodes[0];
      return part.comes ? name_after(only) : name(node(only).before);
    }
    std::vector<std::string> labels;
    for (const Node v : part.nodes) {
      labels.push_back(!part.comes          ? raw(node(v).before)
                       : hydrogens_[v] == 0 ? raw(node(v).after)
                                            : name_after(v));
    }
    return fmt::format("{}", fmt::join(labels, "-"));
  }
  [[nodiscard]] std::string anchor_words(const Part& part) {
    std::vector<std::string> words;
    for (const Node v : part.anchors) {
      said_[v] = true;
      const bool is_new = node(v).changes() && !node(v).goes();
      words.push_back(is_new ? "the new " + name(node(v).after) : one(node(v).before));
    }
    return fmt::format("{}", fmt::join(words, " and "));
  }
  /// By what bond a single node hangs on, unless that is the usual one.
  [[nodiscard]] std::string bond_words(const Part& part) const {
    if (part.nodes.size() != 1 || part.anchors.size() != 1 || names_.edges.empty()) return "";
    for (const RuleEdge& e : rule_.edges()) {
      if (e.u != part.nodes[0] && e.v != part.nodes[0]) continue;
      const std::string kind = bond(part.comes ? e.after : e.before);
      return kind == "single" ? "" : fmt::format(" by {} bond", with_article(kind));
    }
    return "";
  }

  void exchange_parts() {
    std::vector<Part> all = parts();
    std::vector<bool> told(all.size(), false);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (told[i]) continue;
      // What goes from a place where something comes is replaced.
      std::size_t other = all.size();
      for (std::size_t j = i + 1; j < all.size() && other == all.size(); ++j) {
        if (!told[j] && all[j].comes != all[i].comes && all[j].anchors == all[i].anchors) other = j;
      }
      told[i] = true;
      if (other < all.size()) {
        told[other] = true;
        const Part& old = all[i].comes ? all[other] : all[i];
        const Part& now = all[i].comes ? all[i] : all[other];
        clauses_.push_back(fmt::format("replace {} at {} by {}{}", old.text, anchor_words(old),
                                       now.text, bond_words(now)));
      } else if (all[i].comes) {
        clauses_.push_back(fmt::format("attach {} to {}{}", all[i].text, anchor_words(all[i]),
                                       bond_words(all[i])));
      } else {
        clauses_.push_back(fmt::format("remove {} from {}", all[i].text, anchor_words(all[i])));
      }
    }
  }

  void change_edge(const RuleEdge& e) {
    if (!e.changes()) return;
    for (const Node v : {e.u, e.v}) {
      if (node(v).comes() || node(v).goes() || told_[v]) return;
    }
    said_[e.u] = said_[e.v] = true;
    const std::string ends = fmt::format("{} and {}", one(node(e.u).before), one(node(e.v).before));
    if (e.comes()) {
      const std::string kind = bond(e.after);
      clauses_.push_back(
          fmt::format("join {}{}", ends,
                      kind.empty() || kind == "single"
                          ? ""
                          : fmt::format(" by {} {}", with_article(kind), edge_noun())));
    } else if (e.goes()) {
      clauses_.push_back(fmt::format("cut the {} between {}", edge_noun(), ends));
    } else {
      clauses_.push_back(fmt::format("make the {} {} between {} {}", bond(e.before), edge_noun(),
                                     ends, bond(e.after)));
    }
  }

  [[nodiscard]] bool has_more_context() const {
    std::size_t edges = 0;
    for (const RuleEdge& e : rule_.edges()) edges += e.changes() ? 0U : 1U;
    const bool all_said = std::all_of(said_.begin(), said_.end(), [](bool said) { return said; });
    return !all_said || edges > 1;
  }

  /// Is L a ring and nothing else? It is connected.
  [[nodiscard]] bool is_ring() const {
    for (Node v = 0; v < rule_.size(); ++v) {
      if (!node(v).comes() && beside(v).size() != 2) return false;
    }
    return true;
  }

  /// L as text.
  [[nodiscard]] std::string pattern() const {
    std::vector<RuleNode> nodes;
    std::vector<Node> place(rule_.size(), 0);
    for (Node v = 0; v < rule_.size(); ++v) {
      if (node(v).comes()) continue;
      place[v] = static_cast<Node>(nodes.size());
      nodes.push_back({node(v).before, node(v).before});
    }
    std::vector<RuleEdge> edges;
    for (const RuleEdge& e : rule_.edges()) {
      if (!e.comes()) edges.push_back({place[e.u], place[e.v], e.before, e.before});
    }
    return pattern_text(nodes, edges, names_);
  }

  const Rule& rule_;
  const RuleNames& names_;
  bool molecules_;
  std::vector<bool> said_;
  std::vector<bool> told_;              ///< all of its change stands in a clause
  std::vector<bool> with_its_atom_;     ///< hydrogens that are told, or left out, with their atom
  std::vector<std::size_t> hydrogens_;  ///< told with the node
  std::vector<std::string> clauses_;
};

}  // namespace

std::string element_words(const std::string& name) {
  const std::string_view element = element_of(name);
  for (const auto& [symbol, word] : kElements) {
    if (symbol != element) continue;
    return name == element ? std::string(word) : fmt::format("{} ({})", word, name);
  }
  return name;
}

std::string rule_words(const Rule& rule, const RuleNames& names, bool molecules) {
  return Sentence(rule, names, molecules).write();
}

}  // namespace fewedits
