// SPDX-License-Identifier: MIT
// The right class: which of a model's outputs a class is, when a graph is accepted as being in it,
// and which graphs are explained.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "fewedits/classifier/aligned_classifier.hpp"
#include "fewedits/classifier/class_choice.hpp"
#include "fewedits/classifier/input_rule.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/explanation/input_words.hpp"
#include "fewedits/fewedits.hpp"
#include "fewedits/graph/index_list.hpp"
#include "support/fake_classifier.hpp"
#include "support/many_classes.hpp"

namespace fewedits {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string complaint(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nobody complains";
  return {};
}

/// Gives output c the share (c + 1) of 1 + 2 + …, so that outputs can be told apart.
class Outputs final : public test::FakeClassifier {
 public:
  Outputs(std::size_t outputs, std::vector<std::string> names)
      : FakeClassifier(1, outputs,
                       [outputs](const Graph&) {
                         std::vector<double> row;
                         const double all = static_cast<double>(outputs * (outputs + 1)) / 2;
                         for (std::size_t c = 1; c <= outputs; ++c) {
                           row.push_back(static_cast<double>(c) / all);
                         }
                         return row;
                       }),
        names_(std::move(names)) {
    set_origin("outputs.pt");
  }
  [[nodiscard]] std::span<const std::string> class_names() const override { return names_; }

 private:
  std::vector<std::string> names_;
};

Dataset with_classes(std::vector<NamedValue> classes, std::optional<int> desired = 0) {
  Dataset data;
  data.name = "D";
  data.node_labels = {{0, "0"}};
  const std::vector<Label> one{0};
  for (std::size_t c = 0; c < classes.size(); ++c) {
    data.graphs.emplace_back(one, std::vector<Edge>{});
    data.classes.push_back(static_cast<int>(c));
  }
  data.class_labels = std::move(classes);
  data.desired_class = desired;
  return data;
}

std::unique_ptr<Classifier> aligned_outputs(std::size_t outputs, std::vector<std::string> names,
                                            const Dataset& data,
                                            ClassMatch match = ClassMatch::kRequired) {
  return aligned(std::make_unique<Outputs>(outputs, std::move(names)), data, match);
}

std::vector<double> answers(const Classifier& model) {
  ThreadPool pool(1);
  const std::vector<Label> one{0};
  const Graph g(one, {});
  std::vector<double> out;
  for (const float log : checked_log_probabilities({&g, 1}, model, GraphsFrom::kSearch, pool)) {
    out.push_back(std::exp(log));
  }
  return out;
}

// ---- Classes are matched

TEST(ClassMatchTest, ByNameAlsoIfTheDatasetHasFewer) {
  const Dataset data = with_classes({{7, "blue"}, {9, "green"}});
  const auto model = aligned_outputs(3, {"green", "red", "blue"}, data);
  EXPECT_TRUE(model->knows_classes());
  EXPECT_THAT(answers(*model),
              ElementsAre(testing::DoubleNear(3.0 / 6, 1e-6), testing::DoubleNear(1.0 / 6, 1e-6),
                          testing::DoubleNear(2.0 / 6, 1e-6)));
  EXPECT_EQ(desired_class(data, *model), 0U);
  EXPECT_EQ(model->column_of(0), 2U);
  EXPECT_EQ(model->column_of(1), 0U);
  EXPECT_EQ(class_name(2, data, *model), "red") << "the model's own";
  EXPECT_EQ(class_meant("9", data, *model), 1U);
  EXPECT_EQ(class_meant("green", data, *model), 1U);
  EXPECT_EQ(class_meant("red", data, *model), 2U);
  EXPECT_EQ(class_meant("model:0", data, *model), 1U);
  EXPECT_THAT(complaint([&] { (void)class_meant("0", data, *model); }),
              AllOf(HasSubstr("'0'"), HasSubstr("blue, green, red")))
      << "a number is a value of the dataset, and never an output";
}

TEST(ClassMatchTest, ByValueIfTheModelIsFromBeforeTheNames) {
  const Dataset data = with_classes({{1, "yes"}, {0, "no"}});
  const auto model = aligned_outputs(2, {"0", "1"}, data);
  EXPECT_EQ(model->column_of(0), 1U);
  EXPECT_THAT(model->notes(), ElementsAre(AllOf(HasSubstr("classes"), HasSubstr("by value"))));
}

TEST(ClassMatchTest, NamesThatAreNotTheModelsAreRefusedWithBothSides) {
  for (const auto& names : {std::vector<std::string>{"a", "b"}, {"no", "b"}}) {
    EXPECT_THAT(complaint([&] {
                  (void)aligned_outputs(2, names, with_classes({{0, "no"}, {1, "yes"}}));
                }),
                AllOf(HasSubstr("outputs.pt: "), HasSubstr("b, the dataset's 0 (no), 1 (yes)"),
                      HasSubstr("\"classes\""), HasSubstr("model:0")));
  }
}

TEST(ClassMatchTest, NobodyGuessesWhichOutputIsWhich) {
  const Dataset data = with_classes({{0, "no"}, {1, "yes"}}, 1);
  EXPECT_THAT(
      complaint([&] { (void)aligned_outputs(2, {}, data); }),
      AllOf(HasSubstr("2 outputs without names"), HasSubstr("0 (no), 1 (yes)"),
            HasSubstr("\"classes\""), HasSubstr("\"model_columns\""), HasSubstr("model:0")));
  const auto as_they_are = aligned_outputs(2, {}, data, ClassMatch::kOptional);
  EXPECT_FALSE(as_they_are->knows_classes());
  EXPECT_EQ(class_name(1, data, *as_they_are), "model:1");
}

TEST(ClassMatchTest, TheMetadataMaySay) {
  Dataset data = with_classes({{0, "no"}, {1, "yes"}}, 1);
  data.model_columns = {1, 0};
  const auto model = aligned_outputs(2, {}, data);
  EXPECT_EQ(desired_class(data, *model), 1U);
  EXPECT_EQ(model->column_of(1), 0U);
  EXPECT_NEAR(answers(*model)[1], 1.0 / 3, 1e-6);
  EXPECT_THAT(complaint([&] { (void)aligned_outputs(3, {}, data); }),
              AllOf(HasSubstr("3 outputs"), HasSubstr("\"model_columns\"")));
  data.model_columns = {1};
  EXPECT_THAT(complaint([&] { (void)aligned_outputs(1, {}, data); }), HasSubstr("model_columns"));
}

TEST(ClassMatchTest, AnOutputMayBeDesiredWhateverItStandsFor) {
  Dataset data = with_classes({{0, "no"}, {1, "yes"}}, std::nullopt);
  data.desired_column = 1;
  for (const auto& names : {std::vector<std::string>{}, {"a", "b"}}) {
    const auto model = aligned_outputs(2, names, data);
    EXPECT_FALSE(model->knows_classes());
    EXPECT_EQ(desired_class(data, *model), 1U);
    EXPECT_EQ(class_name(1, data, *model), names.empty() ? "model:1" : "b");
    ThreadPool pool(1);
    EXPECT_FALSE(predict(data, *model, pool).accuracy);
  }
  data.desired_column = 2;
  const auto model = aligned_outputs(2, {}, data);
  EXPECT_THAT(complaint([&] { (void)desired_class(data, *model); }), HasSubstr("2 outputs"));
}

TEST(ClassMatchTest, NoClassIsDesiredByItself) {
  const Dataset data = with_classes({{0, "no"}, {1, "yes"}}, std::nullopt);
  const auto model = aligned_outputs(2, {"no", "yes"}, data);
  EXPECT_THAT(complaint([&] { (void)desired_class(data, *model); }),
              AllOf(HasSubstr("which class is desired"), HasSubstr("0 (no), 1 (yes)")));
  ThreadPool pool(1);
  EXPECT_THAT(complaint([&] { (void)explain(data, *model, {}, pool); }),
              HasSubstr("which class is desired"));
  EXPECT_EQ(predict(data, *model, pool).accuracy, 0.5) << "which does not need one";
}

TEST(DesiredClassTest, IsSaidByValueNameOrOutput) {
  RawDataset raw;
  raw.name = "D";
  raw.node_labels = {{0, {}}};
  const std::vector<Label> one{0};
  raw.graphs.assign(3, Graph(one, {}));
  raw.graph_labels = {5, 7, 9};
  DatasetMetadata metadata;
  EXPECT_FALSE(prepare(raw, metadata).has_desired()) << "not the largest";
  metadata.class_names = {{5, "7"}, {7, "seven"}};
  const Dataset data = prepare(raw, metadata);
  EXPECT_EQ(find_class(data.class_labels, "7"), 1) << "the value, not the name";
  EXPECT_EQ(find_class(data.class_labels, "seven"), 1);
  EXPECT_EQ(find_class(data.class_labels, "nine"), std::nullopt);
  EXPECT_EQ(model_column("model:12"), 12U);
  EXPECT_EQ(model_column("modelling"), std::nullopt);
  EXPECT_THROW((void)model_column("model:-1"), Error);
  EXPECT_THROW((void)model_column("model:"), Error);
  metadata.model_columns = {7, 5, 7};
  EXPECT_THROW((void)prepare(raw, metadata), Error);
}

// ---- A graph is accepted

std::vector<Judgement> judged(std::vector<double> row, const Goal& goal) {
  const std::size_t classes = row.size();
  const test::FakeClassifier model(1, classes, [row](const Graph&) { return row; });
  ThreadPool pool(1);
  const std::vector<Label> one{0};
  const Graph g(one, {});
  return judge({&g, 1}, model, goal, pool);
}

TEST(AcceptanceTest, ThePredictedClassNeedsNoHalf) {
  const Judgement j = judged({0.3, 0.31, 0.2, 0.19}, {1}).front();
  EXPECT_TRUE(j.predicted);
  EXPECT_TRUE(j.accepted);
  EXPECT_NEAR(j.lead(), 0.01, 1e-6);
  EXPECT_FALSE(judged({0.3, 0.31, 0.2, 0.19}, {0}).front().accepted);
}

TEST(AcceptanceTest, LeadAndProbabilityAreBothAsked) {
  const std::vector<double> row{0.3, 0.31, 0.2, 0.19};
  EXPECT_TRUE(judged(row, {1, {.min_lead = 0.0099}}).front().accepted);
  EXPECT_FALSE(judged(row, {1, {.min_lead = 0.0101}}).front().accepted);
  EXPECT_TRUE(judged(row, {1, {.min_probability = 0.3}}).front().accepted);
  EXPECT_FALSE(judged(row, {1, {.min_probability = 0.32}}).front().accepted);
  const Acceptance safe{.min_lead = kSafeLead};
  EXPECT_FALSE(judged({0.49996, 0.50004}, {1, safe}).front().accepted);
  EXPECT_TRUE(judged({0.4999, 0.5001}, {1, safe}).front().accepted);
}

TEST(AcceptanceTest, ATieIsThePredictionsAndRoundingIsNoLie) {
  EXPECT_TRUE(judged({0.5, 0.5}, {0}).front().accepted);
  EXPECT_FALSE(judged({0.5, 0.5}, {1}).front().accepted);
  const Acceptance rule{.min_lead = 0.01, .min_probability = 0.3};
  const Judgement just_below{.probability = 0.31, .runner_up = 0.300005, .predicted = true};
  EXPECT_FALSE(rule.holds(just_below));
  EXPECT_TRUE(rule.nearly_holds(just_below));
  EXPECT_FALSE(rule.nearly_holds({.probability = 0.31, .runner_up = 0.301, .predicted = true}));
}

// ---- Which graphs are explained

/// Three graphs of each of three classes; the model predicts the class but for graphs 0, 3 and 6,
/// for which it predicts the next one.
class InputRuleTest : public testing::Test {
 protected:
  InputRuleTest() : data_(with_classes({{1, "one"}, {2, "two"}, {3, "three"}}, 2)) {
    data_.graphs.clear();
    data_.classes.clear();
    for (Node i = 0; i < 9; ++i) {
      const std::vector<Label> labels(i + 1, 0);
      data_.graphs.emplace_back(labels, std::vector<Edge>{});
      data_.classes.push_back(static_cast<int>(i / 3));
    }
  }
  std::vector<std::uint32_t> inputs(const InputSelection& selection) {
    return rejected_graphs(data_, model_, pool_, selection).rejected;
  }

  ThreadPool pool_{1};
  Dataset data_;
  test::FakeClassifier model_{1, 3, [](const Graph& g) {
                                const Node i = g.num_nodes() - 1;
                                std::vector<double> row(3, 0.2);
                                row[(i / 3 + (i % 3 == 0 ? 1 : 0)) % 3] = 0.6;
                                return row;
                              }};
};

TEST_F(InputRuleTest, AllThatAreNotPredictedDesiredUnlessChosen) {
  EXPECT_THAT(inputs({}), ElementsAre(0, 1, 2, 4, 5, 6));
  EXPECT_THAT(inputs({.source_classes = {"one"}}), ElementsAre(1, 2, 6));
  EXPECT_THAT(inputs({.source_classes = {"2"}}), ElementsAre(0, 4, 5));
  EXPECT_THAT(inputs({.source_classes = {"model:1", "one"}}), ElementsAre(0, 1, 2, 4, 5, 6));
  EXPECT_THAT(inputs({.only_correct = true}), ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(inputs({.source_classes = {"one"}, .only_correct = true}), ElementsAre(1, 2));
  EXPECT_THAT(inputs({.graphs = {{0, 1, 3, 6}}}), ElementsAre(0, 1, 6));
  EXPECT_THAT(inputs({.graphs = {{7, 8}}}), IsEmpty());
}

TEST_F(InputRuleTest, WhatMakesNoSenseIsRefused) {
  EXPECT_THAT(complaint([&] { inputs({.source_classes = {"three"}}); }), HasSubstr("desired one"));
  EXPECT_THAT(complaint([&] { inputs({.source_classes = {"four"}}); }),
              AllOf(HasSubstr("'four'"), HasSubstr("one, two, three")));
  EXPECT_THAT(complaint([&] {
                inputs({.graphs = {{3, 9}}});
              }),
              AllOf(HasSubstr("no graph 9"), HasSubstr("9 graphs")));
  EXPECT_THAT(complaint([&] { inputs({.split = "test"}); }), HasSubstr("'test'"));
  data_.classes.clear();
  EXPECT_THAT(complaint([&] { inputs({.only_correct = true}); }), HasSubstr("no classes"));
}

TEST_F(InputRuleTest, TheClassesOfTheInputsAreTold) {
  const auto told = [&](const InputSelection& selection) {
    return explained_classes(data_, model_, rejected_graphs(data_, model_, pool_, selection));
  };
  EXPECT_EQ(told({}), (ExplainedClasses{"three", 2, {"one", "two"}, 6}));
  EXPECT_EQ(told({.graphs = {{1}}}), (ExplainedClasses{"three", 2, {"one"}, 6}));
}

TEST(InputWordsTest, SayItInClasses) {
  EXPECT_EQ(inputs_in_words({"6", 5, {"1", "2", "3", "4", "5"}}, {}, 511, 600),
            "511 of 600 graphs are predicted 1–5, not the desired class 6");
  EXPECT_EQ(inputs_in_words({"nonmutagen", 1, {"mutagen"}}, {}, 2438, 4308),
            "2,438 of 4,308 graphs are predicted mutagen, not the desired class nonmutagen");
  EXPECT_EQ(classes_in_words({"a", "b", "c"}), "a, b or c");
  EXPECT_EQ(classes_in_words({"1", "2"}), "1 or 2");
  EXPECT_EQ(classes_in_words({"1", "2", "4"}), "1, 2 or 4");
  EXPECT_EQ(classes_in_words({"a", "b", "c", "d", "e"}), "one of 5 classes");
  Provenance chosen;
  chosen.options = {{"only-correct", ""}, {"split", "test"}};
  EXPECT_EQ(
      inputs_in_words({"green", 1, {"red", "blue"}, 40}, chosen, 5, 60),
      "40 of 60 graphs are not predicted the desired class green; 5 of them, predicted red or "
      "blue, are explained: those correctly classified, of the test part of the data");
  EXPECT_EQ(
      inputs_in_words({"b", 1, {"a"}}, chosen, 1, 2),
      "1 of 2 graphs, predicted a and not the desired class b, are explained: those correctly "
      "classified, of the test part of the data");
  chosen.options = {{"source-class", "a"}, {"graphs", "0-9"}};
  EXPECT_EQ(choice_in_words(chosen),
            (std::vector<std::string>{"predicted a", "of the list that was given"}));
}

TEST(IndexListTest, IsReadAndWrittenShort) {
  EXPECT_THAT(parse_index_list("3-5,1\n4 9"), ElementsAre(1, 3, 4, 5, 9));
  EXPECT_EQ(index_list_text(parse_index_list("3-5,1\n4 9")), "1,3-5,9");
  EXPECT_THAT(parse_index_list(" ,\n"), IsEmpty());
  for (const char* bad : {"x", "1-", "-1", "5-3", "1-2-3", "4294967296", "1.5"}) {
    EXPECT_THROW((void)parse_index_list(bad), Error) << bad;
  }
  EXPECT_THROW((void)parse_index_list("0-4294967295"), Error) << "which would take 16 GB";
  EXPECT_TRUE(looks_like_index_list("1-3, 5"));
  EXPECT_FALSE(looks_like_index_list("graphs.txt"));
}

TEST(RecordedSplitTest, IsOfTheGraphsThatTheModelWasTrainedOn) {
  const test::TemporaryFolder folder;
  const Dataset data = prepare(test::six_classes(30, 1), {});
  ModelFile model{.spec = {}, .weights = "model.pt"};
  model.spec.layers.push_back({.weights = "convs.0"});
  model.spec.head.push_back({"fc", ""});
  const auto file = folder.write("model.json", to_json(model));
  EXPECT_THAT(complaint([&] { (void)part_of_split(file, data, "test"); }),
              AllOf(HasSubstr("model.json"), HasSubstr("no split")));
  const Split split = split_dataset(data.size(), 0.6, 0.2, 3);
  model.split = recorded_split(split, data);
  folder.write("model.json", to_json(model));
  const auto test_part = part_of_split(folder.path() / "model.pt", data, "test");
  EXPECT_TRUE(std::ranges::equal(test_part, split.test));
  EXPECT_TRUE(std::ranges::equal(part_of_split(file, data, "train"), split.train));
  EXPECT_THROW((void)part_of_split(file, data, "rest"), Error);
  // Other names are the same graphs, other graphs are not.
  DatasetMetadata named;
  named.class_names = {{1, "one"}};
  named.node_label_names = {{1, "L"}};
  EXPECT_EQ(part_of_split(file, prepare(test::six_classes(30, 1), named), "test"), test_part);
  EXPECT_THAT(
      complaint([&] { (void)part_of_split(file, prepare(test::six_classes(30, 2), {}), "test"); }),
      HasSubstr("other graphs"));
}

// ---- Many classes, all the way

/// Fifteen classes; the class is the pair of labels that occur, and no class ever gets a third.
class ManyClassesTest : public testing::Test {
 protected:
  static std::vector<double> shares(const Graph& g) {
    std::vector<double> row;
    double all = 0;
    for (Label a = 0; a < 6; ++a) {
      for (Label b = a + 1; b < 6; ++b) {
        const auto has = [&](Label l) { return std::ranges::count(g.labels(), l) > 0 ? 1.0 : 0.0; };
        row.push_back(std::exp(1.2 * (has(a) + has(b))));
        all += row.back();
      }
    }
    for (double& p : row) p /= all;
    return row;
  }

  ManyClassesTest() : data_(prepare(test::fifteen_classes(150, 4), metadata())) {
    options_.k = 4;
    options_.steps = 100;
    options_.refine_work = 3'000'000;
    options_.theta = 0.15;
  }
  static DatasetMetadata metadata() {
    DatasetMetadata out;
    out.desired_class = 14;
    return out;
  }

  ThreadPool pool_{2};
  Dataset data_;
  test::FakeClassifier model_{7, 15, shares};
  ExplainOptions options_;
};

TEST_F(ManyClassesTest, TheMostProbableClassIsEnough) {
  for (const char* distance : {"certified", "wl"}) {
    options_.distance = distance;
    const Explanation e = explain(data_, model_, options_, pool_);
    ASSERT_FALSE(e.counterfactuals.empty()) << distance;
    EXPECT_EQ(e.inputs.size(), 140U);
    for (const Counterfactual& c : e.counterfactuals) {
      EXPECT_LT(c.probability, 0.5) << "so none had been found before";
      const Judgement j = judge({&c.graph, 1}, model_, 14, pool_).front();
      EXPECT_TRUE(j.predicted);
      EXPECT_NEAR(j.lead(), c.lead.value(), 1e-6);
    }
    const auto smallest = std::ranges::min(e.counterfactuals, {}, &Counterfactual::lead).lead;
    EXPECT_EQ(e.metrics.smallest_lead, smallest);
    if (std::string(distance) == "certified") {
      EXPECT_GE(*smallest, kSafeLead);
      EXPECT_GT(e.metrics.coverage, 0.3);
    }
    EXPECT_EQ(parse_explanation(explanation_json(e), "e.json"), e);
  }
}

TEST_F(ManyClassesTest, ALeastProbabilityIsAskedOnTopOfThat) {
  options_.min_probability = 0.6;  // more than this model ever gives
  EXPECT_THAT(complaint([&] { (void)explain(data_, model_, options_, pool_); }),
              AllOf(HasSubstr("no counterfactual"), HasSubstr("smaller least probability")));
}

TEST_F(ManyClassesTest, SourceClassesAreExplainedAlone) {
  options_.selection.source_classes = {"0", "13"};
  const Explanation e = explain(data_, model_, options_, pool_);
  EXPECT_EQ(e.inputs.size(), 20U);
  for (const std::uint32_t i : e.inputs) EXPECT_THAT(data_.classes[i], testing::AnyOf(0, 13));
  EXPECT_EQ(e.classes, (ExplainedClasses{"14", 14, {"0", "13"}, 140}));
  EXPECT_THAT(e.provenance.values_of("source-class"), ElementsAre("0", "13"));
}

}  // namespace
}  // namespace fewedits
