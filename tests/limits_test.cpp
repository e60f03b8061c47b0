// SPDX-License-Identifier: MIT
// Limits hold on graphs of 2,000 nodes and on graphs that are hard to tell apart, wherever the end
// comes.
#include "support/limits.hpp"

#include <gtest/gtest.h>

#include "support/demanding_graphs.hpp"

namespace fewedits {
namespace {

using test::DemandingFiles;

class LimitsTest : public testing::Test {
 protected:
  [[nodiscard]] std::vector<std::string> explain(const DemandingFiles& files) const {
    return {"explain", "--dataset", files.data,     "--model",  files.model,   "--threads",
            "1",       "-o",        at("why.json"), "--report", at("why.html")};
  }
  [[nodiscard]] std::string at(const char* name) const { return (folder_.path() / name).string(); }
  void check(std::vector<Graph> graphs) const {
    const DemandingFiles files = test::write_demanding(folder_.path(), std::move(graphs));
    for (const double limit : {0.5, 3.0}) {
      SCOPED_TRACE(testing::Message() << "limit " << limit << " s");
      test::expect_in_time(explain(files), limit);
    }
    for (const double delay : {0.0, 0.7, 2.5}) test::expect_prompt_end(explain(files), delay);
  }

  /// Counterfactuals are found at once: the final stage is reached, and there is a result.
  void check_to_the_end(std::vector<Graph> graphs) const {
    const DemandingFiles files = test::write_demanding(folder_.path(), std::move(graphs));
    std::vector<std::string> arguments = explain(files);
    arguments.insert(arguments.end(), {"--method", "ground-truth"});
    for (const char* limit : {"3", "6"}) {
      SCOPED_TRACE(testing::Message() << "limit " << limit << " s");
      std::filesystem::remove(at("why.json"));
      std::vector<std::string> limited = arguments;
      limited.insert(limited.end(), {"--time-limit", limit});
      const test::StopWatch watch;
      const test::Outcome outcome = test::fewedits(limited);
      EXPECT_LE(watch.seconds(), test::end_of_limit(std::stod(limit))) << outcome.err;
      EXPECT_EQ(outcome.code, 0) << outcome.err;
      EXPECT_TRUE(std::filesystem::exists(at("why.json")));
      const bool told = outcome.err.find("no time for the page") != std::string::npos;
      EXPECT_NE(std::filesystem::exists(at("why.html")), told) << outcome.err;
      std::filesystem::remove(at("why.html"));
    }
    test::expect_prompt_end(arguments, 3);
  }

  test::TemporaryFolder folder_;
};

TEST_F(LimitsTest, HoldOnLargeGraphs) { check(test::large_graphs(40, 2000)); }

TEST_F(LimitsTest, HoldOnGraphsThatAreHardToTellApart) { check(test::hard_graphs()); }

TEST_F(LimitsTest, HoldInTheFinalStageOnLargeGraphs) {
  check_to_the_end(test::large_graphs_near_the_boundary(30, 2000));
}

TEST_F(LimitsTest, HoldInTheFinalStageOnGraphsThatAreHardToTellApart) {
  check_to_the_end(test::hard_graphs_near_the_boundary());
}

TEST_F(LimitsTest, HoldWhereHardGraphsNeedFewEdits) {
  check(test::hard_graphs_near_the_boundary());
}

}  // namespace
}  // namespace fewedits
