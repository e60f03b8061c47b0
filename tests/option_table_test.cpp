// SPDX-License-Identifier: MIT
// One table of options: what it says is what the search does, records and documents.
#include "fewedits/search/option_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "fewedits/base/error.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

const OptionRow& row(const std::string& name) {
  for (const OptionRow& r : option_table()) {
    if (r.name == name) return r;
  }
  throw std::runtime_error("no row " + name);
}

std::string some_value(const OptionRow& r) {
  if (r.is_flag()) return "";
  if (r.type == "number" || r.name == "graphs") return "1";
  return r.type.substr(r.type.rfind('|') + 1);
}

TEST(OptionTableTest, EveryRowHasANameOfItsOwnAndWords) {
  std::set<std::string> names;
  for (const OptionRow& r : option_table()) {
    EXPECT_TRUE(names.insert(r.name).second) << r.name;
    EXPECT_FALSE(r.help.empty()) << r.name;
    EXPECT_EQ(r.initial.empty(), r.is_flag()) << r.name;
  }
  EXPECT_GT(names.size(), 20U);
}

TEST(OptionTableTest, WhatIsSetIsRecordedAndSetsTheSameAgain) {
  const Parts parts = builtin_parts();
  for (const std::string& distance : parts.distances.names()) {
    for (const OptionRow& r : option_table()) {
      ExplainOptions options;
      options.distance = distance;
      if (r.group == OptionGroup::kCuts) options.method = r.method.empty() ? "cff" : r.method;
      r.set(some_value(r), options);
      options = with_defaults(options, parts);
      const auto before = recorded_options(options, parts);
      ExplainOptions again;
      again.distance = distance;
      again.method = options.method;
      for (const auto& [name, value] : before) row(name).set(value, again);
      EXPECT_EQ(recorded_options(with_defaults(again, parts), parts), before)
          << r.name << " under " << distance;
    }
  }
}

TEST(OptionTableTest, AnOptionOfADistanceOrMethodNamesOneThatThereIsAndSaysSoInItsHelp) {
  const Parts parts = builtin_parts();
  for (const OptionRow& r : option_table()) {
    if (!r.distance.empty()) {
      EXPECT_TRUE(parts.distances.contains(r.distance)) << r.name;
      EXPECT_TRUE(r.help.starts_with(r.distance + ": ")) << r.name;
    }
    if (!r.method.empty()) {
      EXPECT_TRUE(parts.sources.contains(r.method)) << r.name;
      EXPECT_TRUE(r.help.starts_with(r.method + ": ")) << r.name;
    }
  }
  EXPECT_EQ(row("rw-decay").distance, "rw");
  EXPECT_EQ(row("rc-epochs").method, "rcexplainer");
  EXPECT_EQ(row("keep-isolated").method, "") << "of all that cut edges";
}

TEST(OptionTableTest, WhatAKernelCannotBeAskedForIsRefused) {
  const auto refused = [](const char* name, const char* value, const char* why) {
    ExplainOptions options;
    row(name).set(value, options);
    EXPECT_THAT([&] { check_options(options); },
                testing::ThrowsMessage<Error>(testing::HasSubstr(why)));
  };
  refused("wl-iterations", "21", "iterations is 21");
  refused("rw-length", "0", "length of the random walks is 0");
  refused("rw-decay", "2", "decay of the random walks is 2");
  refused("nspd-radius", "11", "radius of the neighbourhoods is 11");
  refused("nspd-distance", "21", "distance of the neighbourhoods is 21");
}

TEST(OptionTableTest, GraphsAreAListOrAFileThatIsReadLater) {
  ExplainOptions options;
  row("graphs").set("3-5,7", options);
  EXPECT_THAT(options.selection.graphs, testing::Optional(testing::ElementsAre(3, 4, 5, 7)));
  EXPECT_EQ(options.graphs_file, "");
  const auto recorded = recorded_options(with_defaults(options, builtin_parts()), builtin_parts());
  EXPECT_THAT(recorded, testing::Contains(std::pair<std::string, std::string>("graphs", "3-5,7")));
  ExplainOptions listed;
  row("graphs").set("graphs.txt", listed);
  EXPECT_EQ(listed.graphs_file, "graphs.txt");
  EXPECT_FALSE(listed.selection.graphs) << "nobody opened it yet";
}

TEST(OptionTableTest, SettingsOfAMethodAreRecordedOfThatMethodAlone) {
  const Parts parts = builtin_parts();
  for (const std::string& method : parts.sources.names()) {
    ExplainOptions options;
    options.method = method;
    options.keep_isolated = true;
    options.local.cff.steps = 77;
    options.local.rc.epochs = 88;
    const ExplainOptions full = with_defaults(options, parts);
    std::map<std::string, std::string> recorded;
    for (const auto& [name, value] : recorded_options(full, parts)) recorded[name] = value;
    const bool cuts = method == "cff" || method == "rcexplainer";
    EXPECT_EQ(recorded.contains("keep-isolated"), cuts) << method;
    EXPECT_EQ(recorded.contains("fill"), cuts) << method;
    EXPECT_EQ(recorded["cff-steps"], method == "cff" ? "77" : "") << method;
    EXPECT_EQ(recorded["rc-epochs"], method == "rcexplainer" ? "88" : "") << method;
  }
}

TEST(OptionTableTest, WhatIsNoValueIsRefusedByName) {
  for (const OptionRow& r : option_table()) {
    if (r.is_flag()) continue;
    ExplainOptions options;
    std::vector<std::string> odd{"", "x", "1x", "-1", "nan", "1e999"};
    if (r.type == "class") odd = {""};            // it may have any name
    if (r.type == "list|file") odd = {"", "-1"};  // and a file
    for (const std::string& bad : odd) {
      EXPECT_THAT([&] { r.set(bad, options); },
                  testing::ThrowsMessage<Error>(testing::HasSubstr(r.name)))
          << bad;
    }
  }
}

TEST(OptionTableTest, DefaultsGoWithTheDistance) {
  const Parts parts = builtin_parts();
  const auto under = [&](const char* distance, const char* method = "gcf") {
    ExplainOptions options;
    options.distance = distance;
    options.method = method;
    return with_defaults(options, parts);
  };
  const ExplainOptions certified = under("certified");
  const ExplainOptions greed = under("greed");
  const ExplainOptions kernel = under("wl");
  EXPECT_EQ(*certified.min_lead, kSafeLead);
  EXPECT_EQ(*greed.min_lead, 0) << "the paper's";
  EXPECT_EQ(*under("certified", "ground-truth").min_lead, 0) << "the paper's";
  EXPECT_LT(*certified.steps, *greed.steps);
  EXPECT_EQ(*greed.steps, kPaperSteps);
  EXPECT_EQ(*certified.theta, kEditTheta);
  EXPECT_EQ(*greed.walk_theta, kEditWalkTheta);
  EXPECT_FALSE(kernel.theta || kernel.walk_theta) << "from the data";
}

/// To renew it: FEWEDITS_RENEW=1 build/dev/tests/search_test --gtest_filter='OptionTableTest.*'
TEST(OptionTableTest, TheReferenceInTheDocumentationIsTheTable) {
  const std::string file = FEWEDITS_OPTIONS_REFERENCE;
  const std::string expected =
      "# Options of `fewedits explain`\n\nMade from the table in "
      "`src/fewedits/search/option_table.cpp`; "
      "a test compares the two. Dataset, model,\noutputs and runs are in `fewedits explain "
      "--help`.\n\n" +
      options_reference();
  if (std::getenv("FEWEDITS_RENEW") != nullptr) std::ofstream(file) << expected;
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_EQ(text.str(), expected);
}

}  // namespace
}  // namespace fewedits
