// SPDX-License-Identifier: MIT
#include "fewedits/classifier/classifier.hpp"

#include <cassert>
#include <cmath>

namespace fewedits {
namespace {

std::vector<Judgement> judgements(std::span<const float> logs, std::size_t classes,
                                  std::size_t desired) {
  std::vector<Judgement> out;
  out.reserve(logs.size() / classes);
  for (std::size_t at = 0; at < logs.size(); at += classes) {
    const auto row = logs.subspan(at, classes);
    out.push_back({std::exp(static_cast<double>(row[desired])), predicted_class(row) == desired});
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

std::vector<Judgement> judge(std::span<const Graph> graphs, const Classifier& classifier,
                             std::size_t desired_class, ThreadPool& pool) {
  std::vector<float> logs(graphs.size() * classifier.num_classes());
  classifier.log_probabilities(graphs, logs, pool);
  return judgements(logs, classifier.num_classes(), desired_class);
}

std::vector<Judgement> judge_neighbours(const Graph& graph, std::span<const Edit> edits,
                                        std::span<const Graph> neighbours,
                                        const Classifier& classifier, std::size_t desired_class,
                                        ThreadPool& pool) {
  std::vector<float> logs(neighbours.size() * classifier.num_classes());
  classifier.neighbour_log_probabilities(graph, edits, neighbours, logs, pool);
  return judgements(logs, classifier.num_classes(), desired_class);
}

}  // namespace fewedits
