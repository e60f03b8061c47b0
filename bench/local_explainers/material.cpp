// SPDX-License-Identifier: MIT
#include "local_explainers/material.hpp"

#include <algorithm>

#include "fewedits/cover/greedy.hpp"
#include "fewedits/search/parts.hpp"
#include "support/clock.hpp"

namespace fewedits::bench {
namespace {

constexpr std::size_t kChosen = 10;

std::vector<float> embedded(std::span<const Graph> graphs, const GinEmbedder& greed,
                            ThreadPool& pool) {
  std::vector<float> out(graphs.size() * greed.dimension());
  greed.embed(graphs, out, pool);
  return out;
}

/// GREED's, normalised by the sizes of both.
class Distances {
 public:
  Distances(std::span<const Graph> from, std::span<const Graph> to, const GinEmbedder& greed,
            ThreadPool& pool)
      : from_(from),
        to_(to),
        size_(greed.dimension()),
        from_rows_(embedded(from, greed, pool)),
        to_rows_(embedded(to, greed, pool)) {}

  [[nodiscard]] double between(std::size_t i, std::size_t j) const {
    const auto a = std::span(from_rows_).subspan(i * size_, size_);
    const auto b = std::span(to_rows_).subspan(j * size_, size_);
    return double{embedding_distance(a, b)} / static_cast<double>(from_[i].size() + to_[j].size());
  }

 private:
  std::span<const Graph> from_;
  std::span<const Graph> to_;
  std::size_t size_;
  std::vector<float> from_rows_;
  std::vector<float> to_rows_;
};

double covered(const Distances& distances, std::size_t inputs, std::size_t candidates) {
  std::vector<std::vector<std::uint32_t>> covers(candidates);
  for (std::size_t c = 0; c < candidates; ++c) {
    for (std::uint32_t i = 0; i < inputs; ++i) {
      if (distances.between(i, c) <= kEditTheta) covers[c].push_back(i);
    }
  }
  std::size_t out = 0;
  for (const Pick& p : greedy_summary(covers, inputs, kChosen)) out += p.gain;
  return static_cast<double>(out) / static_cast<double>(inputs);
}

}  // namespace

Material::Material(const std::string& dataset, std::size_t every, bool keep_isolated,
                   ThreadPool& pool)
    : published_(dataset), rules_{{published_.desired_class()}, {}, keep_isolated} {
  const RejectedGraphs graphs = rejected_graphs(published_.data, *published_.classifier, pool);
  for (std::size_t i = 0; i < graphs.rejected.size(); i += every) {
    numbers_.push_back(graphs.rejected[i]);
  }
  inputs_ = without_edge_labels(published_.data, numbers_);
  accepted_ = without_edge_labels(published_.data, graphs.accepted);
}

std::unique_ptr<EdgeExplainer> Material::explainer(const std::string& method,
                                                   const LocalSettings& settings,
                                                   ThreadPool& pool) const {
  const EdgeTask task{*published_.classifier, rules_, inputs_, numbers_, accepted_, kSeed};
  auto out = edge_explainers(builtin_parts()).at(method).make(task, settings, pool);
  while (out->training().rounds < out->rounds()) out->train(pool);
  return out;
}

Trial try_out(const std::string& method, const LocalSettings& settings, const Material& material,
              ThreadPool& pool) {
  const auto start = Clock::now();
  const auto found = material.explainer(method, settings, pool)
                         ->explain(material.inputs(), material.numbers(), pool);
  Trial out{.settings = settings};
  out.seconds = seconds_since(start);
  std::vector<Graph> cuts;
  std::vector<std::size_t> inputs;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i]) continue;
    cuts.push_back(found[i]->graph);
    inputs.push_back(i);
  }
  if (cuts.empty()) return out;
  const Distances distances(material.inputs(), cuts, material.greed(), pool);
  for (std::size_t c = 0; c < cuts.size(); ++c) {
    const Graph& input = material.inputs()[inputs[c]];
    out.distance += distances.between(inputs[c], c);
    out.removed += static_cast<double>(input.num_edges() - cuts[c].num_edges()) /
                   static_cast<double>(input.size() + cuts[c].size());
  }
  const auto flipped = static_cast<double>(cuts.size());
  out.distance /= flipped;
  out.removed /= flipped;
  out.flipped = flipped / static_cast<double>(found.size());
  out.coverage = covered(distances, found.size(), cuts.size());
  return out;
}

}  // namespace fewedits::bench
