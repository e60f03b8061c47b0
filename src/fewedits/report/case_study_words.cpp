// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "fewedits/base/text.hpp"
#include "fewedits/report/case_study_counts.hpp"
#include "fewedits/report/case_study_page.hpp"

namespace fewedits {
namespace {

/// What the graphs that one method found for single inputs are like.
struct LocalFigures {
  std::string method;
  std::size_t found = 0;
  std::int64_t own_at_most = 0;
  std::int64_t other_at_least = std::numeric_limits<std::int64_t>::max();
};

LocalFigures figures_of(const LocalCases& local) {
  LocalFigures out{.method = local.method};
  for (std::size_t own = 0; own < local.graphs.size(); ++own) {
    if (!local.graphs[own]) continue;
    ++out.found;
    const auto& distances = local.graphs[own]->distances;
    for (std::size_t i = 0; i < distances.size(); ++i) {
      if (i == own) {
        out.own_at_most = std::max(out.own_at_most, distances[i].upper);
      } else {
        out.other_at_least = std::min(out.other_at_least, distances[i].lower);
      }
    }
  }
  return out;
}

std::string edits(std::int64_t count) { return counted(static_cast<std::uint64_t>(count), "edit"); }

std::string global_sentence(const CaseStudy& study, const Explanation& e, const Dataset& data) {
  const std::size_t inputs = study.inputs.size();
  std::int64_t most = 0;
  for (const GedBounds& d : study.global.distances) most = std::max(most, d.upper);
  std::string out =
      fmt::format("Counterfactual {} is at most {} from {}", study.counterfactual + 1, edits(most),
                  inputs == 1 ? "this input" : fmt::format("each of these {} inputs", inputs));
  if (e.meaning == DistanceMeaning::kOther) return out + ".";
  const CoverRange covered = covered_by(study.global, {}, study, e.theta, data);
  if (covered.surely == inputs) return out + fmt::format(", within theta {}.", e.theta);
  return out + fmt::format("; {} of them {} proven to be within theta {}.", covered.surely,
                           covered.surely == 1 ? "is" : "are", e.theta);
}

std::string listed(const std::vector<std::string>& parts) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += i + 1 == parts.size() ? " and " : ", ";
    out += parts[i];
  }
  return out;
}

/// "0 of these 12 distances to other inputs are within theta", if there are any.
std::string coverage_clause(const CaseStudy& study, const Explanation& e, const Dataset& data) {
  CoverRange covered;
  std::size_t pairs = 0;
  for (const LocalCases& local : study.locals) {
    for (std::size_t own = 0; own < local.graphs.size(); ++own) {
      if (!local.graphs[own]) continue;
      covered += covered_by(*local.graphs[own], own, study, e.theta, data);
      pairs += study.inputs.size() - 1;
    }
  }
  if (pairs == 0 || e.meaning == DistanceMeaning::kOther) return "";
  const bool certain = covered.surely == covered.possibly;
  return fmt::format("; {} of these {} distances to other inputs {} within theta",
                     certain ? fmt::format("{}", covered.surely)
                             : fmt::format("{} to {}", covered.surely, covered.possibly),
                     pairs, certain && covered.surely == 1 ? "is" : "are");
}

std::string local_sentence(const CaseStudy& study, const Explanation& e, const Dataset& data) {
  std::vector<std::string> own;
  std::vector<std::string> others;
  std::int64_t last = 0;
  for (const LocalCases& local : study.locals) {
    const LocalFigures figures = figures_of(local);
    if (figures.found == 0) continue;
    last = figures.own_at_most;
    own.push_back(fmt::format("{} ({})", last, figures.method));
    others.push_back(fmt::format("{} ({})", figures.other_at_least, figures.method));
  }
  if (own.empty()) return "";
  std::string out =
      fmt::format(" What is found for one of them alone is at most {} {} from that input",
                  listed(own), last == 1 ? "edit" : "edits");
  if (study.inputs.size() > 1) {
    out += fmt::format(", and at least {} from the others", listed(others));
  }
  return out + coverage_clause(study, e, data) + ".";
}

}  // namespace

CoverRange covered_by(const CaseGraph& graph, std::optional<std::size_t> but,
                      const CaseStudy& study, double theta, const Dataset& data) {
  CoverRange out;
  for (std::size_t i = 0; i < study.inputs.size(); ++i) {
    if (i == but) continue;
    const GedBounds& d = graph.distances[i];
    const std::int64_t limit = distance_limit(theta, data.graphs[study.inputs[i]], graph.graph);
    out.surely += d.upper <= limit ? 1U : 0U;
    out.possibly += d.lower <= limit ? 1U : 0U;
  }
  return out;
}

std::string edits_text(const GedBounds& bounds) {
  return bounds.exact() ? fmt::format("{}", bounds.upper)
                        : fmt::format("{}–{}", bounds.lower, bounds.upper);
}

std::string case_study_sentences(const CaseStudy& study, const Explanation& explanation,
                                 const Dataset& dataset) {
  return global_sentence(study, explanation, dataset) + local_sentence(study, explanation, dataset);
}

std::string verdict_on_paper(const CaseStudy& study) {
  // The paper's figures.
  constexpr std::int64_t kOwn = 2;
  constexpr std::int64_t kOthersAbove = 5;
  constexpr std::int64_t kGlobal = 4;
  std::size_t others = 0;
  std::size_t far = 0;
  std::size_t close = 0;  // proven to be
  std::size_t locals = 0;
  std::size_t as_told = 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = 0;
  for (const LocalCases& local : study.locals) {
    for (std::size_t own = 0; own < local.graphs.size(); ++own) {
      if (!local.graphs[own]) continue;
      const auto& distances = local.graphs[own]->distances;
      for (std::size_t i = 0; i < distances.size(); ++i) {
        const GedBounds& d = distances[i];
        if (i != own) {
          ++others;
          far += d.lower > kOthersAbove ? 1U : 0U;
          close += d.upper <= kOthersAbove ? 1U : 0U;
          continue;
        }
        ++locals;
        as_told += d.lower == kOwn && d.upper == kOwn ? 1U : 0U;
        least = std::min(least, d.lower);
        most = std::max(most, d.upper);
      }
    }
  }
  const auto& global = study.global.distances;
  const bool near =
      std::ranges::all_of(global, [](const GedBounds& d) { return d.upper <= kGlobal; });
  const bool too_far =
      std::ranges::any_of(global, [](const GedBounds& d) { return d.lower > kGlobal; });
  std::string out = fmt::format(
      "The paper says of its own case (§4.3, Figure 5): local counterfactuals are {} edits from "
      "their own input and more than {} from the others, the global one is at most {} from all. "
      "Here: at most {} from all {}",
      kOwn, kOthersAbove, kGlobal, kGlobal,
      near ? "holds" : (too_far ? "does not hold" : "is not decided"));
  if (others > 0) {
    const std::string open =
        far + close < others ? fmt::format(", {} not decided", others - far - close) : "";
    out += fmt::format("; more than {} from the others holds for {} of {}{}", kOthersAbove, far,
                       others, open);
  }
  if (locals > 0) {
    out += fmt::format("; {} from their own {}: ", kOwn,
                       as_told == locals ? "holds" : "does not hold");
    out += least == most
               ? fmt::format("{} edits", most)
               : fmt::format("{} to {}, {} for {} of {}", least, most, kOwn, as_told, locals);
  }
  return out + ".";
}

}  // namespace fewedits
