// SPDX-License-Identifier: MIT
#include "fewedits/edit/neighbours.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "fewedits/graph/identity.hpp"

namespace fewedits {
namespace {

/// Union-find in which the smallest member stands for its class. Of size 0: all are alone.
class Classes {
 public:
  explicit Classes(std::size_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), std::uint32_t{0});
  }

  void unite(std::uint32_t a, std::uint32_t b) {
    a = first_of(a);
    b = first_of(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }
  [[nodiscard]] bool is_first(std::uint32_t a) const { return parent_.empty() || parent_[a] == a; }

 private:
  std::uint32_t first_of(std::uint32_t a) {
    while (parent_[a] != a) a = parent_[a] = parent_[parent_[a]];
    return a;
  }

  std::vector<std::uint32_t> parent_;
};

/// Which nodes, and which pairs, come first among those that automorphisms map onto each other.
class Orbits {
 public:
  /// Of a graph of so many nodes.
  Orbits(Node count, const Generators& generators)
      : count_(count),
        nodes_(generators.empty() ? 0 : count),
        pairs_(generators.empty() ? 0 : std::size_t{count} * count) {
    for (const auto& image : generators) unite_along(image);
  }

  [[nodiscard]] bool is_first(Node u) const { return nodes_.is_first(u); }
  [[nodiscard]] bool is_first(Node u, Node v) const { return pairs_.is_first(index(u, v)); }

 private:
  /// Pairs of nodes that stay, stay. Most generators of a molecule swap two hydrogens, so this
  /// takes a few n steps rather than n².
  void unite_along(const std::vector<Node>& image) {
    for (Node u = 0; u < count_; ++u) {
      if (image[u] == u) continue;
      nodes_.unite(u, image[u]);
      for (Node v = 0; v < count_; ++v) {
        if (v != u) pairs_.unite(index(u, v), index(image[u], image[v]));
      }
    }
  }

  [[nodiscard]] std::uint32_t index(Node u, Node v) const {
    return std::min(u, v) * count_ + std::max(u, v);
  }

  Node count_;
  Classes nodes_;
  Classes pairs_;
};

Orbits orbits_of(const Graph& graph, const NeighbourOptions& options) {
  if (!options.up_to_symmetry) return {graph.num_nodes(), {}};
  if (options.generators != nullptr) return {graph.num_nodes(), *options.generators};
  return {graph.num_nodes(), automorphism_generators(graph, options.frozen)};
}

/// Tarjan's low points (1974), without recursion: chains may be long.
class Bridges {
 public:
  explicit Bridges(const Graph& graph)
      : parent_(graph.num_nodes(), kNone), is_below_bridge_(graph.num_nodes(), false) {
    std::vector<std::uint32_t> place(graph.num_nodes(), kNone);
    const std::vector<Node> order = depth_first_order(graph, place);
    // The first place that v's descendants, v among them, reach by an edge outside the tree.
    std::vector<std::uint32_t> low = place;
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      const Node v = *it;
      for (const Node w : graph.neighbours(v)) {
        if (w != parent_[v]) low[v] = std::min(low[v], parent_[w] == v ? low[w] : place[w]);
      }
      is_below_bridge_[v] = low[v] == place[v];
    }
  }

  /// For adjacent nodes.
  [[nodiscard]] bool contain(Node u, Node v) const {
    return (parent_[v] == u && is_below_bridge_[v]) || (parent_[u] == v && is_below_bridge_[u]);
  }

 private:
  static constexpr Node kNone = std::numeric_limits<Node>::max();

  /// Sets the parents and the nodes' places in the order.
  std::vector<Node> depth_first_order(const Graph& graph, std::vector<std::uint32_t>& place) {
    std::vector<Node> order;
    std::vector<std::pair<Node, Node>> stack;  // a node and from where it was seen
    for (Node root = 0; root < graph.num_nodes(); ++root) {
      stack.emplace_back(root, kNone);
      while (!stack.empty()) {
        const auto [v, from] = stack.back();
        stack.pop_back();
        if (place[v] != kNone) continue;
        place[v] = static_cast<std::uint32_t>(order.size());
        parent_[v] = from;
        order.push_back(v);
        for (const Node w : graph.neighbours(v)) {
          if (place[w] == kNone) stack.emplace_back(w, v);
        }
      }
    }
    return order;
  }

  std::vector<Node> parent_;
  std::vector<bool> is_below_bridge_;
};

class Listing {
 public:
  Listing(const Graph& graph, const NeighbourOptions& options, const Constraints& constraints)
      : graph_(graph), options_(options), orbits_(orbits_of(graph, options)) {
    if (!constraints.trivial()) judge_.emplace(graph, constraints);
    if (graph.has_edge_labels() && options.num_edge_labels > 0) {
      edge_labels_ = static_cast<Label>(options.num_edge_labels);
    }
    const std::size_t n = graph.num_nodes();
    edits_.reserve((1 + edge_labels_) * n * options.num_labels + n + edge_labels_ * n * n / 2);
  }

  std::vector<Edit> run() {
    relabel();
    add_leaves();
    remove_leaves();
    add_edges();
    remove_edges();
    relabel_edges();
    return std::move(edits_);
  }

 private:
  void relabel() {
    for (Node u = 0; u < graph_.num_nodes(); ++u) {
      if (is_frozen(u) || !orbits_.is_first(u)) continue;
      for (Label l = 0; l < options_.num_labels; ++l) {
        if (l != graph_.label(u)) offer({Edit::Kind::kRelabel, u, 0, l});
      }
    }
  }

  void add_leaves() {
    for (Node u = 0; u < graph_.num_nodes(); ++u) {
      if (!orbits_.is_first(u)) continue;
      for (Label l = 0; l < options_.num_labels; ++l) {
        for (Label e = 0; e < edge_labels_; ++e) offer({Edit::Kind::kAddLeaf, u, 0, l, e});
      }
    }
  }

  void remove_leaves() {
    for (Node u = 0; u < graph_.num_nodes(); ++u) {
      if (graph_.degree(u) != 1 || is_frozen(u) || !orbits_.is_first(u)) continue;
      offer({Edit::Kind::kRemoveLeaf, u, 0, 0});
    }
  }

  void add_edges() {
    for (Node u = 0; u < graph_.num_nodes(); ++u) {
      const auto row = graph_.neighbours(u);
      auto adjacent = std::upper_bound(row.begin(), row.end(), u);
      for (Node v = u + 1; v < graph_.num_nodes(); ++v) {
        if (adjacent != row.end() && *adjacent == v) {
          ++adjacent;
        } else if (orbits_.is_first(u, v)) {
          for (Label e = 0; e < edge_labels_; ++e) offer({Edit::Kind::kAddEdge, u, v, 0, e});
        }
      }
    }
  }

  void remove_edges() {
    const Bridges bridges(graph_);
    for (Node u = 0; u < graph_.num_nodes(); ++u) {
      for (const Node v : graph_.neighbours(u)) {
        if (v < u || (is_frozen(u) && is_frozen(v))) continue;
        if (orbits_.is_first(u, v) && !bridges.contain(u, v)) {
          offer({Edit::Kind::kRemoveEdge, u, v, 0});
        }
      }
    }
  }

  void relabel_edges() {
    if (edge_labels_ < 2) return;
    for (const Edge& edge : graph_.edges()) {
      if ((is_frozen(edge.u) && is_frozen(edge.v)) || !orbits_.is_first(edge.u, edge.v)) continue;
      for (Label e = 0; e < edge_labels_; ++e) {
        if (e != edge.label) offer({Edit::Kind::kRelabelEdge, edge.u, edge.v, e});
      }
    }
  }

  [[nodiscard]] bool is_frozen(Node u) const {
    return !options_.frozen.empty() && options_.frozen[u];
  }

  void offer(const Edit& edit) {
    if (!judge_ || judge_->allows(edit)) edits_.push_back(edit);
  }

  const Graph& graph_;
  const NeighbourOptions& options_;
  Orbits orbits_;
  std::optional<EditJudge> judge_;
  Label edge_labels_ = 1;  ///< that a new edge may have
  std::vector<Edit> edits_;
};

}  // namespace

std::vector<Edit> neighbours(const Graph& graph, const NeighbourOptions& options,
                             const Constraints& constraints) {
  return Listing(graph, options, constraints).run();
}

std::size_t neighbours_at_a_time(const Graph& graph) {
  constexpr std::size_t kNodes = std::size_t{1} << 17;
  return std::max<std::size_t>(1, kNodes / (graph.num_nodes() + 1));
}

std::vector<Edit> sample(std::vector<Edit> edits, std::size_t count, Rng& rng) {
  // Selection sampling (Knuth, TAOCP 2, 3.4.2, algorithm S).
  std::size_t kept = 0;
  for (std::size_t i = 0; i < edits.size() && kept < count; ++i) {
    if (rng.below(edits.size() - i) < count - kept) edits[kept++] = edits[i];
  }
  edits.resize(kept);
  return edits;
}

std::vector<Edit> sampled_neighbours(const Identity& graph, std::size_t num_labels,
                                     const Constraints& constraints, std::size_t most,
                                     std::uint64_t seed) {
  std::vector<Edit> edits =
      neighbours(graph.canonical(), {num_labels, {}, true, &graph.generators()}, constraints);
  if (most == 0 || edits.size() <= most) return edits;
  Rng rng(seed ^ graph.hash().low, graph.hash().high);
  return sample(std::move(edits), most, rng);
}

}  // namespace fewedits
