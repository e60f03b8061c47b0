// SPDX-License-Identifier: MIT
#include "fewedits/evaluate/model_doubts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fewedits/base/error.hpp"
#include "fewedits/base/text.hpp"

namespace fewedits {

std::vector<std::string> model_doubts(const Dataset& dataset,
                                      std::span<const std::uint32_t> accepted) {
  if (dataset.classes.empty() || !dataset.desired_class) return {};
  const int desired_class = *dataset.desired_class;
  const auto is_desired = [&](std::uint32_t i) { return dataset.classes[i] == desired_class; };
  const auto desired = static_cast<std::size_t>(std::ranges::count(dataset.classes, desired_class));
  const auto right = static_cast<std::size_t>(std::ranges::count_if(accepted, is_desired));
  const std::size_t wrong = accepted.size() - right + (desired - right);
  const std::size_t undesired = dataset.size() - desired;
  const std::size_t guessing = std::min(desired, undesired);
  if (guessing == 0 || 10 * wrong < 9 * guessing) return {};
  const std::string& name = dataset.class_labels[static_cast<std::size_t>(desired_class)].name;
  return {fmt::format(
      "as desired or not desired the model errs on {} of {} graphs; always answering {} errs on "
      "{}. Is it the model of this dataset?",
      grouped(wrong), grouped(dataset.size()),
      in_quotes(desired < undesired ? "not " + name : name), grouped(guessing))};
}

}  // namespace fewedits
