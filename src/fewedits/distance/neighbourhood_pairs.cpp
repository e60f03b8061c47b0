// SPDX-License-Identifier: MIT
// The neighbourhood subgraph pairwise distance kernel (Costa & De Grave, "Fast neighborhood
// subgraph pairwise distance kernel", ICML 2010). A graph costs one breadth-first search and
// radius + 1 canonical forms a node, then one feature for every pair of nodes within `distance`
// and every radius; a pair costs one merge of their features.
#include <algorithm>
#include <cassert>
#include <limits>

#include "fewedits/distance/kernel_distance.hpp"
#include "fewedits/distance/kernel_features.hpp"
#include "fewedits/distance/kernel_options.hpp"
#include "fewedits/graph/identity.hpp"

namespace fewedits {
namespace {

/// The nodes around one root, nearest first.
class Surroundings {
 public:
  explicit Surroundings(const Graph& graph) : graph_(graph), place_(graph.num_nodes(), kFar) {}

  void explore(Node root, int reach) {
    for (const Node v : nodes_) place_[v] = kFar;
    nodes_.clear();
    level_end_.clear();
    visit(root);
    std::size_t at = 0;
    for (int level = 0; level < reach; ++level) {
      level_end_.push_back(nodes_.size());
      for (const std::size_t end = nodes_.size(); at < end; ++at) {
        for (const Node w : graph_.neighbours(nodes_[at])) {
          if (place_[w] == kFar) visit(w);
        }
      }
    }
    level_end_.push_back(nodes_.size());
  }

  /// The nodes within r of the root; the root is the first.
  [[nodiscard]] std::span<const Node> ball(int r) const {
    return std::span(nodes_).first(level_end_[static_cast<std::size_t>(r)]);
  }
  /// Those at exactly r.
  [[nodiscard]] std::span<const Node> sphere(int r) const {
    return r == 0 ? ball(0) : ball(r).subspan(ball(r - 1).size());
  }

  /// Equal for balls that are isomorphic with root on root, and (128 bits) for no others. The
  /// root's colour in the canonical form is a mark; its label stands beside the form.
  [[nodiscard]] Hash128 ball_hash(int r) const {
    const auto members = ball(r);
    std::vector<Label> labels;
    std::vector<Edge> edges;
    for (Node i = 0; i < members.size(); ++i) {
      labels.push_back(graph_.label(members[i]));
      for (const Node w : graph_.neighbours(members[i])) {
        if (place_[w] < i) edges.push_back({place_[w], i});
      }
    }
    const Label root_label = labels.front();
    labels.front() = kRootMark;
    HashInput input;
    input.add(root_label);
    input.add(Identity(Graph(labels, edges)).hash());
    return input.hash();
  }

 private:
  // Labels are indices of a table, so the last value is never one.
  static constexpr Label kRootMark = std::numeric_limits<Label>::max();
  static constexpr Node kFar = std::numeric_limits<Node>::max();

  void visit(Node v) {
    assert(graph_.label(v) != kRootMark);
    place_[v] = static_cast<Node>(nodes_.size());
    nodes_.push_back(v);
  }

  const Graph& graph_;
  std::vector<Node> place_;  ///< of a node in nodes_
  std::vector<Node> nodes_;
  std::vector<std::size_t> level_end_;
};

struct NodePair {
  Node u = 0;
  Node v = 0;
  int distance = 0;
};

/// Finds the features of one graph, by (r,d).
class PairFeatures {
 public:
  PairFeatures(const Graph& graph, const NspdOptions& options)
      : options_(options), balls_(static_cast<std::size_t>(options.radius) + 1) {
    Surroundings around(graph);
    for (Node v = 0; v < graph.num_nodes(); ++v) {
      around.explore(v, std::max(options.radius, options.distance));
      add_balls(around);
      add_pairs(around, v);
    }
  }

  [[nodiscard]] std::vector<FeatureVector> blocks() const {
    const auto distances = static_cast<std::size_t>(options_.distance) + 1;
    std::vector<FeatureVector> blocks;
    for (std::uint32_t r = 0; r < balls_.size(); ++r) {
      std::vector<std::vector<Hash128>> keys(distances);
      for (const NodePair& pair : pairs_) {
        keys[static_cast<std::size_t>(pair.distance)].push_back(key(r, pair));
      }
      for (auto& block : keys) blocks.emplace_back(std::move(block));
    }
    return blocks;
  }

 private:
  void add_balls(const Surroundings& around) {
    for (int r = 0; r <= options_.radius; ++r) {
      // A ball that does not grow is the whole component: no need for its form again.
      const bool grown = r == 0 || !around.sphere(r).empty();
      balls_[static_cast<std::size_t>(r)].push_back(
          grown ? around.ball_hash(r) : balls_[static_cast<std::size_t>(r - 1)].back());
    }
  }

  void add_pairs(const Surroundings& around, Node u) {
    for (int d = 0; d <= options_.distance; ++d) {
      for (const Node v : around.sphere(d)) {
        if (u <= v) pairs_.push_back({u, v, d});
      }
    }
  }

  // r and d need no place in the key: features meet only those of their own block.
  [[nodiscard]] Hash128 key(std::uint32_t r, const NodePair& pair) const {
    const auto [low, high] = std::minmax(balls_[r][pair.u], balls_[r][pair.v]);
    HashInput input;
    input.add(low);
    input.add(high);
    return input.hash();
  }

  const NspdOptions& options_;
  std::vector<std::vector<Hash128>> balls_;  ///< by radius, then node
  std::vector<NodePair> pairs_;
};

struct NeighbourhoodPairs {
  using Features = std::vector<FeatureVector>;  ///< by (r,d)
  struct Scratch {
    explicit Scratch(const NeighbourhoodPairs& /*kernel*/) {}
  };

  [[nodiscard]] Features features(const Graph& graph) const {
    return PairFeatures(graph, options).blocks();
  }
  // The blocks are unit vectors, so a graph's kernel with itself is the number of those in use.
  double similarity(Scratch& /*scratch*/, const Features& a, const Features& b) const {
    double sum = 0;
    int used_a = 0;
    int used_b = 0;
    for (std::size_t block = 0; block < a.size(); ++block) {
      used_a += a[block].empty() ? 0 : 1;
      used_b += b[block].empty() ? 0 : 1;
      if (a[block].empty() || b[block].empty()) continue;
      sum += cosine(a[block].dot(b[block]), a[block].self(), b[block].self());
    }
    return cosine(sum, used_a, used_b);
  }

  NspdOptions options;
};

}  // namespace

std::unique_ptr<Distance> make_nspd_distance(std::vector<Graph> graphs, const NspdOptions& options,
                                             ThreadPool& pool) {
  check_kernel(options);
  return std::make_unique<KernelDistance<NeighbourhoodPairs>>(std::move(graphs),
                                                              NeighbourhoodPairs{options}, pool);
}

}  // namespace fewedits
