// SPDX-License-Identifier: MIT
#include "fewedits/graph/identity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <unordered_set>

#include "fewedits/base/parallel.hpp"
#include "support/automorphisms.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

// Tries every permutation: the slow, obvious version.
bool isomorphic_by_brute_force(const Graph& a, const Graph& b) {
  std::vector<Node> position(a.num_nodes());
  std::iota(position.begin(), position.end(), Node{0});
  if (a.num_nodes() != b.num_nodes()) return false;
  do {
    if (a.permuted(position) == b) return true;
  } while (std::next_permutation(position.begin(), position.end()));
  return false;
}

TEST(IdentityTest, PermutedGraphsAreIdentical) {
  Rng rng(11);
  for (int round = 0; round < 400; ++round) {
    const auto nodes = static_cast<Node>(1 + rng.below(60));
    const Graph g = test::random_graph(rng, nodes, rng.below(20), 4, round % 3 == 0 ? 3 : 0);
    const Graph h = g.permuted(test::random_permutation(rng, nodes));
    EXPECT_EQ(Identity(g), Identity(h));
    EXPECT_EQ(Identity(g).canonical(), Identity(h).canonical());
  }
}

TEST(IdentityTest, AgreesWithBruteForceOnSmallGraphs) {
  Rng rng(12);
  int same = 0;
  for (int round = 0; round < 3000; ++round) {
    const Label edge_labels = round % 2 == 0 ? 2 : 0;
    const Node nodes = round % 3 == 0 ? 5 : 3;
    const Graph a = test::random_graph(rng, nodes, rng.below(4), 2, edge_labels);
    const Graph b = test::random_graph(rng, nodes, rng.below(4), 2, edge_labels);
    const bool expected = isomorphic_by_brute_force(a, b);
    EXPECT_EQ(isomorphic(a, b), expected);
    same += expected ? 1 : 0;
  }
  EXPECT_GT(same, 100) << "the random graphs never coincide: the test says nothing";
}

TEST(IdentityTest, TellsRegularGraphsApart) {
  // A 6-ring and two triangles: equal for colour refinement, so for any GNN, but not for us.
  const std::vector<Label> labels(6, 0);
  const Graph ring(labels, std::vector<Edge>{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}});
  const Graph triangles(labels, std::vector<Edge>{{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}});
  EXPECT_FALSE(isomorphic(ring, triangles));
}

TEST(IdentityTest, EdgeLabelsCountWhenPresent) {
  const std::vector<Label> labels(3, 0);
  const auto present = Graph::EdgeLabels::kPresent;
  const Graph a(labels, std::vector<Edge>{{0, 1, 0}, {1, 2, 1}}, present);
  const Graph b(labels, std::vector<Edge>{{0, 1, 1}, {1, 2, 0}}, present);
  const Graph c(labels, std::vector<Edge>{{0, 1, 1}, {1, 2, 1}}, present);
  EXPECT_TRUE(isomorphic(a, b));
  EXPECT_FALSE(isomorphic(a, c));
  EXPECT_TRUE(isomorphic(a.without_edge_labels(), c.without_edge_labels()));
  EXPECT_FALSE(isomorphic(a, a.without_edge_labels()));
}

TEST(IdentityTest, HandlesTheExtremes) {
  EXPECT_EQ(Identity(Graph()), Identity(Graph()));
  const std::vector<Label> one{3};
  EXPECT_EQ(Identity(Graph(one, {})).canonical().label(0), 3U);
  // Many twins (a star) and a large sparse graph.
  std::vector<Label> labels(700, 1);
  std::vector<Edge> edges;
  for (Node v = 1; v < 700; ++v) edges.push_back({0, v});
  const Graph star(labels, edges);
  Rng rng(5);
  EXPECT_TRUE(isomorphic(star, star.permuted(test::random_permutation(rng, 700))));
}

/// All products of the generators.
std::set<std::vector<Node>> generated_group(Node nodes, const Generators& generators) {
  std::vector<Node> identity(nodes);
  std::iota(identity.begin(), identity.end(), Node{0});
  std::set<std::vector<Node>> group{identity};
  std::vector<std::vector<Node>> fresh{identity};
  while (!fresh.empty()) {
    const std::vector<Node> element = fresh.back();
    fresh.pop_back();
    for (const auto& generator : generators) {
      std::vector<Node> product(element.size());
      for (Node v = 0; v < element.size(); ++v) product[v] = generator[element[v]];
      if (group.insert(product).second) fresh.push_back(product);
    }
  }
  return group;
}

TEST(AutomorphismTest, GeneratorsGenerateThemAll) {
  Rng rng(15);
  for (int round = 0; round < 400; ++round) {
    const auto nodes = static_cast<Node>(1 + rng.below(6));
    const Graph g = test::random_graph(rng, nodes, rng.below(8), 2, round % 3 == 0 ? 2 : 0);
    std::array<bool, 6> flags{};
    for (bool& flag : flags) flag = rng.chance(0.3);
    const std::span<const bool> frozen(flags.data(), round % 2 == 0 ? nodes : 0U);

    const auto all = test::all_automorphisms(g, frozen);
    EXPECT_EQ(generated_group(nodes, automorphism_generators(g, frozen)),
              std::set(all.begin(), all.end()));

    const Identity identity(g);
    const auto of_canonical = test::all_automorphisms(identity.canonical(), {});
    EXPECT_EQ(generated_group(nodes, identity.generators()),
              std::set(of_canonical.begin(), of_canonical.end()));
  }
  EXPECT_TRUE(automorphism_generators(Graph()).empty());
}

TEST(IdentityTest, IsThreadSafe) {
  Rng rng(13);
  std::vector<Graph> graphs;
  for (int i = 0; i < 200; ++i) graphs.push_back(test::random_graph(rng, 25, 8, 4, i % 2 ? 3 : 0));
  std::vector<Hash128> alone;
  for (const Graph& g : graphs) alone.push_back(Identity(g).hash());
  std::vector<std::vector<std::vector<Node>>> automorphisms_alone;
  for (const Graph& g : graphs) automorphisms_alone.push_back(automorphism_generators(g));
  std::vector<Hash128> together(graphs.size());
  std::vector<std::vector<std::vector<Node>>> automorphisms_together(graphs.size());
  ThreadPool pool(4);
  pool.for_chunks(graphs.size(), 1, [&](std::size_t begin, std::size_t, int) {
    together[begin] = Identity(graphs[begin]).hash();
    automorphisms_together[begin] = automorphism_generators(graphs[begin]);
  });
  EXPECT_EQ(alone, together);
  EXPECT_EQ(automorphisms_alone, automorphisms_together);
}

TEST(IdentityTest, WorksAsAKey) {
  Rng rng(14);
  std::unordered_set<Identity> seen;
  const Graph g = test::random_graph(rng, 20, 6, 4);
  for (int i = 0; i < 20; ++i) seen.insert(Identity(g.permuted(test::random_permutation(rng, 20))));
  EXPECT_EQ(seen.size(), 1U);
  seen.insert(Identity(g.with_label(0, g.label(0) + 1)));
  EXPECT_EQ(seen.size(), 2U);
}

}  // namespace
}  // namespace fewedits
