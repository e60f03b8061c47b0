// SPDX-License-Identifier: MIT
// A graph of the edit map and its neighbours, evaluated: how likely each is to be accepted, and
// which inputs it covers. The walk and the refinement see graphs only through this.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fewedits/base/parallel.hpp"
#include "fewedits/distance/certified_distances.hpp"
#include "fewedits/edit/edit.hpp"
#include "fewedits/graph/graph.hpp"

namespace fewedits {

/// Entry 0 is the graph itself, the others its neighbours.
struct Neighbourhood {
  Neighbourhood() = default;
  /// Not evaluated: graph and edits alone.
  Neighbourhood(const Graph& of, std::span<const Edit> neighbours);

  Graph graph;
  std::vector<Edit> edits;
  std::vector<float> probability;    ///< of the desired class
  std::vector<std::uint64_t> shape;  ///< shape_hash
  /// The inputs that some entry covers, ascending. Bit j of an entry's row of `words` words: it
  /// covers active[j]. Few inputs are close to a graph, so a row is a handful of words.
  std::vector<std::uint32_t> active;
  std::size_t words = 0;
  std::vector<std::uint64_t> bits;

  [[nodiscard]] std::size_t size() const { return edits.size(); }
  [[nodiscard]] std::span<const std::uint64_t> row(std::size_t entry) const {
    return std::span(bits).subspan(entry * words, words);
  }
  /// A row: which of the active inputs the condition holds for.
  template <typename Condition>
  [[nodiscard]] std::vector<std::uint64_t> mask(const Condition& condition) const {
    std::vector<std::uint64_t> out(words, 0);
    for (std::size_t j = 0; j < active.size(); ++j) {
      if (condition(active[j])) out[j / 64] |= std::uint64_t{1} << (j % 64);
    }
    return out;
  }
  /// How many inputs the entry covers; of those in the mask.
  [[nodiscard]] int num_covered(std::size_t entry) const { return num_covered(entry, row(entry)); }
  [[nodiscard]] int num_covered(std::size_t entry, std::span<const std::uint64_t> mask) const;
  /// Inputs that the entry covers, ascending.
  [[nodiscard]] std::vector<std::uint32_t> covers(std::size_t entry) const;
  [[nodiscard]] std::size_t bytes() const;
};

/// What every search on the edit map asks for.
struct SearchOptions {
  /// At most so many neighbours of a graph, drawn once for each graph; 0: all.
  std::size_t max_neighbours = 0;
  double min_probability = 0.5;  ///< from which on a graph counts as accepted
  std::uint64_t seed = 1;
  std::size_t cache_bytes = std::size_t{1} << 30;  ///< for graphs seen before
};

/// Classifier and distance together. Answers depend on the graph and the edits alone, not on what
/// was asked before nor on the number of threads.
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  /// The graphs to be covered, without edge labels.
  [[nodiscard]] virtual std::span<const Graph> inputs() const = 0;
  /// `edits` are the neighbours' alone.
  virtual Neighbourhood evaluate(const Graph& graph, std::span<const Edit> edits, double theta,
                                 ThreadPool& pool) = 0;
  /// Probability of the desired class for each graph.
  virtual std::vector<float> probabilities(std::span<const Graph> graphs, ThreadPool& pool) = 0;
  /// The inputs within theta of each graph, ascending.
  virtual std::vector<std::vector<std::uint32_t>> covers(std::span<const Graph> graphs,
                                                         double theta, ThreadPool& pool);
  /// covers() takes little more than a classification, so that every visited graph can be asked
  /// about.
  [[nodiscard]] virtual bool covers_quickly() const { return false; }
  /// The normalised distance of each graph to each input.
  virtual std::vector<std::vector<double>> distances(std::span<const Graph> graphs,
                                                     ThreadPool& pool) = 0;
  /// What is proven of those distances; none if they are estimates. `watch` as in
  /// certified_distances.
  virtual std::optional<CertifiedDistances> prove(std::span<const Graph> graphs, ThreadPool& pool,
                                                  const CertifiedWatch& watch);
};

}  // namespace fewedits
