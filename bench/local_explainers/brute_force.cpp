// SPDX-License-Identifier: MIT
#include "local_explainers/brute_force.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "fewedits/search/baselines/cff.hpp"

namespace fewedits::bench {
namespace {

using Edges = std::vector<std::uint32_t>;

/// The next set of that size, in order; false after the last.
bool advance(Edges& set, std::uint32_t edges) {
  for (std::size_t i = set.size(); i-- > 0;) {
    if (set[i] == edges - (set.size() - i)) continue;
    ++set[i];
    for (std::size_t j = i + 1; j < set.size(); ++j) set[j] = set[j - 1] + 1;
    return true;
  }
  return false;
}

bool any_flips(const Graph& graph, const std::vector<Edges>& sets, const Material& material,
               ThreadPool& pool) {
  std::vector<CutGraph> cuts;
  cuts.reserve(sets.size());
  for (const Edges& set : sets)
    cuts.push_back(cut_graph(graph, set, material.rules().keep_isolated));
  const auto found = judged_cuts(std::move(cuts), material.rules(), material.classifier(), pool);
  return std::ranges::any_of(found, [](const auto& f) { return f.has_value(); });
}

/// 0: it takes more than that many questions.
std::size_t smallest_set(const Graph& graph, std::size_t most, const Material& material,
                         ThreadPool& pool) {
  constexpr std::size_t kBatch = 1024;
  const auto edges = static_cast<std::uint32_t>(graph.num_edges());
  std::size_t asked = 0;
  for (std::size_t size = 1; size <= edges; ++size) {
    Edges set(size);
    std::iota(set.begin(), set.end(), 0U);
    for (bool more = true; more;) {
      std::vector<Edges> batch;
      while (more && batch.size() < kBatch) {
        batch.push_back(set);
        more = advance(set, edges);
      }
      asked += batch.size();
      if (asked > most) return 0;
      if (any_flips(graph, batch, material, pool)) return size;
    }
  }
  return 0;
}

/// How many edges the method took away, whether that flipped the graph or not.
std::size_t attempted(const std::string& method, const LocalSettings& settings, std::size_t input,
                      const std::optional<EdgeCut>& found, const Material& material) {
  const Graph& graph = material.inputs()[input];
  if (found) return graph.num_edges() - found->graph.num_edges();
  if (method != "cff") return graph.num_edges();  // one by one, to the last
  const auto model = material.classifier().weighted();
  const auto mask = cff_mask(*model, graph, material.rules().goal.desired_class, settings.cff,
                             Rng(Material::kSeed, material.numbers()[input]));
  return static_cast<std::size_t>(std::ranges::count_if(mask, [](float m) { return m > 0.5F; }));
}

/// Share of random sets of that size that flip the graph.
double random_share(const Graph& graph, std::size_t size, Rng rng, const Material& material,
                    ThreadPool& pool) {
  constexpr std::size_t kRepeats = 50;
  std::vector<CutGraph> cuts;
  for (std::size_t r = 0; r < kRepeats; ++r) {
    Edges order(graph.num_edges());
    std::iota(order.begin(), order.end(), 0U);
    rng.shuffle(std::span(order));
    order.resize(size);
    cuts.push_back(cut_graph(graph, order, material.rules().keep_isolated));
  }
  const auto found = judged_cuts(std::move(cuts), material.rules(), material.classifier(), pool);
  const auto flips = std::ranges::count_if(found, [](const auto& f) { return f.has_value(); });
  return static_cast<double>(flips) / kRepeats;
}

}  // namespace

KnownSmallest smallest_sets(const Material& material, std::size_t graphs, std::size_t most,
                            ThreadPool& pool) {
  std::vector<std::size_t> order(material.inputs().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Rng(Material::kSeed).shuffle(std::span(order));
  KnownSmallest out;
  for (const std::size_t input : order) {
    if (out.inputs.size() == graphs) break;
    const std::size_t size = smallest_set(material.inputs()[input], most, material, pool);
    if (size == 0) {
      ++out.given_up;
      continue;
    }
    out.inputs.push_back(input);
    out.sizes.push_back(size);
  }
  return out;
}

void compare_with_smallest(const std::string& method, const LocalSettings& settings,
                           const Material& material, const KnownSmallest& known, ThreadPool& pool) {
  const auto explainer = material.explainer(method, settings, pool);
  std::vector<Graph> graphs;
  std::vector<std::uint32_t> numbers;
  for (const std::size_t input : known.inputs) {
    graphs.push_back(material.inputs()[input]);
    numbers.push_back(material.numbers()[input]);
  }
  const auto found = explainer->explain(graphs, numbers, pool);
  std::size_t flipped = 0;
  std::size_t smallest = 0;
  double random = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t size = attempted(method, settings, known.inputs[i], found[i], material);
    flipped += found[i] ? 1U : 0U;
    smallest += found[i] && size == known.sizes[i] ? 1U : 0U;
    random += random_share(graphs[i], size, Rng(Material::kSeed, numbers[i]), material, pool);
  }
  const auto all = static_cast<double>(std::max<std::size_t>(1, found.size()));
  fmt::print("| {} | {} | {:.1f} % | {:.1f} % | {:.1f} % | {:.2f} |\n", method, found.size(),
             100.0 * static_cast<double>(flipped) / all,
             100.0 * static_cast<double>(smallest) / all, 100 * random / all,
             random > 0 ? static_cast<double>(flipped) / random : 0.0);
}

}  // namespace fewedits::bench
