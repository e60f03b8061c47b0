// SPDX-License-Identifier: MIT
#include "fewedits/induction/two_steps.hpp"

#include <algorithm>
#include <memory>
#include <unordered_set>
#include <utility>

#include "fewedits/edit/moves.hpp"
#include "fewedits/induction/draft_tally.hpp"
#include "fewedits/induction/near_steps.hpp"

namespace fewedits {
namespace {

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

/// The first `most` inputs of the view, in random order, that nothing helps that it knows.
std::vector<std::uint32_t> left_in(std::size_t view, const PlaceTable& table,
                                   const std::vector<ViewSet>& known, const RuleViews& views,
                                   std::size_t most) {
  std::vector<bool> helped(table.graphs().size(), false);
  for (std::size_t r = 0; r < table.rules().size(); ++r) {
    if (!known[r][view]) continue;
    for (const RuleEntry& entry : table.rules()[r].entries()) {
      if (entry.works > 0) helped[entry.graph] = true;
    }
  }
  std::vector<std::uint32_t> out;
  for (const std::uint32_t input : views.order()) {
    if (out.size() == most) break;
    if (views.has(view, input) && !helped[input]) out.push_back(input);
  }
  return out;
}

}  // namespace

std::vector<ViewedRule> two_step_rules(const PlaceTable& table, const std::vector<ViewSet>& known,
                                       const RuleViews& views, const RuleMaterial& material,
                                       const RuleTask& task, std::size_t most, ThreadPool& pool) {
  std::vector<std::vector<bool>> looked(views.size());
  std::vector<std::uint32_t> inputs;
  for (std::size_t v = 0; v < views.size(); ++v) {
    looked[v].assign(table.graphs().size(), false);
    for (const std::uint32_t input : left_in(v, table, known, views, most)) {
      looked[v][input] = true;
      inputs.push_back(input);
    }
  }
  std::sort(inputs.begin(), inputs.end());
  inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
  std::vector<std::vector<DraftWords>> drafts(inputs.size());
  std::vector<std::unique_ptr<ThreadPool>> alone;
  alone.reserve(static_cast<std::size_t>(pool.size()));
  for (int i = 0; i < pool.size(); ++i) {
    alone.push_back(std::make_unique<ThreadPool>(1));
    alone.back()->obey(pool.stop_sign());
  }
  const TwoSteps two(material, task);
  pool.for_chunks(inputs.size(), 1, [&](std::size_t begin, std::size_t end, int worker) {
    for (std::size_t i = begin; i < end; ++i) {
      drafts[i] = two.of(table.graphs()[inputs[i]], *alone[static_cast<std::size_t>(worker)]);
    }
  });
  DraftTally tally;
  for (std::size_t i = 0; i < inputs.size(); ++i) tally.add(drafts[i], inputs[i]);
  // Support here is among those that are looked at, in which the pair of steps works.
  constexpr std::size_t kMost = 100;
  std::vector<ViewedRule> out;
  for (std::size_t v = 0; v < views.size(); ++v) {
    for (Rule& rule : tally.most_frequent(looked[v], kMost, 2)) {
      out.push_back({std::move(rule), views.only(v)});
    }
  }
  return merged(std::move(out));
}

}  // namespace fewedits
