// SPDX-License-Identifier: MIT
// Writes explanations for the browser test into a folder: FOLDER/NAME.json and the dataset
// FOLDER/NAME. Usage: report_material FOLDER
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "fewedits/base/file.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/explanation/figures.hpp"
#include "fewedits/formats/csv_cell.hpp"
#include "fewedits/report/chart.hpp"
#include "fewedits/rules/rule_json.hpp"
#include "support/explained.hpp"
#include "support/planted.hpp"

namespace {

fewedits::Explanation write(const std::filesystem::path& folder, const std::string& name,
                            const fewedits::test::ExplainedOptions& options,
                            const std::function<void(fewedits::Explanation&)>& change = {}) {
  auto made = fewedits::test::make_explained(folder / name, options);
  if (change) change(made.explanation);
  fewedits::write_file_atomically(folder / (name + ".json"),
                                  fewedits::explanation_json(made.explanation));
  return std::move(made.explanation);
}

/// The same curves as the page has, drawn by the library.
void write_charts(const std::filesystem::path& file, const fewedits::Metrics& metrics) {
  using fewedits::Chart;
  Chart coverage{.x_label = "k", .y_label = "coverage", .lines = {{"one", {}}}};
  Chart cost = coverage;
  cost.values = Chart::Values::kNumbers;
  cost.from_zero = false;
  cost.y_label = "median distance to the nearest";
  Chart by_theta = coverage;
  by_theta.x_label = "θ";
  for (const fewedits::PrefixMetrics& m : metrics.by_k) {
    coverage.lines[0].points.emplace_back(m.k, m.coverage);
    if (std::isfinite(m.cost_median)) cost.lines[0].points.emplace_back(m.k, m.cost_median);
  }
  for (const fewedits::ThetaMetrics& m : metrics.by_theta) {
    by_theta.lines[0].points.emplace_back(m.theta, m.coverage);
  }
  nlohmann::json charts;
  charts["coverage-k"] = fewedits::charts_svg({&coverage, 1}, 1);
  charts["cost-k"] = fewedits::charts_svg({&cost, 1}, 1);
  charts["coverage-theta"] = fewedits::charts_svg({&by_theta, 1}, 1);
  fewedits::write_file_atomically(file, charts.dump());
}

/// Names that would be markup if they were not taken as text.
void make_hostile(fewedits::DatasetMetadata& metadata) {
  metadata.domain = "generic";
  metadata.name = "</script><script>window.broken = 1</script>";
  metadata.node_label_names[0] = "<script>window.broken = 1</script>";
  metadata.node_label_names[1] = "<img src=x onerror=\"window.broken = 1\">";
  metadata.node_label_names[2] = "it's \"quoted\" & <b>bold</b>";
}

/// A name that a spreadsheet would take for a formula.
void make_formula(fewedits::Explanation& explanation) { explanation.distance = "=1+1"; }

/// A refinement that has nothing left to gain.
void make_flat(fewedits::Explanation& explanation) {
  for (fewedits::RefinementPoint& point : explanation.refinement) point.coverage = 1;
}

/// Values and how the library shows them, for the page's own rules to be compared with.
void write_figures(const std::filesystem::path& file) {
  std::vector<double> values{0, 1, 0.03125, 0.5, 0.29, 0.57, 1e-9, 0.99999999};
  for (int whole = 1; whole < 120; ++whole) {
    for (int part = 0; part <= whole; ++part) values.push_back(1.0 * part / whole);
  }
  // Ties of every rule, and what lies right beside them.
  for (int i = 0; i < 2000; ++i) {
    const double tie = (i + 0.5) / 2e4;
    for (const double towards : {0.0, 1.0}) values.push_back(std::nextafter(tie, towards));
    values.push_back(tie);
  }
  fewedits::Rng rng(1, 1);
  for (int i = 0; i < 5000; ++i) values.push_back(rng.uniform());
  nlohmann::json rows = nlohmann::json::array();
  for (const double x : values) {
    const double half = x / 2;
    rows.push_back({x, fewedits::at_least_text(x), fewedits::at_most_text(x),
                    fewedits::cost_text(x), fewedits::probability_text(x),
                    fewedits::cost_text(x, true), fewedits::at_most_text(x, half),
                    fewedits::at_most_text(x, x), fewedits::coverage_in_words(half, x),
                    fewedits::coverage_in_words(x, x)});
  }
  fewedits::write_file_atomically(file, rows.dump());
}

/// Texts and how predict writes them as CSV, for the page's own rule to be compared with.
void write_csv_cells(const std::filesystem::path& file) {
  nlohmann::json rows = nlohmann::json::array();
  for (const std::string text :
       {"",        "a",       "a,b",    "say \"x\"", "two\nlines", "=1+1",      "+1",
        "-1",      "-1.5e-3", "-.5",    "-5.",       "-",          "-x",        "-inf",
        "1e5",     "@x",      "\t=1",   "\r=1",      "\n=1",       "\uFF1Dcmd", "\uFF0B1",
        "\uFF0D1", "\uFF20x", "\uFF21", "=1,2",      "'=1"}) {
    rows.push_back({text, fewedits::csv_cell(text)});
  }
  fewedits::write_file_atomically(file, rows.dump());
}

/// A search that was ended before anybody looked for the cheapest edits.
void make_early(fewedits::Explanation& explanation) {
  explanation.complete = false;
  explanation.ended = fewedits::RunEnd::kTimeLimit;
}

/// A rule of that explanation, under its names: the first label becomes the second in the first
/// input that has it.
void write_rules(const std::filesystem::path& file, const fewedits::Explanation& explanation,
                 const fewedits::Dataset& data) {
  using fewedits::Label;
  fewedits::RuleList list;
  list.provenance = explanation.provenance;
  list.classes = {.desired = data.class_labels[1].name, .column = 1, .predicted = {"</script>"}};
  list.label_names = explanation.label_names;
  list.inputs = explanation.inputs;
  fewedits::MeasuredRule one(fewedits::Rule({{0, 1}}, {}));
  for (const std::uint32_t input : explanation.inputs) {
    const auto labels = data.graphs[input].labels();
    const auto at = std::ranges::find(labels, Label{0});
    if (at == labels.end()) continue;
    const auto places = static_cast<std::uint32_t>(std::ranges::count(labels, Label{0}));
    one.inputs.push_back(
        {input, {places, 1, 0}, {static_cast<fewedits::Node>(at - labels.begin())}});
  }
  one.left.rejected = one.inputs.size();
  one.alone = {.support = 0.5, .somewhere = 0.5, .calls = 1, .on_average = 0.25, .everywhere = 0};
  one.list = one.alone;
  list.rules.push_back(std::move(one));
  fewedits::write_file_atomically(file, fewedits::rules_json(list));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    const std::filesystem::path folder = argv[1];
    std::filesystem::create_directories(folder);
    write_figures(folder / "figures.json");
    write_csv_cells(folder / "csv_cells.json");
    const auto made = write(folder, "made", {.inputs = 240, .k = 6});
    write_charts(folder / "charts.json", made.metrics);
    write(folder, "other", {.inputs = 240, .k = 6, .seed = 2});
    write(folder, "full", {.inputs = 30, .k = 2, .theta = 0.875}, make_flat);
    write(folder, "early", {.inputs = 60, .k = 3}, make_early);
    const auto hostile =
        write(folder, "hostile", {.inputs = 24, .k = 3, .metadata = make_hostile}, make_formula);
    write_rules(folder / "hostile.rules.json", hostile, fewedits::open_dataset(folder / "hostile"));
    std::filesystem::create_directories(folder / "planted");
    fewedits::test::make_planted(folder / "planted");
    write(folder, "large", {.inputs = 5000, .k = 10});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "report_material: %s\n", error.what());
    return 1;
  }
  return 0;
}
