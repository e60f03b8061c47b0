// SPDX-License-Identifier: MIT
// No neighbour's coverage is ever overstated: every claimed cost is that of an explicit map, and
// every covered input is within theta by the exact distance.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fewedits/base/rng.hpp"
#include "fewedits/distance/ged_distance.hpp"
#include "fewedits/distance/map_changes.hpp"
#include "fewedits/edit/neighbours.hpp"
#include "fewedits/search/evaluator.hpp"
#include "support/fake_classifier.hpp"
#include "support/ged.hpp"

namespace fewedits {
namespace {

constexpr std::size_t kLabels = 3;

Graph small_graph(Rng& rng, std::uint64_t nodes) {
  if (nodes == 0) return {};
  return test::random_graph(rng, static_cast<Node>(nodes), rng.below(nodes + 1), kLabels, 0);
}

/// An injective map of random nodes onto random nodes.
NodeMap random_map(const Graph& a, const Graph& b, Rng& rng) {
  std::vector<Node> places(b.num_nodes());
  for (Node x = 0; x < b.num_nodes(); ++x) places[x] = x;
  rng.shuffle(std::span(places));
  NodeMap map(a.num_nodes(), kUnmatched);
  std::size_t next = 0;
  for (Node& to : map) {
    if (next < places.size() && rng.chance(0.8)) to = places[next++];
  }
  return map;
}

TEST(MapChangesTest, TheCostOfEveryNeighbourIsThatOfItsMap) {
  Rng rng(1);
  MapChanges changes;
  std::size_t compared = 0;
  for (int round = 0; round < 400; ++round) {
    const Graph a = small_graph(rng, 1 + rng.below(8));
    const Graph b = small_graph(rng, rng.below(9));
    const NodeMap map = random_map(a, b, rng);
    changes.prepare(a, b, map, kLabels);
    for (const Edit& edit : neighbours(a, {kLabels, {}})) {
      const Graph next = apply(a, edit);
      const NodeMap next_map = changes.map_of(edit);
      ASSERT_TRUE(is_node_map(next, b, next_map));
      ASSERT_EQ(induced_cost(next, b, next_map), induced_cost(a, b, map) + changes.change(edit));
      ++compared;
    }
  }
  EXPECT_GT(compared, 10'000U);
}

TEST(MapChangesTest, ALeafTakesTheBestFreeNode) {
  Rng rng(2);
  MapChanges changes;
  for (int round = 0; round < 200; ++round) {
    const Graph a = small_graph(rng, 1 + rng.below(5));
    const Graph b = small_graph(rng, rng.below(7));
    const NodeMap map = random_map(a, b, rng);
    changes.prepare(a, b, map, kLabels);
    for (Node u = 0; u < a.num_nodes(); ++u) {
      const Edit edit{Edit::Kind::kAddLeaf, u, 0, static_cast<Label>(rng.below(kLabels))};
      const Graph next = apply(a, edit);
      NodeMap extended = map;
      extended.push_back(kUnmatched);
      std::int64_t best = induced_cost(next, b, extended);
      for (Node x = 0; x < b.num_nodes(); ++x) {
        extended.back() = x;
        if (is_node_map(next, b, extended)) {
          best = std::min(best, induced_cost(next, b, extended));
        }
      }
      EXPECT_EQ(induced_cost(a, b, map) + changes.change(edit), best);
    }
  }
}

/// Likes every graph equally.
struct Indifferent final : test::FakeClassifier {
  Indifferent()
      : FakeClassifier(kLabels, 2, [](const Graph&) {
          return std::vector<double>{0.5, 0.5};
        }) {}
};

class CertifiedNeighbourhoodTest : public testing::Test {
 protected:
  CertifiedNeighbourhoodTest() {
    Rng rng(3);
    for (int i = 0; i < 150; ++i) {
      inputs.push_back(small_graph(rng, 3 + rng.below(5)));
    }
  }

  GedDistance distance(double theta) {
    return {inputs, {.ged = {}, .theta = theta, .search_effort = MapEffort{}}, pool};
  }

  std::vector<Graph> inputs;
  Indifferent classifier;
  ThreadPool pool{2};
};

TEST_F(CertifiedNeighbourhoodTest, EveryCoveredInputIsWithinThetaByTheExactDistance) {
  constexpr double kTheta = 0.25;
  GedDistance edits_between = distance(kTheta);
  ModelEvaluator evaluator(classifier, 1, edits_between);
  Rng rng(4);
  std::size_t claimed = 0;
  std::size_t missed = 0;
  for (int round = 0; round < 6; ++round) {
    const Graph graph = small_graph(rng, 4 + rng.below(3));
    const auto edits = neighbours(graph, {kLabels, {}});
    const Neighbourhood found = evaluator.evaluate(graph, edits, kTheta, pool);
    ASSERT_EQ(found.size(), edits.size() + 1);
    for (std::size_t e = 0; e < found.size(); e += 7) {
      const Graph next = apply(graph, found.edits[e]);
      const auto covers = found.covers(e);
      for (std::uint32_t i = 0; i < inputs.size(); ++i) {
        const GedBounds exact_distance = edit_distance(next, inputs[i]);
        ASSERT_TRUE(exact_distance.exact());
        const bool within = static_cast<double>(exact_distance.upper) /
                                static_cast<double>(next.size() + inputs[i].size()) <=
                            kTheta;
        const bool claims = std::find(covers.begin(), covers.end(), i) != covers.end();
        ASSERT_TRUE(within || !claims) << "entry " << e << ", input " << i;
        claimed += claims ? 1U : 0U;
        missed += within && !claims ? 1U : 0U;
      }
    }
  }
  EXPECT_GT(claimed, 500U);
  // What one map cannot see is missed, but that is the smaller part.
  EXPECT_LT(missed, claimed);
}

TEST_F(CertifiedNeighbourhoodTest, ThreadsChangeNothing) {
  GedDistance edits_between = distance(0.2);
  ModelEvaluator evaluator(classifier, 1, edits_between);
  const auto edits = neighbours(inputs[0], {kLabels, {}});
  ThreadPool one(1);
  ThreadPool four(4);
  const Neighbourhood a = evaluator.evaluate(inputs[0], edits, 0.2, one);
  const Neighbourhood b = evaluator.evaluate(inputs[0], edits, 0.2, four);
  EXPECT_EQ(a.near.active, b.near.active);
  ASSERT_EQ(a.near.rows.size(), edits.size() + 1);
  ASSERT_EQ(b.near.rows.size(), edits.size() + 1);
  for (std::size_t e = 0; e < a.size(); ++e) {
    EXPECT_TRUE(std::ranges::equal(a.near.rows[e], b.near.rows[e])) << e;
  }
  EXPECT_EQ(a.shape, b.shape);
}

TEST_F(CertifiedNeighbourhoodTest, AGraphAloneCoversWhatItsNeighbourhoodSays) {
  GedDistance edits_between = distance(0.2);
  ModelEvaluator evaluator(classifier, 1, edits_between);
  Rng rng(5);
  std::size_t claimed = 0;
  for (int round = 0; round < 10; ++round) {
    const Graph graph = small_graph(rng, 3 + rng.below(4));
    const auto edits = neighbours(graph, {kLabels, {}});
    const Neighbourhood found = evaluator.evaluate(graph, edits, 0.2, pool);
    const auto alone = edits_between.within({&graph, 1}, 0.2, pool);
    ASSERT_EQ(alone.size(), 1U);
    EXPECT_EQ(found.covers(0), alone[0]);
    claimed += alone[0].size();
  }
  EXPECT_GT(claimed, 10U);
}

}  // namespace
}  // namespace fewedits
