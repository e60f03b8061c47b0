// SPDX-License-Identifier: MIT
#include "tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "fewedits/fewedits.hpp"
#include "fewedits/search/option_table.hpp"

namespace fewedits::bench {
namespace {

constexpr const char* kNone = "–";
constexpr std::array<const char*, 3> kAblations{"NVR, no reinforcement", "NIF, no importance",
                                                "NDT, uniform teleport"};

std::string alpha(std::size_t i) { return fmt::format("α = {}", kAlphas.at(i)); }

std::string percent(double coverage) { return fmt::format("{:.2f} %", coverage); }
std::string both(const PaperFigures& f) {
  return fmt::format("{:.2f} % / {:.4f}", f.coverage, f.cost);
}
std::string both(const Sample& s) {
  if (s.runs.empty()) return kNone;
  if (s.runs.size() == 1) return both(PaperFigures{s.coverage().mean, s.cost().mean});
  return fmt::format("{:.2f} ± {:.2f} % / {:.4f} ± {:.4f}{}", s.coverage().mean,
                     s.coverage().deviation, s.cost().mean, s.cost().deviation,
                     s.runs.size() == 2 ? " (2)" : "");
}
std::string bold_if(bool bold, const std::string& text) { return bold ? "**" + text + "**" : text; }

/// A column a dataset.
class Table {
 public:
  Table(const std::string& title, std::span<const Results> results) : results_(results) {
    text_ = fmt::format("\n## {}\n\n", title);
    row("", [](const Results& r) { return r.paper.name; });
    row("---", [](const Results&) { return "---"; });
  }

  using Cell = std::function<std::string(const Results&)>;
  Table& row(const std::string& name, const Cell& cell) {
    text_ += "| " + name + " |";
    for (const Results& r : results_) text_ += " " + cell(r) + " |";
    text_ += "\n";
    return *this;
  }
  /// Left out if no dataset has it.
  Table& row_if_any(const std::string& name, const Cell& cell) {
    const bool any = std::any_of(results_.begin(), results_.end(),
                                 [&](const Results& r) { return cell(r) != kNone; });
    return any ? row(name, cell) : *this;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::span<const Results> results_;
  std::string text_;
};

std::string quality(std::span<const Results> results, const ExperimentOptions& options) {
  return Table("Coverage and median cost of ten counterfactuals (Table 2)", results)
      .row("paper: GROUND-TRUTH", [](const Results& r) { return both(r.paper.ground_truth); })
      .row("fewedits: GROUND-TRUTH", [](const Results& r) { return both(r.ground_truth); })
      .row("paper: RCExplainer", [](const Results& r) { return both(r.paper.rcexplainer); })
      .row("paper: CFF", [](const Results& r) { return both(r.paper.cff); })
      .row("paper: GCFExplainer", [](const Results& r) { return both(r.paper.gcfexplainer); })
      .row("fewedits: the paper's algorithm", [](const Results& r) { return both(r.best_alpha()); })
      .row("fewedits: the same, ties to the earliest",
           [](const Results& r) { return both(r.earliest); })
      .row_if_any(fmt::format("fewedits: the same, {} steps", options.longer_steps),
                  [](const Results& r) { return both(r.longer); })
      .row_if_any("fewedits-S: " + alpha(kDefaultAlpha),
                  [](const Results& r) { return both(r.sampled.by_alpha.at(kDefaultAlpha)); })
      .row("fewedits: with refinement", [](const Results& r) { return both(r.full.refined); })
      .row_if_any("fewedits-S: with refinement",
                  [](const Results& r) { return both(r.sampled.refined); })
      .text();
}

std::string sensitivity(std::span<const Results> results) {
  Table table(
      "Weight of a graph's own coverage (Table 5; in bold the best of those with the most seeds)",
      results);
  for (std::size_t i = 0; i < kAlphas.size(); ++i) {
    table.row("paper: " + alpha(i), [=](const Results& r) {
      const double coverage = r.paper.by_alpha.at(i);
      return bold_if(coverage == r.paper.gcfexplainer.coverage, percent(coverage));
    });
  }
  for (std::size_t i = 0; i < kAlphas.size(); ++i) {
    table.row("fewedits: " + alpha(i),
              [=](const Results& r) { return bold_if(i == r.best, both(r.full.by_alpha.at(i))); });
  }
  for (std::size_t i = 0; i < kAlphas.size(); ++i) {
    table.row_if_any("fewedits-S: " + alpha(i),
                     [=](const Results& r) { return both(r.sampled.by_alpha.at(i)); });
  }
  return table.text();
}

std::string ablations(std::span<const Results> results) {
  Table table("Coverage without a part of the walk, best α (Table 4)", results);
  for (std::size_t i = 0; i < kAblations.size(); ++i) {
    table.row(fmt::format("paper: {}", kAblations.at(i)),
              [=](const Results& r) { return percent(r.paper.ablations.at(i)); });
    table.row(fmt::format("fewedits: {}", kAblations.at(i)),
              [=](const Results& r) { return both(r.full.ablations.at(i)); });
    table.row_if_any(fmt::format("fewedits-S: {}", kAblations.at(i)),
                     [=](const Results& r) { return both(r.sampled.ablations.at(i)); });
  }
  table.row("paper: all", [](const Results& r) { return percent(r.paper.gcfexplainer.coverage); });
  table.row("fewedits: all", [](const Results& r) { return both(r.best_alpha()); });
  table.row_if_any("fewedits-S: all",
                   [](const Results& r) { return both(r.sampled.by_alpha.at(r.best)); });
  return table.text();
}

std::string times(std::span<const Results> results) {
  const auto seconds = [](const Sample& s) {
    return s.runs.empty() ? kNone : fmt::format("{:.0f}", s.runs.front().seconds);
  };
  return Table("Seconds of a walk, α = 0.5, first seed, as recorded when it was walked (Table 6)",
               results)
      .row("paper: GCFExplainer, RTX 2080",
           [](const Results& r) { return fmt::format("{:.0f}", r.paper.seconds); })
      .row("fewedits: the paper's algorithm",
           [&](const Results& r) { return seconds(r.full.by_alpha.at(kDefaultAlpha)); })
      .row("paper: GCFExplainer-S, RTX 2080",
           [](const Results& r) { return fmt::format("{:.0f}", r.paper.sampled_seconds); })
      .row_if_any("fewedits-S",
                  [&](const Results& r) { return seconds(r.sampled.by_alpha.at(kDefaultAlpha)); })
      .text();
}

std::string notes_of(std::span<const Results> results) {
  std::string out;
  for (const Results& r : results) {
    for (const std::string& note : r.notes) out += fmt::format("\nNote: {}.\n", note);
  }
  return out;
}

/// Half of the last digit the paper prints.
constexpr double kHalfPercent = 0.005;
constexpr double kHalfCost = 0.00005;

bool covers_less(const Sample& ours, const PaperFigures& paper) {
  return ours.coverage().mean < paper.coverage - kHalfPercent;
}
bool costs_more(const Sample& ours, const PaperFigures& paper) {
  return ours.cost().mean > paper.cost + kHalfCost;
}

}  // namespace

std::string tables(std::span<const Results> results, const ExperimentOptions& options) {
  ExplainOptions greed;
  greed.distance = "greed";
  const ExplainOptions standard = with_defaults(greed, builtin_parts());
  return fmt::format(
             "# The paper's tables, by fewedits {}\n\n"
             "Published models, GREED distance, k = {}, θ = {}, walk θ = {}, {} steps, refinement "
             "of {} neighbours. fewedits: mean ± standard deviation over the seeds {}; (2): over "
             "two "
             "of them; without deviation: one alone. Of graphs visited equally often, those that "
             "cover more are candidates for the ten, unless ties go to the earliest. -S: {} "
             "neighbours a step at most. Coverage / "
             "median cost.\n",
             version(), standard.k, *standard.theta, *standard.walk_theta, options.steps,
             *standard.refine_work, fmt::join(options.seeds, ", "), kPaperSample) +
         quality(results, options) + sensitivity(results) + ablations(results) + times(results) +
         notes_of(results);
}

std::vector<std::string> compare_with_paper(std::span<const Results> results, std::size_t seeds) {
  std::vector<std::string> out;
  for (const Results& r : results) {
    const auto expect_runs = [&](const std::string& row, const Sample& ours) {
      if (ours.runs.size() == seeds) return;
      out.push_back(
          fmt::format("{}, {}: {} of {} seeds", r.paper.name, row, ours.runs.size(), seeds));
    };
    const auto need = [&](const std::string& row, const Sample& ours, const PaperFigures& least) {
      if (ours.runs.empty() || !(covers_less(ours, least) || costs_more(ours, least))) return;
      out.push_back(fmt::format("{}, {}: {}, aim {}", r.paper.name, row, both(ours), both(least)));
    };
    const PaperFigures& theirs = r.paper.gcfexplainer;
    need("GROUND-TRUTH", r.ground_truth, r.paper.ground_truth);
    need("more steps", r.longer, theirs);
    for (const Walks* walks : {&r.full, &r.sampled}) {
      const std::string kind = walks == &r.full ? "" : "-S, ";
      const Sample& whole = walks->by_alpha.at(r.best);
      need(kind + "the paper's algorithm", whole, theirs);
      need(kind + "with refinement", walks->refined, {kRefinedGain * theirs.coverage, theirs.cost});
      for (std::size_t i = 0; i < kAblations.size(); ++i) {
        const double without = walks->ablations.at(i).coverage().mean;
        if (whole.runs.empty() || without <= whole.coverage().mean) continue;
        out.push_back(fmt::format("{}, {}{}: {}, more than with it", r.paper.name, kind,
                                  kAblations.at(i), percent(without)));
      }
    }
    for (std::size_t i = 0; i < kAlphas.size(); ++i) {
      expect_runs(alpha(i), r.full.by_alpha.at(i));
    }
    expect_runs("-S, " + alpha(kDefaultAlpha), r.sampled.by_alpha.at(kDefaultAlpha));
    expect_runs("ties to the earliest", r.earliest);
    expect_runs("with refinement", r.full.refined);
    for (std::size_t i = 0; i < kAblations.size(); ++i) {
      expect_runs(kAblations.at(i), r.full.ablations.at(i));
    }
  }
  return out;
}

}  // namespace fewedits::bench
