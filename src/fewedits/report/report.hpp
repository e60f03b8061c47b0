// SPDX-License-Identifier: MIT
// One HTML file that shows an explanation to people; "fewedits.report/3" in docs/formats.md is what
// it draws from.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fewedits/base/parallel.hpp"
#include "fewedits/explanation/recourse_pair.hpp"
#include "fewedits/graph/dataset.hpp"

namespace fewedits {

inline constexpr const char* kReportFormat = "fewedits.report/3";

/// An explanation and what its file does not say.
struct ReportedExplanation {
  Explanation explanation;
  std::string file;                 ///< for people
  std::vector<RecoursePair> pairs;  ///< to show (evaluate/recourse_pairs); the first one's count
  std::optional<double> greed_coverage;  ///< of a certified one: what the paper's distance says
  /// Of very many inputs: those that are shown one by one, to which the pairs belong (thinned()).
  std::optional<Explanation> shown = {};
};

/// A page of more inputs shows so many of them: the page stays below 20 MB.
inline constexpr std::size_t kMaxReportedInputs = 10'000;

/// The first explanation is shown in full (rules and more beside it: report/page_parts.hpp); its
/// dataset is `dataset`. Others are compared with it by their figures. Throws Error if the
/// explanation does not fit the dataset.
std::string report_json(std::span<const ReportedExplanation> explanations, const Dataset& dataset,
                        ThreadPool& pool);

/// What to know before figures are compared, one sentence for each explanation that is about other
/// data, another desired class or other inputs than the first.
std::vector<std::string> comparison_notes(std::span<const ReportedExplanation> explanations);

/// The page with that data inside: needs no other file and no network.
std::string report_html(const std::string& json);

/// What to type to get this explanation again, quoted for a shell.
std::string reproducing_command(const Explanation& explanation,
                                const std::string& file = "explanation.json");

}  // namespace fewedits
