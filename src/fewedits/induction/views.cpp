// SPDX-License-Identifier: MIT
#include "fewedits/induction/views.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "fewedits/base/rng.hpp"
#include "fewedits/rules/figures.hpp"

namespace fewedits {

RuleViews::RuleViews(std::span<const std::uint32_t> inputs, std::size_t folds, std::uint64_t seed)
    : part_(inputs.size(), 0), sizes_(1, inputs.size()), order_(inputs.size()) {
  if (folds > 1 && inputs.size() >= folds) {
    part_ = fold_of_each(inputs.size(), folds, seed);
    sizes_.resize(1 + folds, inputs.size());
    for (const std::uint32_t part : part_) --sizes_[1 + part];
  }
  std::vector<std::uint64_t> rank;
  constexpr std::uint64_t kStream = 0x766965770000'0000;
  for (const std::uint32_t input : inputs) rank.push_back(Rng(seed, kStream + input).next());
  std::iota(order_.begin(), order_.end(), 0U);
  std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return rank[a] != rank[b] ? rank[a] < rank[b] : a < b;
  });
}

std::vector<bool> RuleViews::inputs_of(std::size_t view) const {
  std::vector<bool> out(part_.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = has(view, i);
  return out;
}

std::size_t least_support(double share, std::size_t inputs) {
  const auto least = static_cast<std::size_t>(std::ceil(share * static_cast<double>(inputs)));
  return std::max<std::size_t>(1, least);
}

std::vector<ViewedRule> merged(std::vector<ViewedRule> rules) {
  std::stable_sort(rules.begin(), rules.end(),
                   [](const ViewedRule& a, const ViewedRule& b) { return a.rule < b.rule; });
  std::vector<ViewedRule> out;
  for (ViewedRule& one : rules) {
    if (out.empty() || !(out.back().rule == one.rule)) {
      out.push_back(std::move(one));
      continue;
    }
    for (std::size_t v = 0; v < one.views.size(); ++v) {
      if (one.views[v]) out.back().views[v] = true;
    }
  }
  return out;
}

}  // namespace fewedits
