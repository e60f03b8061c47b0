// SPDX-License-Identifier: MIT
#include "fewedits/verification/report_words.hpp"

#include <fmt/format.h>

#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/base/terminal_text.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/explanation/figures.hpp"
#include "fewedits/explanation/input_words.hpp"
#include "fewedits/verification/recorded.hpp"

namespace fewedits::verify {
namespace {

/// What makes a graph a counterfactual, by the explanation's own options.
std::string rule(const Explanation& e) {
  return fmt::format("Counterfactuals: lead ≥ {}, probability ≥ {}.\n",
                     number_option(e, "min-lead").value_or(0),
                     number_option(e, "min-probability").value_or(0));
}

std::string counts(const Explanation& e, const Report& report, std::size_t graphs) {
  std::string out;
  if (report.classes) {
    out = inputs_in_words(*report.classes, e.provenance, e.inputs.size(), graphs) + ".\n" + rule(e);
  }
  out += fmt::format("{}: {}, {}", printable(e.method),
                     counted(e.counterfactuals.size(), "counterfactual"),
                     counted(e.inputs.size(), "input"));
  if (!report.certified) return out;
  return out + fmt::format(", {} and {} replayed", counted(report.maps, "map"),
                           counted(report.scripts, "script"));
}

/// What is left to say if no claim is false.
std::string outcome(const Explanation& e, const Report& report) {
  if (!report.certified) {
    return fmt::format(
        "not certified: the coverage of {} at theta {} rests on the distance {}, {}, and "
        "is not proven.\n",
        at_least_text(e.metrics.coverage), e.theta, in_quotes(e.distance),
        e.meaning == DistanceMeaning::kOther ? "which does not count edits" : "an estimate");
  }
  std::string out = fmt::format("Coverage {} at theta {} proven{}, median cost {}.\n",
                                at_least_text(e.metrics.coverage), e.theta, bonds_in_words(e),
                                cost_text(e.metrics.cost_median, costs_are_bounds(e)));
  if (report.smallest_lead && report.model_checked) {
    out += fmt::format("In each counterfactual the desired class leads the next by {} or more.\n",
                       lead_text(*report.smallest_lead));
  }
  if (report.coverage_at_most) {
    out += fmt::format("Not above {} by labels and degrees alone. ",
                       at_most_text(*report.coverage_at_most, e.metrics.coverage));
  }
  return out + fmt::format(
                   "The search says not above {}: that is not proven\n"
                   "here, only consistent with the lower bounds it gives.\n",
                   at_most_text(e.metrics.coverage_upper.value_or(1), e.metrics.coverage));
}

/// In the place of a claim that nobody looked into.
const char* const kNoModel =
    "model not checked: the explanation is one of a black box, and only who has it can say "
    "whether\n"
    "it rejects the inputs and accepts the counterfactuals.\n";

}  // namespace

std::string listed(const char* what, const std::vector<std::string>& lines, std::size_t all) {
  std::string out;
  for (const std::string& line : lines) out += fmt::format("{}: {}\n", what, line);
  if (all > lines.size()) out += fmt::format("… and {} more\n", grouped(all - lines.size()));
  return out;
}

std::string in_words(const Explanation& e, const Report& report, std::size_t graphs) {
  std::string out;
  out += listed("false", report.listed, report.false_claims);
  out += listed("not checked", report.not_checked, report.left_out);
  out += listed("note", report.notes, report.notes.size());
  out += counts(e, report, graphs);
  if (!report.holds()) {
    out += fmt::format(": {} of {} claims are false.\n", grouped(report.false_claims),
                       grouped(report.claims));
  } else if (!report.all_checked()) {
    out += fmt::format(": {} claims hold, but not all could be checked. Nothing is proven.\n",
                       grouped(report.claims));
  } else {
    out += fmt::format(": all {} claims that were checked hold.\n", grouped(report.claims)) +
           outcome(e, report);
  }
  if (!report.model_checked) out += kNoModel;
  return out;
}

}  // namespace fewedits::verify
