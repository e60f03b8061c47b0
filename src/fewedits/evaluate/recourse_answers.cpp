// SPDX-License-Identifier: MIT
#include "fewedits/evaluate/recourse_answers.hpp"

#include <utility>

#include "fewedits/explanation/proofs.hpp"

namespace fewedits {

RecourseAnswers::RecourseAnswers(std::vector<Graph> inputs, const std::vector<Graph>& graphs,
                                 const Evaluation& evaluation, const EditCosts& costs)
    : inputs_(std::move(inputs)), graphs_(graphs), evaluation_(evaluation), costs_(costs) {}

PairStatus RecourseAnswers::status(std::size_t i) const {
  if (recourse(i).covered) return PairStatus::kYes;
  const bool open = proven() && evaluation_.possible->recourse[i].covered;
  return open ? PairStatus::kUnknown : PairStatus::kNo;
}

EditScript RecourseAnswers::script(std::size_t i) const {
  const NodeMap map = pair(i).map_from(inputs_[i].num_nodes());
  return checked_script(inputs_[i], counterfactual(i), map, costs_, pair(i).upper);
}

}  // namespace fewedits
