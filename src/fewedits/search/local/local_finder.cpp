// SPDX-License-Identifier: MIT
#include "fewedits/search/local/local_finder.hpp"

#include <numeric>
#include <utility>

#include "fewedits/search/parts.hpp"

namespace fewedits {
namespace {

class Search final : public LocalFinder {
 public:
  explicit Search(const LocalTask& task) : task_(task) {}

  std::optional<LocalCounterfactual> find(const Graph& input, std::uint32_t /*number*/,
                                          ThreadPool& pool) override {
    const CutRules& rules = task_.task.rules;
    return local_counterfactual(input, task_.task.classifier, rules.goal, rules.constraints,
                                task_.search, pool);
  }

 private:
  LocalTask task_;
};

class EdgeCutter final : public LocalFinder {
 public:
  EdgeCutter(const EdgeExplainerKind& kind, const LocalTask& task, ThreadPool& pool)
      : task_(task), explainer_(kind.make(task.task, task.settings, pool)) {}

  bool prepare(ThreadPool& pool, const LocalWatch& watch) override {
    const StopScope scope(pool, task_.search.ged.budget.stop);
    const std::uint64_t rounds = explainer_->rounds();
    while (explainer_->training().rounds < rounds) {
      if (!watch(explainer_->training().rounds, rounds)) return false;
      explainer_->train(pool);
    }
    return true;
  }

  std::optional<LocalCounterfactual> find(const Graph& input, std::uint32_t number,
                                          ThreadPool& pool) override {
    const StopScope scope(pool, task_.search.ged.budget.stop);
    auto found = as_it_is(input, pool);
    if (!found) found = std::move(explainer_->explain({&input, 1}, {&number, 1}, pool).front());
    if (!found) return std::nullopt;
    return with_distance(input, std::move(found->graph), std::move(found->map), found->judged,
                         task_.search);
  }

 private:
  [[nodiscard]] std::optional<EdgeCut> as_it_is(const Graph& input, ThreadPool& pool) const {
    NodeMap map(input.num_nodes());
    std::iota(map.begin(), map.end(), Node{0});
    std::vector<CutGraph> whole{{input, std::move(map)}};
    return judged_cuts(std::move(whole), task_.task.rules, task_.task.classifier, pool).front();
  }

  LocalTask task_;
  std::unique_ptr<EdgeExplainer> explainer_;
};

LocalFinderKind search_finder() {
  return {.about = "a short search on the edit map",
          .subject = "a short search",
          .make = [](const LocalTask& task, ThreadPool&) { return std::make_unique<Search>(task); },
          .freezes = true};
}

LocalFinderKind cutting_finder(const std::string& name, const EdgeExplainerKind& kind) {
  return {
      .about = kind.about,
      .subject = name,
      .make = [kind](const LocalTask& task,
                     ThreadPool& pool) { return std::make_unique<EdgeCutter>(kind, task, pool); },
      .cuts_edges = true,
      .needs_gradients = kind.needs_gradients};
}

void find_each(LocalFinder& finder, const LocalTask& task, std::span<const Graph> graphs,
               std::span<const std::uint32_t> numbers, ThreadPool& pool,
               const LocalWatches& watches, std::vector<LocalAnswer>& out) {
  const auto goes_on = [](const LocalWatch& watch, std::uint64_t done, std::uint64_t total) {
    return !watch || watch(done, total);
  };
  const StopSign* const stop = task.search.ged.budget.stop;
  const auto is_stopped = [stop] { return stop != nullptr && stop->is_set(); };
  const bool ready = finder.prepare(pool, [&](std::uint64_t done, std::uint64_t total) {
    return goes_on(watches.training, done, total);
  });
  if (!ready) return;
  for (std::size_t i = 0; i < graphs.size() && !is_stopped(); ++i) {
    LocalAnswer& answer = out.emplace_back();
    answer.found = finder.find(graphs[i], numbers[i], pool);
    answer.searched = !is_stopped();
    if (!goes_on(watches.searching, out.size(), graphs.size())) return;
  }
}

}  // namespace

std::vector<LocalAnswer> find_for_each(const LocalFinderKind& kind, const LocalTask& task,
                                       std::span<const Graph> graphs,
                                       std::span<const std::uint32_t> numbers, ThreadPool& pool,
                                       const LocalWatches& watches) {
  const LocalAnswer not_searched{.found = {}, .searched = false};
  std::vector<LocalAnswer> out;
  try {
    find_each(*kind.make(task, pool), task, graphs, numbers, pool, watches, out);
  } catch (const Stopped&) {
    if (!out.empty()) out.back() = not_searched;
  }
  out.resize(graphs.size(), not_searched);
  return out;
}

std::vector<LocalAnswer> find_for_each(const LocalFinderKind& kind, const Dataset& dataset,
                                       const GraphView& view, const Classifier& classifier,
                                       const LocalRequest& request,
                                       std::span<const std::uint32_t> inputs, ThreadPool& pool,
                                       const LocalWatches& watches) {
  const std::vector<Graph> trained_on = view.of(dataset, request.rejected);
  const std::vector<Graph> accepted = view.of(dataset, request.accepted);
  LocalTask task{{classifier, request.rules, trained_on, request.rejected, accepted, request.seed},
                 request.settings,
                 {}};
  task.search.frozen = request.frozen;
  task.search.ged.budget.stop = request.stop;
  task.search.ged.costs.relabel_edge = view.has_bonds() ? 1 : 0;
  task.search.num_edge_labels = view.edge_label_names().size();
  return find_for_each(kind, task, view.of(dataset, inputs), inputs, pool, watches);
}

Registry<LocalFinderKind> local_finders(const Parts& parts) {
  Registry<LocalFinderKind> out("way to find a graph's own counterfactual");
  out.add("search", search_finder());
  const auto explainers = edge_explainers(parts);
  for (const std::string& name : explainers.names()) {
    out.add(name, cutting_finder(name, explainers.at(name)));
  }
  return out;
}

}  // namespace fewedits
