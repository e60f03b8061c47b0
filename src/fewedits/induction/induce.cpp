// SPDX-License-Identifier: MIT
#include "fewedits/induction/induce.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "fewedits/base/hash.hpp"
#include "fewedits/base/rng.hpp"
#include "fewedits/edit/moves.hpp"
#include "fewedits/induction/choose.hpp"
#include "fewedits/induction/generalise.hpp"
#include "fewedits/induction/grow.hpp"
#include "fewedits/induction/place_table.hpp"

namespace fewedits {
namespace {

using DraftWords = std::vector<std::uint32_t>;

struct WordsHash {
  std::size_t operator()(const DraftWords& words) const { return hash_words(words).low; }
};

DraftWords words_of(const RuleDraft& draft) {
  DraftWords out{static_cast<std::uint32_t>(draft.nodes.size())};
  for (const RuleNode& v : draft.nodes) out.insert(out.end(), {v.before, v.after});
  for (const RuleEdge& e : draft.edges) out.insert(out.end(), {e.u, e.v, e.before, e.after});
  return out;
}

RuleDraft draft_in(const DraftWords& words) {
  RuleDraft out;
  std::size_t at = 1;
  for (std::uint32_t v = 0; v < words[0]; ++v, at += 2) {
    out.nodes.push_back({words[at], words[at + 1]});
  }
  for (; at < words.size(); at += 4) {
    out.edges.push_back({words[at], words[at + 1], words[at + 2], words[at + 3]});
  }
  return out;
}

/// Which graphs have what: many drafts are one rule, and the rule is made once for each.
class Tally {
 public:
  void add(const std::vector<DraftWords>& drafts_of_a_graph) {
    std::vector<std::size_t> rules;
    for (const DraftWords& words : drafts_of_a_graph) {
      const auto [at, is_new] = rule_of_draft_.try_emplace(words, kNone);
      if (is_new) at->second = number_of(words);
      if (at->second != kNone) rules.push_back(at->second);
    }
    std::sort(rules.begin(), rules.end());
    rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
    for (const std::size_t r : rules) ++support_[r];
    ++graphs_;
  }

  /// Ascending.
  [[nodiscard]] std::vector<Rule> with_support(std::size_t least) const {
    std::vector<Rule> out;
    for (const auto& [rule, number] : number_) {
      if (support_[number] >= least) out.push_back(rule);
    }
    return out;
  }

  /// Those with most support, and the simplest among equals; ascending.
  [[nodiscard]] std::vector<Rule> most_frequent(std::size_t most, std::size_t least) const {
    using Ranked = std::pair<std::tuple<std::size_t, int, std::size_t>, const Rule*>;
    std::vector<Ranked> ranked;
    for (const auto& [rule, number] : number_) {
      if (support_[number] < least) continue;
      ranked.push_back({{graphs_ - support_[number], rule.cost(), rule.nodes_before()}, &rule});
    }
    // Rules are in order already.
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const Ranked& a, const Ranked& b) { return a.first < b.first; });
    std::vector<Rule> out;
    for (const Ranked& one : ranked) {
      if (out.size() < most) out.push_back(*one.second);
    }
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::size_t number_of(const DraftWords& words) {
    const auto rule = rule_of(draft_in(words));
    if (!rule) return kNone;
    const auto [at, is_new] = number_.try_emplace(*rule, support_.size());
    if (is_new) support_.push_back(0);
    return at->second;
  }

  std::unordered_map<DraftWords, std::size_t, WordsHash> rule_of_draft_;
  std::map<Rule, std::size_t> number_;
  std::vector<std::size_t> support_;
  std::size_t graphs_ = 0;
};

NeighbourOptions neighbour_options(const RuleMaterial& material) {
  return {.num_labels = material.num_labels, .num_edge_labels = material.num_edge_labels};
}

bool is_near(const Graph& graph, std::span<const Edit> step, double theta) {
  const auto both =
      static_cast<double>(2 * static_cast<std::ptrdiff_t>(graph.size()) + size_change(step));
  return cost_of(step) / both <= theta;
}

std::size_t least_support(double share, std::size_t graphs) {
  const auto least = static_cast<std::size_t>(std::ceil(share * static_cast<double>(graphs)));
  return std::max<std::size_t>(1, least);
}

/// Two steps that lead to an accepted graph, from inputs for which one does not: the best
/// neighbours' neighbours.
class TwoSteps {
 public:
  TwoSteps(const RuleMaterial& material, const RuleTask& task) : material_(material), task_(task) {}

  /// Drafts of all pairs of steps that work, at most kMost.
  std::vector<DraftWords> of(const Graph& graph, ThreadPool& pool) const {
    const auto first = listed(graph);
    std::vector<std::pair<double, std::size_t>> best;
    const auto judged = judge_all(graph, first, pool);
    for (std::size_t i = 0; i < judged.size(); ++i) best.emplace_back(-judged[i].probability, i);
    const std::size_t count = std::min(kBeam, best.size());
    std::partial_sort(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(count), best.end());
    std::unordered_set<DraftWords, WordsHash> seen;
    std::vector<DraftWords> out;
    for (std::size_t b = 0; b < count; ++b) {
      const Step& step = first[best[b].second];
      const Graph next = apply_step(graph, step);
      const auto second = listed(next);
      const auto verdicts = judge_all(next, second, pool);
      for (std::size_t i = 0; i < second.size() && out.size() < kMost; ++i) {
        if (!verdicts[i].accepted) continue;
        Step both = step;
        both.insert(both.end(), second[i].begin(), second[i].end());
        const auto draft = draft_of(graph, both);
        if (!draft || num_before(*draft) > kMostBefore) continue;
        DraftWords words = words_of(*draft);
        if (seen.insert(words).second) out.push_back(std::move(words));
      }
    }
    return out;
  }

 private:
  static constexpr std::size_t kBeam = 8;
  static constexpr std::size_t kMost = 2000;
  /// Nodes of L: two changes far from each other are two rules' business.
  static constexpr std::size_t kMostBefore = 3;

  static std::size_t num_before(const RuleDraft& draft) {
    return static_cast<std::size_t>(std::count_if(draft.nodes.begin(), draft.nodes.end(),
                                                  [](const RuleNode& v) { return !v.comes(); }));
  }

  [[nodiscard]] std::vector<Step> listed(const Graph& graph) const {
    const Moves all = moves(graph, neighbour_options(material_), task_.limits.constraints);
    std::vector<Step> out;
    for (std::size_t m = 0; m < all.size(); ++m) {
      if (is_near(graph, all[m], task_.limits.theta))
        out.emplace_back(all[m].begin(), all[m].end());
    }
    return out;
  }
  [[nodiscard]] std::vector<Judgement> judge_all(const Graph& graph, const std::vector<Step>& steps,
                                                 ThreadPool& pool) const {
    const std::size_t most = neighbours_at_a_time(graph);
    const bool single =
        std::all_of(steps.begin(), steps.end(), [](const Step& s) { return s.size() == 1; });
    std::vector<Judgement> out;
    for (std::size_t first = 0; first < steps.size(); first += most) {
      const std::size_t end = std::min(steps.size(), first + most);
      std::vector<Graph> graphs;
      std::vector<Edit> edits;
      for (std::size_t i = first; i < end; ++i) {
        graphs.push_back(apply_step(graph, steps[i]));
        if (single) edits.push_back(steps[i].front());
      }
      const auto some =
          single ? judge_neighbours(graph, edits, graphs, task_.classifier, task_.goal, pool)
                 : judge(graphs, task_.classifier, task_.goal, pool);
      out.insert(out.end(), some.begin(), some.end());
    }
    return out;
  }

  const RuleMaterial& material_;
  const RuleTask& task_;
};

/// Rules of two steps for inputs that no rule of the table helps.
std::vector<Rule> two_step_rules(const PlaceTable& table, const RuleMaterial& material,
                                 const RuleTask& task, const InduceOptions& options,
                                 ThreadPool& pool) {
  std::vector<bool> helped(table.graphs().size(), false);
  for (const JudgedRule& rule : table.rules()) {
    for (const RuleEntry& entry : rule.entries()) {
      if (entry.works > 0) helped[entry.graph] = true;
    }
  }
  std::vector<std::uint32_t> left;
  for (std::uint32_t i = 0; i < helped.size(); ++i) {
    if (!helped[i]) left.push_back(i);
  }
  Rng rng(options.seed, 0x74776f);
  rng.shuffle(std::span(left));
  if (left.size() > options.two_steps) left.resize(options.two_steps);
  std::sort(left.begin(), left.end());
  std::vector<std::vector<DraftWords>> drafts(left.size());
  std::vector<std::unique_ptr<ThreadPool>> alone;
  alone.reserve(static_cast<std::size_t>(pool.size()));
  for (int i = 0; i < pool.size(); ++i) alone.push_back(std::make_unique<ThreadPool>(1));
  const TwoSteps two(material, task);
  pool.for_chunks(left.size(), 1, [&](std::size_t begin, std::size_t end, int worker) {
    for (std::size_t i = begin; i < end; ++i) {
      drafts[i] = two.of(table.graphs()[left[i]], *alone[static_cast<std::size_t>(worker)]);
    }
  });
  Tally tally;
  for (const auto& one : drafts) tally.add(one);
  // Support here is among those that are looked at, in which the pair of steps works.
  constexpr std::size_t kMost = 100;
  return tally.most_frequent(kMost, 2);
}

std::vector<Rule> rules_in(const std::vector<RuleCandidate>& candidates,
                           const std::vector<std::size_t>& list) {
  std::vector<Rule> out;
  out.reserve(list.size());
  for (const std::size_t c : list) out.push_back(candidates[c].rule);
  return out;
}

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
        inputs_(material.of(material.inputs)) {}

  RuleList run(InduceStatistics& statistics) {
    RuleList out;
    out.objective = options_.objective;
    out.theta = task_.limits.theta;
    out.plausible = task_.limits.known != nullptr;
    out.inputs = material_.inputs;
    std::vector<Rule> chosen;
    std::vector<std::vector<Rule>> random;
    {
      const StopScope scope(pool_, hooks_.stop);
      const PlaceTable table = make_table(statistics);
      say("choose rules", 0, 1);
      const std::vector<bool> all(inputs_.size(), true);
      const auto candidates = grow_rules(table, all, grow_options(inputs_.size()), pool_);
      statistics.candidates = candidates.size();
      const auto list =
          choose_rules(candidates, options_.objective, inputs_.size(), options_.rules, 1, pool_);
      chosen = rules_in(candidates, list);
      random = random_lists(candidates, list, options_);
      if (options_.folds > 1 && inputs_.size() >= options_.folds) hold_out(table, out);
    }
    // What was chosen is measured in any case.
    const StopScope scope(pool_, nullptr);
    say("measure", 0, 1);
    out.rules = measured(chosen, material_, task_, pool_);
    if (out.held_out) {
      out.held_out->figures =
          held_out_figures(out.held_out->lists, options_.seed, material_, task_, pool_);
    }
    if (out.complete && !chosen.empty()) {
      RuleBaselines& baselines = out.baselines.emplace();
      baselines.lists = std::move(random);
      baselines.random_rules = mean_figures(baselines.lists, material_, task_, pool_);
      baselines.random_edits = random_edits(out.rules, options_.seed, material_, task_, pool_);
    }
    return out;
  }

 private:
  void say(const char* stage, std::size_t done, std::size_t all) const {
    if (hooks_.progress) hooks_.progress(stage, done, all);
  }

  [[nodiscard]] GrowOptions grow_options(std::size_t graphs) const {
    return {.min_support = least_support(options_.min_support, graphs),
            .expansions = options_.expansions};
  }

  PlaceTable make_table(InduceStatistics& statistics) {
    say("list steps", 0, 1);
    // A part of the inputs needs less support than all.
    const std::size_t least =
        least_support(options_.min_support,
                      inputs_.size() - (options_.folds > 1 ? inputs_.size() / options_.folds : 0));
    std::vector<Rule> cores = step_rules(inputs_, material_, task_, least, pool_);
    cores.insert(cores.end(), options_.more_candidates.begin(), options_.more_candidates.end());
    const auto tidy = [](std::vector<Rule>& rules) {
      std::sort(rules.begin(), rules.end());
      rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
    };
    tidy(cores);
    const auto progress = [&](std::size_t done) { say("try rules", done, inputs_.size()); };
    PlaceTable table(cores, inputs_, task_, pool_, progress);
    statistics.asked = table.asked();
    statistics.cores = cores.size();
    if (options_.two_steps == 0) return table;
    say("try two steps", 0, 1);
    std::vector<Rule> two = two_step_rules(table, material_, task_, options_, pool_);
    std::erase_if(two, [&](const Rule& rule) {
      return std::binary_search(cores.begin(), cores.end(), rule);
    });
    const PlaceTable of_two(two, inputs_, task_, pool_, progress);
    statistics.asked += of_two.asked();
    statistics.cores += two.size();
    table.take(of_two);
    return table;
  }

  void hold_out(const PlaceTable& table, RuleList& out) {
    const auto part = fold_of_each(inputs_.size(), options_.folds, options_.seed);
    HeldOut held;
    try {
      for (std::uint32_t f = 0; f < options_.folds; ++f) {
        say("choose on parts", f, options_.folds);
        std::vector<bool> counts(inputs_.size());
        for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = part[i] != f;
        const auto graphs =
            static_cast<std::size_t>(std::count(counts.begin(), counts.end(), true));
        const auto candidates = grow_rules(table, counts, grow_options(graphs), pool_);
        held.lists.push_back(
            rules_in(candidates, choose_rules(candidates, options_.objective, inputs_.size(),
                                              options_.rules, 1, pool_)));
      }
      out.held_out = std::move(held);
    } catch (const Stopped&) {
      out.complete = false;
    }
  }

  const RuleMaterial& material_;
  const RuleTask& task_;
  const InduceOptions& options_;
  ThreadPool& pool_;
  const InduceHooks& hooks_;
  std::vector<Graph> inputs_;
};

}  // namespace

std::vector<Rule> step_rules(std::span<const Graph> graphs, const RuleMaterial& material,
                             const RuleTask& task, std::size_t min_support, ThreadPool& pool) {
  Tally tally;
  constexpr std::size_t kAtATime = 64;
  for (std::size_t first = 0; first < graphs.size(); first += kAtATime) {
    const std::size_t count = std::min(kAtATime, graphs.size() - first);
    std::vector<std::vector<DraftWords>> drafts(count);
    pool.for_chunks(count, 1, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t i = begin; i < end; ++i) {
        const Graph& graph = graphs[first + i];
        const Moves all = moves(graph, neighbour_options(material), task.limits.constraints);
        std::unordered_set<DraftWords, WordsHash> seen;
        for (std::size_t m = 0; m < all.size(); ++m) {
          if (!is_near(graph, all[m], task.limits.theta)) continue;
          const auto draft = draft_of(graph, all[m]);
          if (!draft) continue;
          DraftWords words = words_of(*draft);
          if (seen.insert(words).second) drafts[i].push_back(std::move(words));
        }
      }
    });
    for (const auto& one : drafts) tally.add(one);
  }
  return tally.with_support(min_support);
}

RuleList induce(const RuleMaterial& material, const RuleTask& task, const InduceOptions& options,
                ThreadPool& pool, const InduceHooks& hooks, InduceStatistics* statistics) {
  InduceStatistics unused;
  return Induction(material, task, options, pool, hooks)
      .run(statistics != nullptr ? *statistics : unused);
}

}  // namespace fewedits
