// SPDX-License-Identifier: MIT
#include "fewedits/search/sample.hpp"

#include <algorithm>
#include <numeric>

#include "fewedits/base/error.hpp"
#include "fewedits/base/rng.hpp"

namespace fewedits {
namespace {

/// Stream of the generator: none that a search draws from.
constexpr std::uint64_t kSampleStream = 0x5a3d1e;

/// Labels beyond that share a count: a sample need not tell them apart.
constexpr std::size_t kLabels = 64;

/// Number of nodes of each label, graph after graph.
class LabelCountsTable {
 public:
  LabelCountsTable(std::span<const Graph> graphs, std::span<const std::uint32_t> chosen) {
    for (const std::uint32_t g : chosen) {
      for (const Label label : graphs[g].labels()) {
        labels_ = std::max(labels_, std::min(kLabels, std::size_t{label} + 1));
      }
    }
    counts_.assign(chosen.size() * labels_, 0);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      for (const Label label : graphs[chosen[i]].labels()) ++counts_[i * labels_ + label % labels_];
    }
  }

  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t i) const {
    return std::span(counts_).subspan(i * labels_, labels_);
  }

 private:
  std::size_t labels_ = 0;
  std::vector<std::uint32_t> counts_;
};

}  // namespace

ExplainOptions with_sample_decided(ExplainOptions options, std::size_t num_inputs,
                                   const Parts& parts) {
  const bool can = parts.distances.at(options.distance).proves &&
                   parts.sources.at(options.method).is_improved && options.refine;
  if (options.sample && *options.sample > 0 && !can) {
    throw Error("only a search with certified distances that is refined can stand on a sample",
                "leave the option sample out, or take the certified distance");
  }
  if (!options.sample && can && num_inputs > kAutomaticSample) options.sample = kAutomaticSample;
  return options;
}

std::size_t num_searched(const ExplainOptions& options, std::size_t num_inputs) {
  const std::size_t size = options.sample.value_or(0);
  return size == 0 ? num_inputs : std::min(size, num_inputs);
}

std::vector<std::uint32_t> stratified_sample(std::span<const Graph> graphs,
                                             std::span<const std::uint32_t> chosen,
                                             std::size_t size, std::uint64_t seed) {
  std::vector<std::uint32_t> order(chosen.size());
  std::iota(order.begin(), order.end(), 0U);
  if (size >= order.size()) return order;
  const LabelCountsTable counts(graphs, chosen);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::size_t x = graphs[chosen[a]].size();
    const std::size_t y = graphs[chosen[b]].size();
    if (x != y) return x < y;
    const auto by_labels = std::lexicographical_compare_three_way(
        counts.of(a).begin(), counts.of(a).end(), counts.of(b).begin(), counts.of(b).end());
    return by_labels != 0 ? by_labels < 0 : a < b;
  });
  Rng rng(seed, kSampleStream);
  std::vector<std::uint32_t> out;
  out.reserve(size);
  for (std::size_t s = 0; s < size; ++s) {
    const std::size_t begin = s * order.size() / size;
    const std::size_t end = (s + 1) * order.size() / size;
    out.push_back(order[begin + rng.below(end - begin)]);
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace fewedits
