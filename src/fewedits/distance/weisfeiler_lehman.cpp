// SPDX-License-Identifier: MIT
// The Weisfeiler-Lehman subtree kernel (Shervashidze et al., "Weisfeiler-Lehman graph kernels",
// JMLR 2011, §3.2). O(iterations · m log m) a graph, O(iterations · n) a pair.
#include "fewedits/distance/kernel_distance.hpp"
#include "fewedits/distance/kernel_features.hpp"

namespace fewedits {
namespace {

// Colours of different rounds never meet: they are hashes of trees of different depth.
FeatureVector subtree_features(const Graph& graph, const WlOptions& options) {
  std::vector<Hash128> colours = label_colours(graph);
  std::vector<Hash128> all = colours;
  for (int round = 0; round < options.iterations; ++round) {
    colours = refined_colours(graph, colours);
    all.insert(all.end(), colours.begin(), colours.end());
  }
  return FeatureVector(std::move(all));
}

class WeisfeilerLehman final : public KernelDistance {
 public:
  WeisfeilerLehman(std::span<const Graph> graphs, const WlOptions& options, ThreadPool& pool)
      : features_(graphs.size()) {
    pool.for_chunks(graphs.size(), 16, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t i = begin; i < end; ++i) features_[i] = subtree_features(graphs[i], options);
    });
  }

 private:
  [[nodiscard]] std::size_t num_graphs() const override { return features_.size(); }

  void similarities(std::span<const GraphPair> pairs, std::span<double> out) const override {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const FeatureVector& a = features_[pairs[i].a];
      const FeatureVector& b = features_[pairs[i].b];
      out[i] = cosine(a.dot(b), a.self(), b.self());
    }
  }

  std::vector<FeatureVector> features_;
};

}  // namespace

std::unique_ptr<const Distance> make_wl_distance(std::span<const Graph> graphs,
                                                 const WlOptions& options, ThreadPool& pool) {
  require_option("the number of Weisfeiler-Lehman iterations", options.iterations, 0, 20);
  return std::make_unique<WeisfeilerLehman>(graphs, options, pool);
}

}  // namespace fewedits
