// SPDX-License-Identifier: MIT
// Common recourse against slow and obvious versions of its definitions.
#include "fewedits/evaluate/common_recourse.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "fewedits/base/rng.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

double distance(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::pow(double{a[i]} - double{b[i]}, 2);
  return std::sqrt(sum);
}

RecourseVectors random_vectors(Rng& rng, std::size_t count, std::uint32_t inputs) {
  RecourseVectors out;
  out.dimension = 3;
  for (std::size_t i = 0; i < count; ++i) {
    // Around a few places, so that there are clusters.
    const auto place = static_cast<double>(rng.below(4));
    for (int d = 0; d < 3; ++d) {
      out.values.push_back(static_cast<float>(0.02 * place + 0.02 * rng.uniform()));
    }
    out.inputs.push_back(static_cast<std::uint32_t>(rng.below(inputs)));
  }
  return out;
}

/// Two dense vectors are in one cluster if a chain of dense ones joins them; the closure, slowly.
std::vector<std::set<std::size_t>> slow_clusters(const RecourseVectors& v, double radius,
                                                 std::size_t min_points) {
  const auto near = [&](std::size_t a, std::size_t b) { return distance(v[a], v[b]) <= radius; };
  std::vector<bool> dense(v.size());
  for (std::size_t i = 0; i < v.size(); ++i) {
    std::size_t count = 0;
    for (std::size_t j = 0; j < v.size(); ++j) count += near(i, j) ? 1U : 0U;
    dense[i] = count >= min_points;
  }
  std::vector<std::size_t> name(v.size());
  for (std::size_t i = 0; i < v.size(); ++i) name[i] = i;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < v.size(); ++i) {
      for (std::size_t j = 0; j < v.size(); ++j) {
        if (!dense[i] || !dense[j] || !near(i, j) || name[i] <= name[j]) continue;
        name[i] = name[j];
        changed = true;
      }
    }
  }
  std::vector<std::set<std::size_t>> out;
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (!dense[i] || name[i] != i) continue;
    std::set<std::size_t> members;
    for (std::size_t j = 0; j < v.size(); ++j) {
      if (dense[j] && name[j] == i) members.insert(j);
    }
    out.push_back(members);
  }
  return out;
}

TEST(CommonRecourse, ClustersAreWhatChainsOfDenseVectorsJoin) {
  ThreadPool pool(2);
  std::size_t several = 0;
  std::size_t noise = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Rng rng(seed);
    const auto v = random_vectors(rng, 5 + rng.below(30), 8);
    const double radius = 0.006 + 0.01 * rng.uniform();
    const auto is = density_clusters(v, radius, 3, pool);
    const auto expected = slow_clusters(v, radius, 3);
    std::set<std::uint32_t> names(is.begin(), is.end());
    names.erase(kNoise);
    ASSERT_EQ(names.size(), expected.size());
    for (std::uint32_t c = 0; c < expected.size(); ++c) {
      for (const std::size_t i : expected[c]) EXPECT_EQ(is[i], c);
    }
    // What is not dense belongs to the first cluster that has a dense vector near, if any has.
    std::set<std::size_t> dense;
    for (const auto& members : expected) dense.insert(members.begin(), members.end());
    for (std::size_t i = 0; i < v.size(); ++i) {
      if (dense.contains(i)) continue;
      std::uint32_t first = kNoise;
      for (std::uint32_t c = 0; c < expected.size() && first == kNoise; ++c) {
        for (const std::size_t j : expected[c]) {
          if (distance(v[i], v[j]) <= radius) first = c;
        }
      }
      EXPECT_EQ(is[i], first);
      noise += first == kNoise ? 1U : 0U;
    }
    several += expected.size() > 1 ? 1U : 0U;
  }
  EXPECT_GT(several, 20U);
  EXPECT_GT(noise, 50U);
}

TEST(CommonRecourse, BallsServeWhoHasARecourseInThem) {
  ThreadPool pool(2);
  constexpr std::uint32_t kInputs = 12;
  std::size_t dropped = 0;
  std::size_t chosen = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Rng rng(100 + seed);
    const auto v = random_vectors(rng, 40, kInputs);
    const CommonRecourseOptions options{.theta = 0.09, .delta = 0.012, .recourses = 3};
    const CommonRecourses is = common_recourses(v, options, pool);
    const auto clusters = density_clusters(v, options.delta, options.min_points, pool);
    EXPECT_EQ(is.vectors, 40U);
    // The balls, slowly.
    std::vector<std::set<std::uint32_t>> balls;
    std::vector<double> lengths;
    for (std::uint32_t c = 0; c < is.clusters; ++c) {
      std::vector<float> centre(3, 0);
      double count = 0;
      std::array<double, 3> sum = {};
      for (std::size_t i = 0; i < v.size(); ++i) {
        if (clusters[i] != c) continue;
        for (std::size_t d = 0; d < 3; ++d) sum[d] += double{v[i][d]};
        ++count;
      }
      for (std::size_t d = 0; d < 3; ++d) centre[d] = static_cast<float>(sum[d] / count);
      const double length = distance(centre, std::vector<float>(3, 0));
      if (length > options.theta) {
        ++dropped;
        continue;
      }
      lengths.push_back(length);
      auto& ball = balls.emplace_back();
      for (std::size_t i = 0; i < v.size(); ++i) {
        if (distance(v[i], centre) <= options.delta) ball.insert(v.inputs[i]);
      }
    }
    // The greedy choice, and no three balls are much better (1 - 1/e).
    std::set<std::uint32_t> served;
    double cost = 0;
    for (const CommonRecourse& one : is.chosen) {
      std::size_t best = 0;
      std::size_t first = balls.size();
      for (std::size_t b = 0; b < balls.size(); ++b) {
        std::size_t adds = 0;
        for (const std::uint32_t input : balls[b]) adds += served.contains(input) ? 0U : 1U;
        if (adds > best) {
          best = adds;
          first = b;
        }
      }
      ASSERT_LT(first, balls.size());
      EXPECT_EQ(one.gain, best);
      EXPECT_EQ(std::set<std::uint32_t>(one.serves.begin(), one.serves.end()), balls[first]);
      EXPECT_NEAR(one.length, lengths[first], 1e-9);
      served.insert(balls[first].begin(), balls[first].end());
      cost += lengths[first];
      ++chosen;
    }
    EXPECT_DOUBLE_EQ(is.coverage(3, kInputs), static_cast<double>(served.size()) / kInputs);
    EXPECT_NEAR(is.cost(3), cost, 1e-9);
    EXPECT_LE(is.chosen.size(), 3U);
    // If there is room left, nothing adds anything.
    if (is.chosen.size() < 3) {
      for (const auto& ball : balls) {
        EXPECT_TRUE(std::includes(served.begin(), served.end(), ball.begin(), ball.end()));
      }
    }
  }
  EXPECT_GT(dropped, 10U);
  EXPECT_GT(chosen, 60U);
}

TEST(CommonRecourse, TheLengthOfARecourseIsTheNormalisedDistance) {
  FEWEDITS_REQUIRE_SHARED("models/aids/greed.pt");
  const GinEmbedder embedder = load_embedder(test::shared_root() / "models/aids/greed.pt");
  ThreadPool pool(1);
  Rng rng(3);
  std::vector<Graph> inputs;
  std::vector<Graph> others;
  for (int i = 0; i < 8; ++i) {
    inputs.push_back(test::random_graph(rng, 8, 2, 4));
    others.push_back(test::random_graph(rng, 9, 1, 4));
  }
  const auto dimension = embedder.dimension();
  std::vector<float> from(8 * dimension);
  std::vector<float> to(8 * dimension);
  embedder.embed(inputs, from, pool);
  embedder.embed(others, to, pool);
  constexpr double kTheta = 0.2;
  const auto is = recourse_vectors(inputs, others, embedder, kTheta, pool);
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < 8; ++i) {
    for (std::size_t j = 0; j < 8; ++j) {
      const double expected =
          double{embedding_distance(std::span(from).subspan(i * dimension, dimension),
                                    std::span(to).subspan(j * dimension, dimension))} /
          static_cast<double>(inputs[i].size() + others[j].size());
      if (expected > kTheta) continue;
      ASSERT_LT(at, is.size());
      EXPECT_EQ(is.inputs[at], i);
      EXPECT_NEAR(distance(is[at], std::vector<float>(dimension, 0)), expected, 1e-5);
      ++at;
    }
  }
  EXPECT_EQ(at, is.size());
  EXPECT_GT(at, 0U);
  EXPECT_LT(at, 64U);
}

}  // namespace
}  // namespace fewedits
