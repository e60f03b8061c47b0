// SPDX-License-Identifier: MIT
#include "fewedits/rules/rule_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "fewedits/base/error.hpp"

namespace fewedits {
namespace {

constexpr std::array<std::pair<char, std::string_view>, 4> kBondSigns = {
    {{'-', "single"}, {'=', "double"}, {'#', "triple"}, {':', "aromatic"}}};

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string escaped(const std::string& name, std::string_view special) {
  std::string out;
  for (const char c : name) {
    if (c == '\\' || special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

class Writer {
 public:
  Writer(const std::vector<RuleNode>& nodes, const std::vector<RuleEdge>& edges,
         const RuleNames& names)
      : nodes_(nodes), edges_(edges), names_(names) {
    seen_.assign(nodes.size(), false);
    used_.assign(edges.size(), false);
    rings_.resize(nodes.size());
    // A rule is connected once nodes that come are counted, too.
    const Node start = first_node();
    find_rings(start, edges.size());
    seen_.assign(nodes.size(), false);
    write(start);
  }
  [[nodiscard]] const std::string& text() const { return out_; }

 private:
  [[nodiscard]] Node other(const RuleEdge& e, Node v) const { return e.u == v ? e.v : e.u; }

  /// One with few edges: a chain is written from its end.
  [[nodiscard]] Node first_node() const {
    std::vector<std::size_t> degree(nodes_.size(), 0);
    for (const RuleEdge& e : edges_) {
      ++degree[e.u];
      ++degree[e.v];
    }
    return static_cast<Node>(std::min_element(degree.begin(), degree.end()) - degree.begin());
  }

  void find_rings(Node v, std::size_t by) {
    seen_[v] = true;
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      const RuleEdge& e = edges_[i];
      if (i == by || used_[i] || (e.u != v && e.v != v)) continue;
      const Node w = other(e, v);
      if (seen_[w]) {
        used_[i] = true;
        const std::string number = (num_rings_ < 9 ? "" : "%") + std::to_string(num_rings_ + 1);
        ++num_rings_;
        rings_[w].push_back(number);
        rings_[v].push_back(bond(e) + number);
      } else {
        find_rings(w, i);
      }
    }
  }

  void write(Node v) {
    seen_[v] = true;
    out_ += atom(nodes_[v]);
    for (const std::string& ring : rings_[v]) out_ += ring;
    std::vector<const RuleEdge*> next;
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      const RuleEdge& e = edges_[i];
      if (!used_[i] && (e.u == v || e.v == v) && !seen_[other(e, v)]) next.push_back(&e);
    }
    for (std::size_t i = 0; i < next.size(); ++i) {
      const bool branches = i + 1 < next.size();
      if (branches) out_ += '(';
      out_ += bond(*next[i]);
      write(other(*next[i], v));
      if (branches) out_ += ')';
    }
  }

  [[nodiscard]] std::string name(Label label) const {
    return label < names_.nodes.size() ? names_.nodes[label] : fmt::format("#{}", label);
  }
  [[nodiscard]] std::string atom(const RuleNode& node) const {
    if (!node.changes()) {
      std::string text = name(node.before);
      if (!text.empty() && std::all_of(text.begin(), text.end(), is_letter)) return text;
      return "[" + escaped(text, ">]") + "]";
    }
    return "[" + (node.comes() ? "" : escaped(name(node.before), ">]")) + ">" +
           (node.goes() ? "" : escaped(name(node.after), ">]")) + "]";
  }
  [[nodiscard]] std::string sign(Label label) const {
    if (names_.edges.empty()) return "-";
    const std::string text =
        label < names_.edges.size() ? names_.edges[label] : fmt::format("#{}", label);
    for (const auto& [mark, called] : kBondSigns) {
      if (called == text) return {mark};
    }
    return escaped(text, ">}-=#:");
  }
  [[nodiscard]] std::string bond(const RuleEdge& e) const {
    const bool follows =
        nodes_[e.u].comes() || nodes_[e.v].comes() || nodes_[e.u].goes() || nodes_[e.v].goes();
    if (follows || !e.changes()) {
      const std::string text = sign(e.before == kAbsent ? e.after : e.before);
      const bool is_sign =
          text.size() == 1 && std::string_view("-=#:").find(text[0]) != std::string_view::npos;
      return is_sign ? text : "{" + text + "}";
    }
    return "{" + (e.comes() ? "" : sign(e.before)) + ">" + (e.goes() ? "" : sign(e.after)) + "}";
  }

  const std::vector<RuleNode>& nodes_;
  const std::vector<RuleEdge>& edges_;
  const RuleNames& names_;
  std::vector<bool> seen_;
  std::vector<bool> used_;                       ///< edges that close rings
  std::vector<std::vector<std::string>> rings_;  ///< by node
  int num_rings_ = 0;
  std::string out_;
};

class Parser {
 public:
  Parser(std::string_view text, const RuleNames& names) : text_(text), names_(names) {}

  Rule parse() {
    chain(std::nullopt);
    if (at_ < text_.size()) fail(fmt::format("what is the {} for?", in_quotes(rest())));
    if (!open_.empty()) fail(fmt::format("ring {} is not closed", open_.begin()->first));
    for (RuleEdge& e : edges_) {
      const bool comes = nodes_[e.u].comes() || nodes_[e.v].comes();
      const bool goes = nodes_[e.u].goes() || nodes_[e.v].goes();
      if (comes) e.before = kAbsent;
      if (goes) e.after = kAbsent;
    }
    try {
      return {nodes_, edges_};
    } catch (const Error& error) {
      fail(error.what());
    }
  }

 private:
  struct Bond {
    Label before = kAbsent;
    Label after = kAbsent;
  };

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(
        fmt::format("the rule {}: {}", in_quotes(std::string(text_), 120), what),
        "write it like C-[Cl>Br], O-[>Na] or C{=>-}O: before>after where something changes");
  }
  [[nodiscard]] std::string rest() const { return std::string(text_.substr(at_)); }
  [[nodiscard]] char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void chain(std::optional<Node> from) {
    constexpr std::size_t kMostNodes = 64;  // for the recursion; rules have fewer
    while (at_ < text_.size() && now() != ')') {
      if (now() == '(') {
        if (!from) fail("it begins with a branch");
        ++at_;
        chain(from);
        if (now() != ')') fail("a parenthesis is not closed");
        ++at_;
        continue;
      }
      const std::optional<Bond> bond = read_bond();
      if (is_digit(now()) || now() == '%') {
        if (!from) fail("it begins with a ring");
        ring(*from, bond);
        continue;
      }
      const auto node = static_cast<Node>(nodes_.size());
      if (nodes_.size() >= kMostNodes) fail("it has too many nodes");
      nodes_.push_back(read_atom());
      if (from) {
        join(*from, node, bond.value_or(plain()));
      } else if (bond) {
        fail("it begins with a bond");
      }
      from = node;
    }
  }

  void join(Node a, Node b, const Bond& bond) {
    edges_.push_back({std::min(a, b), std::max(a, b), bond.before, bond.after});
  }

  void ring(Node node, const std::optional<Bond>& bond) {
    std::string number;
    if (now() == '%') {
      ++at_;
      while (is_digit(now()) && number.size() < 2) number += text_[at_++];
      if (number.empty()) fail("a ring has no number");
    } else {
      number = text_[at_++];
    }
    const auto open = open_.find(number);
    if (open == open_.end()) {
      open_[number] = {node, bond};
      return;
    }
    const auto [begin, first] = open->second;
    open_.erase(open);
    if (begin == node) fail("a ring has one node");
    join(begin, node, bond ? *bond : first.value_or(plain()));
  }

  [[nodiscard]] Bond plain() const {
    if (names_.edges.empty()) return {0, 0};
    const Label single = edge_label("-");
    return {single, single};
  }

  std::optional<Bond> read_bond() {
    const char c = now();
    if (c == '-' || c == '=' || c == '#' || c == ':') {
      ++at_;
      const Label label = edge_label(std::string(1, c));
      return Bond{label, label};
    }
    if (c != '{') return std::nullopt;
    ++at_;
    const auto [before, after, has_both] = read_change('}');
    Bond out;
    if (!has_both && before.empty()) fail("a bond has no name");
    if (!before.empty()) out.before = edge_label(before);
    if (!has_both) {
      out.after = out.before;
    } else if (!after.empty()) {
      out.after = edge_label(after);
    }
    return out;
  }

  [[nodiscard]] Label edge_label(const std::string& name) const {
    if (names_.edges.empty()) {
      if (name == "-") return 0;
      fail("edges have no labels here: write -");
    }
    std::string_view wanted = name;
    for (const auto& [mark, called] : kBondSigns) {
      if (name.size() == 1 && name[0] == mark) wanted = called;
    }
    const auto at = std::find(names_.edges.begin(), names_.edges.end(), wanted);
    if (at == names_.edges.end()) {
      fail(fmt::format("there is no edge label {}", in_quotes(std::string(wanted))));
    }
    return static_cast<Label>(at - names_.edges.begin());
  }

  RuleNode read_atom() {
    if (is_letter(now())) {
      std::string name;
      while (is_letter(now())) name += text_[at_++];
      const Label label = node_label(name);
      return {label, label};
    }
    if (now() != '[') fail(fmt::format("a label was expected, and not {}", in_quotes(rest())));
    ++at_;
    const auto [before, after, has_both] = read_change(']');
    RuleNode out;
    if (!has_both && before.empty()) fail("a node has no label");
    if (!before.empty()) out.before = node_label(before);
    if (!has_both) {
      out.after = out.before;
    } else if (!after.empty()) {
      out.after = node_label(after);
    }
    return out;
  }

  [[nodiscard]] Label node_label(const std::string& name) const {
    const auto at = std::find(names_.nodes.begin(), names_.nodes.end(), name);
    if (at == names_.nodes.end()) {
      fail(fmt::format("there is no label {}", in_quotes(name)));
    }
    return static_cast<Label>(at - names_.nodes.begin());
  }

  struct Change {
    std::string before;
    std::string after;
    bool has_both = false;
  };
  Change read_change(char end) {
    Change out;
    while (now() != end) {
      if (at_ >= text_.size()) fail("a bracket is not closed");
      char c = text_[at_++];
      if (c == '>' && !out.has_both) {
        out.has_both = true;
        continue;
      }
      if (c == '\\') {
        if (at_ >= text_.size()) fail("it ends with \\");
        c = text_[at_++];
      }
      (out.has_both ? out.after : out.before) += c;
    }
    ++at_;
    return out;
  }

  std::string_view text_;
  const RuleNames& names_;
  std::size_t at_ = 0;
  std::vector<RuleNode> nodes_;
  std::vector<RuleEdge> edges_;
  std::map<std::string, std::pair<Node, std::optional<Bond>>> open_;
};

}  // namespace

std::string rule_text(const Rule& rule, const RuleNames& names) {
  return Writer(rule.nodes(), rule.edges(), names).text();
}

std::string pattern_text(const std::vector<RuleNode>& nodes, const std::vector<RuleEdge>& edges,
                         const RuleNames& names) {
  return Writer(nodes, edges, names).text();
}

Rule parse_rule(std::string_view text, const RuleNames& names) {
  return Parser(text, names).parse();
}

}  // namespace fewedits
