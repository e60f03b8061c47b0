// SPDX-License-Identifier: MIT
// All that one page can show: explanations, lists of rules, fragility, and what they say at a
// glance.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fewedits/glance/glance.hpp"
#include "fewedits/report/report.hpp"
#include "fewedits/rules/fragility_list.hpp"
#include "fewedits/rules/rule_list.hpp"

namespace fewedits {

struct ReportedRules {
  RuleList list;
  std::string file;  ///< for people
};

struct ReportedFragility {
  FragilityList list;
  std::string file;
};

/// There is an explanation or a list of rules at least; the first explanation, else the first list,
/// is what the page is about.
struct PageParts {
  std::span<const ReportedExplanation> explanations;
  std::span<const ReportedRules> rules;
  std::optional<ReportedFragility> fragility = {};
  /// Graphs of the dataset that the model accepts; unset: it is not at hand.
  std::optional<std::vector<std::uint32_t>> accepted = {};
  std::optional<Glance> glance = {};  ///< needs `accepted`
};

/// Throws Error naming the file of the part that is about other data, another model or another
/// class than the page; rules may see bonds where the explanation does not.
void check_fits(const PageParts& parts, const Dataset& dataset);

/// Throws Error if a part does not fit the dataset, or is not about the model and the class that
/// the page is about.
std::string report_json(const PageParts& parts, const Dataset& dataset, ThreadPool& pool);

/// What the page is about.
const Provenance& subject_of(const PageParts& parts);

/// What to type to get these rules again, quoted for a shell; empty where that cannot be said.
std::string reproducing_command(const RuleList& list);

}  // namespace fewedits
