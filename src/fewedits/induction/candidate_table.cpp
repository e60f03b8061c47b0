// SPDX-License-Identifier: MIT
#include "fewedits/induction/candidate_table.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "fewedits/edit/moves.hpp"
#include "fewedits/induction/draft_tally.hpp"
#include "fewedits/induction/more_changes.hpp"
#include "fewedits/induction/near_steps.hpp"
#include "fewedits/induction/two_steps.hpp"

namespace fewedits {
namespace {

/// What the steps of one graph are as rules, each once.
std::vector<DraftWords> drafts_of(const Graph& graph, const RuleMaterial& material,
                                  const RuleTask& task) {
  const Moves all = moves(graph, neighbour_options(material), task.limits.constraints);
  std::unordered_set<DraftWords, WordsHash> seen;
  std::vector<DraftWords> out;
  for (std::size_t m = 0; m < all.size(); ++m) {
    if (!is_near(graph, all[m], task.limits.theta)) continue;
    const auto draft = draft_of(graph, all[m]);
    if (!draft) continue;
    DraftWords words = words_of(*draft);
    if (seen.insert(words).second) out.push_back(std::move(words));
  }
  return out;
}

}  // namespace

CandidateTable::CandidateTable(std::span<const Graph> inputs, const RuleViews& views,
                               const RuleMaterial& material, const RuleTask& task,
                               const InduceOptions& options)
    : inputs_(inputs),
      views_(views),
      material_(material),
      task_(task),
      options_(options),
      table_(inputs) {}

std::vector<ViewedRule> CandidateTable::single_steps(ThreadPool& pool) const {
  DraftTally tally;
  constexpr std::size_t kAtATime = 64;
  for (std::size_t first = 0; first < inputs_.size(); first += kAtATime) {
    const std::size_t count = std::min(kAtATime, inputs_.size() - first);
    std::vector<std::vector<DraftWords>> drafts(count);
    pool.for_chunks(count, 1, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t i = begin; i < end; ++i) {
        drafts[i] = drafts_of(inputs_[first + i], material_, task_);
      }
    });
    for (std::size_t i = 0; i < count; ++i) tally.add(drafts[i], first + i);
  }
  std::vector<ViewedRule> out;
  for (std::size_t v = 0; v < views_.size(); ++v) {
    const std::size_t least = least_support(options_.min_support, views_.num_inputs(v));
    for (Rule& rule : tally.with_support(views_.inputs_of(v), least)) {
      out.push_back({std::move(rule), views_.only(v)});
    }
  }
  return out;
}

std::vector<ViewedRule> CandidateTable::first_rules(ThreadPool& pool) const {
  std::vector<ViewedRule> out = single_steps(pool);
  for (const BroughtRule& one : options_.more_candidates) {
    ViewSet views = views_.only(0);
    if (one.input) {
      const auto at =
          std::lower_bound(material_.inputs.begin(), material_.inputs.end(), *one.input);
      if (at != material_.inputs.end() && *at == *one.input) {
        const auto input = static_cast<std::size_t>(at - material_.inputs.begin());
        for (std::size_t v = 0; v < views.size(); ++v) views[v] = views_.has(v, input);
      }
    }
    out.push_back({one.rule, std::move(views)});
  }
  return merged(std::move(out));
}

bool CandidateTable::add(std::vector<ViewedRule> rules, ThreadPool& pool,
                         const InduceHooks& hooks) {
  std::vector<Rule> fresh;
  std::vector<ViewSet> known;
  for (ViewedRule& one : rules) {
    const auto& have = table_.rules();
    const auto at = std::find_if(have.begin(), have.end(),
                                 [&](const JudgedRule& other) { return other.rule() == one.rule; });
    if (at == have.end()) {
      fresh.push_back(std::move(one.rule));
      known.push_back(std::move(one.views));
      continue;
    }
    ViewSet& views = known_[static_cast<std::size_t>(at - have.begin())];
    for (std::size_t v = 0; v < views.size(); ++v) views[v] = views[v] || one.views[v];
  }
  const bool whole = table_.add(fresh, task_, pool, [&](std::size_t done) {
    if (hooks.progress) hooks.progress("try rules", done, inputs_.size());
  });
  known_.insert(known_.end(), known.begin(), known.end());
  return whole;
}

bool CandidateTable::fill(ThreadPool& pool, const InduceHooks& hooks) {
  const auto say = [&](const char* stage, std::size_t done, std::size_t all) {
    if (hooks.progress) hooks.progress(stage, done, all);
  };
  say("list steps", 0, 1);
  if (!add(first_rules(pool), pool, hooks)) return false;
  try {
    if (options_.two_steps > 0) {
      say("try two steps", 0, 1);
      add(two_step_rules(table_, known_, views_, material_, task_, options_.two_steps, pool), pool,
          hooks);
    }
    std::vector<ViewSet> used;
    MoreChangesOptions more;
    more.min_support = options_.min_support;
    for (std::size_t round = 0; round < options_.more_changes; ++round) {
      say("change more", round, options_.more_changes);
      used.resize(known_.size(), ViewSet(views_.size(), false));
      auto rules =
          rules_with_more_changes(table_, known_, used, views_, material_, task_, more, pool);
      if (rules.empty()) break;
      add(std::move(rules), pool, hooks);
    }
  } catch (const Stopped&) {
    return false;
  }
  return true;
}

std::vector<bool> CandidateTable::unknown_to(std::size_t view) const {
  std::vector<bool> out;
  for (const ViewSet& views : known_) out.push_back(!views[view]);
  return out;
}

}  // namespace fewedits
