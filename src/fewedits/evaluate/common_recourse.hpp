// SPDX-License-Identifier: MIT
// Common recourse as COMRECGC has it (Fournier and Medya, ICML 2025), for any list of
// counterfactuals: how many inputs a few directions serve. The recourse of an input G by a
// counterfactual H is z(H) - z(G) in GREED's space, over |G| + |H|: its length is their normalised
// distance. A common recourse is a ball among these vectors; it serves the inputs that have one of
// at most theta in it. Balls come from density clustering, and as few as asked are chosen greedily.
//
// Time quadratic in the number of recourses within theta, but for pairs whose lengths differ by
// more than the radius.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fewedits/base/parallel.hpp"
#include "fewedits/classifier/native/gin_embedder.hpp"
#include "fewedits/graph/graph.hpp"

namespace fewedits {

struct CommonRecourseOptions {
  double theta = 0.1;           ///< longer recourses do not count, nor do centroids
  double delta = 0.02;          ///< radius of the balls, and of the clustering
  std::size_t recourses = 100;  ///< to be chosen, at most
  std::size_t min_points = 3;   ///< recourses near to one that make it dense, itself among them
};

/// Vectors, one after the other, and whose they are.
struct RecourseVectors {
  std::size_t dimension = 0;
  std::vector<float> values;
  std::vector<std::uint32_t> inputs;  ///< by vector, as places in the list of inputs

  [[nodiscard]] std::size_t size() const { return inputs.size(); }
  [[nodiscard]] std::span<const float> operator[](std::size_t i) const {
    return std::span(values).subspan(i * dimension, dimension);
  }
};

struct CommonRecourse {
  std::vector<float> centroid;
  double length = 0;                  ///< of the centroid
  std::vector<std::uint32_t> serves;  ///< ascending
  std::size_t gain = 0;               ///< inputs that none before it serves
};

struct CommonRecourses {
  std::size_t vectors = 0;             ///< within theta
  std::size_t clusters = 0;            ///< before long centroids are dropped
  std::vector<CommonRecourse> chosen;  ///< in the order of the choice

  /// Of so many inputs, the share that the first `count` serve.
  [[nodiscard]] double coverage(std::size_t count, std::size_t inputs) const;
  /// Sum of the lengths of the first `count` centroids.
  [[nodiscard]] double cost(std::size_t count) const;
};

/// Those of at most theta.
RecourseVectors recourse_vectors(std::span<const Graph> inputs,
                                 std::span<const Graph> counterfactuals,
                                 const GinEmbedder& embedder, double theta, ThreadPool& pool);

/// DBSCAN: by vector, its cluster, or kNoise. Clusters are numbered by their first dense vector;
/// one near to several belongs to the first of them.
inline constexpr std::uint32_t kNoise = static_cast<std::uint32_t>(-1);
std::vector<std::uint32_t> density_clusters(const RecourseVectors& vectors, double radius,
                                            std::size_t min_points, ThreadPool& pool);

/// Chosen are those that add most, the first among equals; none that adds nothing.
CommonRecourses common_recourses(const RecourseVectors& vectors,
                                 const CommonRecourseOptions& options, ThreadPool& pool);

}  // namespace fewedits
