// SPDX-License-Identifier: MIT
// Which few of many rules, and in which order.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "fewedits/base/parallel.hpp"
#include "fewedits/induction/grow.hpp"
#include "fewedits/rules/rule_list.hpp"

namespace fewedits {

/// What a list of candidates is worth, in graphs: the sum of the figure that the objective names.
double worth_of(std::span<const RuleCandidate> candidates, std::span<const std::size_t> list,
                RuleObjective objective, std::size_t num_graphs);

/// At most `most` of the candidates, as places in the list of them, in order. Greedy: again and
/// again the candidate and the place in the list that add most, the first candidate and the last
/// place among equals; then members are exchanged, as long as that adds anything. What adds less
/// than `least`, in graphs, is left out.
std::vector<std::size_t> choose_rules(std::span<const RuleCandidate> candidates,
                                      RuleObjective objective, std::size_t num_graphs,
                                      std::size_t most, double least, ThreadPool& pool);

}  // namespace fewedits
