// SPDX-License-Identifier: MIT
// Maps whose cost counts labels of edges: what an edit or a step is said to change is the cost of
// an explicit map, all neighbours at once are worth what each is alone, and mending ends where no
// exchange helps.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "fewedits/base/rng.hpp"
#include "fewedits/distance/map_changes.hpp"
#include "fewedits/distance/step_changes.hpp"
#include "fewedits/edit/moves.hpp"
#include "fewedits/ged/swap_descent.hpp"
#include "fewedits/search/climb/neighbour_worth.hpp"
#include "support/ged.hpp"

namespace fewedits {
namespace {

constexpr std::size_t kLabels = 3;
constexpr std::size_t kEdgeLabels = 3;

EditCosts bond_costs(std::int32_t relabel_edge = 1) {
  EditCosts costs;
  costs.relabel_edge = relabel_edge;
  return costs;
}

/// With leaves that are twins, as hydrogens are.
Graph some_graph(Rng& rng, std::uint64_t most) {
  const auto nodes = static_cast<Node>(1 + rng.below(most));
  Graph g = test::random_graph(rng, nodes, rng.below(nodes + 1), kLabels, kEdgeLabels);
  while (rng.chance(0.6)) g = g.with_leaf(static_cast<Node>(rng.below(nodes)), 0, 0);
  return g;
}

NodeMap random_map(const Graph& a, const Graph& b, Rng& rng) {
  std::vector<Node> places(b.num_nodes());
  std::iota(places.begin(), places.end(), Node{0});
  rng.shuffle(std::span(places));
  NodeMap map(a.num_nodes(), kUnmatched);
  std::size_t next = 0;
  for (Node& to : map) {
    if (next < places.size() && rng.chance(0.8)) to = places[next++];
  }
  return map;
}

std::vector<Edit> all_edits(const Graph& graph) {
  NeighbourOptions options{kLabels, {}, false};
  options.num_edge_labels = kEdgeLabels;
  return neighbours(graph, options);
}

/// A few edits, one after the other.
Step random_step(Rng& rng, Graph graph, std::uint64_t most) {
  Step out;
  for (std::uint64_t left = 1 + rng.below(most); left > 0; --left) {
    const auto edits = all_edits(graph);
    if (edits.empty()) break;
    out.push_back(edits[rng.below(edits.size())]);
    graph = apply(graph, out.back());
  }
  return out;
}

TEST(LabelledMapsTest, TheChangeOfAnEditIsThatOfAMap) {
  Rng rng(1);
  std::size_t triples = 0;
  for (int round = 0; triples < 1'000'000; ++round) {
    const EditCosts costs = bond_costs(static_cast<std::int32_t>(1 + (round % 4 == 0 ? 1 : 0)));
    MapChanges changes(costs);
    const Graph a = some_graph(rng, 7);
    const Graph b = some_graph(rng, 7);
    const NodeMap map = random_map(a, b, rng);
    const std::int64_t before = induced_cost(a, b, map, costs);
    if (round % 2 == 0) {
      changes.prepare(a, b, map, kLabels, kEdgeLabels);
    } else {
      changes.bind(a, b, map);
    }
    for (const Edit& edit : all_edits(a)) {
      const Graph next = apply(a, edit);
      const NodeMap next_map = changes.map_of(edit);
      ASSERT_TRUE(is_node_map(next, b, next_map));
      ASSERT_EQ(induced_cost(next, b, next_map, costs), before + changes.change(edit));
      ++triples;
    }
  }
}

TEST(LabelledMapsTest, TheChangeOfAStepIsThatOfAMap) {
  Rng rng(2);
  std::size_t triples = 0;
  std::size_t better = 0;
  StepEffects effects;
  // Tables of a graph before must not be seen.
  std::array<StepChanges, 3> by_cost{StepChanges(bond_costs(0)), StepChanges(bond_costs(1)),
                                     StepChanges(bond_costs(2))};
  while (triples < 400'000) {
    const auto relabel = static_cast<std::int32_t>(rng.below(3));
    const EditCosts costs = bond_costs(relabel);
    StepChanges& changes = by_cost[static_cast<std::size_t>(relabel)];
    MapChanges one_by_one(costs);
    const Graph a = some_graph(rng, 6);
    std::vector<Step> steps;
    for (int s = 0; s < 6; ++s) steps.push_back(random_step(rng, a, 5));
    effects.list(a, Moves(steps));
    ASSERT_EQ(effects.size(), steps.size());
    for (int i = 0; i < 4; ++i) {
      const Graph b = some_graph(rng, 6);
      const NodeMap map = random_map(a, b, rng);
      const std::int64_t before = induced_cost(a, b, map, costs);
      if (i % 2 == 0) {
        changes.bind(effects, b, map);
      } else {
        changes.prepare(effects, b, map);
      }
      for (std::size_t s = 0; s < steps.size(); ++s) {
        const Graph next = apply_step(a, steps[s]);
        ASSERT_EQ(effects[s].size_change,
                  static_cast<int>(next.size()) - static_cast<int>(a.size()));
        const int change = changes.change(s);
        const NodeMap next_map = changes.map_of(s);
        ASSERT_TRUE(is_node_map(next, b, next_map));
        ASSERT_EQ(induced_cost(next, b, next_map, costs), before + change);
        if (costs.relabel_edge < 2) {
          ASSERT_LE(std::abs(change), cost_of(steps[s]));
        }
        ++triples;
        if (steps[s].size() > 1) continue;
        // A single edit: never worse than without an exchange of twins.
        one_by_one.bind(a, b, map);
        ASSERT_LE(change, one_by_one.change(steps[s].front()));
        better += change < one_by_one.change(steps[s].front()) ? 1U : 0U;
      }
    }
  }
  EXPECT_GT(better, 100U) << "twins never exchanged their images";
}

TEST(LabelledMapsTest, ATwinThatFitsBestGoes) {
  // A carbon with three hydrogens; two of them are hydrogens of the input, too, one is deleted.
  const auto graph = [](std::vector<Label> labels, std::vector<Edge> edges) {
    return Graph(labels, edges, Graph::EdgeLabels::kPresent);
  };
  const Graph a = graph({1, 0, 0, 0}, {{0, 1}, {0, 2}, {0, 3}});
  const Graph b = graph({1, 0, 0, 2}, {{0, 1}, {0, 2}, {0, 3}});
  StepChanges changes(bond_costs());
  StepEffects effects;
  const std::vector<Step> steps{{{Edit::Kind::kRemoveLeaf, 1, 0, 0}},
                                {{Edit::Kind::kRelabel, 1, 0, 2}},
                                {{Edit::Kind::kRelabelEdge, 0, 1, 1},
                                 {Edit::Kind::kRelabel, 1, 0, 2},
                                 {Edit::Kind::kRemoveLeaf, 2, 0, 0}}};
  effects.list(a, Moves(steps));
  const NodeMap unmatched{0, 1, 2, kUnmatched};
  changes.bind(effects, b, unmatched);
  EXPECT_EQ(changes.change(0), -2) << "node 3, which is deleted anyway";
  EXPECT_EQ(changes.map_of(0), (NodeMap{0, 2, 1})) << "of what were nodes 0, 2 and 3";
  const NodeMap whole{0, 1, 2, 3};
  changes.bind(effects, b, whole);
  EXPECT_EQ(changes.change(1), -1) << "node 1 takes the image of node 3";
  EXPECT_EQ(changes.map_of(1), (NodeMap{0, 3, 2, 1}));
  EXPECT_EQ(changes.change(2), -1 + 1 + 2) << "so it does if another one goes";
}

TEST(LabelledMapsTest, AllNeighboursAreWorthWhatEachIs) {
  Rng rng(3);
  std::size_t compared = 0;
  for (int round = 0; round < 400; ++round) {
    const EditCosts costs = bond_costs(static_cast<std::int32_t>(round % 3));
    const Graph graph = some_graph(rng, 7);
    Moves moves(all_edits(graph));
    if (round % 4 == 3) {
      std::vector<Step> steps;
      for (int s = 0; s < 40; ++s) steps.push_back(random_step(rng, graph, 4));
      moves = Moves(steps);
    }
    WorthTable table;
    table.reset({.theta = 0.3, .width = 0.5});
    NeighbourWorth worth(kLabels, kEdgeLabels, costs);
    worth.start(graph, moves, table);
    std::vector<double> expected(moves.size(), 0);
    for (int i = 0; i < 5; ++i) {
      const PreparedGraph input(some_graph(rng, 7));
      const NodeMap map = random_map(graph, input.graph(), rng);
      const auto cost = static_cast<std::int32_t>(induced_cost(graph, input.graph(), map, costs));
      worth.add(input, map, cost);
      MapChanges single(costs);
      single.bind(graph, input.graph(), map);
      StepChanges several(costs);
      StepEffects effects;
      effects.list(graph, moves);
      several.bind(effects, input.graph(), map);
      for (std::size_t m = 0; m < moves.size(); ++m) {
        const int change = moves.are_single() ? single.change(moves[m][0]) : several.change(m);
        const auto sizes =
            static_cast<std::int64_t>(graph.size() + input.graph().size()) + size_change(moves[m]);
        expected[m] += table.worth(static_cast<std::size_t>(sizes), cost + change);
      }
    }
    const auto values = worth.worth_of();
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t m = 0; m < values.size(); ++m, ++compared) {
      ASSERT_NEAR(values[m], expected[m], 1e-4) << m;
    }
  }
  EXPECT_GT(compared, 20'000U);
}

bool can_be_improved(const Graph& graph, const Graph& input, const NodeMap& map,
                     const EditCosts& costs) {
  const std::int64_t cost = induced_cost(graph, input, map, costs);
  for (Node u = 0; u < graph.num_nodes(); ++u) {
    for (Node v = 0; v < u; ++v) {
      NodeMap other = map;
      std::swap(other[u], other[v]);
      if (induced_cost(graph, input, other, costs) < cost) return true;
    }
    for (Node x = 0; x < input.num_nodes(); ++x) {
      NodeMap other = map;
      other[u] = x;
      if (is_node_map(graph, input, other) && induced_cost(graph, input, other, costs) < cost) {
        return true;
      }
    }
  }
  return false;
}

TEST(LabelledMapsTest, MendingEndsWhereNoExchangeHelps) {
  Rng rng(4);
  std::size_t gained_at_all = 0;
  for (int round = 0; round < 400; ++round) {
    const EditCosts costs = bond_costs(static_cast<std::int32_t>(1 + rng.below(2)));
    const PreparedGraph graph(some_graph(rng, 12));
    const PreparedGraph input(some_graph(rng, 12));
    if (!can_descend_by_swaps(graph, input, costs.relabel_edge)) continue;
    NodeMap map = random_map(graph.graph(), input.graph(), rng);
    const std::int64_t before = induced_cost(graph.graph(), input.graph(), map, costs);
    std::vector<Node> nodes(graph.graph().num_nodes());
    std::iota(nodes.begin(), nodes.end(), Node{0});
    const std::int64_t gained =
        descend_by_swaps(graph, input, map, nodes, true, costs.relabel_edge);
    ASSERT_TRUE(is_node_map(graph.graph(), input.graph(), map));
    ASSERT_EQ(induced_cost(graph.graph(), input.graph(), map, costs), before - gained);
    ASSERT_FALSE(can_be_improved(graph.graph(), input.graph(), map, costs));
    gained_at_all += gained > 0 ? 1U : 0U;
  }
  EXPECT_GT(gained_at_all, 200U);
}

}  // namespace
}  // namespace fewedits
