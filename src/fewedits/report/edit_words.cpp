// SPDX-License-Identifier: MIT
#include "fewedits/report/edit_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <set>
#include <tuple>
#include <utility>

#include "fewedits/base/text.hpp"
#include "fewedits/chem/atom_label.hpp"

namespace fewedits {
namespace {

using Kind = EditOp::Kind;

/// Label of a node of the script before and after it.
Label before(Node id, const Graph& a) { return a.label(id); }
Label after(Node id, const Graph& b, const EditScript& script) { return b.label(script.map[id]); }

/// The labels of each connected part of the nodes for which `chosen` holds.
template <typename Chosen>
std::vector<std::vector<Label>> parts_of(const Graph& g, const Chosen& chosen) {
  std::vector<std::vector<Label>> out;
  std::vector<bool> seen(g.num_nodes(), false);
  for (Node start = 0; start < g.num_nodes(); ++start) {
    if (seen[start] || !chosen(start)) continue;
    std::vector<Node> part{start};
    seen[start] = true;
    for (std::size_t i = 0; i < part.size(); ++i) {
      for (const Node w : g.neighbours(part[i])) {
        if (seen[w] || !chosen(w)) continue;
        seen[w] = true;
        part.push_back(w);
      }
    }
    out.emplace_back();
    for (const Node v : part) out.back().push_back(g.label(v));
  }
  return out;
}

/// A name says what it is, a number does not.
bool is_number(const std::string& name) { return number_in<std::int64_t>(name).has_value(); }

}  // namespace

EditWords::EditWords(std::vector<std::string> label_names, bool molecules,
                     std::vector<std::string> edge_label_names)
    : names_(std::move(label_names)),
      edge_names_(std::move(edge_label_names)),
      molecules_(molecules),
      unlabelled_(!molecules && names_.size() == 1 && is_number(names_[0])) {}

/// Carbon first, hydrogen next, then by name, as chemists write formulas (Hill 1900).
bool EditWords::is_before(Label u, Label v) const {
  const auto rank = [&](Label label) {
    const std::string& name = names_.at(label);
    const int special = !molecules_ ? 2 : (name == "C" ? 0 : (name == "H" ? 1 : 2));
    return std::tuple<int, const std::string&, Label>(special, name, label);
  };
  return rank(u) < rank(v);
}

/// "C=O"; where the label of the edge is not told, "C–O".
std::string EditWords::pair_text(Label u, Label v, Label edge) const {
  if (is_before(v, u)) std::swap(u, v);
  const char* line = "–";
  if (molecules_ && edge < edge_names_.size()) {
    const std::string& bond = edge_names_[edge];
    line = bond == "double" ? "=" : bond == "triple" ? "≡" : bond == "aromatic" ? "∶" : "–";
  }
  return fmt::format("{}{}{}", names_.at(u), line, names_.at(v));
}

std::string EditWords::edge_text(Label u, Label v, Label edge) const {
  const std::string term = edit_terms(molecules_).edge;
  std::string what = unlabelled_ ? term : pair_text(u, v, edge) + " " + term;
  if (molecules_ || edge >= edge_names_.size()) return what;
  const std::string& name = edge_names_[edge];
  return is_number(name) ? fmt::format("{} of label {}", what, name) : name + " " + what;
}

std::string EditWords::relabelled_edge_text(const EditOp& op, const Graph& a) const {
  const Label u = before(op.u, a);
  const Label v = before(op.v, a);
  if (edge_names_.empty()) {
    return fmt::format("change the label of {} {}", unlabelled_ ? "an" : "a", edge_text(u, v, 0));
  }
  const Label from = a.edge_label(op.u, op.v);
  if (molecules_) {
    return fmt::format("{} becomes {}", pair_text(u, v, from), pair_text(u, v, op.label));
  }
  return fmt::format("change {} to {}", edge_text(u, v, from), edge_names_.at(op.label));
}

std::string EditWords::node_text(Label label) const {
  std::string node = edit_terms(molecules_).node;
  if (unlabelled_) return node;
  const std::string& name = names_.at(label);
  if (molecules_) return name;  // an element is an atom anyway
  return is_number(name) ? fmt::format("{} of label {}", node, name) : name + " " + node;
}

std::string EditWords::text_of(const EditOp& op, const Graph& a, const Graph& b,
                               const EditScript& script) const {
  switch (op.kind) {
    case Kind::kRelabelNode:
      return fmt::format("change {} to {}", names_.at(before(op.u, a)), names_.at(op.label));
    case Kind::kRelabelEdge: return relabelled_edge_text(op, a);
    case Kind::kDeleteEdge:
      return "remove " + edge_text(before(op.u, a), before(op.v, a), a.edge_label(op.u, op.v));
    case Kind::kDeleteNode: return "remove " + node_text(before(op.u, a));
    case Kind::kInsertNode: return "add " + node_text(op.label);
    case Kind::kInsertEdge:
      return "add " + edge_text(after(op.u, b, script), after(op.v, b, script), op.label);
  }
  assert(false && "there is no other kind");
  return {};
}

std::vector<std::uint32_t> EditWords::tell(const Graph& a, const Graph& b,
                                           const EditScript& script) {
  std::vector<std::uint32_t> out;
  for (const EditOp& op : script.ops) {
    const std::string text = text_of(op, a, b, script);
    const auto next = static_cast<std::uint32_t>(phrases_.size());
    const auto [place, unknown] = index_.try_emplace(text, next);
    if (unknown) phrases_.push_back(text);
    out.push_back(place->second);
  }
  return out;
}

std::map<std::string, std::int64_t> EditWords::inventory(const Graph& graph) const {
  std::map<std::string, std::int64_t> out;
  if (unlabelled_) {
    const EditTerms terms = edit_terms(molecules_);
    return {{std::string(terms.node) + "s", graph.num_nodes()},
            {std::string(terms.edge) + "s", graph.num_edges()}};
  }
  for (const Label label : graph.labels()) ++out[names_.at(label)];
  for (const Edge& e : graph.edges()) {
    ++out[edge_text(graph.label(e.u), graph.label(e.v), e.label)];
  }
  return out;
}

std::string EditWords::formula(std::vector<Label> labels) const {
  if (unlabelled_) return counted(labels.size(), edit_terms(molecules_).node);
  std::sort(labels.begin(), labels.end(), [&](Label u, Label v) { return is_before(u, v); });
  std::string out;
  for (std::size_t i = 0; i < labels.size();) {
    const std::size_t begin = i;
    while (i < labels.size() && labels[i] == labels[begin]) ++i;
    const std::size_t count = i - begin;
    const std::string& name = names_.at(labels[begin]);
    if (molecules_) {
      // N+2 is no two of N+.
      out += element_of(name) == name ? name : fmt::format("[{}]", name);
      if (count > 1) out += std::to_string(count);
      continue;
    }
    if (!out.empty()) out += ", ";
    if (is_number(name)) {
      out += fmt::format("{} of label {}", counted(count, edit_terms(molecules_).node), name);
    } else {
      out += count == 1 ? name : fmt::format("{} {}", count, name);
    }
  }
  return out;
}

void ChangeSummary::add_to(Counts& counts, const std::vector<Key>& seen) {
  for (const Key& key : seen) ++counts[key].times;
  for (const Key& key : std::set<Key>(seen.begin(), seen.end())) ++counts[key].inputs;
}

void ChangeSummary::add(const Graph& a, const Graph& b, const EditScript& script,
                        std::span<const std::uint32_t> told) {
  std::vector<Key> edits;
  for (std::size_t i = 0; i < told.size(); ++i) {
    edits.emplace_back(script.ops[i].kind, words_.phrases()[told[i]]);
  }
  add_to(edits_, edits);

  std::vector<Key> parts;
  const NodeMap back = inverse_map(std::span(script.map).first(a.num_nodes()), b.num_nodes());
  for (auto& part : parts_of(a, [&](Node v) { return script.map[v] == kUnmatched; })) {
    parts.emplace_back(Kind::kDeleteNode, words_.formula(std::move(part)));
  }
  for (auto& part : parts_of(b, [&](Node v) { return back[v] == kUnmatched; })) {
    parts.emplace_back(Kind::kInsertNode, words_.formula(std::move(part)));
  }
  add_to(parts_, parts);

  std::map<std::string, std::int64_t> difference = words_.inventory(b);
  for (const auto& [text, count] : words_.inventory(a)) difference[text] -= count;
  for (const auto& [text, net] : difference) {
    BalanceCount& total = balance_[text];
    total.net += net;
    total.fewer += net < 0 ? 1U : 0U;
    total.more += net > 0 ? 1U : 0U;
  }
}

std::vector<BalanceCount> ChangeSummary::balance() const {
  std::vector<BalanceCount> out;
  for (const auto& [text, total] : balance_) {
    if (total.net != 0) out.push_back({text, total.net, total.fewer, total.more});
  }
  std::stable_sort(out.begin(), out.end(), [](const BalanceCount& a, const BalanceCount& b) {
    return std::abs(a.net) > std::abs(b.net);
  });
  return out;
}

std::vector<ChangeCount> ChangeSummary::sorted(const Counts& counts) {
  std::vector<ChangeCount> out;
  for (const auto& [key, count] : counts) {
    out.push_back({key.second, key.first, count.times, count.inputs});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const ChangeCount& a, const ChangeCount& b) { return a.times > b.times; });
  return out;
}

}  // namespace fewedits
