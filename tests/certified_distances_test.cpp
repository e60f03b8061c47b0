// SPDX-License-Identifier: MIT
// What certified_distances claims is true, proven by its maps, and the same for any threads.
#include "fewedits/distance/certified_distances.hpp"

#include <gtest/gtest.h>

#include "fewedits/base/error.hpp"
#include "fewedits/ged/batch.hpp"
#include "fewedits/ged/solver.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

class CertifiedDistancesTest : public testing::Test {
 protected:
  void SetUp() override {
    Rng rng(7);
    for (Node n = 0; n < 12; ++n) inputs_.push_back(test::random_graph(rng, 1 + n % 8, n / 4, 3));
    // Close to some of the inputs, and one without nodes.
    for (const std::size_t i : {3U, 6U, 11U}) {
      counterfactuals_.push_back(inputs_[i].with_leaf(0, 1).with_label(0, 2));
    }
    counterfactuals_.emplace_back();
  }

  CertifiedDistances distances(const CertifiedOptions& options, int threads = 2,
                               const DistanceWatch& watch = {},
                               const ProvenPairs& known = {}) const {
    ThreadPool pool(threads);
    return certified_distances(counterfactuals_, prepare_graphs(inputs_, pool), options, pool,
                               watch, known);
  }

  std::vector<Graph> inputs_;
  std::vector<Graph> counterfactuals_;
};

TEST_F(CertifiedDistancesTest, BoundsEncloseTheDistanceAndMapsProveThem) {
  for (const double theta : {0.05, 0.1, 0.3}) {
    const CertifiedDistances found = distances({.theta = theta});
    EXPECT_TRUE(found.complete);
    const auto upper = found.normalized_upper();
    const auto lower = found.normalized_lower();
    for (std::size_t c = 0; c < counterfactuals_.size(); ++c) {
      for (std::size_t i = 0; i < inputs_.size(); ++i) {
        const CertifiedPair& pair = found.pairs[c][i];
        const Graph& input = inputs_[i];
        const Graph& counterfactual = counterfactuals_[c];
        const std::int64_t distance = edit_distance(input, counterfactual).upper;
        EXPECT_LE(pair.lower, distance);
        EXPECT_GE(pair.upper, distance);
        const NodeMap map = pair.map_from(input.num_nodes());
        ASSERT_TRUE(is_node_map(input, counterfactual, map));
        EXPECT_EQ(induced_cost(input, counterfactual, map), pair.upper);
        EXPECT_EQ(upper[c][i], normalized_distance(pair.upper, input, counterfactual));
        EXPECT_EQ(lower[c][i], normalized_distance(pair.lower, input, counterfactual));
        // Graphs this small leave nothing open.
        const bool near = distance <= distance_limit(theta, input, counterfactual);
        EXPECT_EQ(pair.within, near ? Answer::kYes : Answer::kNo);
        EXPECT_EQ(upper[c][i] <= theta, near);
        EXPECT_EQ(lower[c][i] <= theta, near);
      }
    }
  }
}

TEST_F(CertifiedDistancesTest, ThreadsChangeNothing) {
  // Large and unlike enough to stay open under a small budget.
  Rng rng(3);
  for (Graph& graph : inputs_) graph = test::random_graph(rng, 20, 15, 2);
  for (Graph& graph : counterfactuals_) graph = test::random_graph(rng, 22, 18, 2);
  CertifiedOptions options{.theta = 0.2};
  options.ged.budget.work = 5000;
  const CertifiedDistances one = distances(options, 1);
  const CertifiedDistances three = distances(options, 3);
  std::size_t open = 0;
  for (std::size_t c = 0; c < one.pairs.size(); ++c) {
    for (std::size_t i = 0; i < one.pairs[c].size(); ++i) {
      open += one.pairs[c][i].within == Answer::kUnknown ? 1U : 0U;
      EXPECT_EQ(one.pairs[c][i].lower, three.pairs[c][i].lower);
      EXPECT_EQ(one.pairs[c][i].upper, three.pairs[c][i].upper);
      EXPECT_EQ(one.pairs[c][i].within, three.pairs[c][i].within);
      EXPECT_EQ(one.pairs[c][i].map, three.pairs[c][i].map);
    }
  }
  EXPECT_GT(open, 0U);
}

TEST_F(CertifiedDistancesTest, StoppedItStillTellsTheTruth) {
  std::size_t calls = 0;
  const CertifiedDistances found = distances({}, 1, [&](std::size_t done, std::size_t total) {
    ++calls;
    EXPECT_EQ(done, calls);
    EXPECT_LE(done, total);
    return calls < 5;
  });
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(calls, 5U);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const CertifiedPair& last = found.pairs.back()[i];
    EXPECT_NE(last.within, Answer::kYes);
    EXPECT_TRUE(last.map.empty()) << "a map of no node for each of millions of pairs";
    const NodeMap none = last.map_from(inputs_[i].num_nodes());
    EXPECT_EQ(induced_cost(inputs_[i], counterfactuals_.back(), none), last.upper);
    EXPECT_EQ(last.normalized_upper(), 1) << "its turn did not come";
    EXPECT_LE(last.lower, edit_distance(inputs_[i], counterfactuals_.back()).lower);
  }
  StopSign stop;
  stop.set();
  CertifiedOptions options;
  options.ged.budget.stop = &stop;
  EXPECT_FALSE(distances(options).complete);
}

TEST_F(CertifiedDistancesTest, KnownMapsAreReplayedNotBelieved) {
  NodeMap same(inputs_[3].num_nodes());
  for (Node v = 0; v < same.size(); ++v) same[v] = v;
  NodeMap twice = same;
  twice.back() = twice.front();
  const NodeMap too_long(inputs_[6].num_nodes() + 1, kUnmatched);
  const ProvenPairs known{{{3, 0, same}, {3, 1, twice}, {99, 1, same}, {6, 1, too_long}},
                          {{3, 0, {}}}};
  StopSign stop;
  stop.set();
  CertifiedOptions options;
  options.ged.budget.stop = &stop;
  const CertifiedDistances stopped = distances(options, 1, {}, known);
  const std::int64_t cost = induced_cost(inputs_[3], counterfactuals_[0], same);
  EXPECT_EQ(stopped.pairs[0][3].map, same);
  EXPECT_EQ(stopped.pairs[0][3].upper, cost);
  for (std::size_t c = 0; c < counterfactuals_.size(); ++c) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (c == 0 && i == 3) continue;
      EXPECT_EQ(stopped.pairs[c][i].upper, stopped.pairs[c][i].largest) << c << ", " << i;
    }
  }
  const CertifiedDistances found = distances({}, 2, {}, known);
  const std::int64_t distance = edit_distance(inputs_[3], counterfactuals_[0]).upper;
  EXPECT_LE(found.pairs[0][3].lower, distance);
  EXPECT_GE(found.pairs[0][3].upper, distance);
  EXPECT_LE(found.pairs[0][3].upper, cost);
}

TEST_F(CertifiedDistancesTest, NothingToCompareAndBadTheta) {
  ThreadPool pool(1);
  const auto inputs = prepare_graphs(inputs_, pool);
  EXPECT_TRUE(certified_distances({}, inputs, {}, pool).pairs.empty());
  EXPECT_TRUE(certified_distances(counterfactuals_, {}, {}, pool).normalized_upper()[0].empty());
  EXPECT_THROW((void)certified_distances(counterfactuals_, inputs, {.theta = 1.5}, pool), Error);
}

}  // namespace
}  // namespace fewedits
