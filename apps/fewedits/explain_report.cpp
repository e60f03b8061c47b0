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

struct Words {
  const char* unit;
  const char* doing;
};

Words words_of(ExplainProgress::Stage stage) {
  using Stage = ExplainProgress::Stage;
  switch (stage) {
    case Stage::kWalk: return {"steps", "walking"};
    case Stage::kMeasure: return {"graphs", "measuring"};
    case Stage::kRefine: return {"units", "refining"};
    case Stage::kProve: return {"pairs", "proving"};
  }
  return {"", ""};
}

}  // namespace

bool SearchProgress::operator()(const ExplainProgress& p) {
  using Stage = ExplainProgress::Stage;
  const bool walking = p.stage == Stage::kWalk;
  if (!line_ || p.stage != stage_) {
    line_.reset();  // wipes its line before the other draws
    line_ = std::make_unique<ProgressLine>(words_of(p.stage).unit);
    stage_ = p.stage;
    evaluations_ = {};
  }
  evaluations_.look(p.evaluated, seconds());
  const auto rate = static_cast<std::uint64_t>(evaluations_.rate());
  std::string text = words_of(p.stage).doing;
  if (walking && rate > 0) text = fmt::format("{} neighbours/s", grouped(rate));
  if (p.coverage) {
    text +=
        fmt::format(", {} {:.1f} %", walking ? "candidates cover" : "covered", 100 * *p.coverage);
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
  const std::string proven =
      e.metrics.coverage_upper
          ? fmt::format(" proven (at most {})", at_most_text(*e.metrics.coverage_upper))
          : " claimed";
  return fmt::format(
      "{}: {}.\n"
      "{} accepted graphs are within {} of {} of them: coverage {}{}, median cost {} "
      "({} distance, {:.1f} s).\n{}\n{}\n",
      data.name,
      inputs_in_words(e.classes.value_or(ExplainedClasses{}), e.provenance, e.inputs.size(),
                      data.size()),
      e.counterfactuals.size(), e.theta, grouped(covered), at_least_text(e.metrics.coverage),
      proven, cost_text(e.metrics.cost_median), e.distance, seconds,
      smallest_lead_in_words(e.metrics), table(rows));
}

}  // namespace fewedits::cli
