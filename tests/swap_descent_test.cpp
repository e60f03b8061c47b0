// SPDX-License-Identifier: MIT
// The mending of maps after an edit: the cost falls by what it says, and where it started from a
// map that no exchange could improve, it ends with one, though it looked at a few nodes only.
#include "fewedits/ged/swap_descent.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "fewedits/distance/map_changes.hpp"
#include "fewedits/edit/neighbours.hpp"
#include "support/ged.hpp"

namespace fewedits {
namespace {

constexpr std::size_t kLabels = 3;

std::vector<Node> all_nodes(const Graph& graph) {
  std::vector<Node> nodes(graph.num_nodes());
  std::iota(nodes.begin(), nodes.end(), Node{0});
  return nodes;
}

/// Does any exchange of two images, or any free image, make the map cheaper? The slow way.
bool can_be_improved(const Graph& graph, const Graph& input, const NodeMap& map) {
  const std::int64_t cost = induced_cost(graph, input, map);
  for (Node u = 0; u < graph.num_nodes(); ++u) {
    for (Node v = 0; v < u; ++v) {
      NodeMap other = map;
      std::swap(other[u], other[v]);
      if (induced_cost(graph, input, other) < cost) return true;
    }
    for (Node x = 0; x < input.num_nodes(); ++x) {
      NodeMap other = map;
      other[u] = x;
      if (is_node_map(graph, input, other) && induced_cost(graph, input, other) < cost) return true;
    }
  }
  return false;
}

NodeMap random_map(const Graph& graph, const Graph& input, Rng& rng) {
  NodeMap map(graph.num_nodes(), kUnmatched);
  std::vector<Node> images = all_nodes(input);
  for (Node& image : map) {
    if (images.empty() || rng.chance(0.2)) continue;
    const auto at = images.begin() + static_cast<std::ptrdiff_t>(rng.below(images.size()));
    image = *at;
    images.erase(at);
  }
  return map;
}

Graph some_graph(Rng& rng, std::size_t least, std::size_t range) {
  const auto nodes = static_cast<Node>(least + rng.below(range));
  return test::random_graph(rng, nodes, nodes - 1 + rng.below(4), kLabels, 0);
}

TEST(SwapDescentTest, EndsWhereNoExchangeHelps) {
  Rng rng(3);
  for (int round = 0; round < 300; ++round) {
    const PreparedGraph graph(some_graph(rng, 1, 14));
    const PreparedGraph input(some_graph(rng, 1, 14));
    NodeMap map = random_map(graph.graph(), input.graph(), rng);
    const std::int64_t before = induced_cost(graph.graph(), input.graph(), map);
    const auto nodes = all_nodes(graph.graph());
    const std::int64_t gained = descend_by_swaps(graph, input, map, nodes, true);
    ASSERT_TRUE(is_node_map(graph.graph(), input.graph(), map));
    EXPECT_EQ(induced_cost(graph.graph(), input.graph(), map), before - gained);
    EXPECT_FALSE(can_be_improved(graph.graph(), input.graph(), map));
  }
}

TEST(SwapDescentTest, AfterAnEditTheTouchedNodesAreEnough) {
  Rng rng(4);
  MapChanges changes;
  std::size_t mended = 0;
  for (int round = 0; round < 60; ++round) {
    Graph graph = some_graph(rng, 4, 10);
    const PreparedGraph input(some_graph(rng, 4, 10));
    NodeMap map = random_map(graph, input.graph(), rng);
    descend_by_swaps(PreparedGraph(graph), input, map, all_nodes(graph), true);
    for (int step = 0; step < 20; ++step) {
      const auto edits = neighbours(graph, {kLabels, {}, false});
      const Edit edit = edits[rng.below(edits.size())];
      changes.bind(graph, input.graph(), map);
      map = changes.map_of(edit);
      const auto touched = touched_by(graph, edit);
      graph = apply(graph, edit);
      const std::int64_t before = induced_cost(graph, input.graph(), map);
      const std::int64_t gained = descend_by_swaps(PreparedGraph(graph), input, map, touched,
                                                   edit.kind == Edit::Kind::kRemoveLeaf);
      ASSERT_EQ(induced_cost(graph, input.graph(), map), before - gained);
      ASSERT_FALSE(can_be_improved(graph, input.graph(), map));
      mended += gained > 0 ? 1U : 0U;
    }
  }
  EXPECT_GT(mended, 100U);
}

TEST(SwapDescentTest, TakesGraphsOfUpToSixtyFourNodes) {
  Rng rng(5);
  const PreparedGraph most(test::random_graph(rng, 64, 70, kLabels, 0));
  const PreparedGraph more(test::random_graph(rng, 65, 70, kLabels, 0));
  EXPECT_TRUE(can_descend_by_swaps(most, most));
  EXPECT_FALSE(can_descend_by_swaps(most, more));
  EXPECT_FALSE(can_descend_by_swaps(more, most));
  NodeMap map = random_map(most.graph(), most.graph(), rng);
  const std::int64_t before = induced_cost(most.graph(), most.graph(), map);
  const auto nodes = all_nodes(most.graph());
  const std::int64_t gained = descend_by_swaps(most, most, map, nodes, true);
  EXPECT_GT(gained, 0);
  EXPECT_EQ(induced_cost(most.graph(), most.graph(), map), before - gained);
  EXPECT_FALSE(can_be_improved(most.graph(), most.graph(), map));
}

}  // namespace
}  // namespace fewedits
