// SPDX-License-Identifier: MIT
#include "explain_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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
  if (e.complete) return "coverage " + coverage_in_words(m.coverage, *m.coverage_upper);
  if (open == 0) return "coverage at least " + coverage_in_words(m.coverage, *m.coverage_upper);
  return fmt::format(
      "coverage at least {} (it ended before {} more inputs were decided: `fewedits "
      "evaluate` goes on)",
      at_least_text(m.coverage), grouped(open));
}

/// That the search stood on some of the inputs only; what stands above is about all.
std::string sample_text(const Explanation& e) {
  if (!e.searched) return "";
  return fmt::format(
      "The search stood on {} of the {} inputs; every one of them was measured afterwards.\n",
      grouped(*e.searched), grouped(e.inputs.size()));
}

std::string end_text(const Explanation& e) {
  switch (e.ended) {
    case RunEnd::kWorkDone: return "It ended when its work was done.\n";
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
  const bool same_line = p.stage == stage_ || time_limit_ > 0;
  if (!line_ || !same_line) {
    line_.reset();  // wipes its line before the other draws
    line_ = std::make_unique<ProgressLine>();
  }
  stage_ = p.stage;
  std::string text = words_of(p.stage);
  if (p.coverage) {
    // What is covered is never shown as more, as everywhere.
    constexpr double kSlack = 1e-7;
    const double percent = std::floor(*p.coverage * 1e3 + kSlack) / 10;
    text = fmt::format("{:.1f} % covered{}", percent, walking ? " by candidates" : "");
  }
  if (time_limit_ > 0) {
    line_->update(share_of_limit(p), kWhole, text, std::max(0.0, time_limit_ - seconds()));
  } else {
    line_->update(p.done, p.total, text);
  }
  return !InterruptGuard::interrupted();
}

/// Of the whole run, so it never falls; more than that of the time if the refinement is sooner
/// over.
std::uint64_t SearchProgress::share_of_limit(const ExplainProgress& p) {
  double share = seconds() / time_limit_;
  if (p.stage == ExplainProgress::Stage::kRefine && p.total > 0) {
    share = std::max(share, static_cast<double>(p.done) / static_cast<double>(p.total));
  }
  share_ = std::max(share_, static_cast<std::uint64_t>(std::clamp(share, 0.0, 0.99) * kWhole));
  return share_;
}

double SearchProgress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - program_start()).count();
}

std::string smallest_lead_in_words(const Metrics& metrics) {
  if (!metrics.smallest_lead) return {};
  return fmt::format("In each of them the desired class leads the next by {} or more.\n",
                     lead_text(*metrics.smallest_lead));
}

std::string explanation_report(const Explanation& e, const Dataset& data, double seconds) {
  const auto covered = static_cast<std::uint64_t>(std::count_if(
      e.recourse.begin(), e.recourse.end(), [](const Recourse& r) { return r.covered; }));
  const std::size_t found = e.counterfactuals.size();
  std::vector<std::vector<std::string>> rows{
      {"", "covers", "new", "probability", "lead", "nodes", "edges", "visits"}};
  for (std::size_t i = 0; i < e.counterfactuals.size(); ++i) {
    const Counterfactual& c = e.counterfactuals[i];
    rows.push_back({fmt::format("{}", i + 1), grouped(c.covers.size()), grouped(c.gain),
                    probability_text(c.probability), c.lead ? lead_text(*c.lead) : "",
                    fmt::format("{}", c.graph.num_nodes()), fmt::format("{}", c.graph.num_edges()),
                    grouped(c.visits)});
  }
  return fmt::format(
      "{}: {}.\n"
      "{} graph{} of the desired class {} within {} of {} of them: {}, median cost {} ({} "
      "distance{}, "
      "{:.1f} s).\n{}{}\n{}\n",
      data.name,
      inputs_in_words(e.classes.value_or(ExplainedClasses{}), e.provenance, e.inputs.size(),
                      data.size()),
      found, found == 1 ? "" : "s", found == 1 ? "is" : "are", theta_text(e.theta),
      grouped(covered), coverage_text(e), cost_text(e.metrics.cost_median, costs_are_bounds(e)),
      e.distance, bonds_in_words(e), seconds, smallest_lead_in_words(e.metrics),
      sample_text(e) + end_text(e), table(rows));
}

}  // namespace fewedits::cli
