// SPDX-License-Identifier: MIT
// GREED, the paper's neural distance (SPEC §4): a GIN embeds each graph; the Euclidean distance
// of two embeddings estimates the edit distance. Native inference; number of layers, width,
// labels and dimension follow from the weights.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "fewedits/base/parallel.hpp"
#include "fewedits/base/tensor.hpp"
#include "fewedits/classifier/native/kernels.hpp"
#include "fewedits/edit/edit.hpp"
#include "fewedits/graph/graph.hpp"

namespace fewedits {

class GinEmbedder {
 public:
  /// Throws Error naming the tensor if weights are missing or do not fit together.
  GinEmbedder(const StateDict& weights, const std::string& origin,
              const Kernels& kernels = best_kernels());
  ~GinEmbedder();
  GinEmbedder(GinEmbedder&&) noexcept;

  [[nodiscard]] std::size_t dimension() const;
  [[nodiscard]] std::size_t num_labels() const;
  /// out holds graphs × dimension floats. Throws Error naming the graph if a label is out of the
  /// model's range. A graph without nodes is embedded as the head's image of zero. Bit for bit,
  /// an embedding depends neither on the numbering of the nodes, nor on the other graphs in the
  /// batch, nor on the number of threads.
  void embed(std::span<const Graph> graphs, std::span<float> out, ThreadPool& pool) const;
  /// The same for neighbours of a graph in the edit map, of which only what the edits reach is
  /// computed: differs by rounding from embedding each of them. Bit for bit, an embedding depends
  /// on the graph, as it is numbered, and its own edit alone.
  void embed_neighbours(const Graph& graph, std::span<const Edit> edits, std::span<float> out,
                        ThreadPool& pool) const;
  /// Multiply-adds ×2 that one graph needs without padding, for flop/s figures: counted for every
  /// node and every weight, although embed() shares rows and skips zeros.
  [[nodiscard]] double flops(const Graph& graph) const;

 private:
  struct Network;
  std::unique_ptr<const Network> network_;
};

GinEmbedder load_embedder(const std::filesystem::path& path,
                          const Kernels& kernels = best_kernels());

/// Throws Error naming `file` unless the model was made for so many node labels.
void check_labels(const GinEmbedder& embedder, std::size_t num_labels, const std::string& file);

/// Euclidean distance of two embeddings: the estimated edit distance.
float embedding_distance(std::span<const float> a, std::span<const float> b);

}  // namespace fewedits
