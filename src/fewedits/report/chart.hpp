// SPDX-License-Identifier: MIT
// Still pictures of curves for papers and pages, as SVG. They look as the report's do
// (web/report.js draws those, which can be read with the pointer): same colours, dashes, markers
// and round steps; tests/browser holds the two together.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fewedits {

struct ChartLine {
  std::string name;
  std::vector<std::pair<double, double>> points;  ///< finite, ascending in x
};

struct Chart {
  enum class Values { kShares, kNumbers };

  std::string title = {};
  std::string x_label = {};
  std::string y_label = {};
  std::vector<ChartLine> lines = {};
  Values values = Values::kShares;  ///< of y, as they are written at the axis
  bool from_zero = true;            ///< the y axis; else it begins near the least value
};

/// One picture, so many charts in a row, with one key for all: lines of the same name look alike.
/// A line without points is in the key alone.
std::string charts_svg(std::span<const Chart> charts, std::size_t columns);

}  // namespace fewedits
