// SPDX-License-Identifier: MIT
#include "fewedits/evaluate/common_recourse.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace fewedits {
namespace {

double length_of(std::span<const float> vector) {
  double sum = 0;
  for (const float x : vector) sum += static_cast<double>(x) * x;
  return std::sqrt(sum);
}

bool is_within(std::span<const float> a, std::span<const float> b, double radius) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = static_cast<double>(a[i]) - b[i];
    sum += x * x;
  }
  return sum <= radius * radius;
}

/// Vectors by length: those in a ball have lengths that differ from its centre's by no more than
/// the radius.
class ByLength {
 public:
  explicit ByLength(const RecourseVectors& vectors) : vectors_(vectors), order_(vectors.size()) {
    std::vector<double> length;
    for (std::size_t i = 0; i < vectors.size(); ++i) length.push_back(length_of(vectors[i]));
    std::iota(order_.begin(), order_.end(), 0U);
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return length[a] != length[b] ? length[a] < length[b] : a < b;
    });
    for (const std::uint32_t i : order_) sorted_.push_back(length[i]);
  }

  /// Ascending.
  [[nodiscard]] std::vector<std::uint32_t> in_ball(std::span<const float> centre,
                                                   double radius) const {
    constexpr double kRounding = 1e-9;
    const double length = length_of(centre);
    const auto first =
        std::lower_bound(sorted_.begin(), sorted_.end(), length - radius - kRounding);
    const auto last = std::upper_bound(first, sorted_.end(), length + radius + kRounding);
    std::vector<std::uint32_t> out;
    for (auto at = first; at != last; ++at) {
      const std::uint32_t i = order_[static_cast<std::size_t>(at - sorted_.begin())];
      if (is_within(centre, vectors_[i], radius)) out.push_back(i);
    }
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  const RecourseVectors& vectors_;
  std::vector<std::uint32_t> order_;
  std::vector<double> sorted_;
};

std::vector<std::vector<float>> centroids_of(const RecourseVectors& vectors,
                                             const std::vector<std::uint32_t>& cluster) {
  std::size_t count = 0;
  for (const std::uint32_t c : cluster) {
    if (c != kNoise) count = std::max<std::size_t>(count, c + 1);
  }
  std::vector<std::vector<double>> sums(count, std::vector<double>(vectors.dimension, 0));
  std::vector<std::size_t> sizes(count, 0);
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    if (cluster[i] == kNoise) continue;
    ++sizes[cluster[i]];
    for (std::size_t d = 0; d < vectors.dimension; ++d) sums[cluster[i]][d] += vectors[i][d];
  }
  std::vector<std::vector<float>> out(count);
  for (std::size_t c = 0; c < count; ++c) {
    for (const double sum : sums[c]) {
      out[c].push_back(static_cast<float>(sum / static_cast<double>(sizes[c])));
    }
  }
  return out;
}

/// Again and again the one that adds most.
std::vector<CommonRecourse> chosen_from(std::vector<CommonRecourse> balls, std::size_t most) {
  std::uint32_t inputs = 0;
  for (const CommonRecourse& ball : balls) {
    if (!ball.serves.empty()) inputs = std::max(inputs, ball.serves.back() + 1);
  }
  std::vector<bool> served(inputs, false);
  std::vector<CommonRecourse> out;
  while (out.size() < most) {
    std::size_t best = balls.size();
    std::size_t gain = 0;
    for (std::size_t b = 0; b < balls.size(); ++b) {
      const auto adds = static_cast<std::size_t>(
          std::count_if(balls[b].serves.begin(), balls[b].serves.end(),
                        [&](std::uint32_t input) { return !served[input]; }));
      if (adds <= gain) continue;
      gain = adds;
      best = b;
    }
    if (gain == 0) break;
    for (const std::uint32_t input : balls[best].serves) served[input] = true;
    balls[best].gain = gain;
    out.push_back(balls[best]);
  }
  return out;
}

}  // namespace

double CommonRecourses::coverage(std::size_t count, std::size_t inputs) const {
  std::size_t served = 0;
  for (std::size_t i = 0; i < std::min(count, chosen.size()); ++i) served += chosen[i].gain;
  return inputs == 0 ? 0 : static_cast<double>(served) / static_cast<double>(inputs);
}

double CommonRecourses::cost(std::size_t count) const {
  double sum = 0;
  for (std::size_t i = 0; i < std::min(count, chosen.size()); ++i) sum += chosen[i].length;
  return sum;
}

RecourseVectors recourse_vectors(std::span<const Graph> inputs,
                                 std::span<const Graph> counterfactuals,
                                 const GinEmbedder& embedder, double theta, ThreadPool& pool) {
  const std::size_t dimension = embedder.dimension();
  std::vector<float> from(inputs.size() * dimension);
  std::vector<float> to(counterfactuals.size() * dimension);
  embedder.embed(inputs, from, pool);
  embedder.embed(counterfactuals, to, pool);
  RecourseVectors out;
  out.dimension = dimension;
  std::vector<float> vector(dimension);
  for (std::uint32_t i = 0; i < inputs.size(); ++i) {
    for (std::size_t c = 0; c < counterfactuals.size(); ++c) {
      const auto size = static_cast<float>(inputs[i].size() + counterfactuals[c].size());
      for (std::size_t d = 0; d < dimension; ++d) {
        vector[d] = (to[c * dimension + d] - from[i * dimension + d]) / size;
      }
      if (length_of(vector) > theta) continue;
      out.values.insert(out.values.end(), vector.begin(), vector.end());
      out.inputs.push_back(i);
    }
  }
  return out;
}

std::vector<std::uint32_t> density_clusters(const RecourseVectors& vectors, double radius,
                                            std::size_t min_points, ThreadPool& pool) {
  const ByLength by_length(vectors);
  std::vector<std::vector<std::uint32_t>> near(vectors.size());
  pool.for_chunks(vectors.size(), 16, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) near[i] = by_length.in_ball(vectors[i], radius);
  });
  std::vector<std::uint32_t> out(vectors.size(), kNoise);
  std::uint32_t clusters = 0;
  std::vector<std::uint32_t> stack;
  for (std::uint32_t start = 0; start < vectors.size(); ++start) {
    if (out[start] != kNoise || near[start].size() < min_points) continue;
    const std::uint32_t cluster = clusters++;
    out[start] = cluster;
    stack.assign(1, start);
    while (!stack.empty()) {
      const std::uint32_t v = stack.back();
      stack.pop_back();
      if (near[v].size() < min_points) continue;
      for (const std::uint32_t w : near[v]) {
        if (out[w] != kNoise) continue;
        out[w] = cluster;
        stack.push_back(w);
      }
    }
  }
  return out;
}

CommonRecourses common_recourses(const RecourseVectors& vectors,
                                 const CommonRecourseOptions& options, ThreadPool& pool) {
  CommonRecourses out;
  out.vectors = vectors.size();
  const auto cluster = density_clusters(vectors, options.delta, options.min_points, pool);
  auto centroids = centroids_of(vectors, cluster);
  out.clusters = centroids.size();
  const ByLength by_length(vectors);
  std::vector<CommonRecourse> balls;
  for (std::vector<float>& centroid : centroids) {
    CommonRecourse ball;
    ball.length = length_of(centroid);
    if (ball.length > options.theta) continue;
    for (const std::uint32_t i : by_length.in_ball(centroid, options.delta)) {
      ball.serves.push_back(vectors.inputs[i]);
    }
    std::sort(ball.serves.begin(), ball.serves.end());
    ball.serves.erase(std::unique(ball.serves.begin(), ball.serves.end()), ball.serves.end());
    ball.centroid = std::move(centroid);
    balls.push_back(std::move(ball));
  }
  out.chosen = chosen_from(std::move(balls), options.recourses);
  return out;
}

}  // namespace fewedits
