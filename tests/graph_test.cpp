// SPDX-License-Identifier: MIT
#include "fewedits/graph/graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "support/shared.hpp"

namespace fewedits {
namespace {

// The slow, obvious version: a label vector and an edge map.
struct Obvious {
  std::vector<Label> labels;
  std::map<std::pair<Node, Node>, Label> edges;

  explicit Obvious(const Graph& g) : labels(g.labels().begin(), g.labels().end()) {
    for (const Edge& e : g.edges()) edges[{e.u, e.v}] = e.label;
  }
  [[nodiscard]] bool matches(const Graph& g) const {
    const Obvious other(g);
    return labels == other.labels && edges == other.edges && edges.size() == g.num_edges();
  }
};

TEST(GraphTest, EmptyGraphIsWellDefined) {
  const Graph g;
  EXPECT_EQ(g.num_nodes(), 0U);
  EXPECT_EQ(g.num_edges(), 0U);
  EXPECT_TRUE(g.labels().empty());
  EXPECT_TRUE(g.targets().empty());
  EXPECT_EQ(g.offsets().size(), 1U);
  EXPECT_TRUE(g.is_connected());
  EXPECT_EQ(g, Graph({}, {}));
}

TEST(GraphTest, RowsAreSortedAndSymmetric) {
  Rng rng(1);
  for (int round = 0; round < 50; ++round) {
    const Graph g = test::random_graph(rng, 20, 15, 4, 3);
    for (Node u = 0; u < g.num_nodes(); ++u) {
      const auto row = g.neighbours(u);
      EXPECT_TRUE(std::is_sorted(row.begin(), row.end()));
      EXPECT_EQ(row.size(), g.degree(u));
      for (std::size_t i = 0; i < row.size(); ++i) {
        EXPECT_TRUE(g.has_edge(row[i], u));
        EXPECT_EQ(g.edge_labels(u)[i], g.edge_label(row[i], u));
      }
    }
  }
}

TEST(GraphTest, EditsEqualTheObviousVersionAndLeaveTheOriginalAlone) {
  Rng rng(2);
  for (int round = 0; round < 300; ++round) {
    const Graph g = test::random_graph(rng, 12, 6, 4, round % 2 == 0 ? 3 : 0);
    const Obvious before(g);
    const auto u = static_cast<Node>(rng.below(12));
    const auto v = static_cast<Node>(rng.below(12));
    const Label edge_label = g.has_edge_labels() ? 2 : 0;

    Obvious relabelled = before;
    relabelled.labels[u] = 3;
    EXPECT_TRUE(relabelled.matches(g.with_label(u, 3)));

    if (u != v) {
      Obvious toggled = before;
      const std::pair<Node, Node> key = std::minmax(u, v);
      if (g.has_edge(u, v)) {
        toggled.edges.erase(key);
        EXPECT_TRUE(toggled.matches(g.without_edge(u, v)));
      } else {
        toggled.edges[key] = edge_label;
        EXPECT_TRUE(toggled.matches(g.with_edge(u, v, edge_label)));
      }
    }

    Obvious grown = before;
    grown.labels.push_back(1);
    grown.edges[{u, 12}] = edge_label;
    EXPECT_TRUE(grown.matches(g.with_leaf(u, 1, edge_label)));
    EXPECT_EQ(g.with_leaf(u, 1, edge_label).without_node(12), g);

    EXPECT_TRUE(before.matches(g));
  }
}

TEST(GraphTest, WithoutNodeShiftsLaterIds) {
  const std::vector<Label> labels{0, 1, 2, 3};
  const std::vector<Edge> edges{{0, 1}, {1, 2}, {2, 3}, {0, 3}};
  const Graph g = Graph(labels, edges).without_node(1);
  EXPECT_EQ(g.num_nodes(), 3U);
  EXPECT_EQ(g.edges(), (std::vector<Edge>{{0, 2}, {1, 2}}));
  EXPECT_EQ(g.label(1), 2U);
}

TEST(GraphTest, PermutingBackGivesTheSameGraph) {
  Rng rng(3);
  const Graph g = test::random_graph(rng, 30, 20, 5, 3);
  const auto position = test::random_permutation(rng, 30);
  std::vector<Node> back(30);
  for (Node v = 0; v < 30; ++v) back[position[v]] = v;
  EXPECT_EQ(g.permuted(position).permuted(back), g);
}

TEST(GraphTest, Connectivity) {
  const std::vector<Label> labels(4, 0);
  EXPECT_TRUE(Graph(labels, std::vector<Edge>{{0, 1}, {1, 2}, {2, 3}}).is_connected());
  EXPECT_FALSE(Graph(labels, std::vector<Edge>{{0, 1}, {2, 3}}).is_connected());
}

}  // namespace
}  // namespace fewedits
