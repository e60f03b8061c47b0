// SPDX-License-Identifier: MIT
#include "fewedits/report/rule_sheet.hpp"

#include <utility>

#include "fewedits/chem/graph_view.hpp"
#include "fewedits/report/rule_examples.hpp"
#include "fewedits/rules/measure.hpp"
#include "fewedits/rules/rule_reading.hpp"
#include "fewedits/rules/rule_words.hpp"

namespace fewedits {
namespace {

PageJson interval_json(double share, std::size_t count) {
  const Interval interval = interval_of(share, count);
  return {interval.low, interval.high};
}

/// With intervals, over so many inputs.
PageJson figures_json(const RuleFigures& f, std::size_t inputs) {
  return {{"support", f.support},
          {"somewhere", f.somewhere},
          {"calls", f.calls},
          {"on_average", f.on_average},
          {"everywhere", f.everywhere},
          {"one_try", f.one_try},
          {"intervals",
           {{"somewhere", interval_json(f.somewhere, inputs)},
            {"on_average", interval_json(f.on_average, inputs)},
            {"everywhere", interval_json(f.everywhere, inputs)}}}};
}

PageJson use_json(const RuleUse& use) {
  return {{"graphs", use.graphs}, {"places", use.places}, {"accepted", use.accepted}};
}

PageJson counts_json(const PatternCounts& counts) {
  return {{"rejected", counts.rejected}, {"accepted", counts.accepted}};
}

class Sheet {
 public:
  Sheet(const ReportedRules& reported, const PageParts& parts, const Dataset& dataset,
        const Artist& artist, ThreadPool& pool)
      : list_(reported.list),
        file_(reported.file),
        parts_(parts),
        dataset_(dataset),
        artist_(artist),
        pool_(pool),
        view_(dataset, list_.edge_label_names, reported.file),
        material_(rule_material(dataset, view_, list_.inputs, {})),
        limits_(recorded_limits(list_, view_, material_)) {}

  PageJson write() {
    PageJson out{{"file", file_},
                 {"software", list_.provenance.software},
                 {"objective", name_of(list_.objective)},
                 {"theta", list_.theta},
                 {"plausible", list_.plausible},
                 {"bonds", view_.has_bonds()},
                 {"seed", std::to_string(list_.provenance.seed)},
                 {"complete", list_.complete},
                 {"inputs", list_.inputs.size()},
                 {"command", reproducing_command(list_)},
                 {"figures", figures_json(list_.figures(), list_.inputs.size())}};
    if (list_.held_out) {
      out["held_out"] = {{"parts", list_.held_out->lists.size()},
                         {"figures", figures_json(list_.held_out->figures, list_.inputs.size())}};
    }
    if (list_.baselines) {
      out["baselines"] = {{"random_edits", list_.baselines->random_edits}};
      if (!list_.baselines->lists.empty()) {
        out["baselines"]["random_rules"] =
            figures_json(list_.baselines->random_rules, list_.inputs.size());
      }
    }
    out["rules"] = PageJson::array();
    for (std::size_t r = 0; r < list_.rules.size(); ++r) {
      pool_.check_stop();
      out["rules"].push_back(rule(r));
    }
    return out;
  }

 private:
  PageJson rule(std::size_t r) {
    const MeasuredRule& one = list_.rules[r];
    const double used_before = r == 0 ? 0 : list_.rules[r - 1].list.support;
    PageJson out{{"text", rule_text(one.rule, list_.names())},
                 {"words", rule_words(one.rule, list_.names(), dataset_.is_molecular())},
                 {"edits", one.rule.cost()},
                 {"alone", figures_json(one.alone, list_.inputs.size())},
                 {"list", figures_json(one.list, list_.inputs.size())},
                 {"used", one.list.support - used_before},
                 {"on_accepted", use_json(one.on_accepted)},
                 {"left", counts_json(one.left)},
                 {"lost", labels(one.lost)},
                 {"won", labels(one.won)},
                 {"pairs", one.pairs},
                 {"applies", one.inputs.size()},
                 {"picture", picture(one.rule)},
                 {"examples", examples(one)}};
    if (one.inverse_on_accepted) out["inverse_on_accepted"] = use_json(*one.inverse_on_accepted);
    if (one.right) out["right"] = counts_json(*one.right);
    if (one.pairs_other_class) out["pairs_other_class"] = *one.pairs_other_class;
    if (parts_.accepted) {
      const RuleReading reading = reading_of(one, list_.inputs.size(), parts_.accepted->size(),
                                             kPatternsOfARule * list_.rules.size());
      out["reading"] = {{"kind", name_of(reading)}, {"words", in_words(reading)}};
    }
    return out;
  }

  [[nodiscard]] PageJson labels(const std::vector<LabelCounts>& counts) const {
    PageJson out = PageJson::array();
    for (const LabelCounts& one : counts) {
      PageJson row{{"label", one.label}};
      row.update(counts_json(one.graphs));
      out.push_back(std::move(row));
    }
    return out;
  }

  /// L beside R.
  [[nodiscard]] PageJson picture(const Rule& rule) const {
    const auto kind = view_.has_bonds() ? Graph::EdgeLabels::kPresent : Graph::EdgeLabels::kAbsent;
    const Graph left = rule.left(kind);
    NodeMap map;
    Node next = 0;
    for (const RuleNode& node : rule.nodes()) {
      if (!node.comes()) map.push_back(node.goes() ? kUnmatched : next);
      if (!node.goes()) ++next;
    }
    return rewrite_json(left, left, rule.right(kind), map, artist_, nullptr);
  }

  [[nodiscard]] PageJson examples(const MeasuredRule& rule) const {
    PageJson out = PageJson::array();
    for (const RuleExample& one : rule_examples(rule, material_.graphs, limits_, {}, file_)) {
      const std::uint32_t graph = one.of.input;
      const Graph& shown = view_.has_bonds() ? one.before : dataset_.graphs[graph];
      PageJson row{{"graph", graph},
                   {"source", dataset_.source_index[graph]},
                   {"places", one.of.count.places},
                   {"works", one.of.count.works},
                   {"worked", one.works}};
      row.update(rewrite_json(shown, one.before, one.after, one.map, artist_, view_.rules().get()));
      out.push_back(std::move(row));
    }
    return out;
  }

  const RuleList& list_;
  const std::string& file_;
  const PageParts& parts_;
  const Dataset& dataset_;
  const Artist& artist_;
  ThreadPool& pool_;
  GraphView view_;
  RuleMaterial material_;
  RewriteLimits limits_;
};

PageJson side_json(const char* name, const std::vector<FragileGraph>& graphs) {
  const std::size_t one = num_with_fewest(graphs, 1);
  const double share =
      graphs.empty() ? 0 : static_cast<double>(one) / static_cast<double>(graphs.size());
  return {{"name", name},
          {"graphs", graphs.size()},
          {"one_step", one},
          {"two_steps", num_with_fewest(graphs, 2)},
          {"not_known", num_with_fewest(graphs, 0)},
          {"interval", interval_json(share, graphs.size())},
          {"enough", mean_share_enough(graphs)}};
}

}  // namespace

PageJson rules_json(const ReportedRules& reported, const PageParts& parts, const Dataset& dataset,
                    const Artist& artist, ThreadPool& pool) {
  return Sheet(reported, parts, dataset, artist, pool).write();
}

PageJson fragility_json(const ReportedFragility& reported) {
  const FragilityList& list = reported.list;
  return {{"file", reported.file},
          {"theta", list.theta},
          {"bonds", list.bonds},
          {"plausible", list.plausible},
          {"sides", {side_json("rejected", list.rejected), side_json("accepted", list.accepted)}}};
}

}  // namespace fewedits
