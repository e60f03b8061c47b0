// SPDX-License-Identifier: MIT
#include "fewedits/induction/fragility.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "fewedits/edit/moves.hpp"

namespace fewedits {
namespace {

class OneGraph {
 public:
  OneGraph(const Graph& graph, bool accepted, const RuleMaterial& material, const RuleTask& task,
           ThreadPool& pool)
      : start_(graph), accepted_(accepted), material_(material), task_(task), pool_(pool) {}

  FragileGraph look() {
    FragileGraph out;
    const Neighbours first = neighbours_of(start_, 0);
    out.steps = first.steps.size();
    for (const Judgement& one : first.judged) out.enough += changes(one) ? 1U : 0U;
    if (out.enough > 0) {
      out.fewest_known = 1;
    } else if (pair_is_enough(first)) {
      out.fewest_known = 2;
    }
    return out;
  }

 private:
  struct Neighbours {
    std::vector<Step> steps;
    std::vector<Judgement> judged;
  };

  [[nodiscard]] bool changes(const Judgement& one) const {
    return accepted_ ? !one.predicted : one.accepted;
  }

  /// `spent`: edits that led to the graph.
  [[nodiscard]] Neighbours neighbours_of(const Graph& graph, int spent) const {
    const Moves all = moves(
        graph, {.num_labels = material_.num_labels, .num_edge_labels = material_.num_edge_labels},
        task_.limits.constraints);
    Neighbours out;
    const std::size_t most = neighbours_at_a_time(graph);
    std::vector<Graph> results;
    std::vector<Edit> edits;
    const auto judge_some = [&] {
      auto some = edits.size() == results.size()
                      ? judge_neighbours(graph, edits, results, task_.classifier, task_.goal, pool_)
                      : judge(results, task_.classifier, task_.goal, pool_);
      ask_second(results, task_, pool_, some);
      out.judged.insert(out.judged.end(), some.begin(), some.end());
      results.clear();
      edits.clear();
    };
    for (std::size_t m = 0; m < all.size(); ++m) {
      Graph result = apply_step(graph, all[m]);
      const auto both = static_cast<double>(start_.size() + result.size());
      if ((spent + cost_of(all[m])) / both > task_.limits.theta) continue;
      if (task_.limits.known && !task_.limits.known->contain_all_of(result)) continue;
      out.steps.emplace_back(all[m].begin(), all[m].end());
      results.push_back(std::move(result));
      if (all[m].size() == 1) edits.push_back(all[m].front());
      if (results.size() >= most) judge_some();
    }
    if (!results.empty()) judge_some();
    return out;
  }

  [[nodiscard]] bool pair_is_enough(const Neighbours& first) const {
    std::vector<std::pair<double, std::size_t>> best;
    for (std::size_t i = 0; i < first.judged.size(); ++i) {
      const double p = first.judged[i].probability;
      best.emplace_back(accepted_ ? p : -p, i);
    }
    const std::size_t count = std::min(kFragileBeam, best.size());
    std::partial_sort(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(count), best.end());
    for (std::size_t b = 0; b < count; ++b) {
      const Step& step = first.steps[best[b].second];
      const Neighbours second = neighbours_of(apply_step(start_, step), cost_of(step));
      if (std::any_of(second.judged.begin(), second.judged.end(),
                      [&](const Judgement& one) { return changes(one); })) {
        return true;
      }
    }
    return false;
  }

  const Graph& start_;
  bool accepted_;
  const RuleMaterial& material_;
  const RuleTask& task_;
  ThreadPool& pool_;
};

}  // namespace

std::vector<FragileGraph> fragile_graphs(std::span<const std::uint32_t> graphs, bool accepted,
                                         const RuleMaterial& material, const RuleTask& task,
                                         ThreadPool& pool,
                                         const std::function<void(std::size_t)>& progress) {
  std::vector<FragileGraph> out(graphs.size());
  std::vector<std::unique_ptr<ThreadPool>> alone;
  for (int i = 0; i < pool.size(); ++i) {
    alone.push_back(std::make_unique<ThreadPool>(1));
    alone.back()->obey(pool.stop_sign());
  }
  constexpr std::size_t kAtATime = 64;
  for (std::size_t first = 0; first < graphs.size(); first += kAtATime) {
    const std::size_t count = std::min(kAtATime, graphs.size() - first);
    pool.for_chunks(count, 1, [&](std::size_t begin, std::size_t end, int worker) {
      for (std::size_t i = first + begin; i < first + end; ++i) {
        out[i] = OneGraph(material.graphs[graphs[i]], accepted, material, task,
                          *alone[static_cast<std::size_t>(worker)])
                     .look();
        out[i].graph = graphs[i];
      }
    });
    if (progress) progress(first + count);
  }
  return out;
}

}  // namespace fewedits
