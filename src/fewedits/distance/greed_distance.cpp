// SPDX-License-Identifier: MIT
#include "fewedits/distance/greed_distance.hpp"

#include <algorithm>
#include <utility>

#include "fewedits/distance/slices.hpp"
#include "fewedits/edit/neighbours.hpp"
#include "fewedits/ged/lower_bound.hpp"

namespace fewedits {
namespace {

/// Room for rounding in the triangle inequality; what passes is measured exactly.
constexpr float kRounding = 1e-3F;

class GreedDistance final : public Distance {
 public:
  GreedDistance(std::vector<Graph> graphs, std::shared_ptr<const GinEmbedder> embedder,
                ThreadPool& pool)
      : graphs_(std::move(graphs)),
        embedder_(std::move(embedder)),
        dimension_(embedder_->dimension()),
        embeddings_(graphs_.size() * dimension_) {
    embedder_->embed(graphs_, embeddings_, pool);
    for (const Graph& graph : graphs_) profiles_.push_back(profile_of(graph));
  }

  [[nodiscard]] std::span<const Graph> graphs() const override { return graphs_; }
  [[nodiscard]] bool within_is_quick() const override { return true; }

  void measure(std::span<const GraphPair> pairs, std::span<Measure> out, ThreadPool& pool,
               const DistanceWatch& watch) override {
    measure_in_slices(pairs.size(), 1024, out, pool, watch,
                      [&](std::size_t begin, std::size_t end) {
                        for (std::size_t p = begin; p < end; ++p) out[p] = measure(pairs[p]);
                      });
  }

  std::vector<std::vector<double>> rows(std::span<const Graph> queries, ThreadPool& pool) override {
    std::vector<float> own(queries.size() * dimension_);
    embedder_->embed(queries, own, pool);
    std::vector<std::vector<double>> out(queries.size(), std::vector<double>(graphs_.size()));
    pool.for_chunks(queries.size(), 1, [&](std::size_t q, std::size_t, int) {
      const auto embedding = std::span<const float>(own).subspan(q * dimension_, dimension_);
      for (std::size_t i = 0; i < graphs_.size(); ++i) {
        out[q][i] = normalised(embedding_distance(embedding, stored(i)), queries[q].size(), i);
      }
    });
    return out;
  }

  NearRows neighbourhood(const Graph& graph, std::span<const Edit> edits, double theta,
                         ThreadPool& pool) override {
    std::vector<std::vector<std::uint32_t>> near(edits.size());
    Origin origin;
    std::vector<float> slice;
    const std::size_t most = neighbours_at_a_time(graph);
    for (std::size_t first = 0; first < edits.size(); first += most) {
      const auto some = edits.subspan(first, std::min(most, edits.size() - first));
      slice.resize(some.size() * dimension_);
      embedder_->embed_neighbours(graph, some, slice, pool);
      if (first == 0) origin = origin_of(graph, some.front(), slice, pool);
      look_at(graph, some, slice, origin, theta, std::span(near).subspan(first, some.size()), pool);
    }
    return near_rows(near, graphs_.size());
  }

 private:
  /// Where a neighbourhood is seen from.
  struct Origin {
    std::vector<float> embedding;  ///< of the graph
    std::vector<float> distances;  ///< of it to the stored graphs
  };
  /// A stored graph and how far the graph would have to move to get it within theta.
  struct Reach {
    float gap;
    std::uint32_t graph;
  };

  [[nodiscard]] std::span<const float> stored(std::size_t i) const {
    return std::span(embeddings_).subspan(i * dimension_, dimension_);
  }
  [[nodiscard]] double normalised(float estimate, std::size_t size, std::size_t i) const {
    return normalized_distance(estimate, static_cast<std::int64_t>(size + graphs_[i].size()));
  }

  [[nodiscard]] Measure measure(const GraphPair& pair) const {
    const Graph& a = graphs_[pair.a];
    const Graph& b = graphs_[pair.b];
    const double estimate = embedding_distance(stored(pair.a), stored(pair.b));
    const std::int64_t largest = largest_distance(a, b, {});
    const std::int64_t lower = label_bound(profiles_[pair.a], profiles_[pair.b], EditCosts{});
    return {estimate, normalized_distance(estimate, largest), static_cast<double>(lower),
            static_cast<double>(largest), PairStatus::kBounds};
  }

  /// Mostly the graph itself is the first of its neighbours, and embedded already.
  [[nodiscard]] Origin origin_of(const Graph& graph, const Edit& first,
                                 std::span<const float> embeddings, ThreadPool& pool) const {
    Origin out{std::vector<float>(embeddings.begin(),
                                  embeddings.begin() + static_cast<std::ptrdiff_t>(dimension_)),
               std::vector<float>(graphs_.size())};
    const Edit none;
    if (!(first == none)) embedder_->embed_neighbours(graph, {&none, 1}, out.embedding, pool);
    pool.for_chunks(graphs_.size(), 1024, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t i = begin; i < end; ++i) {
        out.distances[i] = embedding_distance(out.embedding, stored(i));
      }
    });
    return out;
  }

  [[nodiscard]] std::vector<Reach> in_reach(std::size_t size, std::span<const float> base,
                                            double theta, float largest_move) const {
    // An edit adds a node and an edge at most.
    const auto limit = [&](std::size_t i) {
      return static_cast<float>(theta * static_cast<double>(size + 2 + graphs_[i].size()));
    };
    std::vector<Reach> out;
    for (std::size_t i = 0; i < graphs_.size(); ++i) {
      const float gap = base[i] * (1 - kRounding) - limit(i);
      if (gap <= largest_move) out.push_back({gap, static_cast<std::uint32_t>(i)});
    }
    std::sort(out.begin(), out.end(), [](const Reach& a, const Reach& b) {
      return a.gap != b.gap ? a.gap < b.gap : a.graph < b.graph;
    });
    return out;
  }

  /// What is near to each of these neighbours, in any order.
  void look_at(const Graph& graph, std::span<const Edit> edits, std::span<const float> embeddings,
               const Origin& origin, double theta, std::span<std::vector<std::uint32_t>> near,
               ThreadPool& pool) const {
    const auto embedding = [&](std::size_t i) {
      return embeddings.subspan(i * dimension_, dimension_);
    };
    std::vector<float> moved(edits.size());
    for (std::size_t i = 0; i < edits.size(); ++i) {
      moved[i] = embedding_distance(origin.embedding, embedding(i)) * (1 + kRounding) + kRounding;
    }
    const float largest_move = *std::max_element(moved.begin(), moved.end());
    const std::vector<Reach> reach = in_reach(graph.size(), origin.distances, theta, largest_move);
    pool.for_chunks(edits.size(), 64, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t i = begin; i < end; ++i) {
        const auto size = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(graph.size()) +
                                                   size_change(edits[i].kind));
        for (const Reach& r : reach) {
          if (r.gap > moved[i]) break;
          const float estimate = embedding_distance(embedding(i), stored(r.graph));
          if (normalised(estimate, size, r.graph) <= theta) near[i].push_back(r.graph);
        }
      }
    });
  }

  std::vector<Graph> graphs_;
  std::shared_ptr<const GinEmbedder> embedder_;
  std::size_t dimension_;
  std::vector<float> embeddings_;  ///< of the stored graphs
  std::vector<GraphProfile> profiles_;
};

}  // namespace

std::unique_ptr<Distance> make_greed_distance(std::vector<Graph> graphs,
                                              std::shared_ptr<const GinEmbedder> embedder,
                                              ThreadPool& pool) {
  return std::make_unique<GreedDistance>(std::move(graphs), std::move(embedder), pool);
}

}  // namespace fewedits
