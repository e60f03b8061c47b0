// SPDX-License-Identifier: MIT
// For each graph of an evaluation its nearest counterfactual, and the edits that lead there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fewedits/evaluate/evaluation.hpp"
#include "fewedits/proof/edit_script.hpp"

namespace fewedits {

/// By the graph's place among those that were evaluated.
class RecourseAnswers {
 public:
  /// `inputs` are the evaluated graphs as the counterfactuals see them, with or without labels of
  /// edges; `graphs` are all that were to be counterfactuals. Keeps references to these and to the
  /// evaluation.
  RecourseAnswers(std::vector<Graph> inputs, const std::vector<Graph>& graphs,
                  const Evaluation& evaluation, const EditCosts& costs);

  [[nodiscard]] std::size_t size() const { return inputs_.size(); }
  [[nodiscard]] const Graph& input(std::size_t i) const { return inputs_[i]; }
  [[nodiscard]] const Recourse& recourse(std::size_t i) const {
    return evaluation_.result.recourse[i];
  }
  [[nodiscard]] bool found(std::size_t i) const {
    return recourse(i).counterfactual != Recourse::kNone;
  }
  /// Of what was found, among `graphs`.
  [[nodiscard]] std::uint32_t place(std::size_t i) const {
    return evaluation_.places[recourse(i).counterfactual];
  }
  [[nodiscard]] const Graph& counterfactual(std::size_t i) const { return graphs_[place(i)]; }
  [[nodiscard]] PairStatus status(std::size_t i) const;

  /// Under a distance with proofs; the rest is for that alone.
  [[nodiscard]] bool proven() const { return evaluation_.possible.has_value(); }
  /// Of what was found.
  [[nodiscard]] const CertifiedPair& pair(std::size_t i) const {
    return evaluation_.proof.pairs[recourse(i).counterfactual][i];
  }
  /// No counterfactual is proven to be nearer than this.
  [[nodiscard]] double lower(std::size_t i) const {
    return evaluation_.possible->recourse[i].distance;
  }
  /// To what was found, replayed and checked.
  [[nodiscard]] EditScript script(std::size_t i) const;
  [[nodiscard]] bool complete() const { return evaluation_.proof.complete; }

 private:
  std::vector<Graph> inputs_;
  const std::vector<Graph>& graphs_;
  const Evaluation& evaluation_;
  EditCosts costs_;
};

}  // namespace fewedits
