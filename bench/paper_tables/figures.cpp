// SPDX-License-Identifier: MIT
#include "figures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fewedits/base/file.hpp"
#include "fewedits/report/chart.hpp"

namespace fewedits::bench {
namespace {

struct Line {
  const char* method;
  const char* name;
};

const std::vector<Line> kUnderGreed{{"walk", "GCFExplainer, the paper's walk"},
                                    {"rcexplainer", "RCExplainer"},
                                    {"cff", "CFF"},
                                    {"ground-truth-greed", "GROUND-TRUTH"},
                                    {"refined", "the walk, refined"}};
const std::vector<Line> kProven{{"walk", "GCFExplainer, the paper's walk"},
                                {"rcexplainer", "RCExplainer"},
                                {"cff", "CFF"},
                                {"ground-truth-greed", "GROUND-TRUTH"},
                                {"certified-walk", "the walk under proven distances"},
                                {"certified", "certified search"}};

/// One panel: a curve of each method.
struct Panel {
  std::string dataset;
  std::string curve;
  Chart chart;
};

struct Picture {
  std::string file;
  std::string caption;
  std::vector<Panel> panels;
};

Panel panel(const Source& source, const std::string& dataset, const std::string& curve,
            const std::vector<Line>& lines, const std::string& x, const std::string& y) {
  Panel out{dataset, curve, {.title = dataset, .x_label = x, .y_label = y}};
  if (curve.ends_with("cost-k")) {
    out.chart.values = Chart::Values::kNumbers;
    out.chart.from_zero = false;
  }
  for (const Line& line : lines) {
    Points points = source.curve(dataset, line.method, curve);
    if (!points.empty()) out.chart.lines.push_back({line.name, std::move(points)});
  }
  return out;
}

Picture by_k(const Source& source, bool proven) {
  const std::string prefix = proven ? "proven-" : "";
  Picture out{proven ? "figure-3-proven" : "figure-3",
              proven ? "Figure 3, proven: coverage and median cost against k"
                     : "Figure 3: coverage and median cost against k, under GREED",
              {}};
  const auto& lines = proven ? kProven : kUnderGreed;
  for (const PaperDataset& p : kPaper) {
    out.panels.push_back(panel(source, p.name, prefix + "coverage-k", lines, "k", "coverage"));
    out.panels.push_back(panel(source, p.name, prefix + "cost-k", lines, "k", "median cost"));
  }
  return out;
}

Picture by_theta(const Source& source, bool proven) {
  Picture out{
      proven ? "figure-4-proven" : "figure-4",
      proven ? "Figure 4, proven: coverage against θ" : "Figure 4: coverage against θ, under GREED",
      {}};
  const std::string curve = proven ? "proven-coverage-theta" : "coverage-theta";
  for (const PaperDataset& p : kPaper) {
    out.panels.push_back(
        panel(source, p.name, curve, proven ? kProven : kUnderGreed, "θ", "coverage"));
  }
  return out;
}

/// A line for each k, as in the paper, which shows Mutagenicity alone.
Picture convergence(const Source& source) {
  Picture out{"figure-6", "Figure 6: coverage of the best k candidates during the walk", {}};
  for (const PaperDataset& p : kPaper) {
    Panel of{p.name, "convergence", {.title = p.name, .x_label = "steps", .y_label = "coverage"}};
    for (const int k : {10, 5, 2, 1}) {
      Points points = source.curve(p.name, "walk", fmt::format("convergence-{}", k));
      if (!points.empty()) of.chart.lines.push_back({fmt::format("k = {}", k), std::move(points)});
    }
    out.panels.push_back(std::move(of));
  }
  return out;
}

std::string csv(const Picture& picture) {
  std::string out = "dataset,curve,line,x,y\n";
  for (const Panel& p : picture.panels) {
    for (const ChartLine& line : p.chart.lines) {
      for (const auto& [x, y] : line.points) {
        out += fmt::format("{},{},\"{}\",{:.6g},{:.6g}\n", p.dataset, p.curve, line.name, x, y);
      }
    }
  }
  return out;
}

bool is_empty(const Picture& picture) {
  return std::all_of(picture.panels.begin(), picture.panels.end(),
                     [](const Panel& p) { return p.chart.lines.empty(); });
}

std::string svg(const Picture& picture) {
  std::vector<Chart> charts;
  for (const Panel& p : picture.panels) charts.push_back(p.chart);
  return charts_svg(charts, 2);
}

}  // namespace

std::string figures_section(const Source& source, const std::filesystem::path& folder,
                            const std::string& link) {
  std::filesystem::create_directories(folder);
  std::string out =
      "\n## 5. The paper's figures\n\n"
      "Means over the seeds that are on record. Each has its figures as CSV.\n";
  for (const Picture& picture : {by_k(source, false), by_k(source, true), by_theta(source, false),
                                 by_theta(source, true), convergence(source)}) {
    if (is_empty(picture)) {
      out += fmt::format("\n{}: no curves on record yet.\n", picture.caption);
      continue;
    }
    write_file_atomically(folder / (picture.file + ".svg"), svg(picture));
    write_file_atomically(folder / (picture.file + ".csv"), csv(picture));
    out += fmt::format(
        "\n<details><summary>{0} (<a href=\"{1}/{2}.csv\">CSV</a>)</summary>\n\n"
        "![{0}]({1}/{2}.svg)\n\n</details>\n",
        picture.caption, link, picture.file);
  }
  return out;
}

}  // namespace fewedits::bench
