// SPDX-License-Identifier: MIT
#include "fewedits/distance/kernel_features.hpp"

#include <algorithm>
#include <cmath>

namespace fewedits {

void HashInput::add(const Hash128& hash) {
  for (const std::uint64_t half : {hash.high, hash.low}) {
    words_.push_back(static_cast<std::uint32_t>(half >> 32));
    words_.push_back(static_cast<std::uint32_t>(half));
  }
}

std::vector<Hash128> label_colours(const Graph& graph) {
  std::vector<Hash128> colours;
  colours.reserve(graph.num_nodes());
  for (const Label label : graph.labels()) colours.push_back(hash_words({&label, 1}));
  return colours;
}

std::vector<Hash128> refined_colours(const Graph& graph, std::span<const Hash128> colours) {
  std::vector<Hash128> next;
  next.reserve(graph.num_nodes());
  std::vector<Hash128> around;
  HashInput input;
  for (Node v = 0; v < graph.num_nodes(); ++v) {
    around.clear();
    for (const Node w : graph.neighbours(v)) around.push_back(colours[w]);
    std::sort(around.begin(), around.end());
    input.clear();
    input.add(colours[v]);
    for (const Hash128& colour : around) input.add(colour);
    next.push_back(input.hash());
  }
  return next;
}

FeatureVector::FeatureVector(std::vector<Hash128> keys) {
  std::sort(keys.begin(), keys.end());
  for (const Hash128& key : keys) {
    if (entries_.empty() || entries_.back().key != key) entries_.push_back({key, 0});
    ++entries_.back().count;
  }
  entries_.shrink_to_fit();
  self_ = dot(*this);
}

double FeatureVector::dot(const FeatureVector& other) const {
  double sum = 0;
  const Entry* a = entries_.data();
  const Entry* b = other.entries_.data();
  const Entry* const a_end = a + entries_.size();
  const Entry* const b_end = b + other.entries_.size();
  while (a != a_end && b != b_end) {
    const auto order = a->key <=> b->key;
    if (order == 0) sum += a->count * b->count;
    a += order <= 0 ? 1 : 0;
    b += order >= 0 ? 1 : 0;
  }
  return sum;
}

double cosine(double ab, double aa, double bb) {
  if (aa == 0 || bb == 0) return aa == bb ? 1 : 0;
  return std::min(1.0, ab / std::sqrt(aa * bb));
}

}  // namespace fewedits
