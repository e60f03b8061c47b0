// SPDX-License-Identifier: MIT
#include "table.hpp"

#include <fmt/format.h>

#include <utility>

#include "fewedits/cover/greedy.hpp"

namespace fewedits::bench {
namespace {

constexpr const char* kHead =
    "| method | GREED claims | certified: proven | certified: not excluded "
    "| median certified cost | seconds | seed |\n"
    "|---|---:|---:|---:|---:|---:|---:|\n";

std::string percent(double value) { return fmt::format("{:.2f} %", value); }

std::string paper_row(const std::string& name, const PaperFigures& figures,
                      const std::string& seconds) {
  return fmt::format("| paper: {} | {} | – | – | – | {} | – |\n", name, percent(figures.coverage),
                     seconds);
}

std::string our_row(const std::string& title, const Row& row, const std::string& seed) {
  const Figures& f = row.figures;
  const std::string seconds = row.seconds > 0 ? fmt::format("{:.1f}", row.seconds) : "–";
  return fmt::format("| {} | {} | {} | {} | {:.4f} | {} | {} |\n", title, percent(f.claimed),
                     percent(f.proven), percent(f.possible), f.cost, seconds, seed);
}

std::string title_of(const Row& row) {
  const bool walks = row.mode->greed && row.mode->method == "gcf";
  if (!walks) return row.mode->title;
  return fmt::format("{}, {} steps", row.mode->title, row.steps);
}

/// Each figure by itself: no row need have all of them.
Row median_of(const std::vector<Row>& rows) {
  const auto middle = [&](const auto& part) {
    std::vector<double> values;
    for (const Row& row : rows) values.push_back(part(row));
    return lower_median(std::move(values));
  };
  Row out;
  out.seconds = middle([](const Row& row) { return row.seconds; });
  out.figures.claimed = middle([](const Row& row) { return row.figures.claimed; });
  out.figures.proven = middle([](const Row& row) { return row.figures.proven; });
  out.figures.possible = middle([](const Row& row) { return row.figures.possible; });
  out.figures.cost = middle([](const Row& row) { return row.figures.cost; });
  return out;
}

std::string rows_of(const Mode& mode, const std::vector<Row>& rows) {
  std::string out;
  std::vector<Row> same;
  for (const Row& row : rows) {
    if (row.mode != &mode) continue;
    out += our_row(title_of(row), row, fmt::format("{}", row.seed));
    same.push_back(row);
  }
  if (same.size() > 1) out += our_row(mode.title + ", median", median_of(same), "all");
  return out;
}

std::string notes_of(const std::vector<Row>& rows) {
  std::string out;
  for (const Row& row : rows) {
    if (!row.note.empty()) out += "Note: " + row.note + ".\n\n";
  }
  return out;
}

}  // namespace

std::string preface(const Plan& plan) {
  const ExplainOptions standard;
  const CertifiedOptions certified;
  return fmt::format(
      "# Results of fewedits {}\n\n"
      "Coverage by {} counterfactuals at θ = {}, published models. The paper's rows are its own "
      "claims (GCFExplainer with its best α). All other explanations are measured alike after the "
      "search, whatever they were searched under: with GREED, and with certified distances: the "
      "edits "
      "that the explanation brings along, or better ones found with {} units of work a question. "
      "Walks under GREED: {} steps unless the row says otherwise, α = "
      "{}. Seconds are those of the search, as they were recorded when it ran.\n",
      version(), standard.k, certified.theta, certified.ged.budget.work, plan.steps,
      standard.alpha);
}

std::string table(const PaperDataset& paper, const std::vector<Row>& rows,
                  const std::string& footer) {
  std::string out = fmt::format("\n## {}\n\n{}", paper.name, kHead);
  out += paper_row("GROUND-TRUTH", paper.ground_truth, "–");
  const auto seconds = [&](std::size_t i) {
    return fmt::format("{:.0f} (RTX 2080)", paper.seconds.at(i));
  };
  out += paper_row("RCExplainer", paper.rcexplainer, seconds(0));
  out += paper_row("CFF", paper.cff, seconds(1));
  out += paper_row("GCFExplainer", paper.gcfexplainer, seconds(2));
  for (const Mode& mode : kModes) out += rows_of(mode, rows);
  return out + "\n" + notes_of(rows) + footer + "\n";
}

}  // namespace fewedits::bench
