// SPDX-License-Identifier: MIT
#include "markdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fewedits::bench {

std::string range_text(double least, double most) {
  const std::string from = fmt::format("{:.0f}", least);
  const std::string to = fmt::format("{:.0f}", most);
  return from == to ? from : fmt::format("{} to {}", from, to);
}

std::string signed_text(double difference, int places) {
  return fmt::format("{}{:.{}f}", difference < 0 ? "−" : "+", std::abs(difference), places);
}

std::string figure_text(const std::optional<Figure>& figure, int places, std::size_t usual_seeds) {
  if (!figure) return kNone;
  const std::string mean = fmt::format("{:.{}f}", figure->mean, places);
  if (figure->seeds == 1) return mean;
  const std::string few =
      figure->seeds == usual_seeds ? "" : fmt::format(" ({} seeds)", figure->seeds);
  return fmt::format("{} ± {:.{}f}{}", mean, figure->deviation, places, few);
}

std::string beside(const std::string& ours, double published, int places) {
  return fmt::format("{} ({:.{}f})", ours, published, places);
}

Table::Table(const std::string& first, const std::string& last) : has_last_(!last.empty()) {
  row(
      first, [](const PaperDataset& paper) { return paper.name; }, last);
  row(
      "---", [](const PaperDataset&) { return "---"; }, "---");
}

Table& Table::row(const std::string& name, const Cell& cell, const std::string& last) {
  text_ += "| " + name + " |";
  for (const PaperDataset& paper : kPaper) text_ += " " + cell(paper) + " |";
  if (has_last_) text_ += " " + last + " |";
  text_ += "\n";
  return *this;
}

std::string verdict(const std::vector<Comparison>& comparisons, const Rule& rule) {
  std::size_t known = 0;
  std::vector<std::string> worse;
  std::vector<std::string> better;
  std::vector<std::string> noisy;
  for (const Comparison& c : comparisons) {
    if (!c.ours) continue;
    ++known;
    // What is printed is compared: both figures are rounded.
    const double difference = c.ours->mean - c.published;
    const double half_digit = 0.5 * std::pow(10, -rule.places) * (1 + 1e-9);
    if (std::abs(difference) <= std::max(rule.slack, half_digit)) continue;
    const std::string text = fmt::format("{} {}", c.dataset, signed_text(difference, rule.places));
    // Two seeds say next to nothing of how far seeds differ.
    const bool noise =
        c.ours->seeds >= kNoiseSeeds && std::abs(difference) <= 2 * c.ours->deviation;
    if (noise) {
      noisy.push_back(text);
    } else {
      ((difference > 0) == rule.more_is_better ? better : worse).push_back(text);
    }
  }
  if (known == 0) return kNone;
  const std::string of =
      known == comparisons.size() ? "" : fmt::format(" ({} of {})", known, comparisons.size());
  if (worse.empty() && better.empty() && noisy.empty()) return "replicated" + of;
  std::vector<std::string> parts;
  if (!worse.empty()) parts.push_back(fmt::format("not replicated: {}", fmt::join(worse, ", ")));
  if (!better.empty()) parts.push_back(fmt::format("better: {}", fmt::join(better, ", ")));
  if (!noisy.empty()) parts.push_back(fmt::format("within noise: {}", fmt::join(noisy, ", ")));
  return fmt::format("{}{}", fmt::join(parts, "; "), of);
}

}  // namespace fewedits::bench
