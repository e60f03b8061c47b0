// SPDX-License-Identifier: MIT
#include "rules_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "console.hpp"
#include "fewedits/base/terminal_text.hpp"
#include "fewedits/explanation/figures.hpp"
#include "fewedits/explanation/input_words.hpp"
#include "fewedits/rules/rule_reading.hpp"
#include "fewedits/rules/rule_words.hpp"

namespace fewedits::cli {
namespace {

std::string percent(double share) { return fmt::format("{:.1f}", 100 * share); }

std::string count_of_graphs(const PatternCounts& counts, std::size_t rejected,
                            std::size_t accepted) {
  const auto share = [](std::size_t part, std::size_t all) {
    return all == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(all);
  };
  return fmt::format("{} / {}", percent(share(counts.rejected, rejected)),
                     percent(share(counts.accepted, accepted)));
}

std::string share_text(std::size_t part, std::size_t all) {
  return all == 0 ? "–" : percent(static_cast<double>(part) / static_cast<double>(all));
}

std::string rules_table(const RuleList& list, std::size_t accepted) {
  std::vector<std::vector<std::string>> rows{
      {"rule", "edits", "support", "used for", "somewhere", "average", "everywhere", "list so far",
       "stays", "inverse rejects", "L in rej/acc", "R in rej/acc", "pairs"}};
  for (std::size_t r = 0; r < list.rules.size(); ++r) {
    const MeasuredRule& one = list.rules[r];
    std::string pairs = std::to_string(one.pairs);
    if (one.pairs_other_class && one.pairs > 0) {
      pairs += fmt::format(" ({} other class)", *one.pairs_other_class);
    }
    const RuleUse& use = one.on_accepted;
    rows.push_back(
        {fmt::format("{:2}  {}", r + 1, rule_text(one.rule, list.names())),
         std::to_string(one.rule.cost()), percent(one.alone.support),
         percent(one.list.support - (r == 0 ? 0 : list.rules[r - 1].list.support)),
         percent(one.alone.somewhere), percent(one.alone.on_average), percent(one.alone.everywhere),
         percent(figure_of(one.list, list.objective)), share_text(use.accepted, use.places),
         one.inverse_on_accepted
             ? share_text(one.inverse_on_accepted->places - one.inverse_on_accepted->accepted,
                          one.inverse_on_accepted->places)
             : "–",
         count_of_graphs(one.left, list.inputs.size(), accepted),
         one.right ? count_of_graphs(*one.right, list.inputs.size(), accepted) : "–", pairs});
  }
  return table(std::move(rows));
}

std::string with_interval(double share, std::size_t count) {
  const Interval interval = interval_of(share, count);
  return fmt::format("{} ({}–{})", percent(share), percent(interval.low), percent(interval.high));
}

std::vector<std::string> figures_row(const std::string& name, const RuleFigures& f) {
  return {name,
          percent(f.somewhere),
          fmt::format("{:.1f}", f.calls),
          percent(f.on_average),
          percent(f.everywhere),
          percent(f.one_try)};
}

std::string lift_text(double figure, double chance) {
  return chance > 0 ? fmt::format("{:.2f}", figure / chance) : "–";
}

bool was_chosen(const RuleList& list) {
  return list.provenance.values_of("try").empty() && list.provenance.values_of("measure").empty();
}

std::string summary_table(const RuleList& list) {
  const RuleFigures all = list.figures();
  std::vector<std::vector<std::string>> rows{
      {"%", "somewhere", "model calls", "average", "everywhere", "one try a rule"}};
  rows.push_back(figures_row(
      was_chosen(list) ? "the list, on the inputs it was chosen on" : "the list, on these inputs",
      all));
  if (list.held_out) {
    const RuleFigures& f = list.held_out->figures;
    const std::size_t n = list.inputs.size();
    rows.push_back({fmt::format("held out ({} parts)", list.held_out->lists.size()),
                    with_interval(f.somewhere, n), fmt::format("{:.1f}", f.calls),
                    with_interval(f.on_average, n), with_interval(f.everywhere, n),
                    with_interval(f.one_try, n)});
  }
  if (list.baselines) {
    const RuleFigures& random = list.baselines->random_rules;
    if (!list.baselines->lists.empty()) {
      rows.push_back(figures_row("random rules of like support", random));
      rows.push_back({"lift over them", lift_text(all.somewhere, random.somewhere), "",
                      lift_text(all.on_average, random.on_average),
                      lift_text(all.everywhere, random.everywhere),
                      lift_text(all.one_try, random.one_try)});
    }
    rows.push_back({"random edits, as many model calls", percent(list.baselines->random_edits),
                    fmt::format("{:.1f}", all.calls), "–", "–", "–"});
  }
  return table(std::move(rows));
}

}  // namespace

std::string rules_text(const RuleList& list, const RuleSources& material) {
  std::string out = fmt::format(
      "{}: {}.\ntheta {}, {}, chosen for what works {}{}.\n\n", printable(material.data.name),
      inputs_in_words(list.classes, list.provenance, list.inputs.size(), material.data.size()),
      list.theta, material.view.has_bonds() ? "bonds used" : "bonds ignored",
      list.objective == RuleObjective::kOnAverage ? "on average" : name_of(list.objective),
      std::string(list.plausible ? ", plausible results only" : "") +
          (list.second_model_hash.empty() ? "" : ", accepted by a second model, too"));
  if (list.rules.empty()) return out + "No short rule: none adds anything.\n";
  out += rules_table(list, material.graphs.accepted.size()) + "\n";
  for (std::size_t r = 0; r < list.rules.size(); ++r) {
    const RuleReading reading =
        reading_of(list.rules[r], list.inputs.size(), material.graphs.accepted.size(),
                   kPatternsOfARule * list.rules.size());
    out += fmt::format("{:2}  {}: {}\n", r + 1,
                       rule_words(list.rules[r].rule, list.names(), material.data.is_molecular()),
                       in_words(reading));
  }
  out += "\n" + summary_table(list);
  if (list.held_out) {
    out +=
        "\nHeld out: that part had no say in what its list was chosen from, nor in the choice.\n";
  }
  if (!list.complete) out += "\nIt was ended early: what is missing was not measured.\n";
  return printable_lines(out);
}

}  // namespace fewedits::cli
