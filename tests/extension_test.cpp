// SPDX-License-Identifier: MIT
// A distance, a classifier and a source of candidates of one's own: each fits into one file and one
// line of registration, as the built-in ones do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <numeric>
#include <thread>

#include "fewedits/extend.hpp"
#include "fewedits/formats/tu_writer.hpp"
#include "fewedits/search/local/local_finder.hpp"
#include "fewedits/synthetic/generator.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

/// The share of nodes that one graph has more than the other.
class SizeDistance final : public Distance {
 public:
  explicit SizeDistance(std::vector<Graph> graphs) : graphs_(std::move(graphs)) {}

  [[nodiscard]] std::span<const Graph> graphs() const override { return graphs_; }
  void measure(std::span<const GraphPair> pairs, std::span<Measure> out, ThreadPool& /*pool*/,
               const DistanceWatch& /*watch*/) override {
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      const double d = between(graphs_[pairs[p].a], graphs_[pairs[p].b]);
      out[p] = {.distance = d, .normalized = d, .lower = d, .upper = d};
    }
  }
  std::vector<std::vector<double>> rows(std::span<const Graph> queries,
                                        ThreadPool& /*pool*/) override {
    std::vector<std::vector<double>> out;
    for (const Graph& query : queries) {
      auto& row = out.emplace_back();
      for (const Graph& graph : graphs_) row.push_back(between(query, graph));
    }
    return out;
  }

  static double between(const Graph& a, const Graph& b) {
    const double m = a.num_nodes();
    const double n = b.num_nodes();
    return m + n == 0 ? 0 : std::abs(m - n) / (m + n);
  }

 private:
  std::vector<Graph> graphs_;
};

/// Accepts graphs with many nodes; read from a text file with that number. As models of other
/// programs may want, it answers only the thread that made it; it notes how many graphs it was
/// asked about at once.
class SizeClassifier final : public Classifier {
 public:
  SizeClassifier(std::size_t labels, double enough) : labels_(labels), enough_(enough) {}

  [[nodiscard]] std::size_t num_classes() const override { return 2; }
  [[nodiscard]] std::size_t num_labels() const override { return labels_; }
  void log_probabilities(std::span<const Graph> graphs, std::span<float> out,
                         ThreadPool& /*pool*/) const override {
    elsewhere_ += std::this_thread::get_id() == maker_ ? 0 : 1;
    std::size_t before = largest_;
    while (before < graphs.size() && !largest_.compare_exchange_weak(before, graphs.size())) {
    }
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      const double yes = 1 / (1 + std::exp(enough_ - 0.5 - graphs[i].num_nodes()));
      out[2 * i] = static_cast<float>(std::log(1 - yes));
      out[2 * i + 1] = static_cast<float>(std::log(yes));
    }
  }

  [[nodiscard]] int calls_elsewhere() const { return elsewhere_; }
  /// Since it was asked last.
  std::size_t take_largest_batch() { return largest_.exchange(0); }

 private:
  std::size_t labels_;
  double enough_;
  std::thread::id maker_ = std::this_thread::get_id();
  mutable std::atomic<int> elsewhere_ = 0;
  mutable std::atomic<std::size_t> largest_ = 0;
};

Dataset some_data() {
  return prepare(generate({.graphs = 60, .seed = 3, .undesired_share = 0.5, .threads = 1}),
                 generated_metadata());
}

Parts with_toys(std::size_t labels) {
  Parts parts = builtin_parts();
  parts.distances.add("size", {.about = "number of nodes",
                               .counts_edits = true,
                               .make = [](std::vector<Graph> graphs, std::size_t,
                                          const DistanceOptions&, ThreadPool&) {
                                 return std::make_unique<SizeDistance>(std::move(graphs));
                               }});
  parts.classifiers.add("size",
                        {"accepts large graphs",
                         [](const std::filesystem::path& f) { return f.extension() == ".size"; },
                         [labels](const std::filesystem::path& file) {
                           double enough = 0;
                           std::ifstream(file) >> enough;
                           return std::make_unique<SizeClassifier>(labels, enough);
                         }});
  return parts;
}

TEST(ExtensionTest, ADistanceAndAClassifierOfOnesOwnExplain) {
  const Dataset data = some_data();
  const Parts parts = with_toys(data.node_labels.size());
  const test::TemporaryFolder folder;
  std::ofstream(folder.path() / "model.size") << 25;
  const auto model = open_classifier(folder.path() / "model.size", data, parts);
  ThreadPool pool(2);
  const RejectedGraphs graphs = rejected_graphs(data, *model, pool);
  ASSERT_GT(graphs.rejected.size(), 5U);
  ASSERT_GT(graphs.accepted.size(), 5U);

  ExplainOptions options;
  options.distance = "size";
  options.k = 2;
  options.steps = 300;
  options.refine_work = 20'000;
  for (const char* method : {"gcf", "ground-truth"}) {
    options.method = method;
    const Explanation why = explain(data, *model, graphs, options, pool, {}, parts);
    EXPECT_EQ(why.distance, "size");
    EXPECT_GT(why.metrics.coverage, 0);
    EXPECT_FALSE(why.metrics.coverage_upper.has_value()) << "nothing is proven";
    for (const Counterfactual& c : why.counterfactuals) {
      EXPECT_GE(c.graph.num_nodes(), 25U);
      EXPECT_TRUE(c.proofs.empty());
      for (const std::uint32_t i : c.covers) {
        EXPECT_LE(SizeDistance::between(c.graph, data.graphs[i]), why.theta);
      }
    }
  }
}

/// Candidates that somebody else has found.
class GivenGraphs final : public CandidateSource {
 public:
  std::vector<Candidate> find(SearchContext& context) override {
    Candidate largest;
    for (const Graph& g : context.task.accepted_graphs) {
      if (g.num_nodes() > largest.graph.num_nodes()) largest.graph = g;
    }
    Distance& distance = context.task.evaluator.distance();
    largest.covers = distance.within({&largest.graph, 1}, context.theta(), context.threads)[0];
    return {largest};
  }
  [[nodiscard]] std::uint32_t origin(const SearchContext& context,
                                     const Candidate& /*candidate*/) const override {
    return context.task.accepted.front();
  }
};

TEST(ExtensionTest, AMethodOfOnesOwnIsChosenByName) {
  const Dataset data = some_data();
  Parts parts = builtin_parts();
  parts.sources.add("largest", {.about = "the largest graph",
                                .make = [] { return std::make_unique<GivenGraphs>(); },
                                .from_dataset = true});
  const SizeClassifier model(data.node_labels.size(), 20);
  ThreadPool pool(1);
  ExplainOptions options;
  options.method = "largest";
  options.k = 1;
  const auto graphs = rejected_graphs(data, model, pool);
  const Explanation why = explain(data, model, graphs, options, pool, {}, parts);
  EXPECT_EQ(why.method, "largest");
  EXPECT_EQ(why.counterfactuals.size(), 1U);
  EXPECT_TRUE(why.metrics.coverage_upper.has_value()) << "certified all the same";
}

/// Accepts graphs with few edges.
class SparseClassifier final : public Classifier {
 public:
  SparseClassifier(std::size_t labels, double enough) : labels_(labels), enough_(enough) {}

  [[nodiscard]] std::size_t num_classes() const override { return 2; }
  [[nodiscard]] std::size_t num_labels() const override { return labels_; }
  void log_probabilities(std::span<const Graph> graphs, std::span<float> out,
                         ThreadPool& /*pool*/) const override {
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      const double no =
          1 / (1 + std::exp(enough_ + 0.5 - static_cast<double>(graphs[i].num_edges())));
      out[2 * i] = static_cast<float>(std::log(no));
      out[2 * i + 1] = static_cast<float>(std::log(1 - no));
    }
  }

 private:
  std::size_t labels_;
  double enough_;
};

/// Removes edges from the first to the last until the model accepts.
class InOrder final : public EdgeExplainer {
 public:
  explicit InOrder(const EdgeTask& task) : task_(task) {}

  std::vector<std::optional<EdgeCut>> explain(std::span<const Graph> graphs,
                                              std::span<const std::uint32_t> /*numbers*/,
                                              ThreadPool& pool) override {
    std::vector<std::optional<EdgeCut>> out;
    for (const Graph& graph : graphs) {
      std::vector<std::uint32_t> order(graph.num_edges());
      std::iota(order.begin(), order.end(), 0U);
      out.push_back(first_cut(graph, order, task_.rules, task_.classifier, pool));
    }
    return out;
  }

 private:
  EdgeTask task_;
};

TEST(ExtensionTest, AnExplainerOfOnesOwnIsAMethodAndAWayToExplainAGraphAlone) {
  const Dataset data = some_data();
  Parts parts = with_toys(data.node_labels.size());
  parts.sources.add(
      "in-order",
      edge_cutting_source({.about = "edges from the first to the last",
                           .make = [](const EdgeTask& task, const LocalSettings&, ThreadPool&) {
                             return std::make_unique<InOrder>(task);
                           }}));
  const SparseClassifier model(data.node_labels.size(), 20);
  ThreadPool pool(2);
  const RejectedGraphs graphs = rejected_graphs(data, model, pool);
  ASSERT_GT(graphs.rejected.size(), 5U);
  ASSERT_GT(graphs.accepted.size(), 5U);
  ExplainOptions options;
  options.method = "in-order";
  options.distance = "size";
  options.keep_isolated = true;
  options.k = 3;
  const Explanation why = explain(data, model, graphs, options, pool, {}, parts);
  EXPECT_EQ(why.method, "in-order");
  EXPECT_EQ(why.counterfactuals.size(), 3U);
  for (const Counterfactual& c : why.counterfactuals) EXPECT_EQ(c.graph.num_edges(), 20U);

  EXPECT_THAT(local_finders(parts).names(),
              testing::ElementsAre("search", "cff", "rcexplainer", "in-order"));
  const auto inputs = without_edge_labels(data, graphs.rejected);
  const LocalTask task{{model, {Goal(1), {}, true}, inputs, graphs.rejected, {}, 1}, {}, {}};
  const auto finder = local_finders(parts).at("in-order").make(task, pool);
  ASSERT_TRUE(finder->prepare(pool, [](std::uint64_t, std::uint64_t) { return true; }));
  const auto found = finder->find(inputs[0], graphs.rejected[0], pool);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->graph.num_edges(), 20U);
  EXPECT_EQ(found->distance.upper, static_cast<std::int64_t>(inputs[0].num_edges()) - 20);
}

/// Goes through the accepted graphs, one by one.
class OneByOne final : public CandidateSource {
 public:
  std::vector<Candidate> find(SearchContext& context) override {
    std::vector<Candidate> out;
    Distance& distance = context.task.evaluator.distance();
    const auto& graphs = context.task.accepted_graphs;
    while (out.size() < graphs.size() &&
           context.goes_on({ExplainProgress::Stage::kLocal, out.size(), graphs.size(), 0, {}})) {
      const Graph& graph = graphs[out.size()];
      const auto origin = static_cast<std::uint32_t>(out.size());
      out.push_back(
          {graph, 1, distance.within({&graph, 1}, context.theta(), context.threads)[0], 0, origin});
    }
    return out;
  }
  [[nodiscard]] std::uint32_t origin(const SearchContext& context,
                                     const Candidate& candidate) const override {
    return context.task.accepted[candidate.origin];
  }
};

TEST(ExtensionTest, AMethodOfOnesOwnReportsAndStops) {
  const Dataset data = some_data();
  Parts parts = with_toys(data.node_labels.size());
  parts.sources.add("one-by-one", {.about = "graph by graph",
                                   .make = [] { return std::make_unique<OneByOne>(); },
                                   .from_dataset = true});
  const SizeClassifier model(data.node_labels.size(), 20);
  ThreadPool pool(1);
  ExplainOptions options;
  options.method = "one-by-one";
  options.distance = "size";
  options.k = 100;
  const auto graphs = rejected_graphs(data, model, pool);
  ASSERT_GT(graphs.accepted.size(), 3U);
  std::vector<std::uint64_t> told;
  ExplainHooks hooks;
  hooks.progress = [&](const ExplainProgress& now) {
    told.push_back(now.done);
    return now.done < 3;
  };
  const Explanation stopped = explain(data, model, graphs, options, pool, hooks, parts);
  EXPECT_THAT(told, testing::ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(stopped.counterfactuals.size(), 3U);
  EXPECT_FALSE(stopped.complete);
  EXPECT_EQ(stopped.ended, RunEnd::kInterrupted);

  const Explanation whole = explain(data, model, graphs, options, pool, {}, parts);
  EXPECT_EQ(whole.counterfactuals.size(), graphs.accepted.size());
  EXPECT_TRUE(whole.complete);
}

TEST(ExtensionTest, WhatIsNotRegisteredIsRefusedByNameWithTheNamesThereAre) {
  const Dataset data = some_data();
  const SizeClassifier model(data.node_labels.size(), 20);
  ThreadPool pool(1);
  ExplainOptions options;
  options.distance = "size";
  EXPECT_THAT([&] { explain(data, model, options, pool); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("no distance called size")));
  options.distance = "certified";
  options.method = "guess";
  EXPECT_THAT([&] { explain(data, model, options, pool); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("no method called guess")));
}

TEST(ExtensionTest, AModelIsAskedByOneThreadAndInBatches) {
  const Dataset data = some_data();
  SizeClassifier model(data.node_labels.size(), 20);
  ThreadPool pool(4);
  ExplainOptions options;  // certified, gcf
  options.k = 3;
  options.steps = 30;
  options.refine_work = 20'000'000;
  const RejectedGraphs graphs = rejected_graphs(data, model, pool);
  ASSERT_GT(graphs.rejected.size(), 5U);
  std::size_t while_climbing = 0;
  std::size_t before = 0;
  ExplainHooks hooks;
  hooks.progress = [&](const ExplainProgress& now) {
    const std::size_t batch = model.take_largest_batch();
    // The first report of the refinement is about what was asked before it.
    if (now.stage == ExplainProgress::Stage::kRefine && before++ > 0) {
      while_climbing = std::max(while_climbing, batch);
    }
    return true;
  };
  const Explanation why = explain(data, model, graphs, options, pool, hooks, builtin_parts());
  EXPECT_GT(why.metrics.coverage, 0);
  EXPECT_GT(before, 1U) << "it climbed";
  EXPECT_GT(while_climbing, options.climbs) << "more than one question of each climb";
  EXPECT_EQ(model.calls_elsewhere(), 0);
}

TEST(ExtensionTest, WithoutALineOfRegistrationThatDistanceAloneIsGone) {
  const Dataset data = some_data();
  const SizeClassifier model(data.node_labels.size(), 20);
  ThreadPool pool(2);
  Parts parts = builtin_parts();
  parts.distances = DistanceRegistry("distance");
  for (const std::string& name : builtin_distances().names()) {
    if (name != "greed") parts.distances.add(name, builtin_distances().at(name));
  }
  const RejectedGraphs graphs = rejected_graphs(data, model, pool);
  ExplainOptions options;
  options.k = 2;
  options.method = "ground-truth";
  options.distance = "greed";
  EXPECT_THAT([&] { explain(data, model, graphs, options, pool, {}, parts); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("no distance called greed")));
  for (const char* distance : {"certified", "wl"}) {
    options.distance = distance;
    const Explanation why = explain(data, model, graphs, options, pool, {}, parts);
    EXPECT_EQ(why.distance, distance);
    EXPECT_FALSE(why.counterfactuals.empty()) << distance;
  }
}

TEST(ExtensionTest, NoNameIsRegisteredTwice) {
  Parts parts = builtin_parts();
  EXPECT_THROW(parts.distances.add("greed", parts.distances.at("wl")), Error);
}

}  // namespace
}  // namespace fewedits
