// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <limits>

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

std::string global_sentence(const CaseStudy& study, const Explanation& e, const Dataset& data) {
  const std::size_t inputs = study.inputs.size();
  std::int64_t most = 0;
  for (const GedBounds& d : study.global.distances) most = std::max(most, d.upper);
  std::string out = fmt::format("Counterfactual {} is at most {} from {}", study.counterfactual + 1,
                                counted(static_cast<std::uint64_t>(most), "edit"),
                                inputs == 1 ? "this input" : fmt::format("each of these {} inputs", inputs));
  if (e.meaning == DistanceMeaning::kOther) return out + ".";
  const CoverRange covered = covered_by(study.global, {}, study, e.theta, data);
  return out + fmt::format("; {} of {} are proven to be within theta {} of it.", covered.surely, inputs,
                           e.theta);
}

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += i + 1 == parts.size() ? " and " : ", ";
    out += parts[i];
  }
  return out;
}

std::string local_sentence(const CaseStudy& study, const Explanation& e, const Dataset& data) {
  std::vector<std::string> own;
  std::vector<std::string> others;
  CoverRange covered;
  std::size_t pairs = 0;
  for (const LocalCases& local : study.locals) {
    const LocalFigures figures = figures_of(local);
    if (figures.found == 0) continue;
    own.push_back(fmt::format("{} ({})", figures.own_at_most, figures.method));
    others.push_back(fmt::format("{} ({})", figures.other_at_least, figures.method));
    pairs += figures.found * (study.inputs.size() - 1);
    for (std::size_t i = 0; i < local.graphs.size(); ++i) {
      if (local.graphs[i]) covered += covered_by(*local.graphs[i], i, study, e.theta, data);
    }
  }
  if (own.empty()) return "";
  std::string out = fmt::format(" What was found for one input alone is at most {} edits from that input",
                                joined(own));
  if (pairs == 0) return out + ".";
  out += fmt::format(", and at least {} from every other one", joined(others));
  if (e.meaning == DistanceMeaning::kOther) return out + ".";
  const bool certain = covered.surely == covered.possibly;
  return out + fmt::format("; {} of these {} distances to other inputs {} within theta.",
                           certain ? fmt::format("{}", covered.surely)
                                   : fmt::format("{} to {}", covered.surely, covered.possibly),
                           pairs, certain && covered.surely == 1 ? "is" : "are");
}

}  // namespace

CoverRange covered_by(const CaseGraph& graph, std::optional<std::size_t> but, const CaseStudy& study,
                      double theta, const Dataset& data) {
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

}  // namespace fewedits
