// SPDX-License-Identifier: MIT
#include "rule_verifier.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/classifier/class_choice.hpp"
#include "fewedits/classifier/input_rule.hpp"
#include "fewedits/proof/edit_script.hpp"
#include "fewedits/rules/measure.hpp"
#include "fewedits/verification/claims.hpp"

namespace fewedits::verify {
namespace {

/// Two evaluations of one model differ by so much of each probability.
constexpr double kRounding = 1e-5;
/// Sums of shares, read from text.
constexpr double kNothing = 1e-9;

/// By a stricter and a laxer rule of who is accepted: the truth of the file's model lies between.
template <typename Value>
struct Both {
  Value low;
  Value high;
};

bool between(double claimed, double a, double b) {
  return claimed >= std::min(a, b) - kNothing && claimed <= std::max(a, b) + kNothing;
}
bool is_count_between(std::size_t claimed, std::size_t a, std::size_t b) {
  return claimed >= std::min(a, b) && claimed <= std::max(a, b);
}

class RuleVerification {
 public:
  RuleVerification(const RuleList& list, const Material& material, const Acceptance& acceptance,
                   const Classifier* second, const std::string& second_hash,
                   const std::string& file, ThreadPool& pool)
      : list_(list),
        material_(material),
        acceptance_(acceptance),
        second_(second),
        second_hash_(second_hash),
        pool_(pool),
        view_(material.data, list.edge_label_names, file),
        claims_(report_, 0) {}

  Report run() {
    check_sources();
    RuleMaterial on = check_inputs();
    check_lists(on);
    return std::move(report_);
  }

 private:
  void check_sources() {
    const Provenance& p = list_.provenance;
    claims_.claim(p.dataset_hash == material_.data_hash, "dataset: its hash is {}, not {}",
                  material_.data_hash, in_quotes(p.dataset_hash));
    claims_.claim(p.dataset_name == material_.data.name, "dataset: its name is {}, not {}",
                  in_quotes(material_.data.name), in_quotes(p.dataset_name));
    claims_.claim(p.model_hash == material_.model_hash, "model: its hash is {}, not {}",
                  material_.model_hash, in_quotes(p.model_hash));
    claims_.claim(list_.second_model_hash == second_hash_, "second_model: its hash is {}, not {}",
                  second_hash_, in_quotes(list_.second_model_hash));
    claims_.claim(list_.label_names == label_names(material_.data).nodes,
                  "node_labels: they are not the dataset's");
    const auto most = p.values_of("rules");
    if (most.size() == 1) {
      const auto number = number_in<std::size_t>(most.front());
      claims_.claim(number && list_.rules.size() <= *number, "options: rules is {}, there are {}",
                    in_quotes(most.front()), list_.rules.size());
    }
  }

  RuleMaterial check_inputs() {
    const Dataset& data = material_.data;
    const std::size_t desired = desired_class(data, *material_.classifier);
    const std::string name = class_name(desired, data, *material_.classifier);
    claims_.claim(list_.classes.desired == name, "classes: the desired one is {}, not {}",
                  in_quotes(name), in_quotes(list_.classes.desired));
    claims_.claim(list_.classes.column == material_.classifier->column_of(desired),
                  "classes: the desired one is output {} of the model, not {}",
                  material_.classifier->column_of(desired), list_.classes.column);
    const InputRule rule(data, *material_.classifier, material_.selection);
    const std::size_t classes = material_.classifier->num_classes();
    const auto logs =
        checked_log_probabilities(data.graphs, *material_.classifier, GraphsFrom::kDataset, pool_);
    std::vector<std::uint32_t> inputs;
    std::vector<std::uint32_t> accepted;
    std::map<std::size_t, std::string> predicted_classes;
    for (std::uint32_t i = 0; i < data.size(); ++i) {
      const std::size_t predicted = predicted_class(std::span(logs).subspan(i * classes, classes));
      if (predicted == rule.desired()) accepted.push_back(i);
      if (!rule.admits(i, predicted)) continue;
      inputs.push_back(i);
      predicted_classes[predicted] = class_name(predicted, data, *material_.classifier);
    }
    std::vector<std::string> names;
    names.reserve(predicted_classes.size());
    for (const auto& [index, one] : predicted_classes) names.push_back(one);
    claims_.claim(list_.classes.predicted == names, "classes: others are predicted for the inputs");
    claims_.claim(list_.inputs == inputs, "inputs: {} graphs are to be explained, and not these {}",
                  inputs.size(), list_.inputs.size());
    return rule_material(data, view_, std::move(inputs), std::move(accepted));
  }

  [[nodiscard]] RuleTask task(const RuleMaterial& on, double shift) const {
    const std::size_t desired = desired_class(material_.data, *material_.classifier);
    const Acceptance accepted{acceptance_.min_lead + 2 * shift,
                              acceptance_.min_probability + shift};
    RuleTask out{*material_.classifier, Goal(desired, accepted), recorded_limits(list_, view_, on)};
    if (second_ != nullptr) {
      const Goal goal(desired_class(material_.data, *second_), accepted);
      out.second.emplace(SecondModel{*second_, goal});
    }
    return out;
  }

  void check_lists(const RuleMaterial& on) {
    const Both<RuleTask> tasks{task(on, kRounding), task(on, -kRounding)};
    std::vector<Rule> rules;
    for (const MeasuredRule& one : list_.rules) rules.push_back(one.rule);
    const Both<std::vector<MeasuredRule>> is{measured(rules, on, tasks.low, pool_),
                                             measured(rules, on, tasks.high, pool_)};
    for (std::size_t r = 0; r < rules.size(); ++r) {
      check_rule(r, is.low[r], is.high[r]);
      replay(r, on, tasks.high);
    }
    if (list_.held_out) {
      const std::uint64_t seed = list_.provenance.seed;
      const auto& lists = list_.held_out->lists;
      if (claims_.claim(lists.size() > 1, "held_out: there are no parts")) {
        check_figures("held_out", list_.held_out->figures,
                      held_out_figures(lists, seed, on, tasks.low, pool_),
                      held_out_figures(lists, seed, on, tasks.high, pool_));
      }
    }
    if (list_.baselines) {
      const RuleBaselines& claimed = *list_.baselines;
      check_figures("baselines.random_rules", claimed.random_rules,
                    mean_figures(claimed.lists, on, tasks.low, pool_),
                    mean_figures(claimed.lists, on, tasks.high, pool_));
      // How many are drawn depends on the places that work, and so does what is drawn.
      const std::uint64_t seed = list_.provenance.seed;
      std::vector<double> chances;
      for (const auto* rules_of : {&is.low, &is.high}) {
        for (const RuleTask* one : {&tasks.low, &tasks.high}) {
          chances.push_back(random_edits(*rules_of, seed, on, *one, pool_));
        }
      }
      const auto [least, most] = std::minmax_element(chances.begin(), chances.end());
      claims_.claim(between(claimed.random_edits, *least, *most),
                    "baselines.random_edits: it is {}, not {}", *least, claimed.random_edits);
    }
  }

  void check_number(const std::string& where, double claimed, double low, double high) {
    claims_.claim(between(claimed, low, high), "{}: it is {}, not {}", where, low, claimed);
  }
  void check_count(const std::string& where, std::size_t claimed, std::size_t low,
                   std::size_t high) {
    claims_.claim(is_count_between(claimed, low, high), "{}: it is {}, not {}", where, low,
                  claimed);
  }

  void check_figures(const std::string& where, const RuleFigures& claimed, const RuleFigures& low,
                     const RuleFigures& high) {
    check_number(where + ".support", claimed.support, low.support, high.support);
    check_number(where + ".somewhere", claimed.somewhere, low.somewhere, high.somewhere);
    check_number(where + ".calls", claimed.calls, low.calls, high.calls);
    check_number(where + ".on_average", claimed.on_average, low.on_average, high.on_average);
    check_number(where + ".everywhere", claimed.everywhere, low.everywhere, high.everywhere);
    check_number(where + ".one_try", claimed.one_try, low.one_try, high.one_try);
  }

  void check_use(const std::string& where, const RuleUse& claimed, const RuleUse& low,
                 const RuleUse& high) {
    check_count(where + ".graphs", claimed.graphs, low.graphs, high.graphs);
    check_count(where + ".places", claimed.places, low.places, high.places);
    check_count(where + ".accepted", claimed.accepted, low.accepted, high.accepted);
  }

  void check_rule(std::size_t r, const MeasuredRule& low, const MeasuredRule& high) {
    const std::string where = fmt::format("rules[{}]", r);
    const MeasuredRule& claimed = list_.rules[r];
    check_figures(where + ".alone", claimed.alone, low.alone, high.alone);
    check_figures(where + ".list", claimed.list, low.list, high.list);
    check_use(where + ".on_accepted", claimed.on_accepted, low.on_accepted, high.on_accepted);
    const bool has_inverse = low.inverse_on_accepted.has_value();
    if (claims_.claim(claimed.inverse_on_accepted.has_value() == has_inverse,
                      "{}.inverse_on_accepted: the way back is {} rule", where,
                      has_inverse ? "a" : "no") &&
        has_inverse) {
      check_use(where + ".inverse_on_accepted", *claimed.inverse_on_accepted,
                *low.inverse_on_accepted, *high.inverse_on_accepted);
    }
    claims_.claim(claimed.left == low.left,
                  "{}.left: it occurs in {} rejected and {} accepted graphs", where,
                  low.left.rejected, low.left.accepted);
    claims_.claim(claimed.right == low.right, "{}.right: it does not occur that often", where);
    claims_.claim(claimed.lost == low.lost, "{}.lost: its labels do not occur that often", where);
    claims_.claim(claimed.won == low.won, "{}.won: its labels do not occur that often", where);
    claims_.claim(claimed.pairs == low.pairs, "{}.pairs: there are {}, not {}", where, low.pairs,
                  claimed.pairs);
    claims_.claim(claimed.pairs_other_class == low.pairs_other_class,
                  "{}.pairs_other_class: there are not that many", where);
    check_input_counts(where, claimed.inputs, low.inputs, high.inputs);
  }

  void check_input_counts(const std::string& where, const std::vector<InputCount>& claimed,
                          const std::vector<InputCount>& low, const std::vector<InputCount>& high) {
    // Whether a rule applies does not depend on what the model says.
    if (!claims_.claim(claimed.size() == low.size(), "{}.inputs: it applies to {}, not {}", where,
                       low.size(), claimed.size())) {
      return;
    }
    for (std::size_t i = 0; i < claimed.size(); ++i) {
      const InputCount& is = claimed[i];
      const RuleCount& a = low[i].count;
      const RuleCount& b = high[i].count;
      claims_.claim(is.input == low[i].input && is.count.places == a.places &&
                        is_count_between(is.count.works, a.works, b.works) &&
                        is_count_between(is.count.before_first, a.before_first, b.before_first) &&
                        (is.image == low[i].image || is.image == high[i].image),
                    "{}.inputs[{}]: graph {} has {} places, {} of which work, the first after {}",
                    where, i, low[i].input, a.places, a.works, a.before_first);
    }
  }

  /// Every occurrence that the file claims, carried out by itself.
  void replay(std::size_t r, const RuleMaterial& on, const RuleTask& lax) {
    const MeasuredRule& claimed = list_.rules[r];
    std::vector<Graph> results;
    std::vector<std::uint32_t> from;
    for (const InputCount& one : claimed.inputs) {
      if (one.image.empty()) continue;
      ++report_.scripts;
      Image image;
      image.fill(kNoNode);
      const bool is_one = read_image(claimed.rule, one, on, image);
      if (!claims_.claim(is_one, "rules[{}].inputs: the image in graph {} is no occurrence", r,
                         one.input)) {
        continue;
      }
      results.push_back(rewritten(on.graphs[one.input], claimed.rule, image));
      from.push_back(one.input);
    }
    auto judged = judge(results, lax.classifier, lax.goal, pool_);
    ask_second(results, lax, pool_, judged);
    for (std::size_t i = 0; i < results.size(); ++i) {
      claims_.claim(judged[i].accepted,
                    "rules[{}].inputs: what is made of graph {} is not accepted", r, from[i]);
    }
  }

  [[nodiscard]] static bool read_image(const Rule& rule, const InputCount& one,
                                       const RuleMaterial& on, Image& image) {
    if (one.input >= on.graphs.size() || one.image.size() != rule.nodes_before()) return false;
    std::size_t at = 0;
    for (Node v = 0; v < rule.size(); ++v) {
      if (!rule.nodes()[v].comes()) image[v] = one.image[at++];
    }
    return is_occurrence(on.graphs[one.input], rule, image);
  }

  const RuleList& list_;
  const Material& material_;
  const Acceptance& acceptance_;
  const Classifier* second_;
  std::string second_hash_;
  ThreadPool& pool_;
  GraphView view_;
  Report report_;
  Claims claims_;
};

}  // namespace

Report verify_rules(const RuleList& list, const Material& material, const Acceptance& acceptance,
                    const Classifier* second, const std::string& second_hash,
                    const std::string& file, ThreadPool& pool) {
  return RuleVerification(list, material, acceptance, second, second_hash, file, pool).run();
}

}  // namespace fewedits::verify
