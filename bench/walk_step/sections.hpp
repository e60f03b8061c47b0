// SPDX-License-Identifier: MIT
// The parts of the benchmark; each prints its tables and returns the same figures.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace fewedits::bench {

using Json = nlohmann::ordered_json;

struct EvaluationOptions {
  std::size_t expansions = 60;
  std::size_t graphs = 20'000;  ///< that all contenders are given; 0: all
  int rounds = 5;
};
/// Neighbours evaluated per second on one dataset: ours against libtorch.
Json compare_evaluation(const std::string& dataset, const EvaluationOptions& options);

/// Whole walks with the published models.
Json time_walks(const std::vector<std::string>& datasets, std::uint64_t steps, int threads);

/// The same walk over more and more inputs.
Json time_growth(const std::vector<std::size_t>& inputs, std::uint64_t steps, int threads);

}  // namespace fewedits::bench
