// SPDX-License-Identifier: MIT
// Datasets with many classes as a user meets them, from training to the report.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fewedits/classifier/model_file.hpp"
#include "fewedits/fewedits.hpp"
#include "fewedits/formats/checkpoint_writer.hpp"
#include "fewedits/formats/tu_writer.hpp"
#include "support/command.hpp"
#include "support/many_classes.hpp"

namespace fewedits {
namespace {

using test::fewedits;
using test::Outcome;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

class ClassesCliTest : public testing::Test {
 protected:
  [[nodiscard]] std::string file(const std::string& name) const {
    return (folder_.path() / name).string();
  }
  static Outcome verify(const std::string& explanation, Words more = {}) {
    more.insert(more.begin(), explanation);
    return test::Command(more, test::OnTerminal::kNothing, FEWEDITS_VERIFY).wait();
  }
  Outcome explain(const std::string& out, Words more) const {
    const Words first{"explain", "--dataset", file("data"), "--model", model_,
                      "--k",     "3",         "--steps",    "50",      "--refine-work",
                      "2000000", "--theta",   "0.15",       "-o",      file(out)};
    more.insert(more.begin(), first.begin(), first.end());
    return fewedits(more);
  }
  /// Graphs that are predicted one of these classes, by the command that says so.
  [[nodiscard]] Json predicted(const Words& classes) const {
    const Outcome outcome =
        fewedits({"predict", "--dataset", file("data"), "--model", model_, "--json"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    Json out = Json::array();
    const Json json = Json::parse(outcome.out);
    for (const Json& row : json["predictions"]) {
      const auto name = row["predicted_name"].get<std::string>();
      if (std::ranges::find(classes, name) != classes.end()) out.push_back(row["graph"]);
    }
    return out;
  }
  static Json read(const std::string& path) { return Json::parse(read_file(path)); }

  test::TemporaryFolder folder_;
  std::string model_ = file("model.safetensors");
};

/// A model that needs no training: output c is the number of nodes of label c, more or less.
class UntrainedTest : public ClassesCliTest {
 protected:
  void SetUp() override {
    RawDataset raw = test::six_classes(60, 1);
    for (auto& label : raw.graph_labels) label = (label - 1) / 2;  // the label that most nodes have
    write_tu(folder_.path() / "data", raw, {});
    StateDict weights;
    weights["convs.0.weight"] = Tensor::from_floats({3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1});
    weights["fc.weight"] = Tensor::from_floats({3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1});
    write_checkpoint(model_, weights);
    describe({});
  }
  void describe(std::vector<std::string> classes) const {
    ModelFile model{.spec = {}, .weights = "model.safetensors"};
    model.spec.layers.push_back({.weights = "convs.0"});
    model.spec.pooling = Aggregation::kSum;
    model.spec.head.push_back({"fc", ""});
    model.spec.classes = std::move(classes);
    folder_.write("model.json", to_json(model));
  }
};

TEST_F(UntrainedTest, NothingIsGuessed) {
  const Outcome no_class = explain("e.json", {});
  EXPECT_EQ(no_class.code, 1);
  EXPECT_THAT(no_class.err, AllOf(HasSubstr("which class is desired is not known"),
                                  HasSubstr("--desired-class"), HasSubstr("0, 1, 2")));
  const Outcome no_names = explain("e.json", {"--desired-class", "2"});
  EXPECT_EQ(no_names.code, 1);
  EXPECT_THAT(no_names.err, AllOf(HasSubstr("3 outputs without names"), HasSubstr("0, 1, 2"),
                                  HasSubstr("model:0")));
  EXPECT_FALSE(std::filesystem::exists(file("e.json")));
  // What needs no class works, and says what it does not know.
  EXPECT_EQ(fewedits({"dataset", file("data")}).code, 0);
  const Outcome predicted =
      fewedits({"predict", "--dataset", file("data"), "--model", model_, "--json"});
  EXPECT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_THAT(predicted.err, HasSubstr("the accuracy is not known"));
  EXPECT_TRUE(Json::parse(predicted.out)["accuracy"].is_null());
  EXPECT_EQ(Json::parse(predicted.out)["predictions"][0]["predicted_name"], "model:0");
}

TEST_F(UntrainedTest, AnOutputOrANameWillDo) {
  ASSERT_EQ(explain("output.json", {"--desired-class", "model:2"}).code, 0);
  const Outcome held = verify(file("output.json"));
  EXPECT_EQ(held.code, 0) << held.out << held.err;
  // The model's outputs are called in another order than the dataset's values count.
  describe({"1", "2", "0"});
  const Outcome named = explain("named.json", {"--desired-class", "0"});
  ASSERT_EQ(named.code, 0) << named.err;
  EXPECT_EQ(verify(file("named.json")).code, 0);
  const Json by_output = read(file("output.json"));
  const Json by_name = read(file("named.json"));
  EXPECT_EQ(by_output["inputs"], by_name["inputs"]) << "output 2 is the class 0";
  EXPECT_EQ(by_name["classes"]["desired"], "0");
  EXPECT_EQ(by_name["classes"]["column"], 2);
  EXPECT_EQ(by_output["classes"]["desired"], "model:2");
  EXPECT_EQ(verify(file("output.json")).code, 1) << "the model's file is another one now";
  // New data without a desired class: what the explanation was made for.
  write_tu(folder_.path() / "new", test::six_classes(12, 7), {});
  const Outcome recourse =
      fewedits({"recourse", file("named.json"), "--dataset", file("new"), "--json"});
  ASSERT_EQ(recourse.code, 0) << recourse.err;
  const Json answers = Json::parse(recourse.out);
  EXPECT_GT(answers["recourse"].size(), 3U);
  for (const Json& row : answers["recourse"]) EXPECT_EQ(row["accepted"], false);
}

TEST_F(UntrainedTest, WhichGraphsAreExplainedIsChosenRecordedAndChecked) {
  describe({"0", "1", "2"});
  const Words desired{"--desired-class", "2"};
  const auto inputs = [&](const std::string& name, Words more) {
    more.insert(more.end(), desired.begin(), desired.end());
    const Outcome outcome = explain(name, more);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const Outcome held = verify(file(name));
    EXPECT_EQ(held.code, 0) << held.out << held.err;
    const Outcome again = fewedits({"evaluate", file(name), "--json"});
    EXPECT_EQ(again.code, 0) << again.err;
    Json json = read(file(name));
    EXPECT_EQ(Json::parse(again.out)["inputs"], json["inputs"].size());
    const Outcome recourse = fewedits({"recourse", file(name), "--json"});
    EXPECT_EQ(Json::parse(recourse.out)["recourse"].size(), json["inputs"].size());
    return json;
  };
  const Json all = inputs("all.json", {});
  EXPECT_EQ(all["inputs"], predicted({"0", "1"}));
  const Json one = inputs("one.json", {"--source-class", "1"});
  EXPECT_EQ(one["inputs"], predicted({"1"}));
  EXPECT_EQ(one["classes"]["predicted"], Json{"1"});
  EXPECT_EQ(inputs("both.json", {"--source-class", "1", "--source-class", "0"})["inputs"],
            all["inputs"]);
  const Json listed = inputs("listed.json", {"--graphs", "0-9,59", "--only-correct"});
  EXPECT_EQ(listed["options"]["graphs"], "0-9,59");
  EXPECT_EQ(listed["options"]["only-correct"], "");

  // Whoever changes the choice changes the inputs; nor may the rest be made up.
  const auto expect_refused = [&](Json lie, const std::string& place, const Json& value) {
    lie[Json::json_pointer(place)] = value;
    folder_.write("lie.json", lie.dump());
    EXPECT_EQ(verify(file("lie.json")).code, 1) << place;
  };
  expect_refused(one, "/options/source-class", "0");
  expect_refused(all, "/options/graphs", "0-5");
  expect_refused(all, "/options/min-lead", "0.9999");
  expect_refused(all, "/classes/predicted", Json{"1"});
  expect_refused(all, "/classes/desired", "1");
  expect_refused(all, "/classes/column", 1);
  expect_refused(all, "/counterfactuals/0/lead", 0.9999);
  expect_refused(all, "/metrics/smallest_lead", 0.9999);

  const Outcome no_split = explain("x.json", {"--desired-class", "2", "--split", "test"});
  EXPECT_EQ(no_split.code, 1);
  EXPECT_THAT(no_split.err, HasSubstr("records no split"));
  EXPECT_EQ(explain("x.json", {"--desired-class", "2", "--min-lead", "x"}).code, 2);
  EXPECT_EQ(explain("x.json", {"--desired-class", "2", "--graphs", "3-1"}).code, 2);
}

/// The dataset lacks a class that the model has.
TEST_F(UntrainedTest, AClassOfTheModelAloneIsDesiredByName) {
  RawDataset raw = test::six_classes(60, 1);
  RawDataset some = raw;
  some.graphs.clear();
  some.graph_labels.clear();
  for (std::size_t i = 0; i < raw.graphs.size(); ++i) {
    if ((raw.graph_labels[i] - 1) / 2 == 1) continue;
    some.graphs.push_back(raw.graphs[i]);
    some.graph_labels.push_back((raw.graph_labels[i] - 1) / 2);
  }
  std::filesystem::remove_all(file("data"));
  DatasetMetadata metadata;
  metadata.class_names = {{0, "red"}, {2, "blue"}};
  write_tu(folder_.path() / "data", some, metadata);
  describe({"red", "green", "blue"});
  const Outcome named = explain("green.json", {"--desired-class", "green"});
  ASSERT_EQ(named.code, 0) << named.err;
  EXPECT_THAT(named.out, HasSubstr("predicted red or blue, not the desired class green"));
  const Json json = read(file("green.json"));
  EXPECT_EQ(json["classes"]["desired"], "green");
  EXPECT_EQ(json["classes"]["column"], 1);
  const Outcome held = verify(file("green.json"));
  EXPECT_EQ(held.code, 0) << held.out << held.err;
  EXPECT_EQ(
      verify(file("green.json"), {"--dataset", file("data"), "--desired-class", "green"}).code, 0);
  EXPECT_EQ(fewedits({"evaluate", file("green.json")}).code, 0);
  EXPECT_EQ(fewedits({"recourse", file("green.json"), "--graph", "0"}).code, 0);
  EXPECT_EQ(fewedits({"report", file("green.json"), "-o", file("r.html")}).code, 0);
  const Outcome nobodys = explain("x.json", {"--desired-class", "purple"});
  EXPECT_EQ(nobodys.code, 1);
  EXPECT_THAT(nobodys.err, AllOf(HasSubstr("no class 'purple'"), HasSubstr("red, blue, green"),
                                 HasSubstr("model:N")));
  EXPECT_EQ(fewedits({"dataset", file("data"), "--desired-class", "green"}).code, 1)
      << "there is no model";
}

/// Nothing that an explanation names as a list is opened as a file.
TEST_F(UntrainedTest, EvaluateOpensNoFileThatAnExplanationNamesAsAList) {
  describe({"0", "1", "2"});
  ASSERT_EQ(explain("e.json", {"--desired-class", "2"}).code, 0);
  folder_.write("secret", "0,1,hidden words\n");
  Json json = read(file("e.json"));
  json["options"]["graphs"] = file("secret");
  folder_.write("spy.json", json.dump());
  for (const std::string command : {"evaluate", "recourse"}) {
    const Outcome outcome = fewedits({command, file("spy.json")});
    EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("hidden"))) << command;
  }
}

TEST_F(UntrainedTest, ARunIsResumedWithTheSameChoiceOnly) {
  describe({"0", "1", "2"});
  const Words run{"--desired-class", "2", "--run-dir", file("run")};
  const auto with = [&](Words more) {
    more.insert(more.end(), run.begin(), run.end());
    return explain("e.json", more);
  };
  ASSERT_EQ(with({"--source-class", "1"}).code, 0);
  const Outcome other = with({"--source-class", "0", "--resume"});
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.err, HasSubstr("source-class"));
  EXPECT_EQ(with({"--source-class", "1", "--resume"}).code, 0);
}

/// Where a model and its file lie beside "data": from predictions to the report, and the part of
/// the split that the model has never seen.
struct Made {
  const char* name;
  RawDataset (*make)(std::size_t graphs, std::uint64_t seed);
  std::size_t graphs;
  std::string desired;
  Words others;
  std::string others_in_words;
};

const auto kManyClasses = testing::Values(
    Made{"fifteen",
         test::fifteen_classes,
         150,
         "14",
         {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13"},
         "0–13"},
    Made{"enzymes_like", test::six_classes, 120, "6", {"1", "2", "3", "4", "5"}, "1–5"});

class ManyClassesTest : public ClassesCliTest, public testing::WithParamInterface<Made> {
 protected:
  void go_the_whole_way(const Made& made) const;
};

void ManyClassesTest::go_the_whole_way(const Made& made) const {
  const Outcome as_csv =
      fewedits({"predict", "--dataset", file("data"), "--model", model_, "-o", file("p.csv")});
  ASSERT_EQ(as_csv.code, 0) << as_csv.err;
  EXPECT_THAT(read_file(file("p.csv")),
              testing::StartsWith("graph,tu_graph,class,class_name,predicted,predicted_name,logp"));
  const Json as_json = Json::parse(
      fewedits({"predict", "--dataset", file("data"), "--model", model_, "--json"}).out);
  ASSERT_GT(as_json["accuracy"], 0.9) << "or there is little to explain";
  const std::string words =
      fmt::format("{} of {} graphs are predicted {}, not the desired class {}",
                  predicted(made.others).size(), made.graphs, made.others_in_words, made.desired);

  const Outcome explained = explain("e.json", {"--desired-class", made.desired});
  ASSERT_EQ(explained.code, 0) << explained.err;
  EXPECT_THAT(explained.out, AllOf(HasSubstr(words), HasSubstr("leads the next by")));
  EXPECT_THAT(explained.out + explained.err, Not(HasSubstr("rejects")));
  const Outcome held = verify(file("e.json"));
  EXPECT_EQ(held.code, 0) << held.out << held.err;
  EXPECT_THAT(held.out, AllOf(HasSubstr(words), HasSubstr("leads the next by")));
  const Json e = read(file("e.json"));
  EXPECT_GT(e["metrics"]["coverage"], 0.05);
  EXPECT_GE(e["metrics"]["smallest_lead"], 1e-4);

  const Outcome evaluated = fewedits({"evaluate", file("e.json")});
  EXPECT_EQ(evaluated.code, 0) << evaluated.err;
  EXPECT_THAT(evaluated.out, HasSubstr(words));
  const Outcome recourse =
      fewedits({"recourse", file("e.json"), "--graph", "0", "--script", "--local"});
  EXPECT_EQ(recourse.code, 0) << recourse.err;
  EXPECT_THAT(recourse.out, HasSubstr("alone: "));
  const Outcome report = fewedits({"report", file("e.json"), "-o", file("r.html")});
  EXPECT_EQ(report.code, 0) << report.err;
  EXPECT_THAT(read_file(file("r.html")), HasSubstr(words));

  // The part that the model has never seen.
  const Outcome unseen = explain("test.json", {"--desired-class", made.desired, "--split", "test"});
  ASSERT_EQ(unseen.code, 0) << unseen.err;
  EXPECT_THAT(unseen.out, HasSubstr("of the test part of the data"));
  EXPECT_EQ(verify(file("test.json")).code, 0);
  EXPECT_LE(read(file("test.json"))["inputs"].size(), made.graphs / 10);
  const Outcome again = fewedits({"evaluate", file("test.json"), "--json"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(Json::parse(again.out)["inputs"], read(file("test.json"))["inputs"].size());
  Json lie = read(file("test.json"));
  lie["options"]["split"] = "validation";
  folder_.write("lie.json", lie.dump());
  EXPECT_EQ(verify(file("lie.json")).code, 1);
}

/// With weights made by hand: a convolution that leaves labels apart, sums of them by label, and
/// for each class the labels that make it.
class HandMadeTest : public ManyClassesTest {
 protected:
  void SetUp() override {
    const Made& made = GetParam();
    write_tu(folder_.path() / "data", made.make(made.graphs, 1), {});
    const Dataset data = open_dataset(folder_.path() / "data");
    const auto labels = static_cast<std::int64_t>(data.node_labels.size());
    const auto classes = static_cast<std::int64_t>(data.class_labels.size());
    std::vector<float> unit(static_cast<std::size_t>(labels * labels), 0);
    for (std::int64_t l = 0; l < labels; ++l) unit[static_cast<std::size_t>(l * (labels + 1))] = 1;
    StateDict weights;
    weights["convs.0.weight"] = Tensor::from_floats({labels, labels}, unit);
    weights["fc.weight"] = Tensor::from_floats({classes, labels}, signs(labels, classes));
    write_checkpoint(model_, weights);
    ModelFile model{.spec = {}, .weights = "model.safetensors"};
    model.spec.layers.push_back({.weights = "convs.0"});
    model.spec.pooling = Aggregation::kSum;
    model.spec.head.push_back({"fc", ""});
    for (const NamedValue& c : data.class_labels) model.spec.classes.push_back(c.name);
    model.split = recorded_split(split_dataset(data.size(), 0.8, 0.1, 1), data);
    folder_.write("model.json", to_json(model));
  }

 private:
  /// What speaks for a class: of fifteen, both labels of its pair; of six, the label that most
  /// nodes have, and less so the one that the rest has.
  static std::vector<float> signs(std::int64_t labels, std::int64_t classes) {
    std::vector<float> out(static_cast<std::size_t>(labels * classes), 0);
    const auto set = [&](std::int64_t c, std::int64_t label, float value) {
      out[static_cast<std::size_t>(c * labels + label)] = value;
    };
    std::int64_t pair = 0;
    for (std::int64_t a = 0; classes == 15 && a < 6; ++a) {
      for (std::int64_t b = a + 1; b < 6; ++b, ++pair) {
        set(pair, a, 4);
        set(pair, b, 4);
      }
    }
    for (std::int64_t c = 0; classes == 6 && c < 6; ++c) {
      set(c, c / 2, 2);
      set(c, (c / 2 + 1 + c % 2) % 3, 1);
    }
    return out;
  }
};

INSTANTIATE_TEST_SUITE_P(, HandMadeTest, kManyClasses,
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(HandMadeTest, FromPredictionsToTheReport) { go_the_whole_way(GetParam()); }

#ifdef FEWEDITS_WITH_TORCH
class TrainedTest : public ManyClassesTest {};

INSTANTIATE_TEST_SUITE_P(, TrainedTest, kManyClasses,
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(TrainedTest, FromTrainingToTheReport) {
  write_tu(folder_.path() / "data", GetParam().make(GetParam().graphs, 1), {});
  const Outcome trained =
      fewedits({"train", "--dataset", file("data"), "-o", model_, "--epochs", "150",
                "--learning-rate", "0.02", "--batch-size", "16", "--pooling", "sum", "--width",
                "16", "--layers", "2", "--json"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  go_the_whole_way(GetParam());
}
#endif

}  // namespace
}  // namespace fewedits
