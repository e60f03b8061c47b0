// SPDX-License-Identifier: MIT
// What the explainer needs of a graph classifier: batches of graphs in, log-probabilities out.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fewedits/base/parallel.hpp"
#include "fewedits/edit/edit.hpp"
#include "fewedits/graph/graph.hpp"

namespace fewedits {

class Classifier {
 public:
  Classifier() = default;
  virtual ~Classifier() = default;
  Classifier(const Classifier&) = default;
  Classifier(Classifier&&) = default;
  Classifier& operator=(const Classifier&) = default;
  Classifier& operator=(Classifier&&) = default;

  /// The file it was read from, for errors; empty: none.
  [[nodiscard]] const std::string& origin() const { return origin_; }
  void set_origin(std::string file) { origin_ = std::move(file); }
  /// What whoever relies on its answers should know about how it was read, in words.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  void add_note(std::string note) { notes_.push_back(std::move(note)); }

  [[nodiscard]] virtual std::size_t num_classes() const = 0;
  /// Node labels the model knows; a graph with another one is refused with an Error.
  [[nodiscard]] virtual std::size_t num_labels() const = 0;
  /// By index; empty: unknown.
  [[nodiscard]] virtual std::span<const std::string> label_names() const { return {}; }
  [[nodiscard]] virtual std::span<const std::string> class_names() const { return {}; }

  /// out[i · num_classes() + c] = log p(c | graphs[i]); the result does not depend on the
  /// batch a graph is in nor on the number of threads.
  virtual void log_probabilities(std::span<const Graph> graphs, std::span<float> out,
                                 ThreadPool& pool) const = 0;
  /// The same for neighbours[i] = apply(graph, edits[i]); a model may use that most of them is as
  /// in the graph.
  virtual void neighbour_log_probabilities(const Graph& graph, std::span<const Edit> edits,
                                           std::span<const Graph> neighbours, std::span<float> out,
                                           ThreadPool& pool) const;

  /// From now on label i is what labels[i] was, and class c what classes[c] was. False, and nothing
  /// changes, if the model leaves that to a wrapper (classifier/aligned_classifier).
  virtual bool renumber(std::span<const Label> /*labels*/,
                        std::span<const std::size_t> /*classes*/) {
    return false;
  }

 private:
  std::string origin_;
  std::vector<std::string> notes_;
};

/// What graphs are, for errors.
enum class GraphsFrom {
  kDataset,  ///< index i is graph i of the dataset
  kSearch,   ///< counterfactuals, or candidates for them
};

/// Classifier::log_probabilities and neighbour_log_probabilities, checked: this is where answers of
/// models come in. Throws Error naming the model and the first graph with an answer that is no
/// logarithm of a probability: NaN, +∞, or -∞ (probability 0) in a row that does not sum to 1.
std::vector<float> checked_log_probabilities(std::span<const Graph> graphs,
                                             const Classifier& classifier, GraphsFrom from,
                                             ThreadPool& pool);
std::vector<float> checked_log_probabilities(const Graph& graph, std::span<const Edit> edits,
                                             std::span<const Graph> neighbours,
                                             const Classifier& classifier, ThreadPool& pool);

/// The class with the largest log-probability in one row; the lowest index on ties.
inline std::size_t predicted_class(std::span<const float> row) {
  std::size_t best = 0;
  for (std::size_t c = 1; c < row.size(); ++c) {
    if (row[c] > row[best]) best = c;
  }
  return best;
}

/// What a classifier says of a graph.
struct Judgement {
  double probability = 0;  ///< of the desired class
  bool accepted = false;   ///< predicted to be in it
};
std::vector<Judgement> judge(std::span<const Graph> graphs, const Classifier& classifier,
                             std::size_t desired_class, ThreadPool& pool,
                             GraphsFrom from = GraphsFrom::kSearch);
/// neighbours[i] = apply(graph, edits[i])
std::vector<Judgement> judge_neighbours(const Graph& graph, std::span<const Edit> edits,
                                        std::span<const Graph> neighbours,
                                        const Classifier& classifier, std::size_t desired_class,
                                        ThreadPool& pool);

}  // namespace fewedits
