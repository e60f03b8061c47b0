// SPDX-License-Identifier: MIT
#include "fewedits/edit/neighbours.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "fewedits/edit/bridges.hpp"
#include "fewedits/edit/orbits.hpp"

namespace fewedits {
namespace {

class Listing {
 public:
  Listing(const Graph& graph, const NeighbourOptions& options, const Constraints& constraints)
      : graph_(graph), options_(options), orbits_(Orbits::of(graph, options)) {
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
                                     std::uint64_t seed, std::size_t num_edge_labels) {
  std::vector<Edit> edits = neighbours(
      graph.canonical(), {num_labels, {}, true, &graph.generators(), num_edge_labels}, constraints);
  if (most == 0 || edits.size() <= most) return edits;
  Rng rng(seed ^ graph.hash().low, graph.hash().high);
  return sample(std::move(edits), most, rng);
}

}  // namespace fewedits
