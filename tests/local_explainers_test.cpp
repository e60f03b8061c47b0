// SPDX-License-Identifier: MIT
// CFF and RCExplainer, part by part on a model whose gradients are known, and as methods: the same
// counterfactuals for any number of threads, and wherever they were stopped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "fewedits/distance/distances.hpp"
#include "fewedits/search/baselines/cff.hpp"
#include "fewedits/search/baselines/decision_boundaries.hpp"
#include "fewedits/search/baselines/edge_explainer.hpp"
#include "fewedits/search/baselines/mask_network.hpp"
#include "fewedits/search/baselines/rcexplainer.hpp"
#include "fewedits/search/driver.hpp"
#include "fewedits/search/evaluator.hpp"
#include "fewedits/search/local/local_finder.hpp"
#include "fewedits/search/option_table.hpp"
#include "fewedits/search/parts.hpp"
#include "fewedits/search/run_file.hpp"
#include "fewedits/search/state.hpp"
#include "support/fake_classifier.hpp"
#include "support/shared.hpp"
#include "support/toy_weighted.hpp"

namespace fewedits {
namespace {

using test::no_such_edge;
using test::ToyClassifier;
using test::ToyLayer;
using test::ToyModel;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t kLabels = 4;
/// Labels 0 and 1 must not be neighbours, in class 1.
const std::vector<Label> kTwoClasses{1, 0};

Graph graph_of(const std::vector<Label>& labels, const std::vector<Edge>& edges) {
  return Graph(labels, edges);
}

/// 2 − 3 − 0 − 1 − 2, in which the edge 0 − 1 matters: the third.
Graph chain() { return graph_of({2, 3, 0, 1, 2}, {{0, 1, 0}, {1, 2, 0}, {2, 3, 0}, {3, 4, 0}}); }

float difference(const std::function<double(std::span<const float>)>& loss, std::vector<float> at,
                 std::size_t i, float step = 1e-2F) {
  at[i] += step;
  const double above = loss(at);
  at[i] -= 2 * step;
  return static_cast<float>((above - loss(at)) / (2 * double{step}));
}

// ---- Cutting ---------------------------------------------------------------------------------

TEST(EdgeCutTest, NodesStayOrTheLargestPartIsLeft) {
  const std::vector<std::uint32_t> third{2};
  const CutGraph all = cut_graph(chain(), third, true);
  EXPECT_EQ(all.graph, chain().without_edge(2, 3));
  EXPECT_THAT(all.map, ElementsAre(0, 1, 2, 3, 4));
  const CutGraph part = cut_graph(chain(), third, false);
  EXPECT_EQ(part.graph, graph_of({2, 3, 0}, {{0, 1, 0}, {1, 2, 0}}));
  EXPECT_THAT(part.map, ElementsAre(0, 1, 2, kUnmatched, kUnmatched));
  EXPECT_EQ(induced_cost(chain(), part.graph, part.map), 4) << "two nodes and two edges go";

  const std::vector<std::uint32_t> first_two{0, 1};
  EXPECT_THAT(cut_graph(chain(), first_two, false).map,
              ElementsAre(kUnmatched, kUnmatched, 0, 1, 2));
  const std::vector<std::uint32_t> every{0, 1, 2, 3};
  EXPECT_EQ(cut_graph(chain(), every, false).graph, graph_of({2}, {})) << "the first of equals";
  EXPECT_EQ(cut_graph(chain(), every, true).graph.num_nodes(), 5U);
}

TEST(EdgeCutTest, EdgesGoInOrderUntilTheModelAccepts) {
  const ToyClassifier model(kLabels, no_such_edge(kLabels, kTwoClasses));
  ThreadPool pool(1);
  CutRules rules{{1}, {}, true};
  const std::vector<std::uint32_t> order{0, 2, 1, 3};
  auto found = first_cut(chain(), order, rules, model, pool);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->graph, chain().without_edge(0, 1).without_edge(2, 3));
  EXPECT_TRUE(found->judged.accepted);

  rules.keep_isolated = false;
  found = first_cut(chain(), order, rules, model, pool);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->graph, graph_of({3, 0}, {{0, 1, 0}})) << "the largest of three parts";
  rules.constraints.min_nodes = 3;
  EXPECT_FALSE(first_cut(chain(), order, rules, model, pool)) << "no part is that large";
  rules.constraints.min_nodes = 1;
  rules.goal.acceptance.min_probability = 0.9;  // with no such edge it is 0.88
  EXPECT_FALSE(first_cut(chain(), order, rules, model, pool));
}

// ---- CFF -------------------------------------------------------------------------------------

/// Heads with a curve in them, for gradients.
std::vector<ToyLayer> curved_head(std::size_t classes, Rng& rng, std::size_t labels = kLabels) {
  const auto layer = [&](std::size_t outputs, std::size_t inputs) {
    ToyLayer out;
    for (std::size_t r = 0; r < outputs; ++r) {
      auto& row = out.rows.emplace_back(inputs);
      for (float& value : row) value = static_cast<float>(rng.uniform() - 0.5);
      out.bias.push_back(static_cast<float>(rng.uniform() - 0.5));
    }
    return out;
  };
  return {layer(12, labels * labels), layer(classes, 12)};
}

TEST(CffTest, TheGradientIsThatOfTheLoss) {
  Rng rng(5);
  for (int round = 0; round < 20; ++round) {
    ToyModel model(kLabels, curved_head(3, rng));
    const Graph graph = test::random_graph(rng, 8, 3, kLabels);
    const CffOptions options{.lambda = 7, .alpha = 0.3};
    std::vector<float> mask(graph.num_edges());
    for (float& m : mask) m = static_cast<float>(rng.uniform());
    std::vector<float> gradient(mask.size());
    (void)cff_loss(model, graph, 1, options, mask, gradient);
    std::vector<float> unused(mask.size());
    const auto loss = [&](std::span<const float> at) {
      return cff_loss(model, graph, 1, options, at, unused);
    };
    for (std::size_t e = 0; e < mask.size(); ++e) {
      EXPECT_NEAR(gradient[e], difference(loss, mask, e), 2e-2 * (1 + std::abs(gradient[e])));
    }
  }
}

TEST(CffTest, MarksTheEdgeThatMatters) {
  ToyModel model(kLabels, no_such_edge(kLabels, kTwoClasses));
  const CffOptions options{.lambda = 20};
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto mask = cff_mask(model, chain(), 1, options, Rng(seed));
    ASSERT_EQ(mask.size(), 4U);
    EXPECT_GT(mask[2], 0.5F);
    for (const std::size_t other : {0U, 1U, 3U}) EXPECT_LT(mask[other], 0.5F);
  }
}

// ---- The network -----------------------------------------------------------------------------

TEST(MaskNetworkTest, TheGradientIsThatOfTheLogits) {
  constexpr std::size_t kSize = 5;
  Rng rng(3);
  MaskNetwork network(kSize, Rng(4));
  const Graph graph = test::random_graph(rng, 6, 2, 2);
  const auto edges = graph.edges();
  std::vector<float> nodes(graph.num_nodes() * kSize);
  for (float& x : nodes) x = static_cast<float>(4 * rng.uniform() - 2);
  std::vector<float> scale(2 * edges.size());
  for (float& x : scale) x = static_cast<float>(rng.uniform() - 0.5);
  MaskNetwork::Memory memory;
  std::vector<float> logits(scale.size());
  const auto sum = [&](std::span<const float> parameters) {
    std::ranges::copy(parameters, network.parameters().begin());
    network.forward(nodes, edges, memory, logits);
    return std::inner_product(logits.begin(), logits.end(), scale.begin(), 0.0);
  };
  const std::vector<float> at(network.parameters().begin(), network.parameters().end());
  ASSERT_EQ(at.size(), 2 * kSize * 64 + 64 + 64 + 1);
  (void)sum(at);
  std::vector<float> gradient(at.size());
  network.backward(nodes, edges, scale, memory, gradient);
  // A ReLU may bend within the step for a few.
  std::size_t off = 0;
  double length = 0;
  for (std::size_t p = 0; p < at.size(); ++p) {
    const float expected = difference(sum, at, p, 1e-3F);
    off += std::abs(gradient[p] - expected) > 5e-3F ? 1U : 0U;
    length += double{gradient[p]} * gradient[p];
  }
  EXPECT_LE(off, at.size() / 50);
  EXPECT_GT(length, 1);
}

TEST(MaskNetworkTest, BothDirectionsOfAnEdgeAreSeen) {
  const MaskNetwork network(2, Rng(1));
  const std::vector<float> nodes{1, 0, 0, 1};
  const std::vector<Edge> edges{{0, 1, 0}};
  const std::vector<float> swapped{0, 1, 1, 0};
  MaskNetwork::Memory memory;
  std::vector<float> logits(2);
  std::vector<float> other(2);
  network.forward(nodes, edges, memory, logits);
  network.forward(swapped, edges, memory, other);
  EXPECT_NE(logits[0], logits[1]);
  EXPECT_EQ(logits[0], other[1]);
  EXPECT_EQ(logits[1], other[0]);
}

TEST(MaskNetworkTest, DrawnMasksAreTheSofterTheHotter) {
  constexpr int kDraws = 20'000;
  const std::vector<float> logits{1.0F, 1.0F};
  std::vector<float> mask(1);
  std::vector<float> slopes(2);
  Rng rng(9);
  const auto moments = [&](double temperature) {
    double above = 0;
    double spread = 0;
    for (int i = 0; i < kDraws; ++i) {
      draw_mask(std::vector<float>{logits[0], -30.0F}, temperature, rng, mask, slopes);
      const double one = 2.0 * mask[0];  // the other direction adds next to nothing when cold
      above += one > 0.5 + 1e-3 ? 1 : 0;
      spread += std::abs(one - 0.5);
      EXPECT_GE(slopes[0], 0);
    }
    return std::pair(above / kDraws, spread / kDraws);
  };
  // P(drawn > ½) = σ(logit), whatever the temperature.
  const auto cold = moments(0.1);
  EXPECT_NEAR(cold.first, 1 / (1 + std::exp(-1.0)), 0.02);
  EXPECT_GT(cold.second, 0.45) << "a coin";
  std::vector<float> hot_mask(1);
  double hot = 0;
  for (int i = 0; i < kDraws; ++i) {
    draw_mask(logits, 5, rng, hot_mask, slopes);
    hot += std::abs(hot_mask[0] - 0.5);
  }
  EXPECT_LT(hot / kDraws, 0.15) << "all about a half";

  // The slopes are the derivatives for the same draw.
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng same(seed);
    draw_mask(logits, 1.3, same, mask, slopes);
    const auto drawn = [&](std::span<const float> at) {
      Rng again(seed);
      std::vector<float> out(1);
      std::vector<float> unused(2);
      draw_mask(at, 1.3, again, out, unused);
      return double{out[0]};
    };
    const float slope = slopes[0];
    EXPECT_NEAR(slope, difference(drawn, logits, 0), 1e-3);
  }
}

// ---- Boundaries ------------------------------------------------------------------------------

struct Points {
  PooledRows rejected;
  PooledRows accepted;
};

/// By what the head says of random features.
Points random_points(const WeightedModel& model, std::size_t desired, Rng& rng) {
  Points out;
  for (int i = 0; i < 300; ++i) {
    std::vector<float> row(model.pooled_size());
    for (float& x : row) x = static_cast<float>(4 * rng.uniform());
    (margin_of_rest(model, desired, row) > 0 ? out.rejected : out.accepted).push_back(row);
  }
  return out;
}

TEST(BoundariesTest, ALinearHeadOfTwoClassesHasOne) {
  ToyModel model(2, {{{{1, 2, 0, -1}, {0.5F, -1, 0.25F, 0}}, {-3, 0.5F}}});
  Rng rng(2);
  const Points points = random_points(model, 1, rng);
  ASSERT_GT(points.rejected.size(), 20U);
  ASSERT_GT(points.accepted.size(), 20U);
  const auto all = boundaries_between(model, 1, points.rejected, points.accepted, 200, Rng(3));
  ASSERT_EQ(all.size(), 1U);
  const auto chosen = separating_boundaries(all, points.rejected, points.accepted);
  ASSERT_EQ(chosen.size(), 1U);
  EXPECT_THAT(chosen[0].normal, ElementsAre(0.5F, 3, -0.25F, -1));
  EXPECT_NEAR(chosen[0].offset, -3.5, 1e-4);
}

/// What holds for boundaries of any head.
void expect_true(const WeightedModel& model, std::size_t desired,
                 const std::vector<Boundary>& boundaries, const Points& points) {
  for (const Boundary& b : boundaries) {
    std::size_t rejected = 0;
    std::size_t accepted = 0;
    for (const auto& row : points.rejected) rejected += b.at(row) > 0 ? 1U : 0U;
    for (const auto& row : points.accepted) accepted += b.at(row) <= 0 ? 1U : 0U;
    EXPECT_GT(rejected, 0U);
    EXPECT_GT(accepted, 0U);
    EXPECT_NEAR(margin_of_rest(model, desired, b.point), 0, 1e-4);
    EXPECT_NEAR(b.at(b.point), 0, 1e-4);
    // Nearby, along its normal, the head says the same.
    for (const float step : {-1e-2F, 1e-2F}) {
      std::vector<float> near = b.point;
      for (std::size_t i = 0; i < near.size(); ++i) near[i] += step * b.normal[i];
      EXPECT_EQ(margin_of_rest(model, desired, near) > 0, b.at(near) > 0);
    }
  }
}

TEST(BoundariesTest, ALinearHeadOfThreeClassesHasOneForEachOtherClass) {
  ToyModel model(2, {{{{1, 2, 0, -1}, {0.5F, -1, 0.25F, 1}, {-1, 0.5F, 1, 0}}, {-3, 2, 0.5F}}});
  Rng rng(2);
  const Points points = random_points(model, 1, rng);
  const auto all = boundaries_between(model, 1, points.rejected, points.accepted, 400, Rng(3));
  EXPECT_EQ(all.size(), 2U);
  expect_true(model, 1, all, points);
  const auto chosen = separating_boundaries(all, points.rejected, points.accepted);
  EXPECT_GE(chosen.size(), 1U);
}

TEST(BoundariesTest, ADeeperHeadHasManyAndFewAreKept) {
  Rng rng(11);
  for (int round = 0; round < 10; ++round) {
    ToyModel model(2, curved_head(3, rng, 2));
    const Points points = random_points(model, 1, rng);
    if (points.rejected.size() < 30 || points.accepted.size() < 30) continue;
    const auto all = boundaries_between(model, 1, points.rejected, points.accepted, 200, Rng(3));
    ASSERT_GT(all.size(), 1U);
    expect_true(model, 1, all, points);
    const auto chosen = separating_boundaries(all, points.rejected, points.accepted);
    ASSERT_GE(chosen.size(), 1U);
    EXPECT_LE(chosen.size(), all.size());
    // The first alone tells most of either kind apart from the other.
    const auto share = [&](const PooledRows& rows) {
      return static_cast<double>(std::ranges::count_if(
                 rows, [&](const auto& row) { return chosen[0].at(row) > 0; })) /
             static_cast<double>(rows.size());
    };
    EXPECT_GT(share(points.rejected), share(points.accepted) + 0.3);
  }
}

TEST(BoundariesTest, WithoutGraphsOnBothSidesThereIsNone) {
  const ToyModel model(2, {{{{1, 2, 0, -1}, {0.5F, -1, 0.25F, 0}}, {-3, 0.5F}}});
  EXPECT_TRUE(boundaries_between(model, 1, {{0, 0, 0, 0}}, {}, 10, Rng(1)).empty());
  EXPECT_TRUE(separating_boundaries({}, {{0, 0, 0, 0}}, {}).empty());
}

TEST(RcExplainerTest, TheGradientIsThatOfTheLoss) {
  Rng rng(5);
  int compared = 0;
  for (int round = 0; round < 20; ++round) {
    ToyModel model(kLabels, curved_head(3, rng));
    const Graph graph = test::random_graph(rng, 8, 3, kLabels);
    const Points points = random_points(model, 1, rng);
    const auto all = boundaries_between(model, 1, points.rejected, points.accepted, 20, Rng(3));
    model.evaluate(graph, std::vector<float>(graph.num_edges(), 1));
    const GraphSides sides = sides_of(all, model.pooled());
    if (sides.boundaries.empty()) continue;
    const RcOptions options{.lambda = 0.4, .size = 0.1, .entropy = 0.5};
    std::vector<float> mask(graph.num_edges());
    for (float& m : mask) m = static_cast<float>(0.1 + 0.8 * rng.uniform());
    std::vector<float> gradient(mask.size());
    (void)rc_loss(model, graph, sides, options, mask, gradient);
    std::vector<float> unused(mask.size());
    const auto loss = [&](std::span<const float> at) {
      return rc_loss(model, graph, sides, options, at, unused);
    };
    for (std::size_t e = 0; e < mask.size(); ++e) {
      EXPECT_NEAR(gradient[e], difference(loss, mask, e, 2e-3F),
                  5e-3 + 0.02 * std::abs(gradient[e]));
    }
    ++compared;
  }
  EXPECT_GT(compared, 5);
}

// ---- As methods ------------------------------------------------------------------------------

class LocalMethodTest : public testing::TestWithParam<std::string> {
 protected:
  LocalMethodTest() {
    options_.k = 5;
    options_.local.cff = {.lambda = 20, .alpha = 0.6, .gamma = 0.5, .rate = 0.1, .steps = 150};
    options_.local.rc.epochs = 300;
    options_.local.rc.rate = 0.01;
    options_.local.rc.size = 0.05;  // against the authors': here it is to be few edges
    options_.local.rc.entropy = 0.1;
    options_.distance = "wl";
    options_.theta = 0.6;
    options_.walk_theta = 0.6;
    options_.method = GetParam();
    options_.keep_isolated = true;
  }

  /// Random graphs, told apart by the model.
  void make(const std::vector<Label>& kinds, std::uint32_t graphs = 120) {
    model_ = std::make_unique<ToyClassifier>(kLabels, no_such_edge(kLabels, kinds));
    Rng rng(7);
    ThreadPool pool(1);
    for (std::uint32_t i = 0; i < graphs; ++i) {
      Graph graph =
          test::random_graph(rng, static_cast<Node>(5 + rng.below(5)), rng.below(3), kLabels);
      const bool accepted = judge({&graph, 1}, *model_, 1, pool)[0].accepted;
      (accepted ? accepted_ : rejected_).push_back(std::move(graph));
      (accepted ? accepted_numbers_ : numbers_).push_back(i);
    }
  }

  Explanation run(int threads, const ExplainHooks& hooks = {}) {
    ThreadPool pool(threads);
    const Parts parts = builtin_parts();
    const auto distance = parts.distances.at(options_.distance).make(rejected_, kLabels, {}, pool);
    const ExplainOptions options = with_defaults(options_, parts);
    const Goal goal(1, {*options.min_lead, options.min_probability});
    ModelEvaluator evaluator(*model_, goal, *distance);
    return run_search({evaluator, *model_, goal, numbers_, accepted_numbers_, accepted_}, options,
                      parts, pool, hooks);
  }

  /// Every one is an input without some edges, and a counterfactual.
  void expect_cuts(const Explanation& e) {
    ThreadPool pool(1);
    for (const Counterfactual& c : e.counterfactuals) {
      const auto place = std::ranges::find(numbers_, c.origin.value()) - numbers_.begin();
      const Graph& input = rejected_[static_cast<std::size_t>(place)];
      EXPECT_TRUE(std::ranges::equal(c.graph.labels(), input.labels()));
      EXPECT_LT(c.graph.num_edges(), input.num_edges());
      for (const Edge& edge : c.graph.edges()) EXPECT_TRUE(input.has_edge(edge.u, edge.v));
      EXPECT_TRUE(judge({&c.graph, 1}, *model_, 1, pool)[0].accepted);
    }
  }

  [[nodiscard]] std::unique_ptr<EdgeExplainer> trained(ThreadPool& pool) const {
    const EdgeTask task{*model_, {{1}, {}, true}, rejected_, numbers_, accepted_, 1};
    auto out = edge_explainers(builtin_parts()).at(GetParam()).make(task, options_.local, pool);
    while (out->training().rounds < out->rounds()) out->train(pool);
    return out;
  }

  std::unique_ptr<Classifier> model_;
  std::vector<Graph> rejected_;
  std::vector<Graph> accepted_;
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint32_t> accepted_numbers_;
  ExplainOptions options_;
};

TEST_P(LocalMethodTest, RemovesTheEdgesThatMatterAndFewOthers) {
  make(kTwoClasses);
  ThreadPool pool(2);
  const auto found = trained(pool)->explain(rejected_, numbers_, pool);
  std::size_t flipped = 0;
  std::size_t removed = 0;
  std::size_t needed = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const Edge& e : rejected_[i].edges()) {
      const std::set<Label> ends{rejected_[i].label(e.u), rejected_[i].label(e.v)};
      needed += ends == std::set<Label>{0, 1} ? 1U : 0U;
    }
    if (!found[i]) continue;
    ++flipped;
    removed += rejected_[i].num_edges() - found[i]->graph.num_edges();
  }
  ASSERT_GT(found.size(), 20U);
  EXPECT_EQ(flipped, found.size());
  EXPECT_GE(removed, needed);
  EXPECT_LE(removed, needed + needed / 5);
}

TEST_P(LocalMethodTest, FlipsMoreOftenThanAsManyEdgesTakenAtRandom) {
  constexpr std::size_t kGraphs = 200;
  constexpr int kRepeats = 20;
  make(kTwoClasses, 600);
  ASSERT_GE(rejected_.size(), kGraphs);
  rejected_.resize(kGraphs);
  numbers_.resize(kGraphs);
  options_.local.rc.epochs = 100;
  ThreadPool pool(2);
  const auto found = trained(pool)->explain(rejected_, numbers_, pool);
  Rng rng(3);
  double flipped = 0;
  double at_random = 0;
  for (std::size_t i = 0; i < kGraphs; ++i) {
    if (!found[i]) {
      ++at_random;  // in doubt for chance
      continue;
    }
    ++flipped;
    const std::size_t size = rejected_[i].num_edges() - found[i]->graph.num_edges();
    std::vector<std::uint32_t> order(rejected_[i].num_edges());
    std::iota(order.begin(), order.end(), 0U);
    for (int r = 0; r < kRepeats; ++r) {
      rng.shuffle(std::span(order));
      const Graph left = cut_graph(rejected_[i], std::span(order).first(size), true).graph;
      at_random += judge({&left, 1}, *model_, 1, pool)[0].accepted ? 1.0 / kRepeats : 0;
    }
  }
  EXPECT_GE(flipped, 0.9 * kGraphs);
  EXPECT_GE(flipped, 1.5 * at_random);
}

TEST_P(LocalMethodTest, SeveralClassesAreTheRest) {
  make({1, 0, 2});
  ThreadPool pool(1);
  std::set<std::size_t> predicted;
  for (const Graph& graph : rejected_) {
    const auto logs = checked_log_probabilities({&graph, 1}, *model_, GraphsFrom::kSearch, pool);
    predicted.insert(predicted_class(logs));
  }
  ASSERT_THAT(predicted, ElementsAre(0, 2));
  const auto found = trained(pool)->explain(rejected_, numbers_, pool);
  const auto flipped = std::ranges::count_if(found, [](const auto& f) { return f.has_value(); });
  EXPECT_GE(flipped * 10, std::ssize(found) * 9);
  expect_cuts(run(1));
}

TEST_P(LocalMethodTest, ThreadsMakeNoDifferenceButTheSeedDoes) {
  make(kTwoClasses);
  const Explanation one = run(1);
  EXPECT_TRUE(one.complete);
  EXPECT_EQ(one.counterfactuals.size(), options_.k) << "filled";
  EXPECT_EQ(run(3), one);
  expect_cuts(one);
  // A graph alone gets what it gets among all.
  ThreadPool pool(1);
  const auto explainer = trained(pool);
  const auto all = explainer->explain(rejected_, numbers_, pool);
  const auto alone = explainer->explain(std::span(rejected_).subspan(5, 1),
                                        std::span(numbers_).subspan(5, 1), pool);
  ASSERT_EQ(all[5].has_value(), alone[0].has_value());
  if (all[5]) {
    EXPECT_EQ(all[5]->graph, alone[0]->graph);
  }
}

TEST_P(LocalMethodTest, StoppedAnywhereAndResumedIsTheSame) {
  make(kTwoClasses);
  options_.local.rc.epochs = 6;
  const Explanation whole = run(1);
  int stops = 0;
  for (int call = 1; call < 200; ++call) {
    std::optional<SavedSearch> saved;
    ExplainHooks hooks;
    hooks.save_seconds = 0;
    hooks.save = [&](const SavedSearch& search) { saved = search; };
    hooks.progress = [&, calls = 0](const ExplainProgress&) mutable { return ++calls < call; };
    bool complete = false;
    try {
      complete = run(2, hooks).complete;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("no counterfactual was found"));
    }
    if (complete) break;
    ++stops;
    if (!saved) continue;
    // By way of the file.
    const std::string bytes = run_file_bytes({{{"a", "b"}}, *saved});
    RunFile file = parse_run_file(bytes, "run", rejected_.size(), kLabels);
    EXPECT_EQ(run_file_bytes(file), bytes);
    EXPECT_EQ(file.search.state().local, saved->state().local);
    ExplainHooks resumed;
    resumed.resume = file.search;
    EXPECT_EQ(run(1, resumed), whole) << "stopped at " << call;
  }
  EXPECT_GT(stops, 4);
}

TEST_P(LocalMethodTest, WithoutIsolatedNodesTheLargestPartCounts) {
  make(kTwoClasses);
  options_.keep_isolated = false;
  const Explanation e = run(2);
  ASSERT_GT(e.counterfactuals.size(), 0U);
  bool smaller = false;
  for (const Counterfactual& c : e.counterfactuals) {
    EXPECT_TRUE(c.graph.is_connected());
    const auto place = std::ranges::find(numbers_, c.origin.value()) - numbers_.begin();
    smaller =
        smaller || c.graph.num_nodes() < rejected_[static_cast<std::size_t>(place)].num_nodes();
  }
  EXPECT_TRUE(smaller);
  options_.constraints.min_nodes = 7;
  for (const Counterfactual& c : run(1).counterfactuals) EXPECT_GE(c.graph.num_nodes(), 7U);
}

TEST_P(LocalMethodTest, ModelsWithoutGradientsAreRefused) {
  make(kTwoClasses);
  model_ = std::make_unique<test::FakeClassifier>(kLabels, 2, [](const Graph&) {
    return std::vector<double>{0.6, 0.4};
  });
  EXPECT_THAT([&] { (void)run(1); }, testing::ThrowsMessage<Error>(HasSubstr("derivatives")));
}

TEST_P(LocalMethodTest, AGraphAloneGetsACertificate) {
  make(kTwoClasses);
  ThreadPool pool(1);
  LocalTask task{{*model_, {{1}, {}, true}, rejected_, numbers_, accepted_, 1}, options_.local, {}};
  const auto finder = local_finders(builtin_parts()).at(GetParam()).make(task, pool);
  int asked = 0;
  ASSERT_TRUE(finder->prepare(pool, [&](std::uint64_t, std::uint64_t) { return ++asked > 0; }));
  EXPECT_EQ(asked > 0, GetParam() == "rcexplainer");
  const auto found = finder->find(chain(), 1000, pool);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->graph, chain().without_edge(2, 3));
  EXPECT_EQ(found->distance.upper, 1);
  EXPECT_EQ(induced_cost(chain(), found->graph, found->distance.map), 1);
  const auto unchanged = finder->find(found->graph, 1001, pool);
  ASSERT_TRUE(unchanged);
  EXPECT_EQ(unchanged->distance.upper, 0);
  const auto stopped = local_finders(builtin_parts()).at(GetParam()).make(task, pool);
  EXPECT_EQ(stopped->prepare(pool, [](std::uint64_t, std::uint64_t) { return false; }),
            GetParam() != "rcexplainer");
}

TEST_P(LocalMethodTest, EachGraphIsSearchedForAloneUntilSomebodySaysStop) {
  make(kTwoClasses);
  ThreadPool pool(2);
  StopSign sign;
  LocalTask task{{*model_, {{1}, {}, true}, rejected_, numbers_, accepted_, 1}, options_.local, {}};
  task.search.ged.budget.stop = &sign;
  const LocalFinderKind kind = local_finders(builtin_parts()).at(GetParam());
  const auto searched = [](const std::vector<LocalAnswer>& answers) {
    return std::ranges::count_if(answers, [](const LocalAnswer& a) { return a.searched; });
  };
  const auto find = [&](const LocalWatches& watches) {
    return find_for_each(kind, task, rejected_, numbers_, pool, watches);
  };
  const auto all = std::ssize(rejected_);
  ASSERT_GT(all, 3);
  const auto whole = find({});
  EXPECT_EQ(searched(whole), all);
  EXPECT_TRUE(std::ranges::any_of(whole, [](const auto& a) { return a.found.has_value(); }));

  std::vector<std::uint64_t> told;
  const auto two = find({{}, [&](std::uint64_t done, std::uint64_t total) {
                           EXPECT_EQ(total, rejected_.size());
                           told.push_back(done);
                           return done < 2;
                         }});
  EXPECT_THAT(told, ElementsAre(1, 2));
  EXPECT_EQ(std::ssize(two), all);
  EXPECT_EQ(searched(two), 2);
  EXPECT_EQ(two[0].found.has_value(), whole[0].found.has_value());

  sign.set();
  EXPECT_EQ(searched(find({})), 0) << "and nobody is told of it by an exception";
}

INSTANTIATE_TEST_SUITE_P(Methods, LocalMethodTest, testing::Values("cff", "rcexplainer"),
                         [](const auto& of) { return of.param; });

TEST(RcExplainerTest, AnotherNetworksTrainingIsRefused) {
  const ToyClassifier model(kLabels, no_such_edge(kLabels, kTwoClasses));
  ThreadPool pool(1);
  const std::vector<Graph> rejected{chain()};
  const std::vector<Graph> accepted{chain().without_edge(2, 3)};
  const std::vector<std::uint32_t> numbers{0};
  const EdgeTask task{model, {{1}, {}, true}, rejected, numbers, accepted, 1};
  const auto explainer = edge_explainers(builtin_parts()).at("rcexplainer").make(task, {}, pool);
  TrainingState state = explainer->training();
  state.parameters.pop_back();
  EXPECT_THAT([&] { explainer->restore(state); },
              testing::ThrowsMessage<Error>(HasSubstr("another network")));
  const EdgeTask alone{model, {{1}, {}, true}, rejected, numbers, {}, 1};
  EXPECT_THAT(
      [&] { (void)edge_explainers(builtin_parts()).at("rcexplainer").make(alone, {}, pool); },
      testing::ThrowsMessage<Error>(HasSubstr("no decision boundary")));
}

}  // namespace
}  // namespace fewedits
