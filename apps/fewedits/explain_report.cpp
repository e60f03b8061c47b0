// SPDX-License-Identifier: MIT
#include "explain_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fewedits/explanation/figures.hpp"
#include "fewedits/explanation/input_words.hpp"

namespace fewedits::cli {
namespace {

const char* words_of(ExplainProgress::Stage stage) {
  using Stage = ExplainProgress::Stage;
  switch (stage) {
    case Stage::kWalk: return "walking";
    case Stage::kTrain: return "training";
    case Stage::kLocal: return "cutting edges";
    case Stage::kMeasure: return "measuring";
    case Stage::kRefine: return "refining";
    case Stage::kProve: return "proving";
  }
  return "";
}

/// Lower and upper bounds of it, in words.
std::string coverage_text(const Explanation& e) {
  const Metrics& m = e.metrics;
  if (!m.coverage_upper) return fmt::format("coverage {} claimed", at_least_text(m.coverage));
  const auto open = static_cast<std::uint64_t>(
      std::count_if(e.recourse.begin(), e.recourse.end(),
                    [](const Recourse& r) { return r.proof && r.proof->open; }));
  if (e.complete || open == 0) {
    return fmt::format("coverage {} proven (at most {})", at_least_text(m.coverage),
                       at_most_text(*m.coverage_upper));
  }
  return fmt::format(
      "coverage at least {} (it ended before {} more inputs were decided: `fewedits "
      "evaluate` goes on)",
      at_least_text(m.coverage), grouped(open));
}

/// Of an explanation that was ended early, nobody may have looked for the cheapest edits.
std::string median_text(const Explanation& e) {
  const double cost = e.metrics.cost_median;
  if (e.complete || !e.metrics.coverage_upper)
    return fmt::format("median cost {}", cost_text(cost));
  if (cost >= 1) return "median cost unknown yet";
  return fmt::format("median cost at most {}", cost_text(cost));
}

std::string end_text(const Explanation& e) {
  switch (e.ended) {
    case RunEnd::kWorkDone: return "";
    case RunEnd::kConverged: return "It ended because nothing was gained any more.\n";
    case RunEnd::kAllCovered: return "It ended because all inputs are covered.\n";
    case RunEnd::kTimeLimit: return "It ended at the time limit.\n";
    case RunEnd::kInterrupted: return "It was interrupted.\n";
  }
  return "";
}

}  // namespace

bool SearchProgress::operator()(const ExplainProgress& p) {
  using Stage = ExplainProgress::Stage;
  const bool walking = p.stage == Stage::kWalk;
  if (!line_ || p.stage != stage_) {
    line_.reset();  // wipes its line before the other draws
    line_ = std::make_unique<ProgressLine>();
    stage_ = p.stage;
  }
  std::string text = words_of(p.stage);
  if (p.coverage) {
    text = fmt::format("{:.1f} % covered{}", 100 * *p.coverage, walking ? " by candidates" : "");
  }
  line_->update(p.done, p.total, text, most_seconds());
  return !InterruptGuard::interrupted();
}

/// The limit ends the search, not the measuring and proving of what was found.
double SearchProgress::most_seconds() const {
  using Stage = ExplainProgress::Stage;
  const bool limited = time_limit_ > 0 && (stage_ == Stage::kWalk || stage_ == Stage::kRefine);
  if (!limited) return std::numeric_limits<double>::infinity();
  return std::max(0.0, time_limit_ - seconds());
}

double SearchProgress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - begin_).count();
}

std::string smallest_lead_in_words(const Metrics& metrics) {
  if (!metrics.smallest_lead) return {};
  return fmt::format("In each of them the desired class leads the next by {:.4f} or more.\n",
                     std::floor(*metrics.smallest_lead * 1e4) / 1e4);
}

std::string explanation_report(const Explanation& e, const Dataset& data, double seconds) {
  const auto covered = static_cast<std::uint64_t>(std::count_if(
      e.recourse.begin(), e.recourse.end(), [](const Recourse& r) { return r.covered; }));
  std::vector<std::vector<std::string>> rows{
      {"", "covers", "new", "probability", "lead", "nodes", "edges", "visits"}};
  for (std::size_t i = 0; i < e.counterfactuals.size(); ++i) {
    const Counterfactual& c = e.counterfactuals[i];
    rows.push_back({fmt::format("{}", i + 1), grouped(c.covers.size()), grouped(c.gain),
                    probability_text(c.probability), c.lead ? fmt::format("{:.4f}", *c.lead) : "",
                    fmt::format("{}", c.graph.num_nodes()), fmt::format("{}", c.graph.num_edges()),
                    grouped(c.visits)});
  }
  return fmt::format(
      "{}: {}.\n"
      "{} accepted graphs are within {} of {} of them: {}, {} ({} distance, {:.1f} s).\n{}{}\n{}\n",
      data.name,
      inputs_in_words(e.classes.value_or(ExplainedClasses{}), e.provenance, e.inputs.size(),
                      data.size()),
      e.counterfactuals.size(), e.theta, grouped(covered), coverage_text(e), median_text(e),
      e.distance, seconds, smallest_lead_in_words(e.metrics), end_text(e), table(rows));
}

}  // namespace fewedits::cli
