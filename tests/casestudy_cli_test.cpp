// SPDX-License-Identifier: MIT
// `fewedits casestudy` as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "fewedits/explanation/explanation_json.hpp"
#include "support/command.hpp"
#include "support/planted.hpp"

namespace fewedits {
namespace {

using nlohmann::json;
using test::Command;
using test::fewedits;
using test::Outcome;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A certified explanation of the planted data, made once.
const std::string& planted_explanation() {
  static const std::string kText = [] {
    const test::TemporaryFolder folder;
    const std::string out = (folder.path() / "e.json").string();
    const Outcome outcome =
        fewedits({"explain", "--dataset", test::planted().dataset.string(), "--model",
                  test::planted().model.string(), "--k", "3", "--steps", "50", "--refine-work",
                  "2000000", "--prove-work", "20000", "-o", out});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return read_file(out);
  }();
  return kText;
}

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, '|');) {
    std::erase(cell, '*');
    const auto first = cell.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    out.push_back(cell.substr(first, cell.find_last_not_of(' ') + 1 - first));
  }
  return out;
}

class CaseStudyCliTest : public testing::Test {
 protected:
  [[nodiscard]] std::string file(const std::string& name) const {
    return (folder_.path() / name).string();
  }
  [[nodiscard]] Outcome run(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"casestudy", explanation_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return fewedits(arguments);
  }
  /// Every file below the folder.
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
      if (entry.is_regular_file()) out.push_back(entry.path().string());
    }
    std::ranges::sort(out);
    return out;
  }
  /// The table of a page in Markdown, without the line below the heading.
  [[nodiscard]] static std::vector<std::vector<std::string>> table(const std::string& page) {
    std::vector<std::vector<std::string>> out;
    std::istringstream in(page);
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("| ")) out.push_back(cells(line));
    }
    return out;
  }

  test::TemporaryFolder folder_;
  std::string explanation_ = folder_.write("why.json", planted_explanation()).string();
};

TEST_F(CaseStudyCliTest, ThePageHasTheDistancesOfTheSolver) {
  const Outcome outcome = run({"-o", file("page.md"), "--keep-isolated"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("wrote " + file("page.md") + " and 5 pictures beside it"));
  const std::string page = read_file(file("page.md"));
  const auto rows = table(page);
  ASSERT_GE(rows.size(), 1U + 1 + 4);
  ASSERT_EQ(rows[0].size(), 6U);

  const Explanation e = parse_explanation(planted_explanation(), "why.json");
  const Dataset data = open_dataset(test::planted().dataset);
  const auto most = std::ranges::max_element(e.counterfactuals, {},
                                             [](const auto& c) { return c.covers.size(); });
  EXPECT_EQ(rows[1][0], "counterfactual " + std::to_string(most - e.counterfactuals.begin() + 1));
  std::size_t local = 0;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    Graph target = most->graph;
    const auto named = rows[r][0].find(" for graph ");
    if (named != std::string::npos) {
      const std::string method = rows[r][0].substr(0, named);
      const Outcome found =
          method == "search"
              ? fewedits({"recourse", explanation_, "--graph", rows[r][0].substr(named + 11),
                          "--json", "--local", method})
              : fewedits({"recourse", explanation_, "--graph", rows[r][0].substr(named + 11),
                          "--json", "--local", method, "--keep-isolated"});
      ASSERT_EQ(found.code, 0) << found.err;
      const json graph = json::parse(found.out)["recourse"][0]["local"];
      std::vector<Edge> edges;
      for (const json& edge : graph["edges"]) edges.push_back({edge[0], edge[1]});
      target = Graph(graph["labels"].get<std::vector<Label>>(), edges);
      ++local;
    }
    for (std::size_t i = 1; i <= 4; ++i) {
      const auto input = static_cast<std::size_t>(std::stoul(rows[0][i].substr(6)));
      const GedBounds exact = edit_distance(data.graphs[input].without_edge_labels(), target);
      EXPECT_EQ(rows[r][i], std::to_string(exact.upper)) << rows[r][0] << ", " << rows[0][i];
      EXPECT_TRUE(std::ranges::binary_search(most->covers, input));
    }
  }
  EXPECT_GE(local, 4U) << "what methods find for one input alone";
  for (std::size_t i = 1; i <= 4; ++i) {
    const std::string picture = "images/page/graph-" + rows[0][i].substr(6) + ".svg";
    EXPECT_THAT(page, HasSubstr("(" + picture + ")"));
    EXPECT_THAT(read_file(file(picture)), HasSubstr("<svg"));
  }
}

TEST_F(CaseStudyCliTest, TheSamePageEveryTimeAndForAnyNumberOfThreads) {
  ASSERT_EQ(run({"-o", file("page.html"), "--threads", "1"}).code, 0);
  const std::string first = read_file(file("page.html"));
  ASSERT_EQ(run({"-o", file("page.html"), "--threads", "3"}).code, 0);
  EXPECT_EQ(read_file(file("page.html")), first);
  EXPECT_THAT(first, AllOf(HasSubstr("<!doctype html>"), HasSubstr("<svg"), Not(HasSubstr("src=")),
                           HasSubstr("What the figures say")));
  EXPECT_FALSE(std::filesystem::exists(file("images"))) << "one file";
}

TEST_F(CaseStudyCliTest, WhatIsAskedForIsShown) {
  const Outcome outcome = run({"-o", file("page.md"), "--counterfactual", "2", "--inputs", "3",
                               "--local", "search", "--note", "Look *here*"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string page = read_file(file("page.md"));
  EXPECT_THAT(page, AllOf(HasSubstr("Look \\*here\\*"), HasSubstr("## Counterfactual 2"),
                          Not(HasSubstr("cff")), Not(HasSubstr("no other one covers more")),
                          HasSubstr("--inputs 3 --counterfactual 2 --local search")));
  EXPECT_EQ(table(page)[0].size(), 5U);
}

/// The verdict is what the table says, counted here from the page.
TEST_F(CaseStudyCliTest, BesideThePaperThereIsAVerdict) {
  const Outcome outcome = run({"-o", file("page.md"), "--paper", "--keep-isolated", "--cff-alpha",
                               "0", "--rc-epochs", "20"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string page = read_file(file("page.md"));
  EXPECT_THAT(page, AllOf(HasSubstr("--cff-alpha 0, else default settings"),
                          HasSubstr("--rc-epochs 20, else default settings"),
                          HasSubstr("--paper --cff-alpha 0 --rc-epochs 20")));
  const auto rows = table(page);
  std::size_t others = 0;
  std::size_t far = 0;
  for (std::size_t r = 2; r < rows.size(); ++r) {
    const std::string own = "graph " + rows[r][0].substr(rows[r][0].rfind(' ') + 1);
    for (std::size_t i = 1; i <= 4; ++i) {
      if (rows[0][i] == own) continue;
      ++others;
      far += std::stoi(rows[r][i]) > 5 ? 1U : 0U;
    }
  }
  EXPECT_THAT(page, HasSubstr("more than 5 from the others holds for " + std::to_string(far) +
                              " of " + std::to_string(others)));
  bool near = true;
  for (std::size_t i = 1; i <= 4; ++i) near = near && std::stoi(rows[1][i]) <= 4;
  EXPECT_THAT(page, HasSubstr(near ? "at most 4 from all holds" : "at most 4 from all does not"));
}

TEST_F(CaseStudyCliTest, WhatIsWrongIsNamed) {
  const auto expect_error = [&](const std::vector<std::string>& arguments,
                                const std::string& said) {
    const auto before = files();
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 1) << testing::PrintToString(arguments);
    EXPECT_THAT(outcome.err, HasSubstr(said));
    EXPECT_EQ(files(), before);
  };
  expect_error({"-o", file("p.md"), "--counterfactual", "9"}, "there is no counterfactual 9");
  expect_error({"-o", file("no/such/p.md")}, "no such folder");
  expect_error({"-o", file("p.md"), "--dataset", file("nodata")}, "nodata");
  expect_error({"-o", file("p.md"), "--model", file("no.pt")}, "no.pt");
  // A model that wants the opposite accepts none of them.
  test::write_planted_classifier(file("opposite.json"), open_dataset(test::planted().dataset), -1);
  expect_error({"-o", file("p.md"), "--model", file("opposite.json")}, "does not accept");
  const auto misused = [&](const std::vector<std::string>& arguments) {
    EXPECT_EQ(run(arguments).code, 2) << testing::PrintToString(arguments);
  };
  misused({});
  misused({"-o", file("p.pdf")});
  misused({"-o", "-"});
  misused({"-o", file("p.md"), "--inputs", "1"});
  misused({"-o", file("p.md"), "--counterfactual", "0"});
  misused({"-o", file("p.md"), "--local", "magic"});
}

TEST_F(CaseStudyCliTest, NoInputIsOverwritten) {
  explanation_ = folder_.write("why.md", planted_explanation()).string();
  const auto refused = [&](const std::string& page) {
    const Outcome outcome = run({"-o", page, "--local", "search"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("would overwrite what is being read"));
    EXPECT_EQ(read_file(file("why.md")), planted_explanation());
  };
  refused(file("why.md"));
  // Nor by a picture.
  std::filesystem::create_directories(file("images/page"));
  std::filesystem::create_symlink(file("why.md"), file("images/page/counterfactual.svg"));
  refused(file("page.md"));
  EXPECT_FALSE(std::filesystem::exists(file("page.md")));
}

TEST_F(CaseStudyCliTest, CtrlCWritesNothing) {
  json slow = json::parse(planted_explanation());
  slow["options"]["rc-epochs"] = "100000";
  explanation_ = folder_.write("slow.json", slow.dump()).string();
  const auto before = files();
  Command command({"casestudy", explanation_, "-o", file("page.md"), "--local", "rcexplainer"},
                  test::OnTerminal::kErrors);
  ASSERT_TRUE(command.shows("training"));
  const Outcome outcome = test::interrupted(command);
  EXPECT_THAT(outcome.err, HasSubstr("interrupted; nothing was written"));
  EXPECT_EQ(files(), before);
}

}  // namespace
}  // namespace fewedits
