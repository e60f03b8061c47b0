// SPDX-License-Identifier: MIT
// What a model answers where its answers come in, and which labels it is asked about.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fewedits/base/error.hpp"
#include "fewedits/classifier/aligned_classifier.hpp"
#include "fewedits/edit/neighbours.hpp"
#include "support/fake_classifier.hpp"

namespace fewedits {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
const float kNaN = std::numeric_limits<float>::quiet_NaN();

/// The answer for graphs of three nodes; all others are as likely in one class as in the other.
class Odd final : public Classifier {
 public:
  explicit Odd(std::vector<float> row) : row_(std::move(row)) { set_origin("odd.pt"); }
  [[nodiscard]] std::size_t num_classes() const override { return row_.size(); }
  [[nodiscard]] std::size_t num_labels() const override { return 2; }
  void log_probabilities(std::span<const Graph> graphs, std::span<float> out,
                         ThreadPool& /*pool*/) const override {
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      for (std::size_t c = 0; c < row_.size(); ++c) {
        out[i * row_.size() + c] =
            graphs[i].num_nodes() == 3 ? row_[c] : -std::log(static_cast<float>(row_.size()));
      }
    }
  }

 private:
  std::vector<float> row_;
};

Graph path(Node nodes) {
  std::vector<Edge> edges;
  for (Node v = 1; v < nodes; ++v) edges.push_back({v - 1, v});
  return {std::vector<Label>(nodes, 0), edges};
}

std::string complaint(const std::function<void()>& ask) {
  try {
    ask();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(AnswersTest, WhatIsNoProbabilityIsAnErrorThatNamesModelAndGraph) {
  const std::vector<Graph> graphs{path(2), path(3)};
  ThreadPool pool(1);
  for (const auto& [row, word] : std::vector<std::pair<std::vector<float>, std::string>>{
           {{kNaN, 0}, "nan as the log-probability of class 0"},
           {{0, kInfinity}, " inf as the log-probability of class 1"},
           {{-kInfinity, -kInfinity}, "-inf as the log-probability of class 0"},
           {{-1, -kInfinity}, "-inf as the log-probability of class 1"}}) {
    const Odd model(row);
    EXPECT_THAT(complaint([&] { judge(graphs, model, 1, pool, GraphsFrom::kDataset); }),
                AllOf(HasSubstr("odd.pt: "), HasSubstr(word),
                      HasSubstr("for graph 1 of the dataset (3 nodes, 2 edges)")));
    EXPECT_THAT(complaint([&] { judge(graphs, model, 1, pool); }),
                AllOf(HasSubstr(word), HasSubstr("a counterfactual candidate (3 nodes, 2 edges")));
  }
}

TEST(AnswersTest, WhatIsNoProbabilityOfANeighbourIsAnErrorThatNamesTheModel) {
  const Odd model({kNaN, kNaN});
  const Graph from = path(2);
  const auto edits = neighbours(from, {.num_labels = 2});
  std::vector<Graph> built;
  for (const Edit& edit : edits) built.push_back(apply(from, edit));
  ThreadPool pool(1);
  EXPECT_THAT(complaint([&] { judge_neighbours(from, edits, built, model, 1, pool); }),
              HasSubstr("odd.pt: the model gives nan"));
}

TEST(AnswersTest, AProbabilityOfZeroIsOneIfTheOthersAreTheRest) {
  const std::vector<Graph> graphs{path(3)};
  ThreadPool pool(1);
  const Odd model({-kInfinity, std::log(0.25F), std::log(0.75F)});
  const auto judged = judge(graphs, model, 0, pool);
  EXPECT_EQ(judged[0].probability, 0);
  EXPECT_FALSE(judged[0].accepted);
  EXPECT_TRUE(judge(graphs, model, 2, pool)[0].accepted);
}

// --- Labels -------------------------------------------------------------------------------------

/// Knows labels by name; accepts a node by its label: label i with probability i / 10.
class Named final : public test::FakeClassifier {
 public:
  explicit Named(std::vector<std::string> labels)
      : FakeClassifier(labels.size(), 2,
                       [](const Graph& g) {
                         const double p = 0.1 * (1 + g.label(0));
                         return std::vector<double>{1 - p, p};
                       }),
        labels_(std::move(labels)) {
    set_origin("named.json");
  }
  [[nodiscard]] std::span<const std::string> label_names() const override { return labels_; }

 private:
  std::vector<std::string> labels_;
};

Dataset with_labels(std::vector<NamedValue> labels) {
  Dataset data;
  data.node_labels = std::move(labels);
  data.class_labels = {{0, "no"}, {1, "yes"}};
  data.model_columns = {0, 1};
  return data;
}

double probability_of(const Classifier& model, Label label) {
  ThreadPool pool(1);
  const std::vector<Label> labels{label};
  const Graph g(labels, {});
  return judge({&g, 1}, model, 1, pool)[0].probability;
}

TEST(LabelMatchTest, AModelFromBeforeTheNamesIsMatchedByValueAndSaysSo) {
  const auto model = aligned(std::make_unique<Named>(std::vector<std::string>{"0", "3", "7"}),
                             with_labels({{3, "N"}, {7, "O"}}));
  EXPECT_NEAR(probability_of(*model, 0), 0.2, 1e-6);
  EXPECT_NEAR(probability_of(*model, 1), 0.3, 1e-6);
  EXPECT_THAT(model->notes(), ElementsAre(HasSubstr("matched by value")));
}

TEST(LabelMatchTest, NamesComeBeforeValues) {
  // Names that are numbers of their own: "1" is the name of value 0.
  const auto model = aligned(std::make_unique<Named>(std::vector<std::string>{"0", "1"}),
                             with_labels({{0, "1"}, {1, "0"}}));
  EXPECT_NEAR(probability_of(*model, 0), 0.2, 1e-6);
  EXPECT_THAT(model->notes(), IsEmpty());
}

TEST(LabelMatchTest, HalfAMatchIsNoneAndTheMessageSaysWhatToEdit) {
  const std::vector<std::string> known{"C", "1"};
  EXPECT_THAT(complaint([&] {
                (void)aligned(std::make_unique<Named>(known), with_labels({{0, "C"}, {1, "N"}}));
              }),
              AllOf(HasSubstr("named.json: "), HasSubstr("'N'"), HasSubstr("C, 1"),
                    HasSubstr("\"node_labels\"")));
  EXPECT_THAT(complaint([&] {
                (void)aligned(std::make_unique<Named>(std::vector<std::string>{"0", "1"}),
                              with_labels({{0, "C"}, {2, "N"}}));
              }),
              HasSubstr("'C'"));
}

TEST(LabelMatchTest, WithoutNamesTheNumbersMustAgree) {
  auto model = std::make_unique<Odd>(std::vector<float>{-1, -1});
  model->add_note("the model file leaves out 'node_emb.weight'");
  EXPECT_THAT(
      complaint([&] {
        (void)aligned(std::move(model), with_labels({{0, "C"}}));
      }),
      AllOf(HasSubstr("odd.pt: the model has 2 inputs"), HasSubstr("the dataset has 1 node labels"),
            HasSubstr("leaves out 'node_emb.weight'"), HasSubstr("embedding")));
}

}  // namespace
}  // namespace fewedits
