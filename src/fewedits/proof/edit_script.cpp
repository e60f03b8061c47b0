// SPDX-License-Identifier: MIT
#include "fewedits/proof/edit_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/proof/certificate.hpp"

namespace fewedits {
namespace {

using Kind = EditOp::Kind;

/// Writes the groups of a script one after the other.
class ScriptWriter {
 public:
  ScriptWriter(const Graph& a, const Graph& b, std::span<const Node> map, const EditCosts& costs)
      : a_(a), b_(b), costs_(costs), ids_(inverse_map(map, b.num_nodes())) {
    script_.map.assign(map.begin(), map.end());
  }

  EditScript write() && {
    relabel_nodes();
    relabel_edges();
    delete_edges();
    delete_nodes();
    insert_nodes();
    insert_edges();
    return std::move(script_);
  }

 private:
  enum class Fate { kKept, kRelabelled, kGone };

  /// What becomes of edge {u,v} of a.
  [[nodiscard]] Fate fate(Node u, Node v) const {
    const Node image_u = script_.map[u];
    const Node image_v = script_.map[v];
    if (image_u == kUnmatched || image_v == kUnmatched) return Fate::kGone;
    if (!b_.has_edge(image_u, image_v)) return Fate::kGone;
    if (costs_.relabel_edge == 0) return Fate::kKept;
    if (a_.edge_label(u, v) == b_.edge_label(image_u, image_v)) return Fate::kKept;
    const bool worth_it = costs_.relabel_edge <= costs_.delete_edge + costs_.insert_edge;
    return worth_it ? Fate::kRelabelled : Fate::kGone;
  }

  /// True if {u,v}, by ids, is an edge of a that stays.
  [[nodiscard]] bool stays(Node u, Node v) const {
    const Node from_start = a_.num_nodes();
    return u < from_start && v < from_start && a_.has_edge(u, v) && fate(u, v) != Fate::kGone;
  }

  void relabel_nodes() {
    for (Node u = 0; u < a_.num_nodes(); ++u) {
      const Node image = script_.map[u];
      if (image == kUnmatched || a_.label(u) == b_.label(image)) continue;
      script_.ops.push_back({Kind::kRelabelNode, u, 0, b_.label(image)});
    }
  }

  void relabel_edges() {
    for (const Edge& e : a_.edges()) {
      if (fate(e.u, e.v) != Fate::kRelabelled) continue;
      const Label label = b_.edge_label(script_.map[e.u], script_.map[e.v]);
      script_.ops.push_back({Kind::kRelabelEdge, e.u, e.v, label});
    }
  }

  void delete_edges() {
    for (const Edge& e : a_.edges()) {
      if (fate(e.u, e.v) == Fate::kGone) script_.ops.push_back({Kind::kDeleteEdge, e.u, e.v, 0});
    }
  }

  void delete_nodes() {
    for (Node u = 0; u < a_.num_nodes(); ++u) {
      if (script_.map[u] == kUnmatched) script_.ops.push_back({Kind::kDeleteNode, u, 0, 0});
    }
  }

  void insert_nodes() {
    for (Node w = 0; w < b_.num_nodes(); ++w) {
      if (ids_[w] != kUnmatched) continue;
      ids_[w] = static_cast<Node>(script_.map.size());
      script_.map.push_back(w);
      script_.ops.push_back({Kind::kInsertNode, ids_[w], 0, b_.label(w)});
    }
  }

  void insert_edges() {
    std::vector<Edge> inserted;
    for (const Edge& e : b_.edges()) {
      const auto [u, v] = std::minmax(ids_[e.u], ids_[e.v]);
      if (!stays(u, v)) inserted.push_back({u, v, e.label});
    }
    std::sort(inserted.begin(), inserted.end());
    for (const Edge& e : inserted) {
      script_.ops.push_back({Kind::kInsertEdge, e.u, e.v, e.label});
    }
  }

  const Graph& a_;
  const Graph& b_;
  const EditCosts& costs_;
  /// Id in the script of each node of b; complete once nodes are inserted.
  std::vector<Node> ids_;
  EditScript script_;
};

std::string name_of(Label label, std::span<const std::string> names) {
  return label < names.size() && !names[label].empty() ? names[label] : std::to_string(label);
}

/// Says what the edits of a script that fits do, keeping track of what labels were before.
class Narrator {
 public:
  Narrator(const Graph& start, std::span<const EditOp> ops, const LabelNames& names)
      : start_(start),
        names_(names),
        terms_(edit_terms(names.molecules)),
        labels_(start.labels().begin(), start.labels().end()),
        edges_have_labels_(start.has_edge_labels() ||
                           std::any_of(ops.begin(), ops.end(), labels_edge)) {}

  std::string tell(const EditOp& op) {
    switch (op.kind) {
      case Kind::kRelabelNode: return relabel_node(op);
      case Kind::kRelabelEdge: return relabel_edge(op);
      case Kind::kDeleteEdge: return "remove " + edge(op);
      case Kind::kDeleteNode: return fmt::format("remove {} ({})", node(op), name_of_node(op.u));
      case Kind::kInsertNode: return insert_node(op);
      case Kind::kInsertEdge: return insert_edge(op);
    }
    assert(false && "replay refuses other kinds");
    return {};
  }

 private:
  static bool labels_edge(const EditOp& op) {
    return (op.kind == Kind::kInsertEdge || op.kind == Kind::kRelabelEdge) && op.label != 0;
  }

  [[nodiscard]] std::string node(const EditOp& op) const {
    return fmt::format("{} {}", terms_.node, op.u);
  }
  [[nodiscard]] std::string edge(const EditOp& op) const {
    return fmt::format("{} {}–{}", terms_.edge, op.u, op.v);
  }
  [[nodiscard]] std::string name_of_node(Node u) const { return name_of(labels_[u], names_.nodes); }

  std::string relabel_node(const EditOp& op) {
    const std::string before = name_of_node(op.u);
    labels_[op.u] = op.label;
    return fmt::format("relabel {} from {} to {}", node(op), before, name_of_node(op.u));
  }

  std::string insert_node(const EditOp& op) {
    labels_.push_back(op.label);
    return fmt::format("add {} ({})", node(op), name_of_node(op.u));
  }

  std::string relabel_edge(const EditOp& op) {
    const auto [it, untouched] = touched_.try_emplace(std::minmax(op.u, op.v), Label{0});
    if (untouched) it->second = start_.edge_label(op.u, op.v);
    const Label before = std::exchange(it->second, op.label);
    return fmt::format("relabel {} from {} to {}", edge(op), name_of(before, names_.edges),
                       name_of(op.label, names_.edges));
  }

  std::string insert_edge(const EditOp& op) {
    touched_[std::minmax(op.u, op.v)] = op.label;
    const std::string text = "add " + edge(op);
    return edges_have_labels_ ? fmt::format("{} ({})", text, name_of(op.label, names_.edges))
                              : text;
  }

  const Graph& start_;
  const LabelNames& names_;
  EditTerms terms_;
  std::vector<Label> labels_;
  /// Labels of the edges that are not as they were at the start.
  std::map<std::pair<Node, Node>, Label> touched_;
  bool edges_have_labels_;
};

std::vector<std::string> names_of(std::span<const NamedValue> values) {
  std::vector<std::string> names;
  names.reserve(values.size());
  for (const NamedValue& v : values) {
    names.push_back(v.name.empty() ? std::to_string(v.value) : v.name);
  }
  return names;
}

}  // namespace

std::int64_t cost_of(const EditOp& op, const EditCosts& costs) {
  switch (op.kind) {
    case Kind::kRelabelNode: return costs.relabel_node;
    case Kind::kRelabelEdge: return costs.relabel_edge;
    case Kind::kDeleteEdge: return costs.delete_edge;
    case Kind::kDeleteNode: return costs.delete_node;
    case Kind::kInsertNode: return costs.insert_node;
    case Kind::kInsertEdge: return costs.insert_edge;
  }
  throw Error("an edit of an unknown kind has no cost");
}

EditScript edit_script(const Graph& a, const Graph& b, std::span<const Node> map,
                       const EditCosts& costs) {
  assert(is_node_map(a, b, map));
  return ScriptWriter(a, b, map, costs).write();
}

LabelNames label_names(const Dataset& dataset) {
  return {names_of(dataset.node_labels), names_of(dataset.edge_labels), dataset.is_molecular()};
}

std::vector<std::string> script_in_words(const Graph& start, const EditScript& script,
                                         const LabelNames& names) {
  // Refuses what does not fit, so that telling need not.
  static_cast<void>(replay(start, script.ops));
  Narrator narrator(start, script.ops, names);
  std::vector<std::string> lines;
  lines.reserve(script.ops.size());
  for (const EditOp& op : script.ops) lines.push_back(narrator.tell(op));
  return lines;
}

}  // namespace fewedits
