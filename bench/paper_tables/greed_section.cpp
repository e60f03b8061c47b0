// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <array>

#include "markdown.hpp"
#include "sections.hpp"

namespace fewedits::bench {
namespace {

struct Row {
  const char* method;
  const char* title;
  const PaperFigures PaperDataset::*published;  ///< null: the paper has none
  bool exact = false;                           ///< nothing random in it
};

constexpr std::array<Row, 6> kRows{
    {{"ground-truth-greed", "GROUND-TRUTH", &PaperDataset::ground_truth, true},
     {"cff", "CFF", &PaperDataset::cff},
     {"rcexplainer", "RCExplainer", &PaperDataset::rcexplainer},
     {"walk", "GCFExplainer, the paper's walk", &PaperDataset::gcfexplainer},
     {"longer", "the same, more steps", &PaperDataset::gcfexplainer},
     {"refined", "the walk, then refined (not the paper's)", nullptr}}};

struct Metric {
  const char* heading;
  Part part;
  double PaperFigures::*published;
  int places;
  double scale;  ///< of the record's figures in the paper's unit
  Rule rule;
};

/// A point of coverage, half a hundredth of normalised distance.
const std::array<Metric, 2> kMetricsShown{
    {{"coverage, %", Part::kCoverage, &PaperFigures::coverage, 2, 1, {1.0, true, 2}},
     {"median cost", Part::kCost, &PaperFigures::cost, 4, 1, {0.005, false, 4}}}};

std::string table(const Source& source, const Metric& metric) {
  Table out(metric.heading, "verdict");
  for (const Row& row : kRows) {
    if (std::string(row.method) == "longer" && !source.knows(row.method)) continue;
    std::vector<Comparison> all;
    const auto ours = [&](const PaperDataset& p) {
      return source.figure(p.name, row.method, metric.part);
    };
    if (row.published != nullptr) {
      for (const PaperDataset& p : kPaper) {
        all.push_back({p.name, (p.*row.published).*metric.published, ours(p)});
      }
    }
    Rule rule = metric.rule;
    if (row.exact) rule.slack = 0;
    const auto cell = [&](const PaperDataset& p) {
      const std::string text =
          figure_text(ours(p), metric.places, row.exact ? 1 : source.settings().seeds.size());
      if (row.published == nullptr) return text;
      return beside(text, (p.*row.published).*metric.published, metric.places);
    };
    out.row(row.title, cell, all.empty() ? "" : verdict(all, rule));
  }
  return out.text();
}

}  // namespace

std::string greed_section(const Source& source) {
  std::string longer;
  if (source.knows("longer")) {
    longer = fmt::format(" More steps: {}, ties by coverage.", source.settings().longer_steps);
  }
  return fmt::format(
             "\n## 1. Under GREED, the paper's own measure (Table 2)\n\n"
             "Ten counterfactuals, θ = 0.1; ours, and in brackets the published figure. Walk: {} "
             "steps at θ = 0.05, α = 0.5 (the paper takes its best α), graphs visited equally "
             "often in the order of their coming.{} Replicated: within one point of coverage, "
             "0.005 of cost, or two standard deviations; GROUND-TRUTH, in which nothing is random, "
             "to the last digit.\n\n",
             source.settings().steps, longer) +
         table(source, kMetricsShown[0]) + "\n" + table(source, kMetricsShown[1]);
}

}  // namespace fewedits::bench
