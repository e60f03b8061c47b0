// SPDX-License-Identifier: MIT
// `fewedits rules` and the checking of what it writes, as a user has them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/rules/rule_json.hpp"
#include "support/command.hpp"
#include "support/planted.hpp"

namespace fewedits {
namespace {

using Json = nlohmann::ordered_json;
using test::Command;
using test::fewedits;
using test::OnTerminal;
using test::Outcome;
using testing::HasSubstr;

Outcome verify(const std::filesystem::path& file) {
  return Command({file.string()}, OnTerminal::kNothing, FEWEDITS_VERIFY).wait();
}

/// A planted dataset, its model, and the rules that were found: made once.
class RulesCli : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TemporaryFolder();
    test::write_planted_dataset(folder_->path() / "planted", {.molecules = 6, .variants = 20});
    const Dataset data = open_dataset(folder_->path() / "planted");
    test::write_planted_classifier(model(), data);
    found_ = new Outcome(fewedits(flags({"--two-steps", "5", "--expansions", "30", "-R", "4",
                                         "--theta", "0.15", "-o", rules().string()})));
  }
  static void TearDownTestSuite() {
    delete found_;
    delete folder_;
  }

  static std::filesystem::path model() { return folder_->path() / "model.json"; }
  static std::filesystem::path rules() { return folder_->path() / "rules.json"; }
  static std::vector<std::string> flags(const std::vector<std::string>& more) {
    std::vector<std::string> out{
        "rules",   "--dataset", (folder_->path() / "planted").string(), "--model", model().string(),
        "--bonds", "ignore"};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }

  static inline test::TemporaryFolder* folder_ = nullptr;
  static inline Outcome* found_ = nullptr;
};

TEST_F(RulesCli, FindsRulesAndSaysHowGoodTheyAre) {
  ASSERT_EQ(found_->code, 0) << found_->err;
  EXPECT_THAT(found_->out, HasSubstr("works on average"));
  EXPECT_THAT(found_->out, HasSubstr("held out (5 parts)"));
  EXPECT_THAT(found_->out, HasSubstr("random rules of like support"));
  EXPECT_THAT(found_->out, HasSubstr("random edits, as many model calls"));
  const RuleList list = parse_rules(read_file(rules()), "rules");
  ASSERT_FALSE(list.rules.empty());
  EXPECT_LE(list.rules.size(), 4U);
  // Some molecules have two nitro groups, and one rule is used once.
  EXPECT_GT(list.held_out->figures.on_average, 0.5);
  EXPECT_GT(list.held_out->figures.on_average, 1.2 * list.baselines->random_rules.on_average);
  // The planted truth: a nitrogen with an oxygen.
  const bool tells = std::ranges::any_of(list.rules, [](const MeasuredRule& one) {
    const Graph left = one.rule.left(Graph::EdgeLabels::kAbsent);
    const std::set<Label> labels(left.labels().begin(), left.labels().end());
    return labels.contains(test::kNitrogen) && labels.contains(test::kOxygen);
  });
  EXPECT_TRUE(tells) << found_->out;
}

TEST_F(RulesCli, WhatItWritesIsChecked) {
  ASSERT_EQ(found_->code, 0) << found_->err;
  const Outcome outcome = verify(rules());
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("occurrences replayed"));
  EXPECT_THAT(outcome.out, HasSubstr("that were checked hold"));
}

TEST_F(RulesCli, TheSameForAnyNumberOfThreads) {
  ASSERT_EQ(found_->code, 0) << found_->err;
  const auto other = folder_->path() / "other.json";
  ASSERT_EQ(fewedits(flags({"--two-steps", "5", "--expansions", "30", "-R", "4", "--theta", "0.15",
                            "--threads", "3", "-o", other.string()}))
                .code,
            0);
  EXPECT_EQ(read_file(other), read_file(rules()));
}

/// A number of the file, and the way to it.
struct Leaf {
  Json::json_pointer at;
  bool is_whole = false;
};

void collect(const Json& json, const Json::json_pointer& at, std::vector<Leaf>& out) {
  if (json.is_number()) out.push_back({at, json.is_number_integer()});
  if (json.is_array()) {
    for (std::size_t i = 0; i < json.size(); ++i) collect(json[i], at / i, out);
  } else if (json.is_object()) {
    for (const auto& [key, value] : json.items()) collect(value, at / key, out);
  }
}

TEST_F(RulesCli, TwoHundredOfTwoHundredTamperedFilesAreRefused) {
  ASSERT_EQ(found_->code, 0) << found_->err;
  const Json whole = Json::parse(read_file(rules()));
  std::vector<Leaf> leaves;
  collect(whole["rules"], Json::json_pointer("/rules"), leaves);
  collect(whole["inputs"], Json::json_pointer("/inputs"), leaves);
  collect(whole["held_out"]["figures"], Json::json_pointer("/held_out/figures"), leaves);
  const Json& baselines = whole["baselines"];
  collect(baselines["random_rules"], Json::json_pointer("/baselines/random_rules"), leaves);
  leaves.push_back({Json::json_pointer("/baselines/random_edits"), false});
  leaves.push_back({Json::json_pointer("/classes/column"), true});
  ASSERT_GT(leaves.size(), 300U);
  Rng rng(17);
  std::set<std::string> kinds;
  for (int i = 0; i < 200; ++i) {
    // Figures as often as the many counts.
    Leaf leaf = leaves[rng.below(leaves.size())];
    while (i % 2 == 0 && leaf.is_whole) leaf = leaves[rng.below(leaves.size())];
    Json changed = whole;
    Json& value = changed[leaf.at];
    if (leaf.is_whole) {
      const auto is = value.get<std::uint64_t>();
      value = is > 0 && rng.below(2) == 0 ? is - 1 : is + 1;
    } else {
      const auto is = value.get<double>();
      value = is > 0.5 ? is - 0.001 : is + 0.001;
    }
    const auto file = folder_->path() / "tampered.json";
    write_file_atomically(file, changed.dump());
    const Outcome outcome = verify(file);
    EXPECT_EQ(outcome.code, 1) << leaf.at << ": " << outcome.out << outcome.err;
    kinds.insert(leaf.at.back());
  }
  EXPECT_GT(kinds.size(), 10U);
}

TEST_F(RulesCli, OtherClaimsAreCheckedToo) {
  ASSERT_EQ(found_->code, 0) << found_->err;
  const Json whole = Json::parse(read_file(rules()));
  const auto refused = [&](const char* at, const Json& value) {
    Json changed = whole;
    changed[Json::json_pointer(at)] = value;
    const auto file = folder_->path() / "changed.json";
    write_file_atomically(file, changed.dump());
    const Outcome outcome = verify(file);
    EXPECT_EQ(outcome.code, 1) << at << outcome.out;
    return outcome.out + outcome.err;
  };
  EXPECT_THAT(refused("/dataset/hash", "0"), HasSubstr("dataset: its hash"));
  EXPECT_THAT(refused("/model/hash", "0"), HasSubstr("model: its hash"));
  EXPECT_THAT(refused("/classes/desired", "x"), HasSubstr("classes"));
  EXPECT_THAT(refused("/rules/0/text", "[C>N]"), HasSubstr("is not the text"));
  EXPECT_THAT(refused("/format", "fewedits.rules/2"), HasSubstr("fewedits.rules/1"));
  EXPECT_THAT(refused("/node_labels/0", "X"), HasSubstr(""));
  EXPECT_THAT(refused("/options/rules", "0"), HasSubstr("options: rules"));
  refused("/theta", 0.01);
  refused("/plausible", true);
  refused("/options/min-lead", "0.99");
}

TEST_F(RulesCli, TriesARuleOfTheUser) {
  const Outcome outcome = fewedits(flags({"--try", "O-[N>C]", "--try", "[N>C]"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("[N>C]"));
  const Outcome wrong = fewedits(flags({"--try", "Xy-[N>C]"}));
  EXPECT_EQ(wrong.code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("no label 'Xy'"));
}

TEST_F(RulesCli, PlausibleResultsAreFewer) {
  const auto file = folder_->path() / "plausible.json";
  const Outcome outcome = fewedits(flags({"--plausible", "--folds", "0", "--two-steps", "0",
                                          "--expansions", "10", "-o", file.string()}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const RuleList list = parse_rules(read_file(file), "plausible");
  EXPECT_TRUE(list.plausible);
  EXPECT_EQ(verify(file).code, 0);
}

TEST_F(RulesCli, ASecondModelMustAgree) {
  // One that is the same changes nothing but what the file says.
  const auto alone = folder_->path() / "alone.json";
  const auto both = folder_->path() / "agreed.json";
  ASSERT_EQ(fewedits(flags({"--try", "[N>C]", "-o", alone.string()})).code, 0);
  const Outcome outcome =
      fewedits(flags({"--try", "[N>C]", "--second-model", model().string(), "-o", both.string()}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const RuleList one = parse_rules(read_file(alone), "alone");
  RuleList two = parse_rules(read_file(both), "both");
  EXPECT_EQ(two.rules, one.rules);
  EXPECT_FALSE(two.second_model_hash.empty());
  EXPECT_EQ(verify(both).code, 0);
  // Another file is not the one that agreed.
  two.second_model_hash = "0";
  write_file_atomically(both, rules_json(two));
  EXPECT_THAT(verify(both).out, HasSubstr("second_model: its hash"));
}

TEST_F(RulesCli, MeasuresTheRulesOfAFile) {
  ASSERT_EQ(found_->code, 0) << found_->err;
  const auto file = folder_->path() / "measured.json";
  const Outcome outcome =
      fewedits(flags({"--measure", rules().string(), "--theta", "0.15", "-o", file.string()}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  // On the model they were found on, nothing is different.
  const RuleList was = parse_rules(read_file(rules()), "was");
  const RuleList is = parse_rules(read_file(file), "is");
  EXPECT_EQ(is.rules, was.rules);
  EXPECT_EQ(verify(file).code, 0);
  EXPECT_NE(fewedits(flags({"--measure", rules().string(), "-o", rules().string()})).code, 0);
}

TEST_F(RulesCli, TakesWhatAnExplanationSays) {
  const auto why = folder_->path() / "why.json";
  const Outcome explained =
      fewedits({"explain", "--dataset", (folder_->path() / "planted").string(), "--model",
                model().string(), "--k", "3", "--theta", "0.15", "--refine-work", "3000000",
                "--steps", "50", "-o", why.string()});
  ASSERT_EQ(explained.code, 0) << explained.err;
  const auto file = folder_->path() / "of-why.json";
  const Outcome outcome = fewedits({"rules", why.string(), "--folds", "0", "--two-steps", "0",
                                    "--expansions", "10", "-o", file.string()});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const RuleList list = parse_rules(read_file(file), "rules");
  EXPECT_EQ(list.theta, 0.15);
  EXPECT_EQ(list.inputs, parse_explanation(read_file(why), "why").inputs);
  const Outcome checked = verify(file);
  EXPECT_EQ(checked.code, 0) << checked.out << checked.err;
}

TEST_F(RulesCli, AreShownOnAPage) {
  const auto page = (folder_->path() / "page.html").string();
  const auto report = [&](std::vector<std::string> files, std::vector<std::string> more = {}) {
    files.insert(files.begin(), "report");
    files.insert(files.end(), {"-o", page});
    files.insert(files.end(), more.begin(), more.end());
    return fewedits(files);
  };
  const Outcome alone = report({rules().string()});
  ASSERT_EQ(alone.code, 0) << alone.err;
  EXPECT_THAT(read_file(page), HasSubstr("\"accepted\":"));
  EXPECT_THAT(read_file(page), HasSubstr("\"glance\":"));
  // Another model says other things.
  const auto other = folder_->path() / "other.json";
  test::write_planted_classifier(other, open_dataset(folder_->path() / "planted"), -1);
  const Outcome wrong = report({rules().string()}, {"--model", other.string()});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("is not the model that"));
  const auto others = (folder_->path() / "others.json").string();
  ASSERT_EQ(fewedits({"rules", "--dataset", (folder_->path() / "planted").string(), "--model",
                      other.string(), "--bonds", "ignore", "--try", "[N>C]", "-o", others})
                .code,
            0);
  const Outcome mixed = report({rules().string(), others});
  EXPECT_EQ(mixed.code, 1);
  EXPECT_THAT(mixed.err, HasSubstr("is about another model than the page"));
  EXPECT_THAT(mixed.err, HasSubstr("others.json"));
  const auto fragility = (folder_->path() / "fragility.json").string();
  ASSERT_EQ(fewedits({"fragility", "--dataset", (folder_->path() / "planted").string(), "--model",
                      model().string(), "--bonds", "ignore", "--json", "-o", fragility})
                .code,
            0);
  EXPECT_THAT(report({fragility}).err, HasSubstr("tells of fragility alone"));
  EXPECT_THAT(report({rules().string(), fragility, fragility}).err,
              HasSubstr("is a second list of fragility"));
  const Outcome both = report({fragility, rules().string()});
  EXPECT_EQ(both.code, 0) << both.err;
  // Nothing that the page is made from is written over.
  const Outcome over = fewedits({"report", rules().string(), "-o", rules().string()});
  EXPECT_NE(over.code, 0);
  const Outcome greed = report({rules().string()}, {"--greed-model", "g.pt"});
  EXPECT_THAT(greed.err, HasSubstr("there is no explanation"));
}

TEST_F(RulesCli, ExplainFindsThemToo) {
  const auto why = folder_->path() / "both.json";
  std::vector<std::string> words{"explain",
                                 "--dataset",
                                 (folder_->path() / "planted").string(),
                                 "--model",
                                 model().string(),
                                 "--k",
                                 "3",
                                 "--theta",
                                 "0.15",
                                 "--refine-work",
                                 "3000000",
                                 "--steps",
                                 "50",
                                 "--rules",
                                 "2"};
  auto to_file = words;
  to_file.insert(to_file.end(), {"-o", why.string()});
  const Outcome explained = fewedits(to_file);
  ASSERT_EQ(explained.code, 0) << explained.err;
  const auto beside = folder_->path() / "both.rules.json";
  EXPECT_THAT(explained.out, HasSubstr("wrote " + beside.string()));
  const RuleList list = parse_rules(read_file(beside), "rules");
  EXPECT_GE(list.rules.size(), 1U);
  EXPECT_LE(list.rules.size(), 2U);
  EXPECT_EQ(list.theta, 0.15);
  EXPECT_TRUE(list.held_out.has_value());
  EXPECT_EQ(verify(beside).code, 0);
  // The same as what the command finds afterwards.
  const auto after = folder_->path() / "after.json";
  ASSERT_EQ(fewedits({"rules", why.string(), "-R", "2", "-o", after.string()}).code, 0);
  EXPECT_EQ(read_file(after), read_file(beside));
  // There is no file beside standard output, and none is overwritten that is read.
  words.insert(words.end(), {"-o", "-"});
  EXPECT_EQ(fewedits(words).code, 2);
}

TEST_F(RulesCli, ATimeLimitIsKeptAndNothingLost) {
  const auto why = folder_->path() / "short.json";
  const Outcome outcome = fewedits({"explain", "--dataset", (folder_->path() / "planted").string(),
                                    "--model", model().string(), "--steps", "50", "--rules", "2",
                                    "--time-limit", "1.5", "-o", why.string()});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_FALSE(parse_explanation(read_file(why), "why").counterfactuals.empty());
  const auto beside = folder_->path() / "short.rules.json";
  if (std::filesystem::exists(beside)) {
    EXPECT_EQ(verify(beside).code, 0);
  } else {
    EXPECT_THAT(outcome.err, HasSubstr("there was no time for rules"));
    EXPECT_THAT(outcome.err, HasSubstr("fewedits rules"));
  }
}

TEST_F(RulesCli, FragilityIsWhatTheRulesFound) {
  const Outcome outcome =
      fewedits({"fragility", "--dataset", (folder_->path() / "planted").string(), "--model",
                model().string(), "--bonds", "ignore", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  std::set<std::uint32_t> fragile;
  for (const Json& one : json["rejected"]["each"]) {
    if (one["fewest_known"] == 1) fragile.insert(one["graph"].get<std::uint32_t>());
  }
  EXPECT_EQ(fragile.size(), json["rejected"]["one_step"]);
  EXPECT_FALSE(fragile.empty());
  EXPECT_GT(json["accepted"]["graphs"], 0);
  // Whom a single edit helps, at theta 0.1, is among them.
  const auto file = folder_->path() / "one.json";
  ASSERT_EQ(fewedits(flags({"--try", "[N>C]", "--try", "[O>C]", "-o", file.string()})).code, 0);
  const RuleList list = parse_rules(read_file(file), "rules");
  std::size_t helped = 0;
  for (const MeasuredRule& rule : list.rules) {
    for (const InputCount& one : rule.inputs) {
      if (!one.count.somewhere()) continue;
      ++helped;
      EXPECT_TRUE(fragile.contains(one.input)) << one.input;
    }
  }
  EXPECT_GT(helped, 0U);
  const Outcome text = fewedits({"fragility", "--dataset", (folder_->path() / "planted").string(),
                                 "--model", model().string(), "--bonds", "ignore"});
  EXPECT_THAT(text.out, HasSubstr("one step is enough"));
}

TEST_F(RulesCli, GlanceOpensWithTheNitroGroup) {
  // Enough graphs on both sides.
  const auto data = folder_->path() / "many";
  test::write_planted_dataset(data, {.molecules = 12, .variants = 25, .most_atoms = 12});
  const auto found = folder_->path() / "many.json";
  const Outcome searched = fewedits({"rules", "--dataset", data.string(), "--model",
                                     model().string(), "--bonds", "ignore", "--two-steps", "0",
                                     "--expansions", "10", "-R", "3", "-o", found.string()});
  ASSERT_EQ(searched.code, 0) << searched.err;
  const auto flags_of = [&](const std::vector<std::string>& more) {
    std::vector<std::string> out{"glance",  "--dataset",      data.string(),
                                 "--model", model().string(), "--bonds",
                                 "ignore",  "--rules",        found.string()};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  };
  const Outcome text = fewedits(flags_of({"--fragility"}));
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("Nitro groups: in "));
  EXPECT_THAT(text.out, HasSubstr("% of the graphs that are"));
  const Outcome outcome = fewedits(flags_of({"--json", "--patterns", "12"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["format"], "fewedits.glance/1");
  EXPECT_LE(json["patterns"].size(), 12U);
  ASSERT_FALSE(json["opening"].empty());
  EXPECT_THAT(json["opening"].dump(), HasSubstr("Nitro groups: in "));
  // Rules of other data are refused.
  const auto other = folder_->path() / "other";
  test::write_planted_dataset(other, {.molecules = 5, .variants = 10, .seed = 9});
  const Outcome refused =
      fewedits({"glance", "--dataset", other.string(), "--model", model().string(), "--bonds",
                "ignore", "--rules", rules().string()});
  EXPECT_NE(refused.code, 0);
  EXPECT_THAT(refused.err, HasSubstr("these rules are of another dataset"));
}

}  // namespace
}  // namespace fewedits
