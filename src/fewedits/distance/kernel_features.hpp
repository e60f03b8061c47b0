// SPDX-License-Identifier: MIT
// What the graph kernels of kernel_distance.hpp share: node colours, feature vectors, and the
// step from a kernel to a distance.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "fewedits/base/hash.hpp"
#include "fewedits/distance/distance.hpp"

namespace fewedits {

/// Throws Error, naming `what`, unless low ≤ value ≤ high.
void require_option(std::string_view what, int value, int low, int high);

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

/// d = sqrt(1 − k̂) over batches of pairs.
class KernelDistance : public Distance {
 public:
  void measure(std::span<const GraphPair> pairs, std::span<Measure> out,
               ThreadPool& pool) const final;

 private:
  [[nodiscard]] virtual std::size_t num_graphs() const = 0;
  /// out[i] = k̂ of pairs[i], in [0,1]. Called for a chunk of pairs at a time, by any thread.
  virtual void similarities(std::span<const GraphPair> pairs, std::span<double> out) const = 0;
};

}  // namespace fewedits
