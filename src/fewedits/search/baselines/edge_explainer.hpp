// SPDX-License-Identifier: MIT
// Methods that explain one graph by a mask over its edges, behind one interface: some are trained
// on all inputs first, then each gives a graph its own counterfactual.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fewedits/search/baselines/adam.hpp"
#include "fewedits/search/baselines/edge_cut.hpp"
#include "fewedits/search/baselines/local_options.hpp"

namespace fewedits {

/// What is explained. All that is referred to must outlive the explainer.
struct EdgeTask {
  const Classifier& classifier;
  CutRules rules;
  /// Rejected graphs, on which is trained, and their numbers in the dataset: randomness rests on
  /// these, so that a graph gets the same counterfactual whatever else is explained.
  std::span<const Graph> inputs;
  std::span<const std::uint32_t> numbers;
  std::span<const Graph> accepted;  ///< of the dataset
  std::uint64_t seed = 1;
};

/// Enough to go on exactly as if training had not been interrupted.
struct TrainingState {
  std::uint64_t rounds = 0;
  std::vector<float> parameters;
  Adam adam;
  friend bool operator==(const TrainingState&, const TrainingState&) = default;
};

/// Pools that it is given have as many threads as the one that it was made with.
class EdgeExplainer {
 public:
  virtual ~EdgeExplainer() = default;

  /// Rounds of training that are asked for.
  [[nodiscard]] virtual std::uint64_t rounds() const { return 0; }
  [[nodiscard]] virtual const TrainingState& training() const {
    static const TrainingState none;
    return none;
  }
  /// Throws Error if it is none of this explainer's.
  virtual void restore(const TrainingState& /*training*/) {}
  /// One more. If the pool's stop sign ends it (Stopped), it was not made.
  virtual void train(ThreadPool& /*pool*/) {}

  /// A counterfactual for each graph, of any dataset with the same labels. The same for any number
  /// of threads, and whatever graphs are asked for together.
  virtual std::vector<std::optional<EdgeCut>> explain(std::span<const Graph> graphs,
                                                      std::span<const std::uint32_t> numbers,
                                                      ThreadPool& pool) = 0;
};

/// A method is made of it (edge_cutting_source in search/parts.hpp), and a way to explain a graph
/// alone (search/local/local_finder).
struct EdgeExplainerKind {
  std::string about;
  std::function<std::unique_ptr<EdgeExplainer>(const EdgeTask&, const LocalSettings&, ThreadPool&)>
      make;
  bool needs_gradients = false;  ///< Classifier::weighted()
};

/// Throws Error if the model gives no gradients.
void check_gradients(const Classifier& classifier);

/// One for each thread of a pool.
class WeightedModels {
 public:
  /// Throws Error as above.
  explicit WeightedModels(const Classifier& classifier, const ThreadPool& pool);
  [[nodiscard]] WeightedModel& operator[](int worker) {
    return *models_[static_cast<std::size_t>(worker)];
  }

 private:
  std::vector<std::unique_ptr<WeightedModel>> models_;
};

// The built-in ones.
EdgeExplainerKind cff_explainer();
EdgeExplainerKind rc_explainer();

}  // namespace fewedits
