// SPDX-License-Identifier: MIT
#include "fewedits/report/ring_middles.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>
#include <utility>

namespace fewedits {
namespace {

constexpr std::size_t kLargestRing = 8;

class Rings {
 public:
  Rings(const Graph& graph, const Positions& at, const std::vector<bool>& aromatic)
      : graph_(graph), at_(at), came_(graph.num_nodes(), kNowhere) {
    const std::vector<Edge> edges = graph.edges();
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (aromatic[e]) aromatic_.emplace(edges[e].u, edges[e].v);
    }
  }

  std::optional<Point> middle(const Edge& edge) {
    if (aromatic_.contains({edge.u, edge.v})) {
      if (const auto found = middle(edge, true)) return found;
    }
    return middle(edge, false);
  }

 private:
  static constexpr Node kNowhere = std::numeric_limits<Node>::max();

  /// Of the shortest way from one end to the other beside the edge.
  std::optional<Point> middle(const Edge& edge, bool aromatic_only) {
    std::vector<Node> reached{edge.u};
    came_[edge.u] = edge.u;
    std::size_t begin = 0;
    bool closed = false;
    for (std::size_t size = 2; size <= kLargestRing && !closed; ++size) {
      const std::size_t end = reached.size();
      for (; begin < end && !closed; ++begin) {
        const Node v = reached[begin];
        for (const Node w : graph_.neighbours(v)) {
          const bool is_edge = v == edge.u && w == edge.v;
          if (came_[w] != kNowhere || is_edge) continue;
          if (aromatic_only && !aromatic_.contains(std::minmax(v, w))) continue;
          came_[w] = v;
          reached.push_back(w);
          closed = closed || w == edge.v;
        }
      }
    }
    std::optional<Point> out;
    if (closed) out = mean_of_way(edge);
    for (const Node v : reached) came_[v] = kNowhere;
    return out;
  }

  [[nodiscard]] Point mean_of_way(const Edge& edge) const {
    Point sum;
    double count = 0;
    for (Node v = edge.v;; v = came_[v]) {
      sum = {sum.x + at_[v].x, sum.y + at_[v].y};
      ++count;
      if (v == edge.u) break;
    }
    return {sum.x / count, sum.y / count};
  }

  const Graph& graph_;
  const Positions& at_;
  std::set<std::pair<Node, Node>> aromatic_;
  std::vector<Node> came_;  ///< from where; kNowhere: not reached
};

}  // namespace

std::vector<std::optional<Point>> ring_middles(const Graph& graph, const Positions& at,
                                               const std::vector<bool>& aromatic) {
  Rings rings(graph, at, aromatic);
  std::vector<std::optional<Point>> out;
  for (const Edge& edge : graph.edges()) out.push_back(rings.middle(edge));
  return out;
}

}  // namespace fewedits
