// SPDX-License-Identifier: MIT
// Neighbourhoods under GREED, the paper's neural distance.
//
// An input is within theta of a neighbour only if the graph itself is not much further away: the
// estimate is a Euclidean distance, so it changes by no more than the neighbour's embedding moved
// (triangle inequality). Distances to all inputs are computed once a neighbourhood; a neighbour is
// compared only with the inputs in its reach.
#pragma once

#include <vector>

#include "fewedits/classifier/native/gin_embedder.hpp"
#include "fewedits/search/classifying_evaluator.hpp"

namespace fewedits {

class GreedEvaluator final : public ClassifyingEvaluator {
 public:
  /// Keeps references to the models. `inputs` have no edge labels.
  GreedEvaluator(std::vector<Graph> inputs, const Classifier& classifier, std::size_t desired_class,
                 const GinEmbedder& embedder, ThreadPool& pool);

  std::vector<std::vector<double>> distances(std::span<const Graph> graphs,
                                             ThreadPool& pool) override;
  [[nodiscard]] bool covers_quickly() const override { return true; }

 private:
  struct Cover {
    std::uint32_t entry;
    std::uint32_t input;
  };
  /// An input and how far the graph would have to move to get it within theta.
  struct Reach {
    float gap;
    std::uint32_t input;
  };

  void look_at(const Neighbourhood& of, std::size_t first, std::span<const Graph> graphs,
               double theta, ThreadPool& pool) override;
  void find_covers(double theta, Neighbourhood& out, ThreadPool& pool) override;

  [[nodiscard]] std::span<const float> embedding_of_input(std::size_t i) const {
    return std::span(embeddings_).subspan(i * embedder_.dimension(), embedder_.dimension());
  }
  [[nodiscard]] double normalised(float estimate, std::size_t size, std::size_t input) const {
    return static_cast<double>(estimate) / static_cast<double>(size + inputs()[input].size());
  }
  void measure_from(std::span<const float> embedding, ThreadPool& pool);
  [[nodiscard]] std::vector<Reach> inputs_in_reach(std::size_t size, double theta,
                                                   float largest_move) const;

  const GinEmbedder& embedder_;
  std::vector<float> embeddings_;  ///< inputs × dimension
  // Of the neighbourhood at hand:
  std::vector<float> own_;            ///< embedding of the graph
  std::vector<float> base_;           ///< from the graph to each input
  std::vector<float> slice_;          ///< embeddings of the neighbours at hand
  std::vector<Cover> covers_;         ///< found so far
  std::vector<std::uint32_t> place_;  ///< of each active input
};

}  // namespace fewedits
