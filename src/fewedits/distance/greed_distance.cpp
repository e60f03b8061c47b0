// SPDX-License-Identifier: MIT
#include "fewedits/distance/greed_distance.hpp"

#include <cassert>
#include <vector>

#include "fewedits/ged/lower_bound.hpp"

namespace fewedits {
namespace {

class GreedDistance final : public Distance {
 public:
  GreedDistance(std::span<const Graph> graphs, const GinEmbedder& embedder, ThreadPool& pool)
      : dimension_(embedder.dimension()), embeddings_(graphs.size() * dimension_) {
    embedder.embed(graphs, embeddings_, pool);
    for (const Graph& graph : graphs) profiles_.push_back(profile_of(graph));
  }

  void measure(std::span<const GraphPair> pairs, std::span<Measure> out,
               ThreadPool& pool) const override {
    assert(out.size() == pairs.size());
    pool.for_chunks(pairs.size(), 1024, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t p = begin; p < end; ++p) out[p] = measure(pairs[p]);
    });
  }

 private:
  [[nodiscard]] std::span<const float> embedding(std::size_t graph) const {
    return std::span(embeddings_).subspan(graph * dimension_, dimension_);
  }

  [[nodiscard]] Measure measure(const GraphPair& pair) const {
    const GraphProfile& a = profiles_[pair.a];
    const GraphProfile& b = profiles_[pair.b];
    const double estimate = embedding_distance(embedding(pair.a), embedding(pair.b));
    const auto largest = static_cast<double>(a.nodes) + a.edges + b.nodes + b.edges;
    return {estimate, largest == 0 ? 0 : estimate / largest,
            static_cast<double>(label_bound(a, b, EditCosts{})), largest, PairStatus::kBounds};
  }

  std::size_t dimension_;
  std::vector<float> embeddings_;
  std::vector<GraphProfile> profiles_;
};

}  // namespace

std::unique_ptr<const Distance> make_greed_distance(std::span<const Graph> graphs,
                                                    const GinEmbedder& embedder, ThreadPool& pool) {
  return std::make_unique<GreedDistance>(graphs, embedder, pool);
}

}  // namespace fewedits
