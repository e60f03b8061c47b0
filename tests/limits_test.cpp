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
    return {"explain", "--dataset", files.data,
            "--model", files.model, "--threads",
            "1",       "-o",        (folder_.path() / "why.json").string()};
  }
  void check(std::vector<Graph> graphs) const {
    const DemandingFiles files = test::write_demanding(folder_.path(), std::move(graphs));
    for (const double limit : {0.5, 3.0}) {
      SCOPED_TRACE(testing::Message() << "limit " << limit << " s");
      test::expect_in_time(explain(files), limit);
    }
    for (const double delay : {0.0, 0.7, 2.5}) test::expect_prompt_end(explain(files), delay);
  }

  test::TemporaryFolder folder_;
};

TEST_F(LimitsTest, HoldOnLargeGraphs) { check(test::large_graphs(40, 2000)); }

TEST_F(LimitsTest, HoldOnGraphsThatAreHardToTellApart) { check(test::hard_graphs()); }

}  // namespace
}  // namespace fewedits
