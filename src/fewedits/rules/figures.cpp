// SPDX-License-Identifier: MIT
#include "fewedits/rules/figures.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "fewedits/base/rng.hpp"
#include "fewedits/edit/neighbours.hpp"

namespace fewedits {
namespace {

/// A place whose result waits for the model.
struct Waiting {
  std::size_t rule = 0;
  std::size_t place = 0;
  Graph result;
};

/// Asks the model about graphs as they come, so many at a time.
class Jury {
 public:
  Jury(const Graph& graph, const RuleTask& task, ThreadPool& pool,
       std::vector<std::vector<JudgedPlace>>& places)
      : graph_(graph),
        task_(task),
        pool_(pool),
        places_(places),
        most_(neighbours_at_a_time(graph)) {}

  void ask(std::size_t rule, std::size_t place, Graph result, const std::optional<Edit>& edit) {
    if (edit) {
      singles_.push_back({rule, place, std::move(result)});
      edits_.push_back(*edit);
      if (singles_.size() >= most_) hear_singles();
    } else {
      others_.push_back({rule, place, std::move(result)});
      if (others_.size() >= most_) hear_others();
    }
  }
  void hear_all() {
    hear_singles();
    hear_others();
  }

 private:
  static std::vector<Graph> graphs_of(std::vector<Waiting>& waiting) {
    std::vector<Graph> out;
    out.reserve(waiting.size());
    for (Waiting& one : waiting) out.push_back(std::move(one.result));
    return out;
  }
  void note(std::vector<Waiting>& waiting, const std::vector<Judgement>& judged) {
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      places_[waiting[i].rule][waiting[i].place].works = judged[i].accepted;
    }
    waiting.clear();
  }
  void hear_singles() {
    if (singles_.empty()) return;
    const std::vector<Graph> graphs = graphs_of(singles_);
    auto judged = judge_neighbours(graph_, edits_, graphs, task_.classifier, task_.goal, pool_);
    ask_second(graphs, task_, pool_, judged);
    note(singles_, judged);
    edits_.clear();
  }
  void hear_others() {
    if (others_.empty()) return;
    const std::vector<Graph> graphs = graphs_of(others_);
    auto judged = judge(graphs, task_.classifier, task_.goal, pool_);
    ask_second(graphs, task_, pool_, judged);
    note(others_, judged);
  }

  const Graph& graph_;
  const RuleTask& task_;
  ThreadPool& pool_;
  std::vector<std::vector<JudgedPlace>>& places_;
  std::size_t most_;
  std::vector<Waiting> singles_;
  std::vector<Edit> edits_;
  std::vector<Waiting> others_;
};

}  // namespace

void ask_second(std::span<const Graph> graphs, const RuleTask& task, ThreadPool& pool,
                std::vector<Judgement>& judged) {
  if (!task.second) return;
  std::vector<std::size_t> places;
  std::vector<Graph> asked;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    if (!judged[i].accepted) continue;
    places.push_back(i);
    asked.push_back(graphs[i]);
  }
  const auto second = judge(asked, task.second->classifier, task.second->goal, pool);
  for (std::size_t i = 0; i < places.size(); ++i) judged[places[i]].accepted = second[i].accepted;
}

RuleCount count_of(std::span<const JudgedPlace> places) {
  RuleCount out;
  for (const JudgedPlace& place : places) {
    if (place.works) {
      ++out.works;
    } else if (out.works == 0) {
      ++out.before_first;
    }
    ++out.places;
  }
  return out;
}

std::vector<std::vector<JudgedPlace>> judged_places(const Graph& graph,
                                                    std::span<const RuleMatcher> rules,
                                                    const RuleTask& task, ThreadPool& pool) {
  std::vector<std::vector<JudgedPlace>> out(rules.size());
  const std::vector<Node> twins = first_twins(graph);
  const std::vector<std::uint32_t> labels = label_counts(graph);
  const std::size_t components = num_components(graph);
  Jury jury(graph, task, pool, out);
  for (std::size_t r = 0; r < rules.size(); ++r) {
    const Rule& rule = rules[r].rule();
    if (!rules[r].may_occur(labels)) continue;
    if (!is_within(task.limits.theta, rule, graph.size())) continue;
    for (const Place& place : rules[r].places(graph, twins)) {
      Graph result = rewritten(graph, rule, place.image);
      if (!is_allowed(result, rule, task.limits, components)) continue;
      out[r].push_back({place.key, place.image, false});
      jury.ask(r, out[r].size() - 1, std::move(result), as_single_edit(graph, rule, place.image));
    }
  }
  jury.hear_all();
  return out;
}

RuleCounts count_rules(std::span<const Rule> rules, std::span<const Graph> graphs,
                       const RuleTask& task, ThreadPool& pool) {
  const std::vector<RuleMatcher> matchers(rules.begin(), rules.end());
  RuleCounts out(rules.size(), std::vector<RuleCount>(graphs.size()));
  std::vector<std::unique_ptr<ThreadPool>> alone;
  alone.reserve(static_cast<std::size_t>(pool.size()));
  for (int i = 0; i < pool.size(); ++i) alone.push_back(std::make_unique<ThreadPool>(1));
  pool.for_chunks(graphs.size(), 4, [&](std::size_t begin, std::size_t end, int worker) {
    for (std::size_t i = begin; i < end; ++i) {
      pool.check_stop();
      const auto places =
          judged_places(graphs[i], matchers, task, *alone[static_cast<std::size_t>(worker)]);
      for (std::size_t r = 0; r < rules.size(); ++r) out[r][i] = count_of(places[r]);
    }
  });
  return out;
}

RuleFigures figures_of(std::span<const RuleCount> counts) {
  RuleFigures out;
  bool used = false;
  double no_luck = 1;
  for (const RuleCount& count : counts) {
    if (!count.applies()) continue;
    if (!used) {
      used = true;
      out.support = 1;
      out.on_average = count.share();
      out.everywhere = count.everywhere() ? 1 : 0;
    }
    if (out.somewhere == 0) {
      out.calls += count.calls();
      if (count.somewhere()) out.somewhere = 1;
    }
    no_luck *= 1 - count.share();
  }
  out.one_try = 1 - no_luck;
  return out;
}

RuleFigures mean_of(std::span<const RuleFigures> graphs) {
  RuleFigures sum;
  for (const RuleFigures& one : graphs) {
    sum.support += one.support;
    sum.somewhere += one.somewhere;
    sum.calls += one.calls;
    sum.on_average += one.on_average;
    sum.everywhere += one.everywhere;
    sum.one_try += one.one_try;
  }
  const double count = graphs.empty() ? 1 : static_cast<double>(graphs.size());
  return {sum.support / count,    sum.somewhere / count,  sum.calls / count,
          sum.on_average / count, sum.everywhere / count, sum.one_try / count};
}

RuleFigures list_figures(const RuleCounts& counts, std::size_t rules, std::size_t graphs) {
  std::vector<RuleFigures> each;
  each.reserve(graphs);
  std::vector<RuleCount> column(rules);
  for (std::size_t i = 0; i < graphs; ++i) {
    for (std::size_t r = 0; r < rules; ++r) column[r] = counts[r][i];
    each.push_back(figures_of(column));
  }
  return mean_of(each);
}

Interval interval_of(double share, std::size_t count) {
  return interval_of(share, count, 1.959963984540054);
}

Interval interval_of(double share, std::size_t count, double quantile) {
  if (count == 0) return {};
  const auto n = static_cast<double>(count);
  const double centre = (share + quantile * quantile / (2 * n)) / (1 + quantile * quantile / n);
  const double half =
      quantile / (1 + quantile * quantile / n) *
      std::sqrt(std::max(0.0, share * (1 - share)) / n + quantile * quantile / (4 * n * n));
  return {std::max(0.0, centre - half), std::min(1.0, centre + half)};
}

double corrected_quantile(std::size_t statements) {
  constexpr double kTail = 0.025;
  const double tail = kTail / static_cast<double>(std::max<std::size_t>(1, statements));
  // By bisection of erfc.
  double low = 0;
  double high = 40;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(middle / std::sqrt(2.0)) > tail ? low : high) = middle;
  }
  return low;
}

std::vector<std::uint32_t> fold_of_each(std::size_t count, std::size_t folds, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Rng rng(seed, 0x666f6c64);
  rng.shuffle(std::span(order));
  std::vector<std::uint32_t> out(count);
  for (std::size_t i = 0; i < count; ++i) out[order[i]] = static_cast<std::uint32_t>(i % folds);
  return out;
}

std::size_t num_with_pattern(std::span<const Graph> graphs, const Graph& pattern,
                             ThreadPool& pool) {
  std::atomic<std::size_t> count = 0;
  pool.for_chunks(graphs.size(), 16, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) count += has_pattern(graphs[i], pattern) ? 1 : 0;
  });
  return count;
}

}  // namespace fewedits
