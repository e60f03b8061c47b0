// SPDX-License-Identifier: MIT
// Neighbourhoods under models made by hand and under the published ones: what the evaluator finds
// on its short ways is what the models say of each graph built and measured alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fewedits/classifier/aligned_classifier.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/classifier/native/gin_embedder.hpp"
#include "fewedits/classifier/native/native_classifier.hpp"
#include "fewedits/distance/greed_distance.hpp"
#include "fewedits/edit/neighbours.hpp"
#include "fewedits/fewedits.hpp"
#include "fewedits/graph/identity.hpp"
#include "fewedits/graph/shape_hash.hpp"
#include "fewedits/search/evaluator.hpp"
#include "support/planted.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

Tensor random_tensor(Rng& rng, const std::vector<std::int64_t>& shape) {
  std::vector<float> values(static_cast<std::size_t>(Tensor{DType::kFloat32, shape, {}}.numel()));
  for (float& x : values) x = static_cast<float>(rng.uniform() - 0.5);
  return Tensor::from_floats(shape, values);
}

StateDict random_embedder(Rng& rng, std::int64_t labels, std::int64_t dimension) {
  StateDict weights;
  const auto linear = [&](const std::string& name, std::int64_t in, std::int64_t out) {
    weights["embed_model." + name + ".weight"] = random_tensor(rng, {out, in});
    weights["embed_model." + name + ".bias"] = random_tensor(rng, {out});
  };
  linear("pre", labels, 5);
  linear("convs.0.nn.0", 5, 5);
  linear("convs.0.nn.2", 5, 5);
  linear("post.0", 10, 6);
  linear("post.2", 6, dimension);
  return weights;
}

StateDict random_classifier(Rng& rng, std::int64_t labels) {
  StateDict weights;
  weights["convs.0.weight"] = random_tensor(rng, {labels, 4});
  weights["convs.0.bias"] = random_tensor(rng, {4});
  weights["fc.weight"] = random_tensor(rng, {2, 4});
  weights["fc.bias"] = random_tensor(rng, {2});
  return weights;
}

/// Data and models: the published ones of that name or, without one, generated ones.
struct Subject {
  const char* folder;
  const char* dataset;
  [[nodiscard]] bool is_published() const { return dataset != nullptr; }
};

std::vector<float> probabilities(Evaluator& evaluator, std::span<const Graph> graphs,
                                 ThreadPool& pool) {
  std::vector<float> out;
  for (const Judgement& judged : evaluator.judge(graphs, pool)) {
    out.push_back(static_cast<float>(judged.probability));
  }
  return out;
}

test::Planted published(const Subject& subject) {
  const auto models = test::shared_root() / "models" / subject.folder;
  return {test::shared_root() / "datasets" / subject.dataset, models / "gcn.pth",
          models / "greed.pt"};
}

/// Weights of no round numbers: sums in another order are rounded otherwise.
const test::Planted& generated() {
  static const test::TemporaryFolder kFolder;
  static const test::Planted kPlanted = [] {
    test::Planted out = test::make_planted(kFolder.path(), {.molecules = 20, .most_atoms = 60});
    Rng rng(29);
    const auto labels = static_cast<std::int64_t>(open_dataset(out.dataset).node_labels.size());
    write_checkpoint(out.distance, random_embedder(rng, labels, 6));
    return out;
  }();
  return kPlanted;
}

/// Everything from scratch, with the plain kernels.
class Slow {
 public:
  Slow(const test::Planted& files, const Dataset& data, std::span<const Graph> inputs)
      : model_(load_classifier(files.model, scalar_kernels())),
        classifier_(data, model_),
        embedder_(load_embedder(files.distance, scalar_kernels())),
        desired_(static_cast<std::size_t>(data.desired_class.value())),
        inputs_(inputs),
        embeddings_(embed(inputs)) {}

  [[nodiscard]] std::vector<double> probabilities(std::span<const Graph> graphs) {
    std::vector<float> logs(graphs.size() * classifier_.num_classes());
    classifier_.log_probabilities(graphs, logs, pool_);
    std::vector<double> out;
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      out.push_back(std::exp(double{logs[i * classifier_.num_classes() + desired_]}));
    }
    return out;
  }

  /// The estimates of the edit distance, not normalised.
  [[nodiscard]] std::vector<std::vector<double>> estimates(std::span<const Graph> graphs) {
    return estimates(embed(graphs));
  }
  [[nodiscard]] std::vector<std::vector<double>> estimates(const std::vector<float>& own) const {
    const std::size_t d = embedder_.dimension();
    std::vector<std::vector<double>> out(own.size() / d);
    for (std::size_t g = 0; g < out.size(); ++g) {
      for (std::size_t i = 0; i < inputs_.size(); ++i) {
        double sum = 0;
        for (std::size_t c = 0; c < d; ++c) {
          const double gap = double{own[g * d + c]} - double{embeddings_[i * d + c]};
          sum += gap * gap;
        }
        out[g].push_back(std::sqrt(sum));
      }
    }
    return out;
  }

 private:
  std::vector<float> embed(std::span<const Graph> graphs) {
    std::vector<float> out(graphs.size() * embedder_.dimension());
    embedder_.embed(graphs, out, pool_);
    return out;
  }

  ThreadPool pool_{2};
  NativeClassifier model_;
  AlignedClassifier classifier_;
  GinEmbedder embedder_;
  std::size_t desired_;
  std::span<const Graph> inputs_;
  std::vector<float> embeddings_;
};

class GreedNeighbourhoodTest : public testing::TestWithParam<Subject> {
 protected:
  void SetUp() override {
    if (GetParam().is_published()) {
      FEWEDITS_REQUIRE_SHARED(std::filesystem::path("models") / GetParam().folder / "greed.pt");
    }
    files_ = GetParam().is_published() ? published(GetParam()) : generated();
    data_ = open_dataset(files_.dataset);
    classifier_ = open_classifier(files_.model, data_);
    embedder_ = std::make_shared<const GinEmbedder>(load_embedder(files_.distance));
    inputs_ = without_edge_labels(data_, rejected_graphs(data_, *classifier_, pool_).rejected);
    distance_ = make_greed_distance(inputs_, embedder_, pool_);
    evaluator_.emplace(*classifier_, static_cast<std::size_t>(data_.desired_class.value()),
                       *distance_);
    labels_ = data_.node_labels.size();
  }

  /// An input, or what a few edits make of one.
  Graph some_graph(Node most_nodes) {
    Graph g;
    do {
      g = inputs_[rng_.below(inputs_.size())];
    } while (g.num_nodes() > most_nodes || g.num_nodes() == 0);
    for (std::uint64_t edits = rng_.below(6); edits > 0; --edits) {
      const auto all = neighbours(g, {labels_, {}});
      g = apply(g, all[rng_.below(all.size())]);
    }
    return rng_.chance(0.5) ? Identity(g).canonical() : g;
  }

  std::vector<Edit> some_edits(const Graph& g, std::size_t count) {
    return sample(neighbours(g, {labels_, {}}), count, rng_);
  }

  /// All entries of the neighbourhood against the graphs built one by one.
  void expect_true(const Neighbourhood& n, double theta, Slow& slow) {
    std::vector<Graph> graphs;
    for (const Edit& edit : n.edits) graphs.push_back(apply(n.graph, edit));
    const auto probability = slow.probabilities(graphs);
    const auto estimate = slow.estimates(graphs);
    std::vector<float> embedded(n.size() * embedder_->dimension());
    embedder_->embed_neighbours(n.graph, n.edits, embedded, pool_);
    const auto incremental = slow.estimates(embedded);
    embedder_->embed(graphs, embedded, pool_);
    const auto from_scratch = slow.estimates(embedded);
    std::vector<bool> covered(inputs_.size(), false);
    for (std::size_t e = 0; e < n.size(); ++e) {
      ASSERT_NEAR(n.probability[e], probability[e], 1e-5) << "entry " << e;
      ASSERT_EQ(n.shape[e], shape_hash(graphs[e])) << "entry " << e;
      const auto covers = n.covers(e);
      ASSERT_TRUE(std::is_sorted(covers.begin(), covers.end()));
      std::size_t at = 0;
      for (std::uint32_t i = 0; i < inputs_.size(); ++i) {
        const bool claimed = at < covers.size() && covers[at] == i;
        at += claimed ? 1U : 0U;
        covered[i] = covered[i] || claimed;
        ASSERT_NEAR(incremental[e][i], from_scratch[e][i], 1e-3)
            << "entry " << e << ", input " << i;
        worst_ = std::max(worst_, std::abs(incremental[e][i] - from_scratch[e][i]));
        const double distance =
            estimate[e][i] / static_cast<double>(graphs[e].size() + inputs_[i].size());
        if (std::abs(distance - theta) < 1e-5) continue;
        ASSERT_EQ(claimed, distance < theta)
            << "entry " << e << ", input " << i << ": " << distance;
      }
      ASSERT_EQ(at, covers.size()) << "not ascending, or an input twice";
    }
    std::vector<std::uint32_t> active;
    for (std::uint32_t i = 0; i < inputs_.size(); ++i) {
      if (covered[i]) active.push_back(i);
    }
    ASSERT_EQ(n.near.active, active);
    ASSERT_EQ(n.near.rows.words(), (active.size() + 63) / 64);
    compared_ += n.size();
    positive_ += active.size();
  }

  /// Ten thousand neighbours, those of large graphs among them.
  void expect_all_true();

  ThreadPool pool_{2};
  Rng rng_{17};
  test::Planted files_;
  Dataset data_;
  std::unique_ptr<Classifier> classifier_;
  std::shared_ptr<const GinEmbedder> embedder_;
  std::vector<Graph> inputs_;
  std::unique_ptr<Distance> distance_;
  std::optional<ModelEvaluator> evaluator_;
  std::size_t labels_ = 0;
  std::size_t compared_ = 0;
  std::size_t positive_ = 0;
  double worst_ = 0;  ///< difference between an estimate on the short way and one from scratch
};

void expect_identical(const Neighbourhood& a, const Neighbourhood& b) {
  ASSERT_EQ(a.graph, b.graph);
  ASSERT_EQ(a.edits, b.edits);
  ASSERT_EQ(a.probability, b.probability);
  ASSERT_EQ(a.shape, b.shape);
  ASSERT_EQ(a.near.active, b.near.active);
  ASSERT_EQ(a.near.rows.words(), b.near.rows.words());
  ASSERT_EQ(a.near.rows.size(), b.near.rows.size());
  for (std::size_t e = 0; e < a.near.rows.size(); ++e) {
    ASSERT_TRUE(std::ranges::equal(a.near.rows[e], b.near.rows[e])) << "entry " << e;
  }
}

void GreedNeighbourhoodTest::expect_all_true() {
  Slow slow(files_, data_, inputs_);
  const auto measure = [&](const Graph& g, std::size_t edits, double theta) {
    const Neighbourhood n = evaluator_->evaluate(g, some_edits(g, edits), theta, pool_);
    ASSERT_EQ(n.graph, g);
    ASSERT_EQ(n.edits[0], Edit{});
    expect_true(n, theta, slow);
  };
  const std::vector<double> thetas{0.05, 0.1, 0.2};
  while (compared_ < 9'400) {
    measure(some_graph(60), 100, thetas[rng_.below(3)]);
    if (HasFatalFailure()) return;
  }
  // Two large ones, where neighbours are built a slice at a time.
  const auto largest = std::max_element(inputs_.begin(), inputs_.end(), [](auto& a, auto& b) {
    return a.num_nodes() < b.num_nodes();
  });
  measure(*largest, 400, 0.2);
  measure(some_graph(200), 200, 0.1);
  EXPECT_GE(compared_, 10'000U);
  EXPECT_GT(positive_, 100U) << "hardly anything was covered";
  RecordProperty("largest_difference", std::to_string(worst_));
}

TEST_P(GreedNeighbourhoodTest, EveryNeighbourIsMeasuredAsIfAlone) { expect_all_true(); }

/// Their weights are as large and as many as real ones are.
class PublishedGreedNeighbourhoodTest : public GreedNeighbourhoodTest {};

TEST_P(PublishedGreedNeighbourhoodTest, EveryNeighbourIsMeasuredAsIfAlone) { expect_all_true(); }

TEST_P(GreedNeighbourhoodTest, ThreadsAndWhatWasAskedBeforeChangeNothing) {
  ThreadPool one(1);
  ThreadPool four(4);
  for (int round = 0; round < 6; ++round) {
    const Graph g = some_graph(40);
    const auto edits = round == 0 ? neighbours(g, {labels_, {}}) : some_edits(g, 300);
    const Neighbourhood n = evaluator_->evaluate(g, edits, 0.1, pool_);
    const Graph other = some_graph(60);
    (void)evaluator_->evaluate(other, some_edits(other, 50), 0.2, pool_);
    expect_identical(n, evaluator_->evaluate(g, edits, 0.1, one));
    expect_identical(n, evaluator_->evaluate(g, edits, 0.1, four));
    if (HasFatalFailure()) return;
    std::vector<Graph> graphs;
    for (const Edit& e : edits) graphs.push_back(apply(g, e));
    EXPECT_EQ(probabilities(*evaluator_, graphs, one), probabilities(*evaluator_, graphs, four));
    EXPECT_EQ(distance_->rows(graphs, one), distance_->rows(graphs, four));
  }
}

/// But for rounding: an input right at theta may be covered or not.
TEST_P(GreedNeighbourhoodTest, AGraphIsTheSameWhereverItIsMetAndHoweverNumbered) {
  for (int round = 0; round < 12; ++round) {
    const Graph g = some_graph(60);
    const Neighbourhood n = evaluator_->evaluate(g, some_edits(g, 30), 0.1, pool_);
    std::vector<Graph> graphs;
    std::vector<std::vector<std::uint32_t>> covers_alone;
    for (std::size_t e = 0; e < n.size(); ++e) {
      const Identity identity(apply(g, n.edits[e]));
      graphs.push_back(identity.canonical());
      const Neighbourhood alone = evaluator_->evaluate(identity.canonical(), {}, 0.1, pool_);
      ASSERT_EQ(alone.size(), 1U);
      EXPECT_NEAR(alone.probability[0], n.probability[e], 1e-6);
      EXPECT_EQ(alone.shape[0], n.shape[e]);
      covers_alone.push_back(alone.covers(0));
    }
    const auto judged = probabilities(*evaluator_, graphs, pool_);
    const auto distances = distance_->rows(graphs, pool_);
    for (std::size_t e = 0; e < n.size(); ++e) {
      EXPECT_NEAR(judged[e], n.probability[e], 1e-6);
      const auto as_neighbour = n.covers(e);
      for (std::uint32_t i = 0; i < inputs_.size(); ++i) {
        if (std::abs(distances[e][i] - 0.1) < 1e-5) continue;
        const auto has = [&](const auto& list) {
          return std::binary_search(list.begin(), list.end(), i);
        };
        EXPECT_EQ(has(as_neighbour), distances[e][i] < 0.1);
        EXPECT_EQ(has(covers_alone[e]), distances[e][i] < 0.1);
      }
    }
  }
}

TEST_P(GreedNeighbourhoodTest, DistancesAreTheModelsNormalised) {
  Slow slow(files_, data_, inputs_);
  std::vector<Graph> graphs;
  for (int i = 0; i < 20; ++i) graphs.push_back(some_graph(200));
  const auto distances = distance_->rows(graphs, pool_);
  const auto estimates = slow.estimates(graphs);
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const auto size = static_cast<double>(graphs[g].size() + inputs_[i].size());
      ASSERT_NEAR(distances[g][i] * size, estimates[g][i], std::max(1e-3, 1e-5 * estimates[g][i]));
    }
  }
}

/// Embeddings on a line: a neighbour often moves straight towards an input, where the triangle
/// inequality leaves no room and an input left out too early would be missed.
TEST(GreedNeighbourhoodOnALineTest, NoInputIsLeftOut) {
  constexpr Label kLabels = 3;
  ThreadPool pool(2);
  Rng rng(71);
  std::size_t newly_covered = 0;
  for (int round = 0; round < 12; ++round) {
    const StateDict weights = random_classifier(rng, kLabels);
    const NativeClassifier classifier(infer_model(weights, "test"), weights, "test");
    const auto embedder = std::make_shared<const GinEmbedder>(
        random_embedder(rng, kLabels, round % 3 == 0 ? 2 : 1), "test");
    std::vector<Graph> inputs;
    for (int i = 0; i < 300; ++i) {
      const auto nodes = static_cast<Node>(2 + rng.below(20));
      inputs.push_back(test::random_graph(rng, nodes, rng.below(5), kLabels));
    }
    const auto distance = make_greed_distance(inputs, embedder, pool);
    ModelEvaluator evaluator(classifier, 1, *distance);
    for (int start = 0; start < 8; ++start) {
      const auto nodes = static_cast<Node>(3 + rng.below(12));
      const Graph g = test::random_graph(rng, nodes, rng.below(5), kLabels);
      auto sorted = distance->rows({&g, 1}, pool)[0];
      std::sort(sorted.begin(), sorted.end());
      const double theta = sorted[rng.below(200)];
      const Neighbourhood n = evaluator.evaluate(g, neighbours(g, {kLabels, {}}), theta, pool);
      std::vector<Graph> graphs;
      for (const Edit& e : n.edits) graphs.push_back(apply(g, e));
      const auto distances = distance->rows(graphs, pool);
      ASSERT_EQ(n.probability, probabilities(evaluator, graphs, pool));
      for (std::size_t e = 0; e < n.size(); ++e) {
        const auto covers = n.covers(e);
        for (std::uint32_t i = 0; i < inputs.size(); ++i) {
          // Neighbours are embedded from the graph: rounded otherwise than by themselves.
          if (std::abs(distances[e][i] - theta) < 1e-6) continue;
          ASSERT_EQ(std::binary_search(covers.begin(), covers.end(), i), distances[e][i] < theta)
              << "round " << round << ", start " << start << ", entry " << e << ", input " << i;
          newly_covered += distances[e][i] < theta && distances[0][i] > theta ? 1U : 0U;
        }
      }
    }
  }
  EXPECT_GT(newly_covered, 10'000U);
}

const auto kNameOf = [](const auto& test) { return std::string(test.param.folder); };
INSTANTIATE_TEST_SUITE_P(All, GreedNeighbourhoodTest,
                         testing::Values(Subject{"generated", nullptr}), kNameOf);
INSTANTIATE_TEST_SUITE_P(All, PublishedGreedNeighbourhoodTest,
                         testing::Values(Subject{"aids", "AIDS"},
                                         Subject{"mutagenicity", "Mutagenicity"},
                                         Subject{"nci1", "NCI1"}, Subject{"proteins", "PROTEINS"}),
                         kNameOf);

}  // namespace
}  // namespace fewedits
