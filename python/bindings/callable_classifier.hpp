// SPDX-License-Identifier: MIT
// A classifier that asks a Python callable, in large batches and from the calling thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "batch.hpp"
#include "bindings.hpp"
#include "dataset_handle.hpp"
#include "fewedits/classifier/classifier.hpp"
#include "kept_answers.hpp"

namespace fewedits::python {

/// A graph's first answer is kept, so that a graph that is asked about again gets the same one
/// although it is in another batch; up to kKept answers. How batches are put together depends on
/// what is asked alone.
class CallableClassifier final : public Classifier {
 public:
  static constexpr std::size_t kKept = std::size_t{1} << 21;

  /// `ask` gets a Batch and gives an array of float32: log-probabilities, a row for each graph.
  CallableClassifier(nb::object ask, std::size_t classes, std::size_t labels,
                     std::size_t graphs_at_once, std::size_t nodes_at_once, const std::string& name,
                     BondWriter bonds);
  ~CallableClassifier() override;

  [[nodiscard]] std::size_t num_classes() const override { return classes_; }
  [[nodiscard]] std::size_t num_labels() const override { return labels_; }
  void log_probabilities(std::span<const Graph> graphs, std::span<float> out,
                         ThreadPool& pool) const override;

  struct Counts {
    std::uint64_t graphs = 0;  ///< it was asked about
    std::uint64_t asked = 0;   ///< of those, the callable
    std::uint64_t batches = 0;
    double seconds = 0;  ///< in the callable
  };
  /// Goes on counting while the classifier is in use.
  [[nodiscard]] std::shared_ptr<const Counts> counts() const { return counts_; }

 private:
  /// Asks the callable, in batches: a row for each of these graphs.
  void ask_all(std::vector<Graph> graphs, std::span<float> out, ThreadPool& pool) const;
  void ask(std::vector<Graph> graphs, std::span<float> out, ThreadPool& pool) const;

  nb::object ask_;
  std::size_t classes_;
  std::size_t labels_;
  std::size_t graphs_at_once_;
  std::size_t nodes_at_once_;
  BondWriter bonds_;
  mutable std::recursive_mutex mutex_;  ///< a callable may ask an engine that asks it
  mutable KeptAnswers kept_;
  mutable bool is_asking_ = false;  ///< a call from within the callable keeps nothing
  std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
};

}  // namespace fewedits::python
