// SPDX-License-Identifier: MIT
#include "fewedits/induction/generalise.hpp"

#include <algorithm>
#include <utility>

#include "fewedits/base/error.hpp"

namespace fewedits {
namespace {

constexpr Node kNone = kUnmatched;
/// Nodes of L if paths must join it: longer ones occur in thousands of variants, each seldom, and
/// in some graphs have millions of occurrences.
constexpr std::size_t kMostJoined = 6;

/// What a step does, by the numbers that nodes have before it; those that come follow.
class Changes {
 public:
  explicit Changes(const Graph& graph) : graph_(graph), next_(graph.num_nodes()) {}

  void make(const Edit& edit) {
    using Kind = Edit::Kind;
    switch (edit.kind) {
      case Kind::kNone: break;
      case Kind::kRelabel: node(first(edit.u)).after = edit.label; break;
      case Kind::kAddLeaf: {
        const Node leaf = next_++;
        node(leaf).after = edit.label;
        edge(first(edit.u), leaf).after = edit.edge_label;
        break;
      }
      case Kind::kRemoveLeaf: remove(first(edit.u)); break;
      case Kind::kAddEdge: edge(first(edit.u), first(edit.v)).after = edit.edge_label; break;
      case Kind::kRemoveEdge: edge(first(edit.u), first(edit.v)).after = kAbsent; break;
      case Kind::kRelabelEdge: edge(first(edit.u), first(edit.v)).after = edit.label; break;
    }
  }

  RuleNode& node(Node v) {
    for (auto& [at, labels] : nodes_) {
      if (at == v) return labels;
    }
    const Label before = v < graph_.num_nodes() ? graph_.label(v) : kAbsent;
    return nodes_.emplace_back(v, RuleNode{before, before}).second;
  }
  RuleEdge& edge(Node u, Node v) {
    std::tie(u, v) = std::pair(std::min(u, v), std::max(u, v));
    for (RuleEdge& e : edges_) {
      if (e.u == u && e.v == v) return e;
    }
    const bool is_there = v < graph_.num_nodes() && graph_.has_edge(u, v);
    const Label before = is_there ? graph_.edge_label(u, v) : kAbsent;
    return edges_.emplace_back(RuleEdge{u, v, before, before});
  }
  void remove(Node v) {
    node(v).after = kAbsent;
    if (v < graph_.num_nodes()) {
      for (const Node w : graph_.neighbours(v)) edge(v, w).after = kAbsent;
    }
    for (RuleEdge& e : edges_) {
      if (e.u == v || e.v == v) e.after = kAbsent;
    }
    gone_.insert(std::lower_bound(gone_.begin(), gone_.end(), v), v);
  }

  std::optional<RuleDraft> draft() {
    tidy();
    if (nodes_.empty()) return std::nullopt;
    while (join_two_parts()) {
      if (num_before() > kMostJoined) return std::nullopt;
    }
    if (num_before() > Rule::kMostBefore || nodes_.size() > Rule::kMostNodes || !is_joined()) {
      return std::nullopt;
    }
    RuleDraft out;
    for (const auto& [v, labels] : nodes_) out.nodes.push_back(labels);
    for (const RuleEdge& e : edges_) {
      out.edges.push_back({place(e.u), place(e.v), e.before, e.after});
    }
    return out;
  }

 private:
  /// The number before the step of a node that has this one now.
  [[nodiscard]] Node first(Node now) const {
    for (const Node v : gone_) now += v <= now ? 1 : 0;
    return now;
  }
  [[nodiscard]] Node place(Node v) const {
    for (Node i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].first == v) return i;
    }
    return kNone;
  }
  [[nodiscard]] std::size_t num_before() const {
    return static_cast<std::size_t>(std::count_if(
        nodes_.begin(), nodes_.end(), [](const auto& node) { return !node.second.comes(); }));
  }

  /// What was undone again, and what came and went, is left out.
  void tidy() {
    std::erase_if(edges_, [](const RuleEdge& e) { return !e.changes(); });
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      node(edges_[i].u);
      node(edges_[i].v);
    }
    std::erase_if(nodes_, [&](const auto& node) {
      return !node.second.changes() &&
             std::none_of(edges_.begin(), edges_.end(), [&](const RuleEdge& e) {
               return e.u == node.first || e.v == node.first;
             });
    });
  }

  /// By place in nodes_: which nodes of L are joined by edges of L; kNone for those that come.
  [[nodiscard]] std::vector<Node> parts() const {
    std::vector<Node> part(nodes_.size());
    for (Node i = 0; i < part.size(); ++i) part[i] = nodes_[i].second.comes() ? kNone : i;
    for (const RuleEdge& e : edges_) {
      if (e.comes()) continue;
      const Node from = part[place(e.u)];
      const Node to = part[place(e.v)];
      for (Node& p : part) p = p == from ? to : p;
    }
    return part;
  }
  [[nodiscard]] bool is_joined() const {
    const auto part = parts();
    Node only = kNone;
    for (const Node p : part) {
      if (p == kNone) continue;
      if (only == kNone) only = p;
      if (p != only) return false;
    }
    return only != kNone;
  }

  /// The shortest path from the first part to another one; false if there is none, or no other.
  bool join_two_parts() {
    const std::vector<Node> part = parts();
    Node source = kNone;
    for (const Node p : part) {
      if (source == kNone) source = p;
    }
    if (source == kNone || is_joined()) return false;
    std::vector<Node>& from = from_;
    from.assign(graph_.num_nodes(), kNone);
    std::vector<Node> queue;
    for (Node i = 0; i < part.size(); ++i) {
      if (part[i] != source) continue;
      queue.push_back(nodes_[i].first);
      from[nodes_[i].first] = nodes_[i].first;
    }
    std::size_t level_ends = queue.size();
    std::size_t depth = 0;
    for (std::size_t at = 0; at < queue.size(); ++at) {
      if (at == level_ends) {
        level_ends = queue.size();
        if (++depth >= kMostJoined) return false;
      }
      const Node v = queue[at];
      for (const Node w : graph_.neighbours(v)) {
        if (from[w] != kNone) continue;
        from[w] = v;
        const Node i = place(w);
        if (i != kNone && part[i] != kNone && part[i] != source) {
          add_path(w);
          return true;
        }
        queue.push_back(w);
      }
    }
    return false;
  }
  void add_path(Node end) {
    for (Node v = end; from_[v] != v; v = from_[v]) {
      node(v);
      node(from_[v]);
      edge(v, from_[v]);
    }
  }

  const Graph& graph_;
  Node next_;
  std::vector<std::pair<Node, RuleNode>> nodes_;
  std::vector<RuleEdge> edges_;
  std::vector<Node> gone_;  ///< ascending
  std::vector<Node> from_;
};

}  // namespace

std::optional<RuleDraft> draft_of(const Graph& graph, std::span<const Edit> step) {
  Changes changes(graph);
  for (const Edit& edit : step) changes.make(edit);
  return changes.draft();
}

std::optional<RuleDraft> draft_of(const Graph& before, const Graph& after,
                                  std::span<const Node> map) {
  Changes changes(before);
  std::vector<Node> origin(after.num_nodes(), kNone);
  for (Node v = 0; v < map.size(); ++v) {
    if (map[v] == kUnmatched) {
      changes.remove(v);
    } else {
      origin[map[v]] = v;
      if (after.label(map[v]) != before.label(v)) changes.node(v).after = after.label(map[v]);
    }
  }
  Node next = before.num_nodes();
  for (Node w = 0; w < origin.size(); ++w) {
    if (origin[w] != kNone) continue;
    origin[w] = next++;
    changes.node(origin[w]).after = after.label(w);
  }
  const bool labels = before.has_edge_labels() && after.has_edge_labels();
  for (const Edge& e : before.edges()) {
    const Node u = map[e.u];
    const Node v = map[e.v];
    if (u == kUnmatched || v == kUnmatched) continue;
    if (!after.has_edge(u, v)) {
      changes.edge(e.u, e.v).after = kAbsent;
    } else if (labels && after.edge_label(u, v) != e.label) {
      changes.edge(e.u, e.v).after = after.edge_label(u, v);
    }
  }
  for (const Edge& e : after.edges()) {
    const Node u = origin[e.u];
    const Node v = origin[e.v];
    const bool was_there = std::max(u, v) < before.num_nodes() && before.has_edge(u, v);
    if (!was_there) changes.edge(u, v).after = labels ? e.label : 0;
  }
  return changes.draft();
}

std::optional<Rule> rule_of(const RuleDraft& draft) {
  try {
    return Rule(draft.nodes, draft.edges);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace fewedits
