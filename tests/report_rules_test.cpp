// SPDX-License-Identifier: MIT
// Rules and fragility on a page: every figure is that of the list, and what is drawn of a rule is
// what the rule does and what the model says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "fewedits/classifier/class_choice.hpp"
#include "fewedits/fewedits.hpp"
#include "fewedits/proof/certificate.hpp"
#include "fewedits/report/page_parts.hpp"
#include "fewedits/report/rule_examples.hpp"
#include "fewedits/rules/measure.hpp"
#include "fewedits/rules/rule_reading.hpp"
#include "fewedits/rules/rule_words.hpp"
#include "support/hostile_files.hpp"
#include "support/planted.hpp"

namespace fewedits {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

constexpr double kTheta = 0.1;

/// The planted dataset with its model, some rules measured on it, and an explanation's figures.
class ReportRules : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    data_ = new Dataset(open_dataset(test::planted().dataset));
    classifier_ = open_classifier(test::planted().model, *data_).release();
    ThreadPool pool(2);
    const RejectedGraphs graphs = rejected_graphs(*data_, *classifier_, pool);
    const GraphView view;
    const RuleMaterial material = rule_material(*data_, view, graphs.rejected, graphs.accepted);
    list_ = new RuleList();
    list_->provenance.dataset_name = data_->name;
    list_->provenance.dataset_path = test::planted().dataset.string();
    list_->provenance.dataset_hash = dataset_fingerprint(*data_);
    list_->provenance.model_path = test::planted().model.string();
    list_->provenance.model_hash = "the model";
    list_->provenance.options = {{"rules", "4"}, {"only-correct", "true"}};
    list_->provenance.seed = 5;
    list_->classes = explained_classes(*data_, *classifier_, graphs);
    list_->label_names = label_names(*data_).nodes;
    list_->theta = kTheta;
    list_->inputs = graphs.rejected;
    std::vector<Rule> rules;
    for (const char* text : {"[O>C]-N", "N-[O>]", "[N>C]", "C-[>F]"}) {
      rules.push_back(parse_rule(text, list_->names()));
    }
    list_->rules = measured(rules, material, task(material), pool);
    list_->held_out = HeldOut{{rules, {rules[0]}}, list_->rules[1].list};
    list_->baselines = RuleBaselines{{{rules[3]}}, list_->rules[2].alone, 0.125};
    accepted_ = new std::vector<std::uint32_t>(graphs.accepted);
  }
  static void TearDownTestSuite() {
    delete accepted_;
    delete list_;
    delete classifier_;
    delete data_;
  }

  static RuleTask task(const RuleMaterial& material) {
    return {*classifier_, Goal(desired_class(*data_, *classifier_), {kSafeLead, 0}),
            rule_limits(GraphView(), {}, kTheta, false, material)};
  }
  static bool accepts(const Graph& graph) {
    ThreadPool pool(1);
    const Goal goal(desired_class(*data_, *classifier_), {kSafeLead, 0});
    return judge(std::vector{graph}, *classifier_, goal, pool).front().accepted;
  }

  Json page(bool with_model = true) const {
    const std::vector<ReportedRules> rules{{*list_, "rules.json"}};
    PageParts parts{{}, rules};
    if (with_model) parts.accepted = *accepted_;
    return Json::parse(report_json(parts, *data_, pool_));
  }
  std::string error_of(const RuleList& first, const RuleList& second) const {
    const std::vector<ReportedRules> rules{{first, "first.json"}, {second, "second.json"}};
    return test::error_of([&] { (void)report_json(PageParts{{}, rules}, *data_, pool_); });
  }

  mutable ThreadPool pool_{1};
  static inline Dataset* data_ = nullptr;
  static inline const Classifier* classifier_ = nullptr;
  static inline RuleList* list_ = nullptr;
  static inline std::vector<std::uint32_t>* accepted_ = nullptr;
};

void expect_figures(const Json& json, const RuleFigures& figures, std::size_t inputs) {
  EXPECT_EQ(json["support"], figures.support);
  EXPECT_EQ(json["somewhere"], figures.somewhere);
  EXPECT_EQ(json["calls"], figures.calls);
  EXPECT_EQ(json["on_average"], figures.on_average);
  EXPECT_EQ(json["everywhere"], figures.everywhere);
  EXPECT_EQ(json["one_try"], figures.one_try);
  const Interval interval = interval_of(figures.everywhere, inputs);
  EXPECT_EQ(json["intervals"]["everywhere"], Json({interval.low, interval.high}));
}

TEST_F(ReportRules, EveryFigureIsTheLists) {
  const Json json = page();
  EXPECT_EQ(json["accepted"], accepted_->size());
  EXPECT_EQ(json["desired_class"], list_->classes.desired);
  EXPECT_EQ(json["predicted_in_words"], list_->classes.predicted.front());
  const Json& set = json["rules"][0];
  const std::size_t inputs = list_->inputs.size();
  EXPECT_EQ(set["inputs"], inputs);
  EXPECT_EQ(set["seed"], "5");
  expect_figures(set["figures"], list_->figures(), inputs);
  expect_figures(set["held_out"]["figures"], list_->held_out->figures, inputs);
  EXPECT_EQ(set["held_out"]["parts"], 2);
  expect_figures(set["baselines"]["random_rules"], list_->baselines->random_rules, inputs);
  EXPECT_EQ(set["baselines"]["random_edits"], 0.125);
  ASSERT_EQ(set["rules"].size(), list_->rules.size());
  double used_before = 0;
  for (std::size_t r = 0; r < list_->rules.size(); ++r) {
    const Json& rule = set["rules"][r];
    const MeasuredRule& one = list_->rules[r];
    SCOPED_TRACE(rule["text"]);
    expect_figures(rule["alone"], one.alone, inputs);
    expect_figures(rule["list"], one.list, inputs);
    EXPECT_EQ(rule["text"], rule_text(one.rule, list_->names()));
    EXPECT_EQ(rule["words"], rule_words(one.rule, list_->names(), true));
    EXPECT_EQ(rule["edits"], one.rule.cost());
    EXPECT_EQ(rule["applies"], one.inputs.size());
    EXPECT_EQ(rule["used"], one.list.support - used_before);
    used_before = one.list.support;
    EXPECT_EQ(rule["on_accepted"]["places"], one.on_accepted.places);
    EXPECT_EQ(rule["on_accepted"]["accepted"], one.on_accepted.accepted);
    EXPECT_EQ(rule.contains("inverse_on_accepted"), one.inverse_on_accepted.has_value());
    EXPECT_EQ(rule["left"]["rejected"], one.left.rejected);
    EXPECT_EQ(rule["left"]["accepted"], one.left.accepted);
    EXPECT_EQ(rule["pairs"], one.pairs);
    const RuleReading reading =
        reading_of(one, inputs, accepted_->size(), kPatternsOfARule * list_->rules.size());
    EXPECT_EQ(rule["reading"]["words"], in_words(reading));
  }
}

Graph graph_of(const Json& json) {
  std::vector<Edge> edges;
  for (std::size_t e = 0; e < json["edges"].size(); e += 2) {
    edges.push_back({json["edges"][e], json["edges"][e + 1]});
  }
  return {json["labels"].get<std::vector<Label>>(), edges};
}

/// The steps lead from the one to the other.
void expect_leads_there(const Json& rewrite, int edits) {
  const Graph before = graph_of(rewrite["before"]);
  const Graph after = graph_of(rewrite["after"]);
  EXPECT_EQ(rewrite["xy"].size(), 2 * before.num_nodes());
  EXPECT_EQ(rewrite["target_xy"].size(), 2 * after.num_nodes());
  EditScript script;
  for (const Json& to : rewrite["map"]) script.map.push_back(static_cast<Node>(to.get<int>()));
  for (const Json& op : rewrite["ops"]) {
    EditOp edit{static_cast<EditOp::Kind>(op[0].get<int>()), op[1], op[2], 0};
    const bool labels =
        edit.kind == EditOp::Kind::kInsertNode || edit.kind == EditOp::Kind::kRelabelNode;
    if (labels) edit.label = after.label(script.map[edit.u]);
    script.ops.push_back(edit);
  }
  EXPECT_EQ(script.ops.size(), edits);
  EXPECT_TRUE(check_certificate(before, after, script).holds);
}

TEST_F(ReportRules, WhatIsDrawnIsWhatTheRuleDoes) {
  const Json json = page();
  for (std::size_t r = 0; r < list_->rules.size(); ++r) {
    const Json& rule = json["rules"][0]["rules"][r];
    const Rule& is = list_->rules[r].rule;
    SCOPED_TRACE(rule["text"]);
    expect_leads_there(rule["picture"], is.cost());
    EXPECT_EQ(graph_of(rule["picture"]["before"]), is.left(Graph::EdgeLabels::kAbsent));
    EXPECT_EQ(graph_of(rule["picture"]["after"]), is.right(Graph::EdgeLabels::kAbsent));
  }
}

TEST_F(ReportRules, ExamplesAreInputsAndTheModelSaysWhatTheySay) {
  const Json json = page();
  std::size_t worked = 0;
  std::size_t failed = 0;
  for (const Json& rule : json["rules"][0]["rules"]) {
    std::set<std::size_t> seen;
    for (const Json& example : rule["examples"]) {
      const std::size_t graph = example["graph"];
      EXPECT_EQ(graph_of(example["before"]), data_->graphs[graph].without_edge_labels());
      expect_leads_there(example, rule["edits"]);
      EXPECT_EQ(accepts(graph_of(example["after"])), example["worked"]);
      EXPECT_TRUE(std::ranges::binary_search(list_->inputs, graph));
      seen.insert(graph);
      ++(example["worked"] ? worked : failed);
    }
    const std::size_t applies = rule["applies"];
    EXPECT_GE(seen.size(), std::min<std::size_t>(applies, 3));
  }
  EXPECT_GT(worked, 10U);
  EXPECT_GT(failed, 3U);
}

TEST_F(ReportRules, WithoutTheModelNothingIsSaidOfWhatItAccepts) {
  const Json json = page(false);
  EXPECT_FALSE(json.contains("accepted"));
  for (const Json& rule : json["rules"][0]["rules"]) EXPECT_FALSE(rule.contains("reading"));
}

TEST_F(ReportRules, TheSameForAnyNumberOfThreads) {
  const std::vector<ReportedRules> rules{{*list_, "rules.json"}};
  ThreadPool many(4);
  EXPECT_EQ(report_json(PageParts{{}, rules}, *data_, pool_),
            report_json(PageParts{{}, rules}, *data_, many));
}

TEST_F(ReportRules, PartsThatDoNotBelongTogetherAreNamed) {
  RuleList other = *list_;
  other.provenance.model_hash = "another";
  EXPECT_THAT(error_of(*list_, other),
              testing::AllOf(HasSubstr("second.json"), HasSubstr("is about another model")));
  other = *list_;
  other.provenance.dataset_hash = "another";
  EXPECT_THAT(error_of(*list_, other), HasSubstr("is about another dataset"));
  other = *list_;
  other.classes.desired = "something else";
  EXPECT_THAT(error_of(*list_, other), HasSubstr("is about the class 'something else'"));
  other = *list_;
  other.inputs.push_back(1'000'000);
  EXPECT_THAT(error_of(*list_, other), HasSubstr("is about graph 1000000"));
  EXPECT_THAT(test::error_of([&] { (void)report_json(PageParts{}, *data_, pool_); }),
              HasSubstr("neither an explanation nor a list of rules"));
}

TEST_F(ReportRules, ARuleThatDoesNotApplyWhereItSaysIsNamed) {
  const auto broken = [&](const std::function<void(InputCount&)>& change) {
    RuleList list = *list_;
    for (InputCount& one : list.rules[0].inputs) change(one);
    const std::vector<ReportedRules> rules{{list, "broken.json"}};
    return test::error_of([&] { (void)report_json(PageParts{{}, rules}, *data_, pool_); });
  };
  EXPECT_THAT(broken([](InputCount& one) { one.input = 1'000'000; }),
              HasSubstr("graph 1000000, which is not there"));
  EXPECT_THAT(broken([](InputCount& one) { one.image.clear(); }),
              HasSubstr("does not apply where it says"));
  EXPECT_THAT(broken([](InputCount& one) {
                for (Node& v : one.image) v = 1'000'000;
              }),
              HasSubstr("does not apply where it says"));
  EXPECT_THAT(broken([](InputCount& one) {
                for (Node& v : one.image) v = 0;
              }),
              HasSubstr("does not apply where it says"));
}

TEST_F(ReportRules, TheCommandSaysWhatWasAsked) {
  EXPECT_THAT(reproducing_command(*list_),
              testing::AllOf(HasSubstr("fewedits rules --dataset "), HasSubstr(" --theta 0.1 "),
                             HasSubstr(" --bonds ignore "), HasSubstr(" --folds 2 "),
                             HasSubstr(" --seed 5 "), HasSubstr(" --rules 4 "),
                             HasSubstr(" --only-correct -o rules.json")));
  RuleList list = *list_;
  list.plausible = true;
  list.provenance.options = {{"explanation", "why it is.json"}, {"graphs", "1-3"}, {"o", "x"}};
  EXPECT_THAT(reproducing_command(list),
              testing::AllOf(HasSubstr("fewedits rules 'why it is.json' --dataset "),
                             HasSubstr(" --plausible "), HasSubstr(" -o plausible.json"),
                             testing::Not(HasSubstr("graphs")), testing::Not(HasSubstr("--o "))));
  list.provenance.options = {{"graphs", "1-3"}};
  EXPECT_EQ(reproducing_command(list), "");
}

FragilityList some_fragility() {
  FragilityList out;
  out.provenance.dataset_name = "d";
  out.desired = "yes";
  out.rejected = {{1, 10, 2, 1}, {3, 20, 0, 2}, {4, 5, 0, 0}};
  out.accepted = {{2, 10, 10, 1}};
  return out;
}

TEST(FragilityList, IsReadAsItIsWritten) {
  const std::string text = fragility_json(some_fragility());
  EXPECT_TRUE(is_fragility_json(text));
  EXPECT_EQ(parse_fragility(text, "file"), some_fragility());
}

TEST(FragilityList, WhatContradictsItselfIsRefused) {
  const auto refused = [](const std::function<void(Json&)>& change) {
    Json json = Json::parse(fragility_json(some_fragility()));
    change(json);
    return test::error_of([&] { (void)parse_fragility(json.dump(), "file"); });
  };
  EXPECT_THAT(refused([](Json& json) { json["rejected"]["one_step"] = 2; }),
              HasSubstr("rejected.one_step is not 1"));
  EXPECT_THAT(refused([](Json& json) { json["rejected"]["each"][0]["enough"] = 11; }),
              HasSubstr("is more than there are steps"));
  EXPECT_THAT(refused([](Json& json) { json["rejected"]["each"][0]["enough"] = 0; }),
              HasSubstr("does not go with"));
  EXPECT_THAT(refused([](Json& json) { json["accepted"]["each"][0]["fewest_known"] = 3; }),
              HasSubstr("is no whole number from 0 to 2"));
  EXPECT_THAT(refused([](Json& json) { json["format"] = "fewedits.fragility/9"; }),
              HasSubstr("not fewedits.fragility/1"));
  EXPECT_THAT(refused([](Json& json) { json.erase("theta"); }), HasSubstr("theta"));
  EXPECT_THAT(refused([](Json& json) { json["rejected"]["each"][1]["graph"] = 1; }),
              HasSubstr("rejected.each[1].graph does not come after the one before"));
}

TEST_F(ReportRules, FragilityIsCounted) {
  const std::vector<ReportedRules> rules{{*list_, "rules.json"}};
  PageParts parts{{}, rules};
  FragilityList fragility = some_fragility();
  fragility.provenance = list_->provenance;
  fragility.desired = list_->classes.desired;
  parts.fragility = ReportedFragility{fragility, "fragility.json"};
  const Json json = Json::parse(report_json(parts, *data_, pool_));
  const Json& side = json["fragility"]["sides"][0];
  EXPECT_EQ(side["graphs"], 3);
  EXPECT_EQ(side["one_step"], 1);
  EXPECT_EQ(side["two_steps"], 1);
  EXPECT_EQ(side["not_known"], 1);
  EXPECT_NEAR(side["enough"], 0.2 / 3, 1e-12);
  const Interval interval = interval_of(1.0 / 3, 3);
  EXPECT_EQ(side["interval"], Json({interval.low, interval.high}));
  PageParts beyond{{}, rules};
  fragility.accepted.back().graph = static_cast<std::uint32_t>(data_->size());
  beyond.fragility = ReportedFragility{fragility, "fragility.json"};
  EXPECT_THAT(test::error_of([&] { (void)report_json(beyond, *data_, pool_); }),
              HasSubstr("is about graph"));
  EXPECT_EQ(json["fragility"]["sides"][1]["enough"], 1.0);
  parts.fragility->list.desired = "another";
  EXPECT_THAT(test::error_of([&] { (void)report_json(parts, *data_, pool_); }),
              testing::AllOf(HasSubstr("fragility.json"), HasSubstr("is about the class")));
}

}  // namespace
}  // namespace fewedits
