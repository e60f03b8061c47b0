// SPDX-License-Identifier: MIT
// One table of options: what it says is what the search does, records and documents.
#include "fewedits/search/option_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "support/shared.hpp"

namespace fewedits {
namespace {

const OptionRow& row(const std::string& name) {
  for (const OptionRow& r : option_table()) {
    if (r.name == name) return r;
  }
  throw std::runtime_error("no row " + name);
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
    const DistanceKind& kind = parts.distances.at(distance);
    for (const OptionRow& r : option_table()) {
      ExplainOptions options;
      options.distance = distance;
      r.set(r.type == "number" ? "1" : r.is_flag() ? "" : "earliest", options);
      options = with_defaults(options, kind);
      const auto before = recorded_options(options, parts);
      ExplainOptions again;
      again.distance = distance;
      for (const auto& [name, value] : before) row(name).set(value, again);
      EXPECT_EQ(recorded_options(with_defaults(again, kind), parts), before)
          << r.name << " under " << distance;
    }
  }
}

TEST(OptionTableTest, WhatIsNoValueIsRefusedByName) {
  for (const OptionRow& r : option_table()) {
    if (r.is_flag()) continue;
    ExplainOptions options;
    for (const char* bad : {"", "x", "1x", "-1", "nan", "1e999"}) {
      EXPECT_THAT([&] { r.set(bad, options); },
                  testing::ThrowsMessage<Error>(testing::HasSubstr(r.name)))
          << bad;
    }
  }
}

TEST(OptionTableTest, DefaultsGoWithTheDistance) {
  const DistanceRegistry distances = builtin_distances();
  const ExplainOptions certified = with_defaults({}, distances.at("certified"));
  const ExplainOptions greed = with_defaults({}, distances.at("greed"));
  const ExplainOptions kernel = with_defaults({}, distances.at("wl"));
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
