// SPDX-License-Identifier: MIT
#include "fewedits/proof/certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "fewedits/base/error.hpp"

namespace fewedits {
namespace {

/// Ends (smaller first) and label of every edge. A tree and not a hash table: ids come from a
/// file, and no choice of them can make it slow.
using EdgeTable = std::map<std::pair<Node, Node>, Label>;

std::pair<Node, Node> ends(Node u, Node v) { return {std::min(u, v), std::max(u, v)}; }

EdgeTable edge_table(const Graph& g) {
  EdgeTable table;
  for (Node u = 0; u < g.num_nodes(); ++u) {
    const auto row = g.neighbours(u);
    const auto labels = g.edge_labels(u);
    for (std::size_t i = 0; i < row.size(); ++i) {
      table.emplace(ends(u, row[i]), labels.empty() ? Label{0} : labels[i]);
    }
  }
  return table;
}

/// A graph under edit. Every edit returns what is wrong with it, and then has changed nothing, or
/// an empty string.
class Workbench {
 public:
  explicit Workbench(const Graph& start)
      : labels_(start.labels().begin(), start.labels().end()),
        alive_(start.num_nodes(), true),
        degrees_(start.num_nodes(), 0),
        edges_(edge_table(start)),
        edges_have_labels_(start.has_edge_labels()) {
    for (const auto& [edge, label] : edges_) {
      ++degrees_[edge.first];
      ++degrees_[edge.second];
    }
  }

  std::string carry_out(const EditOp& op) {
    switch (op.kind) {
      case EditOp::Kind::kRelabelNode: return relabel_node(op.u, op.label);
      case EditOp::Kind::kRelabelEdge: return relabel_edge(op.u, op.v, op.label);
      case EditOp::Kind::kDeleteEdge: return delete_edge(op.u, op.v);
      case EditOp::Kind::kDeleteNode: return delete_node(op.u);
      case EditOp::Kind::kInsertNode: return insert_node(op.u, op.label);
      case EditOp::Kind::kInsertEdge: return insert_edge(op.u, op.v, op.label);
    }
    return fmt::format("there is no edit of kind {}", static_cast<int>(op.kind));
  }

  /// The surviving nodes, ascending by id.
  [[nodiscard]] Replayed result() const {
    std::vector<Node> ids;
    std::vector<Node> position(labels_.size());
    std::vector<Label> labels;
    for (std::size_t id = 0; id < labels_.size(); ++id) {
      if (!alive_[id]) continue;
      position[id] = static_cast<Node>(ids.size());
      ids.push_back(static_cast<Node>(id));
      labels.push_back(labels_[id]);
    }
    std::vector<Edge> edges;
    edges.reserve(edges_.size());
    for (const auto& [edge, label] : edges_) {
      edges.push_back({position[edge.first], position[edge.second], label});
    }
    const auto kind = edges_have_labels_ ? Graph::EdgeLabels::kPresent : Graph::EdgeLabels::kAbsent;
    return {Graph(labels, edges, kind), std::move(ids)};
  }

 private:
  [[nodiscard]] std::string absence(Node u) const {
    if (u >= labels_.size()) return fmt::format("there is no node {}", u);
    return alive_[u] ? std::string{} : fmt::format("node {} was deleted before", u);
  }

  std::string relabel_node(Node u, Label label) {
    if (auto wrong = absence(u); !wrong.empty()) return wrong;
    if (labels_[u] == label) return fmt::format("node {} has label {} already", u, label);
    labels_[u] = label;
    return {};
  }

  std::string relabel_edge(Node u, Node v, Label label) {
    const auto it = edges_.find(ends(u, v));
    if (it == edges_.end()) return fmt::format("there is no edge {}-{}", u, v);
    if (it->second == label) return fmt::format("edge {}-{} has label {} already", u, v, label);
    it->second = label;
    edges_have_labels_ = true;
    return {};
  }

  std::string delete_edge(Node u, Node v) {
    if (edges_.erase(ends(u, v)) == 0) return fmt::format("there is no edge {}-{}", u, v);
    --degrees_[u];
    --degrees_[v];
    return {};
  }

  std::string delete_node(Node u) {
    if (auto wrong = absence(u); !wrong.empty()) return wrong;
    if (degrees_[u] > 0) return fmt::format("node {} still has edges ({})", u, degrees_[u]);
    alive_[u] = false;
    return {};
  }

  std::string insert_node(Node u, Label label) {
    if (u != labels_.size()) {
      return fmt::format("node {} is inserted, but the next free id is {}", u, labels_.size());
    }
    labels_.push_back(label);
    alive_.push_back(true);
    degrees_.push_back(0);
    return {};
  }

  std::string insert_edge(Node u, Node v, Label label) {
    if (auto wrong = absence(u); !wrong.empty()) return wrong;
    if (auto wrong = absence(v); !wrong.empty()) return wrong;
    if (u == v) return fmt::format("edge {}-{} is a self loop", u, v);
    if (!edges_.emplace(ends(u, v), label).second) {
      return fmt::format("edge {}-{} is there already", u, v);
    }
    ++degrees_[u];
    ++degrees_[v];
    if (label != 0) edges_have_labels_ = true;
    return {};
  }

  // Indexed by id: the nodes of the start, then the inserted ones; deleted ones stay.
  std::vector<Label> labels_;
  std::vector<bool> alive_;
  std::vector<std::uint32_t> degrees_;
  EdgeTable edges_;
  bool edges_have_labels_;
};

/// What is wrong with the map as a bijection that keeps labels of nodes, or an empty string.
std::string fault_in_nodes(const Replayed& result, const Graph& b, std::span<const Node> map) {
  if (result.graph.num_nodes() != b.num_nodes()) {
    return fmt::format("the result has {} nodes, the target {}", result.graph.num_nodes(),
                       b.num_nodes());
  }
  std::vector<bool> taken(b.num_nodes(), false);
  std::size_t at = 0;
  for (std::size_t id = 0; id < map.size(); ++id) {
    const Node image = map[id];
    const bool survives = at < result.ids.size() && result.ids[at] == id;
    if (!survives) {
      if (image == kUnmatched) continue;
      return fmt::format("deleted node {} is mapped to node {} of the target", id, image);
    }
    if (image >= b.num_nodes())
      return fmt::format("node {} is mapped to no node of the target", id);
    if (taken[image]) return fmt::format("two nodes are mapped to node {} of the target", image);
    taken[image] = true;
    const Label label = result.graph.label(static_cast<Node>(at));
    if (label != b.label(image)) {
      return fmt::format("node {} ends with label {}, node {} of the target has {}", id, label,
                         image, b.label(image));
    }
    ++at;
  }
  return {};
}

/// What is wrong with the edges under a map that is a bijection, or an empty string.
std::string fault_in_edges(const Replayed& result, const Graph& b, std::span<const Node> map,
                           bool compare_labels) {
  EdgeTable missing = edge_table(b);
  for (const auto& [edge, label] : edge_table(result.graph)) {
    const Node u = result.ids[edge.first];
    const Node v = result.ids[edge.second];
    const auto it = missing.find(ends(map[u], map[v]));
    if (it == missing.end()) return fmt::format("edge {}-{} is not in the target", u, v);
    if (compare_labels && it->second != label) {
      return fmt::format("edge {}-{} ends with label {}, the target's has {}", u, v, label,
                         it->second);
    }
    missing.erase(it);
  }
  if (missing.empty()) return {};
  const auto& [edge, label] = *missing.begin();
  return fmt::format("edge {}-{} of the target is missing", edge.first, edge.second);
}

std::string fault_in_result(const Replayed& result, const Graph& a, const Graph& b,
                            const EditScript& script, const EditCosts& costs) {
  const auto inserted = std::count_if(script.ops.begin(), script.ops.end(), [](const EditOp& op) {
    return op.kind == EditOp::Kind::kInsertNode;
  });
  const std::size_t ids = a.num_nodes() + static_cast<std::size_t>(inserted);
  if (script.map.size() != ids) {
    return fmt::format("the map has {} entries for {} nodes", script.map.size(), ids);
  }
  std::string fault = fault_in_nodes(result, b, script.map);
  if (!fault.empty()) return fault;
  return fault_in_edges(result, b, script.map, costs.relabel_edge > 0);
}

}  // namespace

Replayed replay(const Graph& start, std::span<const EditOp> ops) {
  Workbench bench(start);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const std::string wrong = bench.carry_out(ops[i]);
    if (!wrong.empty()) {
      throw Error(fmt::format("edit {} cannot be carried out: {}", i + 1, wrong));
    }
  }
  return bench.result();
}

Verdict check_certificate(const Graph& a, const Graph& b, const EditScript& script,
                          const EditCosts& costs, std::optional<std::int64_t> limit) {
  Verdict verdict;
  try {
    costs.check();
    const Replayed result = replay(a, script.ops);
    for (const EditOp& op : script.ops) verdict.cost += cost_of(op, costs);
    verdict.reason = fault_in_result(result, a, b, script, costs);
  } catch (const Error& e) {
    verdict.reason = e.what();
  }
  if (verdict.reason.empty() && limit && verdict.cost > *limit) {
    verdict.reason = fmt::format("the edits cost {}, more than {}", verdict.cost, *limit);
  }
  verdict.holds = verdict.reason.empty();
  return verdict;
}

}  // namespace fewedits
