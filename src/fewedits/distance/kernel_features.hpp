// SPDX-License-Identifier: MIT
// What the graph kernels of kernel_distance.hpp share: node colours, feature vectors, and the
// step from a kernel to a distance.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "fewedits/base/hash.hpp"
#include "fewedits/distance/distance.hpp"
#include "fewedits/distance/slices.hpp"

namespace fewedits {

/// Collects the words of a hash.
class HashInput {
 public:
  void clear() { words_.clear(); }
  void add(std::uint32_t word) { words_.push_back(word); }
  void add(const Hash128& hash);
  [[nodiscard]] Hash128 hash() const { return hash_words(words_); }

 private:
  std::vector<std::uint32_t> words_;
};

/// The colours that start the refinement: the labels.
std::vector<Hash128> label_colours(const Graph& graph);
/// One round of colour refinement (Weisfeiler & Lehman 1968): a node's next colour is its own
/// and the multiset of its neighbours'. O(m log m). A colour stands for an unfolded tree, never
/// for a node of this graph, so colours of different graphs compare.
std::vector<Hash128> refined_colours(const Graph& graph, std::span<const Hash128> colours);

/// Counts of features, sorted by feature. Counts are doubles: they and their products are exact
/// below 2^53, and beyond that rounded rather than wrapped.
class FeatureVector {
 public:
  FeatureVector() = default;
  /// Counts equal keys.
  explicit FeatureVector(std::vector<Hash128> keys);

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  /// The inner product with itself.
  [[nodiscard]] double self() const { return self_; }
  /// The inner product: one merge, O(|a| + |b|).
  [[nodiscard]] double dot(const FeatureVector& other) const;

 private:
  struct Entry {
    Hash128 key;
    double count = 0;
  };
  std::vector<Entry> entries_;
  double self_ = 0;
};

/// ab / sqrt(aa·bb) within [0,1]; 1 if ab = aa = bb, because the root of a rounded square is
/// exact. A vector of length 0 is like itself (1) and like no other (0).
double cosine(double ab, double aa, double bb);

/// d = sqrt(1 − k̂), which all kernels share. A Kernel has
///   Features                                    what it keeps of a graph
///   features(const Graph&) const
///   Scratch                                     working memory of one thread
///   similarity(Scratch&, const Features&, const Features&) const   k̂ in [0,1], symmetric
///
/// √2·d is the Euclidean distance of unit vectors, so the triangle inequality holds, and a stored
/// graph is compared with a neighbour only if the graph itself is not too far from it.
template <typename Kernel>
class KernelDistance final : public Distance {
 public:
  KernelDistance(std::vector<Graph> graphs, Kernel kernel, ThreadPool& pool)
      : kernel_(std::move(kernel)),
        graphs_(std::move(graphs)),
        features_(features_of(graphs_, pool)) {}

  [[nodiscard]] std::span<const Graph> graphs() const override { return graphs_; }

  void measure(std::span<const GraphPair> pairs, std::span<Measure> out, ThreadPool& pool,
               const DistanceWatch& watch) override {
    measure_in_slices(pairs.size(), 64, out, pool, watch, [&](std::size_t begin, std::size_t end) {
      typename Kernel::Scratch scratch(kernel_);
      for (std::size_t p = begin; p < end; ++p) {
        assert(pairs[p].a < graphs_.size() && pairs[p].b < graphs_.size());
        pool.check_stop();  // pairs of large graphs take their time
        const double d = distance(scratch, features_[pairs[p].a], features_[pairs[p].b]);
        out[p] = {.distance = d, .normalized = d, .lower = d, .upper = d};
      }
    });
  }

  std::vector<std::vector<double>> rows(std::span<const Graph> queries, ThreadPool& pool) override {
    return rows_of(features_of(queries, pool), pool);
  }

  NearRows neighbourhood(const Graph& graph, std::span<const Edit> edits, double theta,
                         ThreadPool& pool) override {
    const std::vector<Features> origin(1, kernel_.features(graph));
    const std::vector<double> base = std::move(rows_of(origin, pool).front());
    std::vector<std::vector<std::uint32_t>> near(edits.size());
    pool.for_chunks(edits.size(), 4, [&](std::size_t begin, std::size_t end, int) {
      typename Kernel::Scratch scratch(kernel_);
      for (std::size_t e = begin; e < end; ++e) {
        pool.check_stop();
        const auto own = kernel_.features(apply(graph, edits[e]));
        // Room for rounding; what passes is measured exactly.
        const double reach = theta + distance(scratch, origin.front(), own) + 1e-6;
        for (std::uint32_t i = 0; i < graphs_.size(); ++i) {
          if (base[i] > reach) continue;
          pool.check_stop();
          if (distance(scratch, own, features_[i]) <= theta) near[e].push_back(i);
        }
      }
    });
    return near_rows(near, graphs_.size());
  }

 private:
  using Features = typename Kernel::Features;

  std::vector<std::vector<double>> rows_of(const std::vector<Features>& own,
                                           ThreadPool& pool) const {
    std::vector<std::vector<double>> out(own.size(), std::vector<double>(graphs_.size()));
    constexpr std::size_t kChunk = 256;
    const std::size_t chunks = (graphs_.size() + kChunk - 1) / kChunk;
    pool.for_chunks(own.size() * chunks, 1, [&](std::size_t at, std::size_t, int) {
      typename Kernel::Scratch scratch(kernel_);
      const std::size_t first = at % chunks * kChunk;
      for (std::size_t i = first; i < std::min(first + kChunk, graphs_.size()); ++i) {
        pool.check_stop();
        out[at / chunks][i] = distance(scratch, own[at / chunks], features_[i]);
      }
    });
    return out;
  }

  std::vector<Features> features_of(std::span<const Graph> graphs, ThreadPool& pool) const {
    std::vector<Features> out(graphs.size());
    pool.for_chunks(graphs.size(), 4, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t i = begin; i < end; ++i) {
        pool.check_stop();
        out[i] = kernel_.features(graphs[i]);
      }
    });
    return out;
  }

  double distance(typename Kernel::Scratch& scratch, const Features& a, const Features& b) const {
    return std::sqrt(1 - kernel_.similarity(scratch, a, b));
  }

  Kernel kernel_;
  std::vector<Graph> graphs_;
  std::vector<Features> features_;
};

}  // namespace fewedits
