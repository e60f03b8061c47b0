// SPDX-License-Identifier: MIT
// Tables with a column for each dataset of the paper, and how its figures and ours are written.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "source.hpp"

namespace fewedits::bench {

inline constexpr const char* kNone = "–";

/// "27.52 ± 0.25", with the number of seeds if that is not the usual one; kNone for none.
std::string figure_text(const std::optional<Figure>& figure, int places, std::size_t usual_seeds);

/// "−1.69", "+0.27".
std::string signed_text(double difference, int places);
/// "20 to 37", or "29" if both round to that.
std::string range_text(double least, double most);

/// Ours, and the published figure in brackets.
std::string beside(const std::string& ours, double published, int places);

class Table {
 public:
  /// `last` is the heading of a column after the datasets'; empty: there is none.
  Table(const std::string& first, const std::string& last);

  using Cell = std::function<std::string(const PaperDataset&)>;
  Table& row(const std::string& name, const Cell& cell, const std::string& last = "");
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  bool has_last_;
  std::string text_;
};

/// One published figure and ours.
struct Comparison {
  std::string dataset;
  double published = 0;
  std::optional<Figure> ours;
};

/// Seeds from which on a deviation says something.
inline constexpr std::size_t kNoiseSeeds = 3;

/// When figures agree: if they differ by no more than `slack`. What differs by more, but by no more
/// than two standard deviations of kNoiseSeeds or more, is called noise and not agreement.
struct Rule {
  double slack = 0;
  bool more_is_better = true;
  int places = 2;  ///< of the differences, when they are told
};

/// "replicated", "better: NCI1 +1.90", "not replicated: AIDS −1.69", "within noise: …", over the
/// datasets that have ours; kNone if none has.
std::string verdict(const std::vector<Comparison>& comparisons, const Rule& rule);

}  // namespace fewedits::bench
