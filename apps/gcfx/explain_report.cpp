// SPDX-License-Identifier: MIT
#include "explain_report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gcfx::cli {

bool SearchProgress::operator()(const ExplainProgress& p) {
  const bool walking = p.stage == ExplainProgress::Stage::kWalk;
  if (!line_ || p.stage != stage_) {
    line_.reset();  // wipes its line before the other draws
    line_ = std::make_unique<ProgressLine>(walking ? "steps" : "neighbours");
    stage_ = p.stage;
    start_ = Clock::now();
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const double rate = seconds > 0 ? static_cast<double>(p.evaluated) / seconds : 0;
  line_->update(p.done, p.total,
                walking ? fmt::format("{} neighbours/s, candidates cover {:.1f} %",
                                      grouped(static_cast<std::uint64_t>(rate)), 100 * p.coverage)
                        : fmt::format("refining, covered {:.1f} %", 100 * p.coverage));
  return !InterruptGuard::interrupted();
}

std::string explanation_report(const Explanation& e, const Dataset& data, double seconds) {
  const auto covered = static_cast<std::uint64_t>(std::count_if(
      e.recourse.begin(), e.recourse.end(), [](const Recourse& r) { return r.covered; }));
  std::vector<std::vector<std::string>> rows{
      {"", "covers", "new", "probability", "nodes", "edges", "visits"}};
  for (std::size_t i = 0; i < e.counterfactuals.size(); ++i) {
    const Counterfactual& c = e.counterfactuals[i];
    rows.push_back({fmt::format("{}", i + 1), grouped(c.covers.size()), grouped(c.gain),
                    fmt::format("{:.3f}", c.probability), fmt::format("{}", c.graph.num_nodes()),
                    fmt::format("{}", c.graph.num_edges()), grouped(c.visits)});
  }
  return fmt::format(
      "{}: the model rejects {} of {} graphs.\n"
      "{} accepted graphs are within {} of {} of them: coverage {:.2f} %, median cost {:.4f} "
      "({} distance, {:.1f} s).\n\n{}\n",
      data.name, grouped(e.inputs.size()), grouped(data.size()), e.counterfactuals.size(), e.theta,
      grouped(covered), 100 * e.metrics.coverage, e.metrics.cost_median, e.distance, seconds,
      table(rows));
}

}  // namespace gcfx::cli
