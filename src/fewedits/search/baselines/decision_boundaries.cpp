// SPDX-License-Identifier: MIT
#include "fewedits/search/baselines/decision_boundaries.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace fewedits {
namespace {

/// The head alone, asked again and again.
class Head {
 public:
  Head(const WeightedModel& model, std::size_t desired)
      : model_(model), desired_(desired), logits_(model.num_classes()), scale_(logits_.size()) {}

  float margin(std::span<const float> pooled) {
    model_.head(pooled, logits_);
    best_ = desired_ == 0 ? 1 : 0;
    for (std::size_t c = 0; c < logits_.size(); ++c) {
      if (c != desired_ && logits_[c] > logits_[best_]) best_ = c;
    }
    return logits_[best_] - logits_[desired_];
  }

  /// Between the desired class and the one that is ahead of the others there.
  std::optional<Boundary> linearised(std::vector<float> pooled) {
    const float margin_there = margin(pooled);
    std::fill(scale_.begin(), scale_.end(), 0.0F);
    scale_[best_] = 1;
    scale_[desired_] = -1;
    Boundary out{std::vector<float>(pooled.size()), 0, {}};
    model_.head_gradient(pooled, scale_, out.normal);
    double along = 0;
    double length = 0;
    for (std::size_t i = 0; i < pooled.size(); ++i) {
      along += double{out.normal[i]} * pooled[i];
      length += double{out.normal[i]} * out.normal[i];
    }
    if (length < 1e-20) return std::nullopt;  // flat: the head does not look at anything there
    out.offset = static_cast<float>(margin_there - along);
    out.point = std::move(pooled);
    return out;
  }

 private:
  const WeightedModel& model_;
  std::size_t desired_;
  std::vector<float> logits_;
  std::vector<float> scale_;
  std::size_t best_ = 0;
};

std::vector<float> between(std::span<const float> a, std::span<const float> b, double share) {
  std::vector<float> out(a.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<float>(a[i] + share * (double{b[i]} - a[i]));
  }
  return out;
}

/// A point between the two where the head is undecided; none if it is on neither's side.
std::optional<std::vector<float>> undecided(Head& head, std::span<const float> rejected,
                                            std::span<const float> accepted) {
  if (head.margin(rejected) <= 0 || head.margin(accepted) > 0) return std::nullopt;
  double low = 0;  // rejected there
  double high = 1;
  for (int halvings = 0; halvings < 30; ++halvings) {
    const double middle = (low + high) / 2;
    (head.margin(between(rejected, accepted, middle)) > 0 ? low : high) = middle;
  }
  return between(rejected, accepted, (low + high) / 2);
}

/// The same hyperplane, but for rounding?
bool same(const Boundary& a, const Boundary& b, double scale) {
  double difference = 0;
  double length = 0;
  for (std::size_t i = 0; i < a.normal.size(); ++i) {
    const double d = double{a.normal[i]} - b.normal[i];
    difference += d * d;
    length += double{a.normal[i]} * a.normal[i];
  }
  const double norm = std::sqrt(length);
  return std::sqrt(difference) <= 1e-4 * norm &&
         std::abs(double{a.offset} - b.offset) <= 1e-3 * norm * std::max(1.0, scale);
}

double length_of(std::span<const float> row) {
  double sum = 0;
  for (const float x : row) sum += double{x} * x;
  return std::sqrt(sum);
}

}  // namespace

float margin_of_rest(const WeightedModel& model, std::size_t desired,
                     std::span<const float> pooled) {
  return Head(model, desired).margin(pooled);
}

std::vector<Boundary> boundaries_between(const WeightedModel& model, std::size_t desired,
                                         const PooledRows& rejected, const PooledRows& accepted,
                                         std::size_t pairs, Rng rng) {
  std::vector<Boundary> out;
  if (rejected.empty() || accepted.empty()) return out;
  Head head(model, desired);
  for (std::size_t i = 0; i < pairs; ++i) {
    const auto& a = rejected[rng.below(rejected.size())];
    const auto& b = accepted[rng.below(accepted.size())];
    auto point = undecided(head, a, b);
    if (!point) continue;
    const double scale = length_of(*point);
    auto boundary = head.linearised(std::move(*point));
    if (!boundary) continue;
    const bool known = std::ranges::any_of(
        out, [&](const Boundary& other) { return same(other, *boundary, scale); });
    if (!known) out.push_back(std::move(*boundary));
  }
  return out;
}

std::vector<Boundary> separating_boundaries(std::vector<Boundary> boundaries,
                                            const PooledRows& rejected,
                                            const PooledRows& accepted) {
  const auto beyond = [&](const PooledRows& rows) {
    std::vector<std::vector<std::uint8_t>> out;
    for (const Boundary& b : boundaries) {
      auto& row = out.emplace_back();
      for (const auto& pooled : rows) row.push_back(b.at(pooled) <= 0 ? 1 : 0);
    }
    return out;
  };
  const auto losses = beyond(rejected);
  const auto gains = beyond(accepted);
  std::vector<std::uint8_t> lost(rejected.size());
  std::vector<std::uint8_t> gained(accepted.size());
  const auto newly = [](const auto& row, const auto& before) {
    std::size_t out = 0;
    for (std::size_t i = 0; i < row.size(); ++i) out += row[i] > before[i] ? 1U : 0U;
    return out;
  };
  const auto add = [](const auto& row, auto& to) {
    for (std::size_t i = 0; i < row.size(); ++i) to[i] = std::max(to[i], row[i]);
  };
  std::vector<Boundary> out;
  std::vector<std::uint8_t> used(boundaries.size());
  while (out.size() < boundaries.size()) {
    // Shares, since there may be many more graphs of one kind than of the other.
    double best_worth = 0;
    std::size_t best = boundaries.size();
    for (std::size_t b = 0; b < boundaries.size(); ++b) {
      if (used[b] != 0) continue;
      const double gain = static_cast<double>(newly(gains[b], gained)) /
                          static_cast<double>(std::max<std::size_t>(1, accepted.size()));
      const double loss = static_cast<double>(newly(losses[b], lost)) /
                          static_cast<double>(std::max<std::size_t>(1, rejected.size()));
      const double worth = gain - loss;
      const bool is_first = out.empty() && best == boundaries.size();
      if (worth > best_worth || is_first) {
        best_worth = worth;
        best = b;
      }
    }
    if (best == boundaries.size()) break;
    used[best] = 1;
    add(gains[best], gained);
    add(losses[best], lost);
    out.push_back(std::move(boundaries[best]));
  }
  return out;
}

}  // namespace fewedits
