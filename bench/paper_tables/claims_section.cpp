// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "markdown.hpp"
#include "sections.hpp"

namespace fewedits::bench {
namespace {

struct Claim {
  std::string words;
  std::string published;
  std::string ours;
  std::string verdict;
};

/// The mean over the datasets of one method's figure over another's, as the paper's abstract takes
/// it, in percent above or below 1; none unless all datasets have both.
template <typename Value>
std::optional<double> mean_change(const Value& ratio) {
  double sum = 0;
  for (const PaperDataset& p : kPaper) {
    const std::optional<double> value = ratio(p);
    if (!value || !std::isfinite(*value)) return std::nullopt;
    sum += *value;
  }
  return 100 * (sum / static_cast<double>(kPaper.size()) - 1);
}

std::optional<double> ratio_of(const std::optional<Figure>& a, const std::optional<Figure>& b) {
  if (!a || !b || b->mean == 0) return std::nullopt;
  return a->mean / b->mean;
}

std::string percent(const std::optional<double>& value) {
  return value ? signed_text(*value, 1) + " %" : kNone;
}

/// At least as much of a gain as was published, but for a tenth.
std::string gain_verdict(const std::optional<double>& ours, double published) {
  if (!ours) return kNone;
  if (*ours >= 0.9 * published) return "replicated";
  return fmt::format("not replicated: {} points", signed_text(*ours - published, 1));
}

Claim gain(const Source& source, const std::string& words, Part part, bool proven, int sign,
           double published) {
  const auto change = mean_change([&](const PaperDataset& p) {
    return ratio_of(source.figure(p.name, "walk", part),
                    source.figure(p.name, "rcexplainer", part));
  });
  const auto gained = change ? std::optional(sign * *change) : std::nullopt;
  return {words, proven ? kNone : signed_text(sign * published, 1) + " %", percent(change),
          proven && change ? (*gained > 0 ? "holds" : "does not hold")
                           : gain_verdict(gained, published)};
}

/// Our walk against the baseline as it was published: what can be said without ours.
Claim gain_on_published(const Source& source) {
  const auto change = mean_change([&](const PaperDataset& p) -> std::optional<double> {
    const auto walk = source.figure(p.name, "walk", Part::kCoverage);
    if (!walk) return std::nullopt;
    return walk->mean / p.rcexplainer.coverage;
  });
  return {"the same, our walk against RCExplainer as published", signed_text(kPaperGain, 1) + " %",
          percent(change), gain_verdict(change, kPaperGain)};
}

Claim against_the_best(const Source& source) {
  const auto change = mean_change([&](const PaperDataset& p) -> std::optional<double> {
    double best = 0;
    for (const char* baseline : {"ground-truth-greed", "cff", "rcexplainer"}) {
      const auto figure = source.figure(p.name, baseline, Part::kProven);
      if (!figure) return std::nullopt;
      best = std::max(best, figure->mean);
    }
    const auto walk = source.figure(p.name, "walk", Part::kProven);
    if (!walk || best == 0) return std::nullopt;
    return walk->mean / best;
  });
  return {"more *proven* coverage than the best baseline of each dataset", kNone, percent(change),
          change ? (*change > 0 ? "holds" : "does not hold") : kNone};
}

Claim sample_loss(const Source& source) {
  std::vector<std::string> by_dataset;
  double sum = 0;
  for (const PaperDataset& p : kPaper) {
    const auto [sampled, full] =
        source.same_seeds(p.name, "sampled-alpha-1", "alpha-1", Part::kCoverage);
    const auto ratio = ratio_of(sampled, full);
    if (!ratio) continue;
    sum += 100 * (1 - *ratio);
    by_dataset.push_back(p.name + " " + signed_text(100 * (1 - *ratio), 1));
  }
  if (by_dataset.empty()) return {"-S loses little coverage", "3.3 %", kNone, kNone};
  const double mean = sum / static_cast<double>(by_dataset.size());
  return {"-S loses little coverage, mean of the datasets",
          fmt::format("{:.1f} %", kPaperSampleLoss),
          fmt::format("{:.1f} % ({})", mean, fmt::join(by_dataset, ", ")),
          mean <= kPaperSampleLoss ? "replicated"
                                   : "not replicated: " + signed_text(mean - kPaperSampleLoss, 1)};
}

Claim summary_time(const Source& source) {
  double slowest = 0;
  for (const PaperDataset& p : kPaper) {
    for (const char* method : {"ground-truth-greed", "cff", "rcexplainer", "walk"}) {
      const auto figure = source.figure(p.name, method, Part::kSummarySeconds);
      if (figure) slowest = std::max(slowest, figure->mean);
    }
  }
  if (slowest == 0) return {"the summary takes less than a second", "< 1 s", kNone, kNone};
  return {"the summary takes less than a second, all methods", "< 1 s",
          fmt::format("{:.2g} s at most, once it is known which inputs each covers", slowest),
          slowest < kPaperSummarySeconds ? "replicated" : "not replicated"};
}

/// Of all points of figures 3 and 4 that both have: at how many the walk is better.
Claim consistency(const Source& source) {
  std::size_t points = 0;
  std::size_t better = 0;
  std::size_t baselines = 0;
  for (const char* baseline : {"ground-truth-greed", "cff", "rcexplainer"}) {
    bool any = false;
    for (const PaperDataset& p : kPaper) {
      for (const char* curve : {"coverage-k", "coverage-theta"}) {
        const Points ours = source.curve(p.name, "walk", curve);
        for (const auto& [x, y] : source.curve(p.name, baseline, curve)) {
          const auto same = std::find_if(ours.begin(), ours.end(), [x = x](const auto& point) {
            return std::abs(point.first - x) < 1e-9;
          });
          if (same == ours.end()) continue;
          any = true;
          ++points;
          better += same->second >= y ? 1U : 0U;
        }
      }
    }
    baselines += any ? 1U : 0U;
  }
  const std::string words = "better than the baselines at every k and θ (Figures 3 and 4)";
  if (points == 0) return {words, "always", kNone, kNone};
  return {words, "always",
          fmt::format("at {} of {} points, against {} of 3 baselines", better, points, baselines),
          better == points
              ? "replicated"
              : fmt::format("not at {:.0f} %", 100.0 * static_cast<double>(points - better) /
                                                   static_cast<double>(points))};
}

/// Coverage of ten at the step nearest to `step`.
std::optional<double> at_step(const Points& points, double step) {
  std::optional<double> out;
  double nearest = std::numeric_limits<double>::infinity();
  for (const auto& [x, y] : points) {
    if (std::abs(x - step) >= nearest) continue;
    nearest = std::abs(x - step);
    out = y;
  }
  return out;
}

Claim convergence(const Source& source) {
  const Points points = source.curve("Mutagenicity", "walk", "convergence-10");
  const double share = kPaperConverging / static_cast<double>(kPaperSteps);
  const auto steps = static_cast<double>(source.settings().steps);
  const auto early = at_step(points, share * steps);
  const auto late = at_step(points, steps);
  const std::string words = "the walk on Mutagenicity converges from 15,000 steps on (Figure 6)";
  if (!early || !late || *late == 0) return {words, "yes", kNone, kNone};
  const double reached = 100 * *early / *late;
  return {words, "yes",
          fmt::format("{:.0f} % of the last coverage at {:.0f} steps", reached, share * steps),
          reached >= 90 ? "replicated" : "not replicated"};
}

}  // namespace

std::string claims_section(const Source& source) {
  const std::vector<Claim> claims{
      gain(source, "more coverage than RCExplainer, its best baseline (abstract)", Part::kCoverage,
           false, 1, kPaperGain),
      gain_on_published(source),
      gain(source, "less median cost than RCExplainer (abstract)", Part::kCost, false, -1,
           kPaperCostSaving),
      gain(source, "the first, but of what is *proven* of the same graphs", Part::kProven, true, 1,
           0),
      against_the_best(source),
      consistency(source),
      sample_loss(source),
      summary_time(source),
      convergence(source)};
  std::string out =
      "\n## What the paper claims\n\n"
      "| claim | published | ours | verdict |\n| --- | --- | --- | --- |\n";
  for (const Claim& c : claims) {
    out += fmt::format("| {} | {} | {} | {} |\n", c.words, c.published, c.ours, c.verdict);
  }
  return out +
         "\nRatios are means over the four datasets, as the abstract takes them. Its theorem 1 "
         "(hardness, by reduction from maximum coverage) and its figures 1 and 2 (counts of edits) "
         "are tests: `tests/paper_examples_test.cpp`. Of figure 1 it turned out that the caption's "
         "four edits are not the fewest: three do, if a hydrogen becomes the oxygen.\n";
}

}  // namespace fewedits::bench
