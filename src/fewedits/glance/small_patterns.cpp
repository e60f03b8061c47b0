// SPDX-License-Identifier: MIT
#include "fewedits/glance/small_patterns.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace fewedits {
namespace {

using Kind = PatternShare::Kind;
using Words = std::vector<std::uint32_t>;

/// Walks of all graphs of a dataset; a second's work.
constexpr double kMostWalks = 5e7;
/// Shortest ways around one edge: more are those of graphs where everything is a ring.
constexpr std::size_t kMostWays = 32;

class Patterns {
 public:
  Patterns(const Graph& graph, std::size_t longest, bool degrees)
      : graph_(graph), longest_(longest), on_way_(graph.num_nodes(), false) {
    for (Node v = 0; v < graph.num_nodes(); ++v) {
      note({Kind::kLabel, {graph.label(v)}}, {v});
      way_ = {v};
      words_ = {graph.label(v)};
      on_way_[v] = true;
      extend_path();
      on_way_[v] = false;
      stars(v);
      const std::uint32_t most = std::min(graph.degree(v), kMostNeighbours);
      for (std::uint32_t d = kFewestNeighbours; degrees && d <= most; ++d) {
        note({Kind::kDegree, {d}}, {v});
      }
    }
    rings();
  }

  std::vector<SeenPattern> take() {
    std::vector<SeenPattern> out;
    for (auto& [key, seen] : found_) out.push_back({key, seen.first, std::move(seen.second)});
    for (SeenPattern& one : out) std::sort(one.nodes.begin(), one.nodes.end());
    return out;
  }

 private:
  void note(PatternKey key, const std::vector<Node>& nodes, std::size_t places = 1) {
    auto& seen = found_[std::move(key)];
    if (seen.first == 0) seen.second = nodes;
    seen.first += places;
  }
  [[nodiscard]] std::uint32_t edge_label(Node v, std::size_t i) const {
    return graph_.has_edge_labels() ? graph_.edge_labels(v)[i] : 0;
  }

  /// Every path is met from both ends, and told from the lesser one.
  void extend_path() {
    if (way_.size() == longest_) return;
    const Node v = way_.back();
    const auto row = graph_.neighbours(v);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Node w = row[i];
      if (on_way_[w]) continue;
      words_.push_back(edge_label(v, i));
      words_.push_back(graph_.label(w));
      way_.push_back(w);
      on_way_[w] = true;
      if (way_.front() < w) note({Kind::kPath, least_direction()}, way_);
      extend_path();
      on_way_[w] = false;
      way_.pop_back();
      words_.resize(words_.size() - 2);
    }
  }
  [[nodiscard]] Words least_direction() const {
    Words reversed(words_.rbegin(), words_.rend());
    return std::min(words_, reversed);
  }

  /// Three neighbours by their labels; how many such threes there are.
  void stars(Node v) {
    if (graph_.degree(v) < 3) return;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Node>> kinds;
    const auto row = graph_.neighbours(v);
    for (std::size_t i = 0; i < row.size(); ++i) {
      kinds[{edge_label(v, i), graph_.label(row[i])}].push_back(row[i]);
    }
    for (auto a = kinds.begin(); a != kinds.end(); ++a) {
      for (auto b = a; b != kinds.end(); ++b) {
        for (auto c = b; c != kinds.end(); ++c) star(v, {a->first, b->first, c->first}, kinds);
      }
    }
  }
  using NodeKind = std::pair<std::uint32_t, std::uint32_t>;
  void star(Node v, const std::array<NodeKind, 3>& leaves,
            const std::map<NodeKind, std::vector<Node>>& kinds) {
    Words words{graph_.label(v)};
    std::vector<Node> nodes{v};
    std::size_t places = 1;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto& of_kind = kinds.at(leaves[i]);
      const auto same = static_cast<std::size_t>(
          std::count(leaves.begin(), leaves.begin() + static_cast<std::ptrdiff_t>(i), leaves[i]));
      if (of_kind.size() <= same) return;
      places = places * (of_kind.size() - same) / (same + 1);
      nodes.push_back(of_kind[same]);
      words.push_back(leaves[i].first);
      words.push_back(leaves[i].second);
    }
    note({Kind::kStar, std::move(words)}, nodes, places);
  }

  void rings() {
    std::map<std::vector<Node>, std::vector<Node>> all;  // by their nodes: in order
    for (const Edge& e : graph_.edges()) ways_around(e, all);
    for (const auto& [nodes, order] : all) {
      note({Kind::kRingSize, {static_cast<std::uint32_t>(order.size())}}, order);
      note({Kind::kRing, least_round(order)}, order);
    }
  }
  void ways_around(const Edge& edge, std::map<std::vector<Node>, std::vector<Node>>& all) {
    // Steps from v to the other end, without the edge itself.
    std::map<Node, std::size_t> steps{{edge.v, 0}};
    std::vector<Node> front{edge.v};
    for (std::size_t step = 1; step < kLargestRing && !steps.contains(edge.u); ++step) {
      std::vector<Node> next;
      for (const Node x : front) {
        for (const Node w : graph_.neighbours(x)) {
          if (x == edge.v && w == edge.u) continue;
          if (steps.emplace(w, step).second) next.push_back(w);
        }
      }
      front = std::move(next);
    }
    if (!steps.contains(edge.u)) return;
    std::size_t ways = 0;
    std::vector<Node> way{edge.u};
    follow(edge, steps, way, ways, all);
  }
  void follow(const Edge& edge, const std::map<Node, std::size_t>& steps, std::vector<Node>& way,
              std::size_t& ways, std::map<std::vector<Node>, std::vector<Node>>& all) const {
    const Node at = way.back();
    if (at == edge.v) {
      std::vector<Node> nodes = way;
      std::sort(nodes.begin(), nodes.end());
      all.emplace(std::move(nodes), way);
      ++ways;
      return;
    }
    const std::size_t left = steps.at(at);
    for (const Node w : graph_.neighbours(at)) {
      if (ways >= kMostWays) return;
      if (at == edge.u && w == edge.v) continue;
      const auto to = steps.find(w);
      if (to == steps.end() || to->second + 1 != left) continue;
      way.push_back(w);
      follow(edge, steps, way, ways, all);
      way.pop_back();
    }
  }
  /// Of all ways round, from any node, the least.
  [[nodiscard]] Words least_round(std::vector<Node> order) const {
    Words best;
    for (int direction = 0; direction < 2; ++direction) {
      for (std::size_t turn = 0; turn < order.size(); ++turn) {
        Words words;
        for (std::size_t i = 0; i < order.size(); ++i) {
          words.push_back(graph_.label(order[i]));
          words.push_back(graph_.edge_label(order[i], order[(i + 1) % order.size()]));
        }
        if (best.empty() || words < best) best = std::move(words);
        std::rotate(order.begin(), order.begin() + 1, order.end());
      }
      std::reverse(order.begin(), order.end());
    }
    return best;
  }

  const Graph& graph_;
  std::size_t longest_;
  std::vector<bool> on_way_;
  std::vector<Node> way_;
  Words words_;
  std::map<PatternKey, std::pair<std::size_t, std::vector<Node>>> found_;
};

}  // namespace

std::size_t longest_path(std::span<const Graph> graphs) {
  std::array<double, kLongestPath + 1> walks = {};
  for (const Graph& graph : graphs) {
    std::vector<double> count(graph.num_nodes(), 1);
    for (std::size_t nodes = 2; nodes <= kLongestPath; ++nodes) {
      std::vector<double> next(count.size(), 0);
      for (Node v = 0; v < graph.num_nodes(); ++v) {
        for (const Node w : graph.neighbours(v)) next[v] += count[w];
      }
      count = std::move(next);
      for (const double c : count) walks[nodes] += c;
    }
  }
  std::size_t longest = 1;
  while (longest < kLongestPath && walks[longest + 1] <= kMostWalks) ++longest;
  return longest;
}

std::vector<SeenPattern> small_patterns(const Graph& graph, std::size_t longest, bool degrees) {
  return Patterns(graph, longest, degrees).take();
}

Graph graph_of(const PatternKey& key, Graph::EdgeLabels edge_labels) {
  const auto& words = key.words;
  std::vector<Label> labels;
  std::vector<Edge> edges;
  const auto at = [](std::size_t v) { return static_cast<Node>(v); };
  switch (key.kind) {
    case Kind::kPath:
      for (std::size_t i = 0; i < words.size(); i += 2) labels.push_back(words[i]);
      for (std::size_t i = 1; i < words.size(); i += 2) {
        edges.push_back({at(i / 2), at(i / 2 + 1), words[i]});
      }
      break;
    case Kind::kStar:
      labels.push_back(words[0]);
      for (std::size_t i = 1; i < words.size(); i += 2) {
        edges.push_back({0, at(labels.size()), words[i]});
        labels.push_back(words[i + 1]);
      }
      break;
    case Kind::kRing:
      for (std::size_t i = 0; i < words.size(); i += 2) labels.push_back(words[i]);
      for (std::size_t i = 1; i < words.size(); i += 2) {
        edges.push_back({at(i / 2), at((i / 2 + 1) % labels.size()), words[i]});
      }
      break;
    default: labels = {words[0]}; break;
  }
  return {labels, edges, edge_labels};
}

}  // namespace fewedits
