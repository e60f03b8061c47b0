// SPDX-License-Identifier: MIT
#include "fewedits/induction/induce.hpp"

#include <algorithm>
#include <utility>

#include "fewedits/base/rng.hpp"
#include "fewedits/induction/candidate_table.hpp"
#include "fewedits/induction/choose.hpp"
#include "fewedits/induction/grow.hpp"
#include "fewedits/induction/views.hpp"

namespace fewedits {
namespace {

/// Lists in which every rule is a random candidate whose support is like that of the chosen one.
std::vector<std::vector<Rule>> random_lists(const std::vector<RuleCandidate>& candidates,
                                            const std::vector<std::size_t>& list,
                                            const InduceOptions& options) {
  constexpr std::size_t kAlike = 50;
  std::vector<std::vector<std::size_t>> alike;
  for (const std::size_t chosen : list) {
    const auto support = static_cast<std::ptrdiff_t>(candidates[chosen].entries.size());
    std::vector<std::pair<std::ptrdiff_t, std::size_t>> by_distance;
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      if (c == chosen) continue;
      const auto other = static_cast<std::ptrdiff_t>(candidates[c].entries.size());
      by_distance.emplace_back(std::abs(other - support), c);
    }
    const std::size_t count = std::min(kAlike, by_distance.size());
    std::partial_sort(by_distance.begin(), by_distance.begin() + static_cast<std::ptrdiff_t>(count),
                      by_distance.end());
    auto& some = alike.emplace_back();
    for (std::size_t i = 0; i < count; ++i) some.push_back(by_distance[i].second);
  }
  std::vector<std::vector<Rule>> out;
  for (std::size_t draw = 0; draw < options.random_lists; ++draw) {
    Rng rng(options.seed, 0x72616e64 + draw);
    auto& rules = out.emplace_back();
    for (const auto& some : alike) {
      if (!some.empty()) rules.push_back(candidates[some[rng.below(some.size())]].rule);
    }
  }
  return out;
}

class Induction {
 public:
  Induction(const RuleMaterial& material, const RuleTask& task, const InduceOptions& options,
            ThreadPool& pool, const InduceHooks& hooks)
      : material_(material),
        task_(task),
        options_(options),
        pool_(pool),
        hooks_(hooks),
        inputs_(material.of(material.inputs)),
        views_(material.inputs, options.folds, options.seed) {}

  RuleList run(InduceStatistics& statistics) {
    RuleList out;
    out.objective = options_.objective;
    out.theta = task_.limits.theta;
    out.plausible = task_.limits.known != nullptr;
    out.inputs = material_.inputs;
    CandidateTable table(inputs_, views_, material_, task_, options_);
    std::optional<Choice> chosen;
    {
      const StopScope scope(pool_, hooks_.stop);
      out.complete = table.fill(pool_, hooks_);
      if (out.complete) {
        try {
          say("choose rules", 0, 1);
          GrowthMemory memory = memory_of(table);
          chosen = choose(table, memory, 0, options_.expansions);
          hold_out(table, memory, out);
        } catch (const Stopped&) {
          out.complete = false;
        }
      }
    }
    // What there is is chosen from, and what was chosen is measured in any case.
    const StopScope scope(pool_, nullptr);
    if (!chosen) {
      GrowthMemory memory = memory_of(table);
      chosen = choose(table, memory, 0, 0);
    }
    statistics = {table.places().rules().size(), chosen->candidates.size(), table.places().asked()};
    say("measure", 0, 1);
    out.rules = measured(chosen->rules(), material_, task_, pool_);
    if (out.held_out) {
      out.held_out->figures =
          held_out_figures(out.held_out->lists, options_.seed, material_, task_, pool_);
    }
    if (out.complete && !out.rules.empty()) {
      RuleBaselines& baselines = out.baselines.emplace();
      baselines.lists = random_lists(chosen->candidates, chosen->list, options_);
      baselines.random_rules = mean_figures(baselines.lists, material_, task_, pool_);
      baselines.random_edits = random_edits(out.rules, options_.seed, material_, task_, pool_);
    }
    return out;
  }

 private:
  struct Choice {
    std::vector<RuleCandidate> candidates;
    std::vector<std::size_t> list;

    [[nodiscard]] std::vector<Rule> rules() const {
      std::vector<Rule> out;
      for (const std::size_t c : list) out.push_back(candidates[c].rule);
      return out;
    }
  };

  void say(const char* stage, std::size_t done, std::size_t all) const {
    if (hooks_.progress) hooks_.progress(stage, done, all);
  }

  [[nodiscard]] GrowthMemory memory_of(const CandidateTable& table) const {
    std::size_t least = views_.num_inputs(0);
    for (std::size_t view = 0; view < views_.size(); ++view) {
      least = std::min(least, least_support(options_.min_support, views_.num_inputs(view)));
    }
    return {table.places(), least};
  }

  /// The best list by what the view has, and nothing else.
  [[nodiscard]] Choice choose(const CandidateTable& table, GrowthMemory& memory, std::size_t view,
                              std::size_t expansions) const {
    Choice out;
    out.candidates =
        grow_rules(memory, views_.inputs_of(view),
                   {.min_support = least_support(options_.min_support, views_.num_inputs(view)),
                    .expansions = expansions,
                    .without = table.unknown_to(view)},
                   pool_);
    out.list =
        choose_rules(out.candidates, options_.objective, inputs_.size(), options_.rules, 1, pool_);
    return out;
  }

  void hold_out(const CandidateTable& table, GrowthMemory& memory, RuleList& out) const {
    HeldOut held;
    for (std::size_t view = 1; view < views_.size(); ++view) {
      say("choose on parts", view - 1, views_.size() - 1);
      held.lists.push_back(choose(table, memory, view, options_.expansions).rules());
    }
    if (!held.lists.empty()) out.held_out = std::move(held);
  }

  const RuleMaterial& material_;
  const RuleTask& task_;
  const InduceOptions& options_;
  ThreadPool& pool_;
  const InduceHooks& hooks_;
  std::vector<Graph> inputs_;
  RuleViews views_;
};

}  // namespace

RuleList induce(const RuleMaterial& material, const RuleTask& task, const InduceOptions& options,
                ThreadPool& pool, const InduceHooks& hooks, InduceStatistics* statistics) {
  InduceStatistics unused;
  return Induction(material, task, options, pool, hooks)
      .run(statistics != nullptr ? *statistics : unused);
}

}  // namespace fewedits
