// SPDX-License-Identifier: MIT
#include "fewedits/classifier/classifier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "fewedits/base/error.hpp"
#include "fewedits/chem/graph_view.hpp"

namespace fewedits {
namespace {

/// A probability of 0 has the logarithm -∞: right, if the other classes have all the rest.
bool is_distribution(std::span<const float> row) {
  double total = 0;
  for (const float value : row) total += std::exp(static_cast<double>(value));
  return std::abs(total - 1) <= 1e-3;
}

/// Index of the first value in a row that is no logarithm of a probability; row.size(): none.
std::size_t first_impossible(std::span<const float> row) {
  const auto never = std::ranges::find_if(
      row, [](float value) { return std::isnan(value) || (std::isinf(value) && value > 0); });
  if (never != row.end()) return static_cast<std::size_t>(never - row.begin());
  const auto zero = std::ranges::find_if(row, [](float value) { return std::isinf(value); });
  if (zero == row.end() || is_distribution(row)) return row.size();
  return static_cast<std::size_t>(zero - row.begin());
}

std::string class_in_words(const Classifier& classifier, std::size_t index) {
  const auto names = classifier.class_names();
  if (names.empty()) return fmt::format("class {}", index);
  return fmt::format("class {} ({})", index, in_quotes(names[index]));
}

std::string graph_in_words(const Graph& graph, std::size_t index, GraphsFrom from) {
  const std::string size = fmt::format("{} nodes, {} edges", graph.num_nodes(), graph.num_edges());
  if (from == GraphsFrom::kDataset) return fmt::format("graph {} of the dataset ({})", index, size);
  return fmt::format("a counterfactual candidate ({}; number {} of those it was asked about)", size,
                     index);
}

void check_answers(std::span<const Graph> graphs, std::span<const float> logs,
                   const Classifier& classifier, GraphsFrom from) {
  const std::size_t classes = classifier.num_classes();
  // Nearly always all is well: one pass over plain numbers.
  if (std::ranges::all_of(logs, [](float value) { return std::isfinite(value); })) return;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const auto row = logs.subspan(i * classes, classes);
    const std::size_t c = first_impossible(row);
    if (c == classes) continue;
    throw Error({classifier.origin()},
                fmt::format("the model gives {} as the log-probability of {} for {}",
                            // A sign of NaN means nothing.
                            std::isnan(row[c]) ? std::abs(row[c]) : row[c],
                            class_in_words(classifier, c), graph_in_words(graphs[i], i, from)),
                "its answers must be numbers: look for weights so large that sums overflow, or for "
                "a training run that diverged");
  }
}

double probability_in(float log) { return std::exp(static_cast<double>(log)); }

/// Of two classes, the other one has the rest.
double runner_up_in(std::span<const float> row, std::size_t desired) {
  if (row.size() == 2) return 1 - probability_in(row[desired]);
  float most = -std::numeric_limits<float>::infinity();
  for (std::size_t c = 0; c < row.size(); ++c) {
    if (c != desired) most = std::max(most, row[c]);
  }
  return probability_in(most);
}

std::vector<Judgement> judgements(std::span<const float> logs, std::size_t classes,
                                  const Goal& goal) {
  const std::size_t desired = goal.desired_class;
  std::vector<Judgement> out;
  out.reserve(logs.size() / classes);
  for (std::size_t at = 0; at < logs.size(); at += classes) {
    const auto row = logs.subspan(at, classes);
    Judgement& judged = out.emplace_back(Judgement{
        probability_in(row[desired]), runner_up_in(row, desired), predicted_class(row) == desired});
    judged.accepted = goal.acceptance.holds(judged);
  }
  return out;
}

}  // namespace

void Classifier::neighbour_log_probabilities(const Graph& /*graph*/,
                                             [[maybe_unused]] std::span<const Edit> edits,
                                             std::span<const Graph> neighbours,
                                             std::span<float> out, ThreadPool& pool) const {
  assert(edits.size() == neighbours.size());
  log_probabilities(neighbours, out, pool);
}

std::vector<float> checked_log_probabilities(std::span<const Graph> graphs,
                                             const Classifier& classifier, GraphsFrom from,
                                             ThreadPool& pool) {
  std::vector<float> logs(graphs.size() * classifier.num_classes());
  classifier.log_probabilities(graphs, logs, pool);
  check_answers(graphs, logs, classifier, from);
  return logs;
}

std::vector<float> checked_log_probabilities(const Dataset& dataset, const Classifier& classifier,
                                             ThreadPool& pool) {
  if (classifier.num_edge_labels() == 0) {
    return checked_log_probabilities(dataset.graphs, classifier, GraphsFrom::kDataset, pool);
  }
  const GraphView view(dataset, true);
  std::vector<Graph> seen(dataset.size());
  pool.for_chunks(seen.size(), 32, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) seen[i] = view(dataset.graphs[i]);
  });
  return checked_log_probabilities(seen, classifier, GraphsFrom::kDataset, pool);
}

std::vector<float> checked_log_probabilities(const Graph& graph, std::span<const Edit> edits,
                                             std::span<const Graph> neighbours,
                                             const Classifier& classifier, ThreadPool& pool) {
  std::vector<float> logs(neighbours.size() * classifier.num_classes());
  classifier.neighbour_log_probabilities(graph, edits, neighbours, logs, pool);
  check_answers(neighbours, logs, classifier, GraphsFrom::kSearch);
  return logs;
}

bool Acceptance::holds(const Judgement& judged) const {
  // With a lead of 0 ties are left, which the prediction decides.
  return judged.predicted && judged.lead() >= min_lead && judged.probability >= min_probability;
}

bool Acceptance::nearly_holds(const Judgement& judged) const {
  constexpr double kRounding = 1e-5;  // of each probability
  return judged.lead() >= min_lead - 2 * kRounding &&
         judged.probability >= min_probability - kRounding;
}

std::vector<Judgement> judge(std::span<const Graph> graphs, const Classifier& classifier,
                             const Goal& goal, ThreadPool& pool, GraphsFrom from) {
  const auto logs = checked_log_probabilities(graphs, classifier, from, pool);
  return judgements(logs, classifier.num_classes(), goal);
}

std::vector<Judgement> judge_neighbours(const Graph& graph, std::span<const Edit> edits,
                                        std::span<const Graph> neighbours,
                                        const Classifier& classifier, const Goal& goal,
                                        ThreadPool& pool) {
  const auto logs = checked_log_probabilities(graph, edits, neighbours, classifier, pool);
  return judgements(logs, classifier.num_classes(), goal);
}

}  // namespace fewedits
