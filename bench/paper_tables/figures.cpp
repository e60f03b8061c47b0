// SPDX-License-Identifier: MIT
#include "figures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>

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
  std::string note = {};  ///< seeds, and what is not on record
};

/// "Means of 3 seeds: CFF; of 1: … Not on record: GCFExplainer on PROTEINS."
std::string note_on(const Source& source, const std::vector<Line>& lines,
                    const std::string& curve) {
  std::map<std::size_t, std::vector<std::string>, std::greater<>> by_seeds;
  std::vector<std::string> absent;
  for (const Line& line : lines) {
    std::map<std::size_t, std::vector<std::string>> datasets;
    for (const PaperDataset& p : kPaper) {
      datasets[source.curve_seeds(p.name, line.method, curve)].push_back(p.name);
    }
    for (const auto& [seeds, names] : datasets) {
      const bool all = names.size() == kPaper.size();
      const std::string text =
          all ? std::string(line.name) : fmt::format("{} on {}", line.name, fmt::join(names, ", "));
      if (seeds == 0) {
        absent.push_back(text);
      } else {
        by_seeds[seeds].push_back(text);
      }
    }
  }
  std::vector<std::string> parts;
  for (const auto& [seeds, names] : by_seeds) {
    parts.push_back(
        fmt::format("{} seed{}: {}", seeds, seeds == 1 ? "" : "s", fmt::join(names, "; ")));
  }
  std::string out;
  if (!parts.empty()) out += fmt::format("{}.", fmt::join(parts, ". "));
  if (!absent.empty()) out += fmt::format(" Not on record: {}.", fmt::join(absent, "; "));
  return out;
}

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
  out.note = note_on(source, lines, prefix + "coverage-k");
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
  out.note = note_on(source, proven ? kProven : kUnderGreed, curve);
  return out;
}

/// Those that keep a trace of their own; the refined walk's is the walk's. Of the last two it is
/// that of the short walk they begin with: 300 steps, after which they climb.
const std::vector<Line> kTraced{{"walk", "the paper's walk"},
                                {"certified-walk", "the walk under proven distances"},
                                {"certified-theta", "certified search at θ = 0.05, its walk"},
                                {"certified", "certified search, its walk"}};

/// A line for each k, as in the paper, which shows Mutagenicity alone; each within the metric that
/// it walks under.
Picture convergence(const Source& source) {
  Picture out{"figure-6", "Figure 6: coverage of the best k candidates during the walk", {}};
  for (const Line& method : kTraced) {
    for (const PaperDataset& p : kPaper) {
      Panel of{p.name,
               fmt::format("convergence of {}", method.method),
               {.title = fmt::format("{}, {}", p.name, method.name),
                .x_label = "steps",
                .y_label = "coverage"}};
      for (const int k : {10, 5, 2, 1}) {
        Points points = source.curve(p.name, method.method, fmt::format("convergence-{}", k));
        if (!points.empty()) {
          of.chart.lines.push_back({fmt::format("k = {}", k), std::move(points)});
        }
      }
      if (!of.chart.lines.empty()) out.panels.push_back(std::move(of));
    }
  }
  out.note =
      "Of graphs visited equally often those that cover more go on; what is refined is the "
      "same walk. " +
      note_on(source, kTraced, "convergence-1");
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
      "Means over the seeds that are on record, as each says. Each has its figures as CSV.\n";
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
        "{3}\n\n![{0}]({1}/{2}.svg)\n\n</details>\n",
        picture.caption, link, picture.file, picture.note);
  }
  return out;
}

}  // namespace fewedits::bench
