// SPDX-License-Identifier: MIT
// A value that no option may have is a mistake in the command line, whatever the command: exit code
// 2 and a message that names the option, before any file is looked at.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/command.hpp"

namespace fewedits {
namespace {

using test::fewedits;
using test::Outcome;
using testing::HasSubstr;

struct Wrong {
  std::vector<std::string> command;
  std::string option;
  std::vector<std::string> values;
};

std::vector<Wrong> wrong_values() {
  const std::vector<std::string> explain{"explain", "--dataset", "none", "--model",
                                         "none",    "-o",        "none"};
  const std::vector<std::string> distance{"distance", "--dataset", "none"};
  std::vector<Wrong> all{
      {{"evaluate", "none"}, "--theta", {"0", "1", "-0.1", "2", "nan", "inf", "a"}},
      {{"evaluate", "none"}, "--budget-work", {"-1", "1.5", "99999999999999999999"}},
      {{"evaluate", "none"}, "--threads", {"-1", "5000"}},
      {{"recourse", "none"}, "--theta", {"0", "1", "nan"}},
      {{"recourse", "none", "--local"}, "--min-probability", {"-0.1", "1", "nan"}},
      {{"recourse", "none"}, "--graph", {"-1"}},
      {{"draw", "none", "-o", "none"}, "--width", {"0", "100000"}},
      {{"draw", "none", "-o", "none"}, "--recourses", {"-1"}},
      {{"draw", "none", "-o", "none"}, "--graph", {"-1"}},
      {{"report", "none", "-o", "none"}, "--threads", {"-1"}},
      {{"generate", "-o", "none"}, "--graphs", {"0", "-1"}},
      {{"generate", "-o", "none"}, "--undesired-share", {"-0.1", "1.1", "nan"}},
      {{"generate", "-o", "none"}, "--seed", {"-1"}},
      {{"dataset", "none"}, "--rare-label-threshold", {"-1"}},
      {{"demo"}, "--graphs", {"0"}},
      {{"demo"}, "--epochs", {"0"}},
      {distance, "--theta", {"-0.1", "1.1", "nan"}},
      {distance, "--budget-ms", {"-1", "nan"}},
      {distance, "--starts", {"0"}},
      {distance, "--kicks", {"-1"}},
      {distance, "--cost", {"insert-node=-1", "insert-node=1001", "insert-node=", "paint=1", "1"}},
      {distance, "--wl-iterations", {"21", "-1"}},
      {distance, "--rw-length", {"0", "51"}},
      {distance, "--rw-decay", {"0", "1.5", "nan"}},
      {distance, "--nspd-radius", {"11"}},
      {distance, "--nspd-distance", {"21"}},
      {explain, "--k", {"0", "-1", "1000001", "18446744073709551615"}},
      {explain, "--cache-mb", {"-1", "1.5", "99999999999999", "18446744073709551615"}},
      {explain,
       "--constraint",
       {"max-degree=-1", "max-degree=", "min-nodes=x", "max-nodes=99999999999", "pairs=C",
        "heavy"}},
      {explain, "--graphs", {"", "5-3", "1,-2", "0-99999999999"}},
      {explain, "--theta", {"0", "1", "nan"}},
      {explain, "--walk-theta", {"0", "1"}},
      {explain, "--steps", {"0", "-1"}},
      {explain, "--alpha", {"-1", "1.1"}},
      {explain, "--teleport", {"0", "1.1"}},
      {explain, "--capacity", {"0"}},
      {explain, "--climbs", {"0", "2000"}},
      {explain, "--min-probability", {"-0.1", "1", "nan"}},
      {explain, "--time-limit", {"-1", "nan", "inf"}},
      {explain, "--rw-length", {"0"}},
      {explain, "--save-seconds", {"-1", "nan"}},
  };
#ifdef FEWEDITS_WITH_TORCH
  const std::vector<std::string> train{"train", "--dataset", "none", "-o", "none.pt"};
  all.push_back({train, "--learning-rate", {"0", "nan", "inf"}});
  all.push_back({train, "--train-share", {"-0.1", "1.1", "nan"}});
  all.push_back({train, "--layers", {"0", "1.5"}});
#endif
  return all;
}

TEST(RangesCliTest, ValuesOutOfRangeAreUsageErrors) {
  for (const Wrong& wrong : wrong_values()) {
    for (const std::string& value : wrong.values) {
      std::vector<std::string> words = wrong.command;
      words.push_back(wrong.option + "=" + value);
      const Outcome outcome = fewedits(words);
      EXPECT_EQ(outcome.code, 2) << testing::PrintToString(words) << outcome.err;
      EXPECT_THAT(outcome.err, HasSubstr(wrong.option)) << testing::PrintToString(words);
      EXPECT_EQ(outcome.out, "");
    }
  }
}

TEST(RangesCliTest, AFileThatIsNotThereIsNoUsageError) {
  const test::TemporaryFolder folder;
  const Outcome outcome = fewedits({"explain", "--dataset", "none", "--model", "none", "-o",
                                    (folder.path() / "o.json").string(), "--graphs", "nofile.txt"});
  EXPECT_EQ(outcome.code, 1) << outcome.err;
}

}  // namespace
}  // namespace fewedits
