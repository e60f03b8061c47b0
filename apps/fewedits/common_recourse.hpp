// SPDX-License-Identifier: MIT
// `evaluate --common-recourse`: a list of counterfactuals measured as COMRECGC measures.
#pragma once

#include "comparison.hpp"
#include "fewedits/evaluate/common_recourse.hpp"

namespace fewedits::cli {

struct CommonRecourseArguments {
  bool wanted = false;
  double delta = 0.02;
  std::size_t recourses = 100;

  void add_to(CLI::App& command);
};

int run_common_recourse(const ComparisonArguments& arguments, const CommonRecourseArguments& more,
                        const ComparisonMaterial& material,
                        const std::vector<std::uint32_t>& inputs, ThreadPool& pool);

}  // namespace fewedits::cli
