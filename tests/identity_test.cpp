// SPDX-License-Identifier: MIT
#include "fewedits/graph/identity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <unordered_set>

#include "fewedits/base/error.hpp"
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

Graph star_with(Node leaves, Label labels, Rng& rng) {
  std::vector<Label> label(leaves + 1, 0);
  std::vector<Edge> edges;
  for (Node v = 1; v <= leaves; ++v) {
    label[v] = static_cast<Label>(rng.below(labels));
    edges.push_back({0, v});
  }
  return {label, edges};
}

/// Trees with hubs: leaves are hung onto the nodes of a small tree until some have many.
Graph tree_with_hubs(Rng& rng, Label edge_labels) {
  const Graph core = test::random_graph(rng, 6, 2, 2, edge_labels);
  std::vector<Label> labels(core.labels().begin(), core.labels().end());
  std::vector<Edge> edges = core.edges();
  for (int i = 0; i < 90; ++i) {
    const auto leaf = static_cast<Node>(labels.size());
    labels.push_back(static_cast<Label>(rng.below(2)));
    const auto label = static_cast<Label>(edge_labels == 0 ? 0 : rng.below(edge_labels));
    edges.push_back({static_cast<Node>(rng.below(3)), leaf, label});
  }
  return {labels, edges,
          edge_labels == 0 ? Graph::EdgeLabels::kAbsent : Graph::EdgeLabels::kPresent};
}

TEST(IdentityTest, ManyTwinLeavesAreNoMatter) {
  Rng rng(21);
  for (int round = 0; round < 60; ++round) {
    const Graph g = tree_with_hubs(rng, round % 2 == 0 ? 0 : 2);
    const Identity identity(g);
    EXPECT_TRUE(identity.complete());
    EXPECT_EQ(identity, Identity(g.permuted(test::random_permutation(rng, g.num_nodes()))));
    EXPECT_TRUE(isomorphic(g, identity.canonical()));
    // One leaf elsewhere, or of another label, is another graph.
    EXPECT_FALSE(isomorphic(g, g.with_label(90, 1 - g.label(90))));
    for (const auto& generator : identity.generators()) {
      EXPECT_EQ(identity.canonical().permuted(generator), identity.canonical());
    }
    EXPECT_FALSE(identity.generators().empty());
  }
  // A star that would take nauty minutes.
  const Graph star = star_with(4000, 3, rng);
  const Identity identity(star);
  EXPECT_TRUE(identity.complete());
  EXPECT_EQ(identity, Identity(star.permuted(test::random_permutation(rng, 4001))));
  EXPECT_EQ(identity.generators().size(), 6U) << "two for each of the three labels";
}

TEST(AutomorphismTest, TwinLeavesHaveTheSameOrbitsAsEver) {
  Rng rng(22);
  // With 15 leaves nauty sees them all, with 16 it does not; a frozen one is no twin of the others.
  for (const Node leaves : {15U, 16U, 40U}) {
    const Graph star = star_with(leaves, 1, rng);
    std::array<bool, 41> flags{};
    flags[3] = true;
    const auto generators =
        automorphism_generators(star, std::span<const bool>(flags).first(leaves + 1));
    std::vector<Node> orbit(leaves + 1);
    std::iota(orbit.begin(), orbit.end(), Node{0});
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& g : generators) {
        for (Node v = 0; v <= leaves; ++v) {
          const Node least = std::min(orbit[v], orbit[g[v]]);
          changed |= orbit[v] != least || orbit[g[v]] != least;
          orbit[v] = orbit[g[v]] = least;
        }
      }
    }
    for (Node v = 0; v <= leaves; ++v) EXPECT_EQ(orbit[v], v == 0 ? 0U : v == 3 ? 3U : 1U);
  }
}

/// Rings on a hub. All are alike, and nauty compares each with each, all the way down.
Graph rings_on_a_hub(Node rings) {
  constexpr Node kRing = 6;
  std::vector<Edge> edges;
  for (Node r = 0; r < rings; ++r) {
    const Node first = 1 + r * kRing;
    for (Node i = 0; i < kRing; ++i) edges.push_back({first + i, first + (i + 1) % kRing});
    edges.push_back({0, first});
  }
  return {std::vector<Label>(1 + std::size_t{rings} * kRing, 0), edges};
}

TEST(IdentityTest, GivesUpOnGraphsThatAreTooHard) {
  Rng rng(23);
  EXPECT_TRUE(Identity(rings_on_a_hub(50)).complete());
  const Graph hard = rings_on_a_hub(300);
  const Identity identity(hard);
  EXPECT_FALSE(identity.complete());
  EXPECT_EQ(identity.canonical(), hard);
  EXPECT_EQ(identity, Identity(hard)) << "the same graph gives up in the same way";
  for (const auto& generator : identity.generators()) EXPECT_EQ(hard.permuted(generator), hard);
  EXPECT_TRUE(isomorphic(hard, hard));
  const Graph turned = hard.permuted(test::random_permutation(rng, hard.num_nodes()));
  EXPECT_THROW((void)isomorphic(hard, turned), Error);
  EXPECT_FALSE(isomorphic(hard, hard.with_label(0, 1)));
  // nauty's work space is as good as new afterwards.
  const Graph easy = test::random_graph(rng, 40, 12, 3);
  EXPECT_EQ(Identity(easy), Identity(easy.permuted(test::random_permutation(rng, 40))));
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
