// SPDX-License-Identifier: MIT
// The Weisfeiler-Lehman subtree kernel (Shervashidze et al., "Weisfeiler-Lehman graph kernels",
// JMLR 2011, §3.2). O(iterations · m log m) a graph, O(iterations · n) a pair.
#include "fewedits/distance/kernel_distance.hpp"
#include "fewedits/distance/kernel_features.hpp"
#include "fewedits/distance/kernel_options.hpp"

namespace fewedits {
namespace {

struct WeisfeilerLehman {
  using Features = FeatureVector;
  struct Scratch {
    explicit Scratch(const WeisfeilerLehman& /*kernel*/) {}
  };

  // Colours of different rounds never meet: they are hashes of trees of different depth.
  [[nodiscard]] Features features(const Graph& graph) const {
    std::vector<Hash128> colours = label_colours(graph);
    std::vector<Hash128> all = colours;
    for (int round = 0; round < options.iterations; ++round) {
      colours = refined_colours(graph, colours);
      all.insert(all.end(), colours.begin(), colours.end());
    }
    return FeatureVector(std::move(all));
  }
  double similarity(Scratch& /*scratch*/, const Features& a, const Features& b) const {
    return cosine(a.dot(b), a.self(), b.self());
  }

  WlOptions options;
};

}  // namespace

std::unique_ptr<Distance> make_wl_distance(std::vector<Graph> graphs, const WlOptions& options,
                                           ThreadPool& pool) {
  check_kernel(options);
  return std::make_unique<KernelDistance<WeisfeilerLehman>>(std::move(graphs),
                                                            WeisfeilerLehman{options}, pool);
}

}  // namespace fewedits
