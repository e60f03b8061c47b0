// SPDX-License-Identifier: MIT
// The command line as a user meets it: contract, exit codes, messages, nothing half-written.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "console.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/chem/molecule_rules.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/fewedits.hpp"
#include "fewedits/formats/checkpoint_writer.hpp"
#include "support/command.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

using test::Command;
using test::fewedits;
using test::Outcome;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

/// A generated dataset and a tiny model in the paper's layout that fits it.
class CliTest : public testing::Test {
 protected:
  void SetUp() override {
    const Outcome made = fewedits({"generate", "--graphs", "50", "-o", data_.string()});
    ASSERT_EQ(made.code, 0) << made.err;
    // The ten elements in another order than the data's, two of which fifty graphs may lack: the
    // model file's names say which is which.
    const std::vector<std::string> elements{"I", "Br", "P", "S", "F", "N", "H", "Cl", "O", "C"};
    StateDict weights;
    std::vector<float> values(20);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.1F * static_cast<float>(i);
    weights["convs.0.weight"] = Tensor::from_floats({10, 2}, values);
    weights["fc.weight"] = Tensor::from_floats({3, 2}, {1, 0, 0, 1, -1, 2});
    write_checkpoint(model_, weights);
    ModelFile model{infer_model(weights, "test"), "model.pt"};
    model.spec.node_labels = elements;
    folder_.write("model.json", to_json(model));
  }

  test::TemporaryFolder folder_;
  std::filesystem::path data_ = folder_.path() / "planted";
  std::filesystem::path model_ = folder_.path() / "model.pt";
};

TEST_F(CliTest, HelpHasAnExampleForEveryCommand) {
  const Outcome top = fewedits({"--help"});
  EXPECT_EQ(top.code, 0);
  EXPECT_THAT(top.out, ContainsRegex("train +Train a graph classifier"));
  EXPECT_THAT(top.out, ContainsRegex("train-distance +Train the neural distance"));
  std::vector<std::string> commands{"demo",      "dataset", "generate",  "model",
                                    "predict",   "report",  "draw",      "distance",
                                    "casestudy", "rules",   "fragility", "glance"};
#ifdef FEWEDITS_WITH_TORCH
  commands.insert(commands.end(), {"train", "train-distance"});
#endif
  for (const std::string& command : commands) {
    EXPECT_THAT(top.out, HasSubstr(command));
    const Outcome help = fewedits({command, "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_THAT(help.out, HasSubstr("Usage: " FEWEDITS_CLI " " + command + " [OPTIONS]"));
    EXPECT_THAT(help.out, ContainsRegex("Examples?:\n  fewedits " + command));
  }
  EXPECT_THAT(fewedits({"explain", "--help"}).out, HasSubstr(".safetensors, .json)"));
  EXPECT_THAT(fewedits({"--version"}).out, HasSubstr("fewedits " + version()));
}

TEST_F(CliTest, WrongCommandLinesGiveTwo) {
  const std::vector<std::vector<std::string>> wrong{
      {},
      {"explode"},
      {"predict"},
      {"dataset"},
      {"dataset", data_.string(), "--no-such-flag"},
      {"generate", "--graphs", "many", "-o", "x"},
      {"generate", "--graphs", "-5", "-o", "x"},
      {"generate", "--graphs", "0", "-o", "x"},
      {"generate", "--seed", "-1", "-o", "x"},
      {"generate", "--undesired-share", "2", "-o", "x"},
      {"dataset", data_.string(), "--rare-label-threshold", "-1"},
#ifdef FEWEDITS_WITH_TORCH
      {"train"},
      {"train", "predict"},
      {"train", "--dataset", data_.string(), "-o", "model.exe"},
      {"train", "--dataset", data_.string(), "-o", "m.pt", "--epochs", "0"},
      {"train", "--dataset", data_.string(), "-o", "m.pt", "--conv", "rnn"},
      {"train", "--dataset", data_.string(), "-o", "m.pt", "--layers", "100000"},
#endif
      {"predict", "--dataset", data_.string(), "--model", model_.string(), "--kernels", "abacus"},
      {"predict", "--dataset", data_.string(), "--model", model_.string(), "--threads", "-3"},
      {"distance", "--dataset", data_.string(), "--pair", "1"},
      {"distance", "--dataset", data_.string(), "--pair", "0", "1", "--method", "ruler"},
      {"distance", "--dataset", data_.string(), "--pair", "0", "1", "--theta", "1.5"},
      {"distance", "--dataset", data_.string(), "--pair", "0", "1", "--budget-ms", "-1"},
      {"distance", "--dataset", data_.string(), "--pair", "0", "1", "--budget-ms", "nan"},
      {"distance", "--dataset", data_.string(), "--pair", "0", "1", "--budget-ms", "inf"},
      {"distance", "--dataset", data_.string(), "--pair", "0", "1", "--budget-work", "-1"}};
  for (const auto& arguments : wrong) {
    const Outcome outcome = fewedits(arguments);
    EXPECT_EQ(outcome.code, 2) << testing::PrintToString(arguments);
    EXPECT_FALSE(outcome.err.empty());
  }
}

TEST_F(CliTest, FailedRequestsGiveOneAndNameTheCause) {
  const Outcome absent = fewedits({"dataset", (folder_.path() / "nowhere").string()});
  EXPECT_EQ(absent.code, 1);
  EXPECT_THAT(absent.err, HasSubstr("nowhere"));

  const auto broken = folder_.path() / "planted" / "planted_graph_labels.txt";
  folder_.write("planted/planted_graph_labels.txt", "0\n1\nmaybe\n");
  const Outcome bad = fewedits({"dataset", data_.string()});
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.err, HasSubstr(broken.string() + ":3"));
  EXPECT_THAT(bad.err, HasSubstr("'maybe'"));
}

TEST_F(CliTest, DatasetJsonHasTheContractsKeys) {
  const Outcome outcome = fewedits({"dataset", data_.string(), "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["graphs"], 50);
  EXPECT_GT(json["nodes"], 50);
  EXPECT_GT(json["edges"], 50);
  EXPECT_GE(json["labels"], 4);
  std::size_t total = 0;
  for (const auto& c : json["classes"]) total += c["count"].get<std::size_t>();
  EXPECT_EQ(total, 50U);
  EXPECT_EQ(json["classes"][1]["tu_label"], 1);
}

TEST_F(CliTest, FlagsOverrideTheMetadata) {
  const auto json = nlohmann::json::parse(
      fewedits({"dataset", data_.string(), "--json", "--desired-class", "0"}).out);
  EXPECT_EQ(json["classes"][1]["tu_label"], 0);
  const auto other = folder_.write(
      "mine.json",
      R"({"format": "fewedits.dataset/2", "name": "mine", "node_labels": {"0": "X"}})");
  const auto mine = nlohmann::json::parse(
      fewedits({"dataset", data_.string(), "--json", "--metadata", other.string()}).out);
  EXPECT_EQ(mine["name"], "mine");
  EXPECT_EQ(mine["node_labels"][0]["name"], "X");
  EXPECT_EQ(fewedits({"dataset", data_.string(), "--rare-label-threshold", "999999"}).code, 1);
}

TEST_F(CliTest, GenerateIsTheSameForAnyThreadsAndRefusesToOverwrite) {
  const auto again = folder_.path() / "again" / "planted";
  std::filesystem::create_directories(again.parent_path());
  ASSERT_EQ(fewedits({"generate", "--graphs", "50", "--threads", "1", "-o", again.string()}).code,
            0);
  for (const auto& entry : std::filesystem::directory_iterator(data_)) {
    EXPECT_EQ(read_file(entry.path()), read_file(again / entry.path().filename()));
  }
  const std::string before = read_file(data_ / "planted_A.txt");
  const Outcome taken = fewedits({"generate", "--graphs", "10", "-o", data_.string()});
  EXPECT_EQ(taken.code, 1);
  EXPECT_THAT(taken.err, HasSubstr(data_.string()));
  EXPECT_EQ(read_file(data_ / "planted_A.txt"), before);
}

TEST_F(CliTest, PredictWritesCsvAndJsonAlikeOnAnyKernelAndThreads) {
  const auto file = folder_.path() / "out.csv";
  const std::vector<std::string> base{"predict", "--dataset", data_.string(), "--model",
                                      model_.string()};
  auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return fewedits(more);
  };
  ASSERT_EQ(with({"-o", file.string()}).code, 0);
  const std::string csv = read_file(file);
  EXPECT_THAT(csv, testing::StartsWith("graph,tu_graph,class,class_name,predicted,predicted_name,"
                                       "logprob0,logprob1,logprob2\n0,0,"));
  // Three outputs, two classes: nobody knows which is which.
  EXPECT_THAT(csv, testing::ContainsRegex("\n1,1,[01],(non)?mutagen,[0-2],model:[0-2],"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 51);
  EXPECT_EQ(with({}).out, csv);
  EXPECT_EQ(with({"--threads", "1"}).out, csv);
  EXPECT_EQ(with({"--threads", "4"}).out, csv);
  const auto json = nlohmann::json::parse(with({"--json"}).out);
  EXPECT_EQ(json["predictions"].size(), 50U);
  EXPECT_EQ(json["predictions"][7]["logprobs"].size(), 3U);
  EXPECT_EQ(with({"--kernels", "scalar"}).code, 0);
  EXPECT_EQ(with({"-o", "-"}).out, csv);
}

TEST_F(CliTest, PredictRefusesModelsThatDoNotFitAndWritesNothing) {
  const auto file = folder_.path() / "out.csv";
  StateDict weights;
  weights["convs.0.weight"] = Tensor::from_floats({3, 2}, std::vector<float>(6, 0.25F));
  weights["fc.weight"] = Tensor::from_floats({2, 2}, {1, 0, 0, 1});
  write_checkpoint(folder_.path() / "small.pt", weights);
  const Outcome outcome = fewedits({"predict", "--dataset", data_.string(), "--model",
                                    (folder_.path() / "small.pt").string(), "-o", file.string()});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("node labels"));
  ModelFile few{infer_model(weights, "test"), "small.pt"};
  few.spec.node_labels = {"H", "N", "O"};
  folder_.write("small.json", to_json(few));
  const Outcome unknown = fewedits({"predict", "--dataset", data_.string(), "--model",
                                    (folder_.path() / "small.json").string(), "-o", file.string()});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("'C'"));
  const auto junk = folder_.write("junk.pt", "this is not a checkpoint");
  const Outcome bad = fewedits(
      {"predict", "--dataset", data_.string(), "--model", junk.string(), "-o", file.string()});
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.err, HasSubstr("junk.pt"));
  EXPECT_FALSE(std::filesystem::exists(file));
  const Outcome nowhere =
      fewedits({"predict", "--dataset", data_.string(), "--model", model_.string(), "-o",
                (folder_.path() / "no" / "out.csv").string()});
  EXPECT_EQ(nowhere.code, 1);
  EXPECT_THAT(nowhere.err, HasSubstr("out.csv"));
}

TEST_F(CliTest, PredictNeverOverwritesItsInputs) {
  for (const auto& target : {model_, data_ / "planted_A.txt"}) {
    const std::string before = read_file(target);
    const Outcome outcome = fewedits({"predict", "--dataset", data_.string(), "--model",
                                      model_.string(), "-o", target.string()});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("overwrite"));
    EXPECT_EQ(read_file(target), before);
  }
}

TEST_F(CliTest, PredictMatchesClassesByName) {
  // Two classes, named in the opposite order to the data's: the columns trade places.
  StateDict weights;
  weights["convs.0.weight"] = Tensor::from_floats({10, 2}, std::vector<float>(20, 0.5F));
  weights["fc.weight"] = Tensor::from_floats({2, 2}, {1, 1, -1, -1});
  write_checkpoint(folder_.path() / "two.pt", weights);
  ModelFile model{infer_model(weights, "test"), "two.pt"};
  model.spec.node_labels = {"C", "O", "Cl", "H", "N", "F", "Br", "S", "P", "I"};
  const auto first = [&](const std::vector<std::string>& names) {
    model.spec.classes = names;
    folder_.write("two.json", to_json(model));
    return fewedits({"predict", "--dataset", data_.string(), "--model",
                     (folder_.path() / "two.json").string(), "--json"});
  };
  const auto json = nlohmann::json::parse(fewedits({"dataset", data_.string(), "--json"}).out);
  const std::string zero = json["classes"][0]["name"];
  const std::string one = json["classes"][1]["name"];
  EXPECT_EQ(nlohmann::json::parse(first({zero, one}).out)["predictions"][0]["predicted"], 0);
  EXPECT_EQ(nlohmann::json::parse(first({one, zero}).out)["predictions"][0]["predicted"], 1);
  const Outcome other = first({"red", "blue"});
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.err, HasSubstr("red, blue"));
}

TEST(PaceTest, WhatAnEarlierRunDidCountsForNothing) {
  cli::Pace pace;
  pace.look(40'000, 5);
  EXPECT_EQ(pace.rate(), 0);
  EXPECT_FALSE(pace.time_for(10'000)) << "nothing to go by yet";
  pace.look(40'000, 6);
  EXPECT_FALSE(pace.time_for(10'000));
  pace.look(40'200, 7);
  EXPECT_DOUBLE_EQ(pace.rate(), 100);
  ASSERT_TRUE(pace.time_for(9'800));
  EXPECT_DOUBLE_EQ(*pace.time_for(9'800), 98);
}

TEST_F(CliTest, AnUnknownCommandIsNamed) {
  EXPECT_THAT(fewedits({"explode"}).err, HasSubstr("'explode'"));
}

TEST_F(CliTest, AFullDiskIsReported) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "needs /dev/full, which is not here";
  const std::string command = std::string(FEWEDITS_CLI) + " predict --dataset " + data_.string() +
                              " --model " + model_.string() + " > /dev/full 2> " +
                              (folder_.path() / "err").string();
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_THAT(read_file(folder_.path() / "err"), HasSubstr("standard output"));
}

TEST(CliPublishedTest, PredictsMutagenicityByTheFoldersName) {
  FEWEDITS_REQUIRE_SHARED("golden/mutagenicity/predictions.csv");
  const auto root = test::shared_root();
  const test::TemporaryFolder folder;
  // Recognised case-insensitively, through a link.
  const auto link = folder.path() / "MUTAGENICITY";
  std::filesystem::create_directory_symlink(
      std::filesystem::absolute(root / "datasets/Mutagenicity"), link);
  const Outcome outcome = fewedits({"predict", "--dataset", link.string() + "/", "--model",
                                    (root / "models/mutagenicity/gcn.pth").string(), "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["graphs"], 4308);
  EXPECT_EQ(json["predicted_counts"][0], 2438);
}

#ifdef FEWEDITS_WITH_TORCH

std::size_t entries(const std::filesystem::path& folder) {
  const std::filesystem::directory_iterator it(folder);
  return static_cast<std::size_t>(std::distance(begin(it), end(it)));
}

TEST_F(CliTest, TrainWritesAModelThatPredicts) {
  const auto checkpoint = folder_.path() / "trained.pt";
  const Outcome trained = fewedits(
      {"train", "--dataset", data_.string(), "--epochs", "3", "-o", checkpoint.string(), "--json"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.err, Not(HasSubstr("\r"))) << "progress must be quiet in a pipe";
  EXPECT_EQ(nlohmann::json::parse(trained.out)["epochs_run"], 3);
  for (const char* model : {"trained.pt", "trained.json"}) {
    const Outcome predicted = fewedits(
        {"predict", "--dataset", data_.string(), "--model", (folder_.path() / model).string()});
    EXPECT_EQ(predicted.code, 0) << predicted.err;
  }
}

TEST_F(CliTest, TrainRefusesWhatCannotWorkBeforeItStarts) {
  const auto train = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"train", "--dataset", data_.string()});
    return fewedits(more);
  };
  EXPECT_EQ(train({"-o", (folder_.path() / "no" / "m.pt").string()}).code, 1);
  // fewedits.json in the dataset's folder is no model file: it must survive.
  const std::string metadata = read_file(data_ / "fewedits.json");
  const Outcome precious = train({"-o", (data_ / "fewedits.pt").string(), "--epochs", "1"});
  EXPECT_EQ(precious.code, 1);
  EXPECT_THAT(precious.err, HasSubstr("fewedits.json"));
  EXPECT_EQ(read_file(data_ / "fewedits.json"), metadata);
  EXPECT_FALSE(std::filesystem::exists(data_ / "fewedits.pt"));
}

TEST_F(CliTest, CtrlCKeepsTheBestModelSoFar) {
  const auto checkpoint = folder_.path() / "trained.safetensors";
  Command command(
      {"train", "--dataset", data_.string(), "--epochs", "1000000", "-o", checkpoint.string()},
      test::OnTerminal::kErrors);
  ASSERT_TRUE(command.shows(" %,"));
  const Outcome outcome = test::interrupted(command);
  EXPECT_THAT(outcome.err, HasSubstr("interrupted after"));
  const Outcome predicted =
      fewedits({"predict", "--dataset", data_.string(), "--model", checkpoint.string()});
  EXPECT_EQ(predicted.code, 0) << predicted.err;
}

TEST_F(CliTest, WithoutItsProgramTrainingSaysWhatToDo) {
  // A copy of fewedits alone; what its namesake on the PATH would do is nobody's business.
  const auto alone = folder_.path() / "bin" / "fewedits";
  const auto path = folder_.write("path/fewedits-train", "#!/bin/sh\nexit 0\n").parent_path();
  std::filesystem::permissions(path / "fewedits-train", std::filesystem::perms::owner_all);
  std::filesystem::create_directory(alone.parent_path());
  std::filesystem::copy_file(FEWEDITS_CLI, alone);
  const auto demo = folder_.path() / "demo";
  const std::vector<std::vector<std::string>> commands{
      {"train", "--dataset", data_.string(), "-o", (folder_.path() / "m.pt").string()},
      {"train", "--help"},
      {"train-distance"},
      {"demo", "--dir", demo.string()}};
  for (auto command : commands) {
    command.insert(command.begin(), {"PATH=" + path.string(), alone.string()});
    const Outcome outcome = Command(command, test::OnTerminal::kNothing, "/usr/bin/env").wait();
    EXPECT_EQ(outcome.code, 1) << testing::PrintToString(command);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr((alone.parent_path() / "fewedits-train").string()));
    EXPECT_THAT(outcome.err, HasSubstr("hint: "));
  }
  EXPECT_FALSE(std::filesystem::exists(demo)) << "found out before anything is written";
  EXPECT_EQ(Command({"--version"}, test::OnTerminal::kNothing, alone.string()).wait().code, 0);
}

/// Does any process have this among its arguments?
bool someone_works_on(const std::filesystem::path& name) {
  for (const auto& process : std::filesystem::directory_iterator("/proc")) {
    std::ifstream in(process.path() / "cmdline");
    const std::string arguments(std::istreambuf_iterator<char>(in), {});
    if (arguments.find(name.string()) != std::string::npos) return true;
  }
  return false;
}

/// A demo that has come to its training, which would take hours.
class TrainingDemo {
 public:
  explicit TrainingDemo(const std::filesystem::path& folder)
      : folder_(folder),
        command_({"demo", "--graphs", "300", "--epochs", "1000000", "--dir", folder.string()}) {
    EXPECT_TRUE(test::eventually([&] { return someone_works_on(folder_ / "planted"); }));
  }
  [[nodiscard]] Command& command() { return command_; }
  void expect_all_ended() const {
    EXPECT_TRUE(test::eventually([&] { return !someone_works_on(folder_); }));
  }

 private:
  std::filesystem::path folder_;
  Command command_;
};

TEST_F(CliTest, CtrlCEndsTheDemoAndItsTraining) {
  TrainingDemo demo(folder_.path() / "demo");
  const Outcome outcome = test::interrupted(demo.command());
  EXPECT_THAT(outcome.err, HasSubstr("interrupted"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("3. Classifying")));
  demo.expect_all_ended();
}

TEST_F(CliTest, AKilledDemoLeavesNobodyTraining) {
  TrainingDemo demo(folder_.path() / "demo");
  demo.command().signal(SIGKILL);
  EXPECT_EQ(demo.command().wait().code, 1000 + SIGKILL);
  demo.expect_all_ended();
}

TEST_F(CliTest, DemoGoesTheWholeWayTwice) {
  const auto folder = folder_.path() / "demo";
  for (int round = 0; round < 2; ++round) {
    const Outcome outcome =
        fewedits({"demo", "--graphs", "300", "--epochs", "60", "--dir", folder.string()});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("true \\ predicted"));
    EXPECT_THAT(outcome.out, ContainsRegex("10 of 10\\s+counterfactuals\\s+contain\\s+neither"));
    EXPECT_THAT(outcome.out, HasSubstr(folder.string()));
    EXPECT_EQ(entries(folder), 5U);  // dataset, checkpoint, model file, explanation, report
    EXPECT_THAT(outcome.out, HasSubstr((folder / "report.html").string()));
    EXPECT_THAT(read_file(folder / "report.html"), HasSubstr("--bonds use"));
    const auto file = folder / "explanation.json";
    const Explanation e = parse_explanation(read_file(file), file.string());
    const auto rules = MoleculeRules::of(e.label_names, e.edge_label_names);
    ASSERT_TRUE(rules);
    for (const Counterfactual& c : e.counterfactuals) EXPECT_EQ(rules->why_invalid(c.graph), "");
  }
}

TEST_F(CliTest, DemoLeavesOtherPeoplesFilesAlone) {
  const auto folder = folder_.path() / "mine";
  const auto thesis = folder_.write("mine/planted/thesis.txt", "years of work");
  const Outcome outcome =
      fewedits({"demo", "--graphs", "50", "--epochs", "1", "--dir", folder.string()});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("thesis.txt"));
  EXPECT_EQ(read_file(thesis), "years of work");
}

#else

TEST_F(CliTest, TrainSaysThatItIsLeftOut) {
  const auto demo = folder_.path() / "demo";
  const std::vector<std::vector<std::string>> commands{
      {"train", "--dataset", data_.string(), "-o", (folder_.path() / "m.pt").string()},
      {"train-distance", "--help"},
      {"demo", "--dir", demo.string()}};
  for (const auto& command : commands) {
    const Outcome outcome = fewedits(command);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("training needs libtorch, which this build leaves out"));
  }
  EXPECT_FALSE(std::filesystem::exists(demo));
  EXPECT_THAT(fewedits({"--version"}).out, HasSubstr("training: left out"));
}

#endif

#ifdef FEWEDITS_WITH_RDKIT

TEST(CliMoleculeTest, ReadsSmiles) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("m.smi", "CCO 1 ethanol\nc1ccccc1[N+](=O)[O-] 0 nitrobenzene\n");
  const Outcome outcome = fewedits({"dataset", file.string(), "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["graphs"], 2);
  EXPECT_EQ(json["nodes"], 12);
  EXPECT_EQ(json["domain"], "molecule");
}

TEST(CliMoleculeTest, WithoutClassesThereIsNoAccuracy) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("m.SMI", "CCO\nCCC\n");
  StateDict weights;
  weights["convs.0.weight"] = Tensor::from_floats({2, 2}, {1, 0, 0, 1});
  weights["fc.weight"] = Tensor::from_floats({2, 2}, {1, 0, 0, 1});
  write_checkpoint(folder.path() / "m.pt", weights);
  const Outcome outcome = fewedits({"predict", "--dataset", file.string(), "--model",
                                    (folder.path() / "m.pt").string(), "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("no classes"));
  EXPECT_TRUE(nlohmann::json::parse(outcome.out)["accuracy"].is_null());
}

#endif

}  // namespace
}  // namespace fewedits
