// SPDX-License-Identifier: MIT
#include "fewedits/report/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <string_view>

#include "fewedits/base/xml_text.hpp"

namespace fewedits {
namespace {

constexpr double kWidth = 560;
constexpr double kHeight = 330;
constexpr double kLeft = 62;
constexpr double kRight = kWidth - 16;
constexpr double kTop = 14;
constexpr double kBase = kHeight - 46;
constexpr double kTitle = 26;
constexpr double kKeyRow = 20;
constexpr std::size_t kMarkers = 14;  ///< at most, on a line

constexpr std::array<std::string_view, 5> kColours{"#0b5fa5", "#b85c00", "#00795a", "#a6498a",
                                                   "#5b5f66"};
constexpr std::array<std::string_view, 5> kDashes{"", "7 4", "2 3", "9 3 2 3", "4 2 1 2"};

constexpr std::string_view kStyle = R"(<style>
text { font: 13px "DejaVu Sans", sans-serif; fill: #3d434b; }
.title { font-weight: 600; font-size: 14px; fill: #26282c; }
.grid { stroke: #e3e6ea; stroke-width: 1; }
.axis { stroke: #8a919b; stroke-width: 1; }
.series { fill: none; stroke-width: 2.2; stroke-linejoin: round; }
</style>
)";

/// Round steps that give about five lines.
std::vector<double> ticks(double low, double high) {
  const double raw = high > low ? (high - low) / 5 : 1;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.5, 2.0, 1.0}) {
    if (factor * power >= raw * 0.999) step = factor * power;
  }
  std::vector<double> out;
  const double first = std::ceil(low / step - 1e-9);
  const int last = static_cast<int>(std::floor(high / step + 1e-6 - first));
  for (int i = 0; i <= last; ++i) {
    out.push_back((first + i) * step + 0.0);  // takes the sign from a zero, which would be shown
  }
  return out;
}

/// "0.05", "15,000".
std::string axis_number(double x) {
  std::string out = fmt::format("{:.6g}", x);
  const bool is_whole = out.find_first_not_of("0123456789") == std::string::npos;
  if (!is_whole) return out;
  for (auto at = static_cast<std::ptrdiff_t>(out.size()) - 3; at > 0; at -= 3) {
    out.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return out;
}

std::string value_text(Chart::Values values, double y) {
  return values == Chart::Values::kShares ? fmt::format("{:.4g} %", 100 * y) : axis_number(y);
}

/// From values to places.
struct Scale {
  double low = 0;
  double high = 1;
  double from = 0;
  double to = 1;
  double operator()(double value) const {
    if (high == low) return (from + to) / 2;
    return from + (value - low) / (high - low) * (to - from);
  }
};

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

/// The look of the i-th line; beyond the colours, they come again with other dashes.
struct Look {
  explicit Look(std::size_t i)
      : colour(kColours.at(i % kColours.size())),
        dash(kDashes.at((i + i / kColours.size()) % kDashes.size())),
        marker(i % 4) {}
  std::string_view colour;
  std::string_view dash;
  std::size_t marker;
};

class Writer {
 public:
  template <typename... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
  }
  void line(std::string_view kind, double x1, double y1, double x2, double y2) {
    add("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", kind, x1,
        y1, x2, y2);
  }
  void text(std::string_view place, std::string_view anchor, const std::string& words) {
    add("<text {} text-anchor=\"{}\">{}</text>\n", place, anchor, xml_text(words));
  }
  void text_at(double x, double y, std::string_view anchor, const std::string& words) {
    text(fmt::format("x=\"{:.1f}\" y=\"{:.1f}\"", x, y), anchor, words);
  }
  void stroke(const Look& look, const std::string& points) {
    add("<polyline class=\"series\" stroke=\"{}\" stroke-dasharray=\"{}\" points=\"{}\"/>\n",
        look.colour, look.dash, points);
  }
  void marker(const Look& look, double x, double y) {
    constexpr double kR = 3.6;
    const double tip = y - kR - 1;
    switch (look.marker) {
      case 1:
        add("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\"", x - kR, y - kR, 2 * kR,
            2 * kR);
        break;
      case 2:
        add("<path d=\"M{:.1f} {:.1f}l{} {}h{}z\"", x, tip, kR + 1, 2 * kR, -2 * kR - 2);
        break;
      case 3:
        add("<path d=\"M{0:.1f} {1:.1f}l{2} {2}l-{2} {2}l-{2} -{2}z\"", x, tip, kR + 1);
        break;
      default: add("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"", x, y, kR);
    }
    add(" fill=\"{}\"/>\n", look.colour);
  }
  [[nodiscard]] const std::string& out() const { return out_; }

 private:
  std::string out_;
};

/// One chart in its own frame of kWidth and kHeight.
class Panel {
 public:
  Panel(const Chart& chart, const std::vector<std::string>& names) : chart_(chart), names_(names) {
    std::set<double> stops;
    for (const ChartLine& line : chart.lines) {
      for (const auto& [x, y] : line.points) {
        xs_.add(x);
        ys_.add(y);
        stops.insert(x);
      }
    }
    stops_.assign(stops.begin(), stops.end());
    if (stops_.empty()) return;
    px_ = {xs_.low, xs_.high, kLeft, kRight};
    py_ = y_scale();
  }

  void paint(Writer& to) const {
    if (!chart_.title.empty()) {
      to.text(fmt::format("class=\"title\" x=\"{:.1f}\" y=\"0\"", kLeft), "start", chart_.title);
    }
    if (stops_.empty()) {
      return to.text_at(kWidth / 2, kHeight / 2, "middle", "no figures yet");
    }
    paint_frame(to);
    for (const ChartLine& line : chart_.lines) paint_line(line, to);
  }

 private:
  [[nodiscard]] Scale y_scale() const {
    // A constant has room on both sides.
    const double span = ys_.high > ys_.low ? ys_.high - ys_.low : 0.5 * ys_.high;
    const double low = chart_.from_zero ? 0 : std::max(0.0, ys_.low - 0.15 * span);
    double high = ys_.high + 0.06 * (ys_.high - low);
    if (!chart_.from_zero && ys_.high == ys_.low) high += 0.1 * span;
    return {low, high > low ? high : 1, kBase, kTop};
  }
  [[nodiscard]] std::vector<double> x_ticks() const {
    const bool whole =
        xs_.high - xs_.low <= 12 &&
        std::all_of(stops_.begin(), stops_.end(), [](double x) { return x == std::floor(x); });
    return whole ? stops_ : ticks(xs_.low, xs_.high);
  }
  void paint_frame(Writer& to) const {
    for (const double y : ticks(py_.low, py_.high)) {
      to.line("grid", kLeft, py_(y), kRight, py_(y));
      to.text_at(kLeft - 8, py_(y) + 4, "end", value_text(chart_.values, y));
    }
    to.line("axis", kLeft, kBase, kRight, kBase);
    for (const double x : x_ticks()) {
      to.line("axis", px_(x), kBase, px_(x), kBase + 4);
      to.text_at(px_(x), kBase + 18, "middle", axis_number(x));
    }
    to.text_at((kLeft + kRight) / 2, kHeight - 8, "middle", chart_.x_label);
    to.text(fmt::format("transform=\"translate(14 {:.1f}) rotate(-90)\"", (kTop + kBase) / 2),
            "middle", chart_.y_label);
  }
  void paint_line(const ChartLine& line, Writer& to) const {
    if (line.points.empty()) return;
    const auto place = std::find(names_.begin(), names_.end(), line.name) - names_.begin();
    const Look look(static_cast<std::size_t>(place));
    std::string points;
    for (const auto& [x, y] : line.points) {
      points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", px_(x), py_(y));
    }
    to.stroke(look, points);
    const std::size_t every = (line.points.size() + kMarkers - 1) / kMarkers;
    for (std::size_t i = 0; i < line.points.size(); ++i) {
      if (i % every != 0 && i + 1 < line.points.size()) continue;
      to.marker(look, px_(line.points[i].first), py_(line.points[i].second));
    }
  }

  const Chart& chart_;
  const std::vector<std::string>& names_;
  std::vector<double> stops_;  ///< every x, ascending
  Range xs_;
  Range ys_;
  Scale px_;
  Scale py_;
};

std::vector<std::string> names_of(std::span<const Chart> charts) {
  std::vector<std::string> out;
  for (const Chart& chart : charts) {
    for (const ChartLine& line : chart.lines) {
      if (std::find(out.begin(), out.end(), line.name) == out.end()) out.push_back(line.name);
    }
  }
  return out;
}

void paint_key(const std::vector<std::string>& names, double top, Writer& to) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double y = top + kKeyRow * static_cast<double>(i);
    const Look look(i);
    to.stroke(look, fmt::format("{:.1f},{:.1f} {:.1f},{:.1f}", kLeft, y, kLeft + 34, y));
    to.marker(look, kLeft + 17, y);
    to.text_at(kLeft + 44, y + 4.5, "start", names[i]);
  }
}

}  // namespace

std::string charts_svg(std::span<const Chart> charts, std::size_t columns) {
  columns = std::clamp<std::size_t>(columns, 1, std::max<std::size_t>(1, charts.size()));
  const std::vector<std::string> names = names_of(charts);
  const std::size_t rows = (charts.size() + columns - 1) / columns;
  const double panel_height = kTitle + kHeight;
  Writer to;
  for (std::size_t i = 0; i < charts.size(); ++i) {
    const std::size_t row = i / columns;
    to.add("<g transform=\"translate({:.1f} {:.1f})\">\n",
           kWidth * static_cast<double>(i % columns),
           kTitle + panel_height * static_cast<double>(row));
    Panel(charts[i], names).paint(to);
    to.add("</g>\n");
  }
  const double charts_height = panel_height * static_cast<double>(rows);
  paint_key(names, charts_height + kKeyRow, to);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\">\n{2}<rect width=\"100%\" height=\"100%\" "
      "fill=\"#ffffff\"/>\n{3}</svg>\n",
      kWidth * static_cast<double>(columns),
      charts_height + kKeyRow * (1 + static_cast<double>(names.size())), kStyle, to.out());
}

}  // namespace fewedits
