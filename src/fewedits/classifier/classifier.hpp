// SPDX-License-Identifier: MIT
// What the explainer needs of a graph classifier: batches of graphs in, log-probabilities out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fewedits/base/parallel.hpp"
#include "fewedits/classifier/weighted_model.hpp"
#include "fewedits/edit/edit.hpp"
#include "fewedits/graph/dataset.hpp"
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
  /// Edge labels the model knows: it looks at them, and refuses graphs with others, or without
  /// any. 0: it does not look at them.
  [[nodiscard]] virtual std::size_t num_edge_labels() const { return 0; }
  /// By index; empty: unknown.
  [[nodiscard]] virtual std::span<const std::string> label_names() const { return {}; }
  [[nodiscard]] virtual std::span<const std::string> edge_label_names() const { return {}; }
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

  /// The model on graphs with weighted edges, and its derivatives, for one thread; null if it gives
  /// none. It reads this one, which must stay as it is.
  [[nodiscard]] virtual std::unique_ptr<WeightedModel> weighted() const { return nullptr; }

  /// The output of the model that a class was before the model was aligned with a dataset.
  [[nodiscard]] std::size_t column_of(std::size_t index) const {
    return columns_.empty() ? index : columns_[index];
  }
  /// Is class c the dataset's class c, as far as that has classes? False if nothing says so: then
  /// classes are the model's outputs.
  [[nodiscard]] bool knows_classes() const { return knows_classes_; }
  /// By whoever aligns it.
  void set_classes(std::vector<std::size_t> columns, bool known) {
    columns_ = std::move(columns);
    knows_classes_ = known;
  }

  /// From now on label i is what labels[i] was, and class c what classes[c] was. False, and nothing
  /// changes, if the model leaves that to a wrapper (classifier/aligned_classifier).
  virtual bool renumber(std::span<const Label> /*labels*/,
                        std::span<const std::size_t> /*classes*/) {
    return false;
  }
  /// The same for labels of edges.
  virtual bool renumber_edge_labels(std::span<const Label> /*labels*/) { return false; }

 private:
  std::string origin_;
  std::vector<std::string> notes_;
  std::vector<std::size_t> columns_;  ///< empty: as they are
  bool knows_classes_ = true;
};

/// What if the model names no classes, and nothing says which of its outputs the dataset's are?
enum class ClassMatch {
  kRequired,  ///< an Error, unless an output of the model is what is desired; nobody guesses
  kOptional,  ///< classes stay the model's outputs
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
/// Of all graphs of a dataset that the classifier is aligned with. One that looks at edges sees
/// them as explanations do (chem/graph_view), so that it says the same of a graph everywhere.
std::vector<float> checked_log_probabilities(const Dataset& dataset, const Classifier& classifier,
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

/// The lead that every counterfactual has unless somebody says otherwise: other evaluations of the
/// same model agree that far.
inline constexpr double kSafeLead = 1e-4;

struct Judgement;

/// The one rule of which graphs are counterfactuals: the desired class is the predicted one, leads
/// the next by so much, and is so probable.
struct Acceptance {
  double min_lead = 0;
  double min_probability = 0;

  [[nodiscard]] bool holds(const Judgement& judged) const;
  /// The same but for the rounding in which two evaluations of one model differ.
  [[nodiscard]] bool nearly_holds(const Judgement& judged) const;
};

/// What a classifier says of a graph.
struct Judgement {
  double probability = 0;  ///< of the desired class
  double runner_up = 0;    ///< the largest probability of another class
  bool predicted = false;  ///< the desired class is the most probable
  bool accepted = false;   ///< by the rule that it was judged by

  /// Of the desired class over the next one; rounding does not make it negative for what is
  /// predicted.
  [[nodiscard]] double lead() const {
    const double lead = probability - runner_up;
    return predicted && lead < 0 ? 0 : lead;
  }
  /// Against the next class: tells graphs apart that are far from being predicted, too.
  [[nodiscard]] double odds() const { return probability / std::max(runner_up, 1e-300); }
};

/// Which class is desired, and when a graph is accepted as being in it.
struct Goal {
  /// A class alone is a goal, too: to be predicted.
  Goal(std::size_t desired, Acceptance rule = {}) : desired_class(desired), acceptance(rule) {}

  std::size_t desired_class;
  Acceptance acceptance;
};
std::vector<Judgement> judge(std::span<const Graph> graphs, const Classifier& classifier,
                             const Goal& goal, ThreadPool& pool,
                             GraphsFrom from = GraphsFrom::kSearch);
/// neighbours[i] = apply(graph, edits[i])
std::vector<Judgement> judge_neighbours(const Graph& graph, std::span<const Edit> edits,
                                        std::span<const Graph> neighbours,
                                        const Classifier& classifier, const Goal& goal,
                                        ThreadPool& pool);

}  // namespace fewedits
