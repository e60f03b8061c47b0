// SPDX-License-Identifier: MIT
// What rules and fragility rest on, as Provenance::options; read again by
// verification/recorded_rules.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fewedits/classifier/classifier.hpp"
#include "fewedits/classifier/input_selection.hpp"
#include "fewedits/induction/induce.hpp"

namespace fewedits {

using RecordedOptions = std::vector<std::pair<std::string, std::string>>;

/// Which graphs, and what is accepted.
RecordedOptions options_of_task(const Acceptance& acceptance,
                                const std::vector<std::string>& constraints,
                                const InputSelection& selection);
/// How rules were searched for, but for the seed and what a RuleList says itself.
RecordedOptions options_of_search(const InduceOptions& options);

}  // namespace fewedits
