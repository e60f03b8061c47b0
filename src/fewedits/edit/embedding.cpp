// SPDX-License-Identifier: MIT
#include "fewedits/edit/embedding.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

namespace fewedits {
namespace {

constexpr Node kNowhere = std::numeric_limits<Node>::max();

/// How many nodes have each label; labels beyond the result's size have none.
std::vector<std::uint32_t> label_counts(const Graph& g) {
  const auto labels = g.labels();
  std::vector<std::uint32_t> counts;
  if (!labels.empty()) counts.resize(*std::max_element(labels.begin(), labels.end()) + 1);
  for (const Label l : labels) ++counts[l];
  return counts;
}

class Search {
 public:
  Search(const Graph& pattern, const Graph& graph)
      : pattern_(pattern),
        graph_(graph),
        image_(pattern.num_nodes(), kNowhere),
        used_(graph.num_nodes(), false),
        next_(pattern.num_nodes(), 0) {}

  std::optional<std::vector<Node>> run() {
    if (!enough_nodes()) return std::nullopt;
    choose_order();
    for (std::size_t depth = 0; depth < steps_.size();) {
      if (advance(depth)) {
        ++depth;
      } else if (depth-- == 0) {
        return std::nullopt;
      }
    }
    return std::move(image_);
  }

 private:
  struct Step {
    Node node;    ///< of the pattern
    Node anchor;  ///< one of its neighbours that is placed before, or kNowhere
  };

  bool enough_nodes() {
    available_ = label_counts(graph_);
    const auto needed = label_counts(pattern_);
    available_.resize(std::max(available_.size(), needed.size()));
    return pattern_.num_edges() <= graph_.num_edges() &&
           std::equal(needed.begin(), needed.end(), available_.begin(), std::less_equal<>());
  }

  /// Next comes the node with the most neighbours before it, so that few places are left to try;
  /// among equals the one with the rarest label and then the most neighbours.
  void choose_order() {
    const Node count = pattern_.num_nodes();
    std::vector<Node> anchor(count, kNowhere);
    std::vector<std::int64_t> before(count, 0);  // -1: has its place in the order
    const auto rank = [&](Node p) {
      return std::tuple(before[p], -std::int64_t{available_[pattern_.label(p)]},
                        pattern_.degree(p));
    };
    while (steps_.size() < count) {
      Node best = 0;
      for (Node p = 1; p < count; ++p) {
        if (rank(p) > rank(best)) best = p;
      }
      steps_.push_back({best, anchor[best]});
      before[best] = -1;
      for (const Node p : pattern_.neighbours(best)) {
        if (before[p] < 0) continue;
        ++before[p];
        anchor[p] = best;
      }
    }
  }

  /// Moves the step's node to the next place that fits; false: there is none, and it is nowhere.
  bool advance(std::size_t depth) {
    const auto [p, anchor] = steps_[depth];
    if (image_[p] != kNowhere) used_[image_[p]] = false;
    const std::span<const Node> row =
        anchor == kNowhere ? std::span<const Node>{} : graph_.neighbours(image_[anchor]);
    const std::size_t places = anchor == kNowhere ? graph_.num_nodes() : row.size();
    for (std::size_t& i = next_[depth]; i < places;) {
      const Node v = anchor == kNowhere ? static_cast<Node>(i) : row[i];
      ++i;
      if (!fits(p, v)) continue;
      image_[p] = v;
      used_[v] = true;
      return true;
    }
    image_[p] = kNowhere;
    next_[depth] = 0;
    return false;
  }

  [[nodiscard]] bool fits(Node p, Node v) const {
    if (used_[v] || pattern_.label(p) != graph_.label(v) || pattern_.degree(p) > graph_.degree(v)) {
      return false;
    }
    const auto row = pattern_.neighbours(p);
    return std::all_of(row.begin(), row.end(), [&](Node q) {
      return image_[q] == kNowhere || graph_.has_edge(v, image_[q]);
    });
  }

  const Graph& pattern_;
  const Graph& graph_;
  std::vector<std::uint32_t> available_;  ///< nodes of the graph by label
  std::vector<Step> steps_;
  std::vector<Node> image_;
  std::vector<bool> used_;
  std::vector<std::size_t> next_;  ///< the place to try next, by step
};

}  // namespace

std::optional<std::vector<Node>> find_embedding(const Graph& pattern, const Graph& graph) {
  return Search(pattern, graph).run();
}

}  // namespace fewedits
