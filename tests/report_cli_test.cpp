// SPDX-License-Identifier: MIT
// `fewedits report` and `fewedits draw` as a user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fewedits/explanation/explanation_json.hpp"
#include "support/command.hpp"
#include "support/explained.hpp"

namespace fewedits {
namespace {

using test::fewedits;
using test::Outcome;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ReportCliTest : public testing::Test {
 protected:
  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }

  std::vector<std::string> pictures(const std::string& extension) const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(file("pictures"))) {
      EXPECT_EQ(entry.path().extension(), extension);
      out.push_back(entry.path().filename().string());
    }
    return out;
  }

  test::TemporaryFolder folder_;
  test::Explained made_ = test::make_explained(folder_.path() / "made", {.inputs = 30, .k = 3});
  std::string explanation_ =
      folder_.write("why.json", explanation_json(made_.explanation)).string();
};

TEST_F(ReportCliTest, OneFileFindsTheDatasetThatItNames) {
  const Outcome outcome = fewedits({"report", explanation_, "-o", file("r.html")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr(file("r.html")), HasSubstr("MB")));
  EXPECT_THAT(read_file(file("r.html")),
              AllOf(HasSubstr("<!doctype html>"), HasSubstr("why.json")));
  const Outcome to_stdout = fewedits({"report", explanation_, "-o", "-", "--threads", "2"});
  EXPECT_EQ(to_stdout.code, 0);
  EXPECT_EQ(to_stdout.out, read_file(file("r.html")));
}

TEST_F(ReportCliTest, SeveralExplanationsAreCompared) {
  Explanation other = made_.explanation;
  other.provenance.seed = 77;
  const std::string second = folder_.write("second.json", explanation_json(other)).string();
  const Outcome outcome = fewedits({"report", explanation_, second, "-o", file("r.html")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(read_file(file("r.html")),
              AllOf(HasSubstr("second.json"), HasSubstr("\"seed\":\"77\"")));
}

TEST_F(ReportCliTest, SaysWhenWhatIsComparedIsNotAboutTheSame) {
  const auto second = [&](const std::function<void(Explanation&)>& change) {
    Explanation other = made_.explanation;
    change(other);
    folder_.write("second.json", explanation_json(other));
    const Outcome outcome =
        fewedits({"report", explanation_, file("second.json"), "-o", file("r.html")});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.err;
  };
  EXPECT_EQ(second([](Explanation& e) { e.provenance.seed = 3; }), "");
  EXPECT_THAT(second([](Explanation& e) { e.provenance.model_hash = "another"; }),
              HasSubstr("explains another model"));
  const std::string other_data = second([](Explanation& e) { e.provenance.dataset_hash = "0"; });
  EXPECT_THAT(other_data, AllOf(HasSubstr("second.json"), HasSubstr("why.json"),
                                HasSubstr("explains other data or classes")));
  // The page says so as well.
  EXPECT_THAT(read_file(file("r.html")), HasSubstr("explains other data or classes than"));
  EXPECT_THAT(second([](Explanation& e) {
                e.provenance.dataset_hash = "0";
                e.provenance.options.emplace_back("desired-class", "1");
              }),
              HasSubstr("has another desired class"));
  EXPECT_THAT(second([](Explanation& e) {
                // One graph after the last input: the same figures, of another set.
                e.provenance.model_hash = "another";
                const std::uint32_t last = e.inputs.back()++;
                e.recourse.back().input = e.inputs.back();
                for (Counterfactual& c : e.counterfactuals) {
                  std::ranges::replace(c.covers, last, last + 1);
                  for (ProvenPair& pair : c.proofs) pair.input += pair.input == last ? 1 : 0;
                }
              }),
              HasSubstr("explains another model"));
}

TEST_F(ReportCliTest, APageIsNeverWrittenOverTheModelThatItIsAbout) {
  Explanation other = made_.explanation;
  other.provenance.model_path = folder_.write("weights.pt", "weights").string();
  folder_.write("second.json", explanation_json(other));
  for (const char* model : {"weights.pt", "weights.json"}) {
    folder_.write(model, "what it was");
    const Outcome outcome = fewedits({"report", file("second.json"), "-o", file(model)});
    EXPECT_NE(outcome.code, 0);
    EXPECT_EQ(read_file(file(model)), "what it was");
  }
}

TEST_F(ReportCliTest, WhatIsWrongIsNamed) {
  const auto expect_error = [&](const std::vector<std::string>& arguments,
                                const std::string& said) {
    const Outcome outcome = fewedits(arguments);
    EXPECT_EQ(outcome.code, 1) << testing::PrintToString(arguments);
    EXPECT_THAT(outcome.err, HasSubstr(said));
    EXPECT_FALSE(std::filesystem::exists(file("r.html")));
  };
  for (const std::string command : {"report", "draw"}) {
    const std::string out = command == "report" ? file("r.html") : file("pictures");
    expect_error({command, file("nowhere.json"), "-o", out}, "nowhere.json");
    folder_.write("broken.json", "{\"format\": 3}");
    expect_error({command, file("broken.json"), "-o", out}, "broken.json");
    expect_error({command, explanation_, "--dataset", file("nodata"), "-o", out}, "nodata");
    expect_error({command, explanation_, "--desired-class", "0", "-o", out},
                 "is not the dataset that");
  }
  expect_error({"report", explanation_, "-o", file("no/such/r.html")}, "no such folder");
  expect_error({"report", explanation_, "-o", folder_.path().string()}, "is a folder");
  expect_error({"report", explanation_, "-o", explanation_}, "would overwrite");
  expect_error({"report", explanation_, "--greed-model", file("no.pt"), "-o", file("r.html")},
               "no.pt");
  expect_error({"draw", explanation_, "-o", file("pictures"), "--graph", "31"},
               "graph 31 is none of the inputs");
  expect_error({"draw", explanation_, "-o", explanation_}, "why.json");

  Explanation unknown = made_.explanation;
  unknown.provenance.dataset_path.clear();
  folder_.write("unknown.json", explanation_json(unknown));
  expect_error({"report", file("unknown.json"), "-o", file("r.html")}, "give --dataset");
}

TEST_F(ReportCliTest, TheDatasetIsReadAsItWasRead) {
  Explanation other = made_.explanation;
  DatasetOptions options;
  options.desired_class = "0";
  other.provenance.dataset_hash = dataset_fingerprint(open_dataset(file("made"), options));
  other.provenance.options.emplace_back("desired-class", "0");
  folder_.write("other.json", explanation_json(other));
  const Outcome outcome = fewedits({"report", file("other.json"), "-o", file("r.html")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(ReportCliTest, TheDatasetThatTheFileNamesIsNotOverwritten) {
  const std::string data = file("made/made_A.txt");
  const std::string before = read_file(data);
  const Outcome outcome = fewedits({"report", explanation_, "-o", data});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("would overwrite what is being read"));
  EXPECT_EQ(read_file(data), before);
}

TEST_F(ReportCliTest, ADatasetThatIsGoneIsNamedWithTheFileThatNamesIt) {
  std::filesystem::rename(file("made"), file("elsewhere"));
  for (const std::string command : {"report", "draw"}) {
    const Outcome outcome = fewedits({command, explanation_, "-o", file("out")});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("why.json"), HasSubstr("which is not there"),
                                   HasSubstr("--dataset PATH")));
  }
}

TEST_F(ReportCliTest, EveryInputNeedsItsRecourse) {
  auto json = nlohmann::ordered_json::parse(read_file(explanation_));
  json["recourse"] = nlohmann::ordered_json::array();
  folder_.write("none.json", json.dump());
  for (const std::string command : {"report", "draw"}) {
    const Outcome outcome = fewedits({command, file("none.json"), "-o", file("out")});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("none.json"), HasSubstr("0 entries for 30 inputs")));
  }
}

TEST_F(ReportCliTest, WrongCommandLinesGiveTwo) {
  const std::vector<std::vector<std::string>> wrong{
      {"report", explanation_},
      {"report", "-o", file("r.html")},
      {"draw", explanation_},
      {"draw", explanation_, "-o", file("p"), "--format", "gif"},
      {"draw", explanation_, "-o", file("p"), "--width", "0"},
      {"draw", explanation_, "-o", file("p"), "--graph", "-1"}};
  for (const auto& arguments : wrong) EXPECT_EQ(fewedits(arguments).code, 2);
}

TEST_F(ReportCliTest, DrawsCounterfactualsAndTheirNearestInputs) {
  const Outcome outcome =
      fewedits({"draw", explanation_, "-o", file("pictures"), "--recourses", "2"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(pictures(".svg").size(), 3U + 3 * 2);
  EXPECT_THAT(read_file(file("pictures/counterfactual-01.svg")), HasSubstr("<svg"));
}

TEST_F(ReportCliTest, DrawsTheInputsThatAreAskedFor) {
  const Outcome outcome =
      fewedits({"draw", explanation_, "-o", file("pictures"), "--graph", "4", "8"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(pictures(".svg"),
              testing::IsSupersetOf({"recourse-02-graph-4.svg", "recourse-03-graph-8.svg"}));
  EXPECT_EQ(pictures(".svg").size(), 3U + 2);
}

TEST_F(ReportCliTest, PngsAreDrawnOrTheReasonIsTold) {
  const Outcome outcome = fewedits({"draw", explanation_, "-o", file("pictures"), "--format", "png",
                                    "--width", "300", "--recourses", "1"});
  if (outcome.code != 0) {
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("librsvg"), HasSubstr("--format svg")));
    return;
  }
  ASSERT_EQ(pictures(".png").size(), 3U + 3 * 1);
  for (const std::string& name : pictures(".png")) {
    const std::string bytes = read_file(file("pictures/" + name));
    EXPECT_EQ(bytes.substr(0, 8), "\x89PNG\r\n\x1a\n");
    EXPECT_EQ(bytes.substr(16, 4), std::string("\0\0\x01\x2c", 4));  // 300 pixels wide
  }
}

}  // namespace
}  // namespace fewedits
