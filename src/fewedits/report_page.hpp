// SPDX-License-Identifier: MIT
// The page that shows explanations, lists of rules and fragility: all that follows from them is
// computed here, the page itself is report/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fewedits/base/parallel.hpp"
#include "fewedits/report/page_parts.hpp"

namespace fewedits {

/// What files hold. There is an explanation or a list of rules at least.
struct PageSources {
  std::vector<ReportedExplanation> explanations = {};  ///< without their pairs
  std::vector<ReportedRules> rules = {};
  std::optional<ReportedFragility> fragility = {};
  /// Graphs of the dataset that the model accepts, ascending; unset: it is not at hand, and the
  /// page leaves out what needs it.
  std::optional<std::vector<std::uint32_t>> accepted = {};
};

/// The page, as HTML. Throws Error if the sources do not fit the dataset or each other, Stopped if
/// the pool is told to stop.
std::string report_page(PageSources sources, const Dataset& dataset, ThreadPool& pool);

}  // namespace fewedits
