// SPDX-License-Identifier: MIT
#include "fewedits/explanation/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fewedits {
namespace {

// 0.29 is 2899.9999999999995 ten-thousandths to the machine; no two shares of a dataset are as
// close to each other as this.
constexpr double kSlack = 1e-7;

}  // namespace

std::string at_least_text(double share) {
  return fmt::format("{:.2f} %", std::floor(share * 1e4 + kSlack) / 1e2);
}

std::string at_most_text(double share) {
  // Adding 0 takes the sign from a zero, which would be shown.
  return fmt::format("{:.2f} %", std::ceil(share * 1e4 - kSlack) / 1e2 + 0.0);
}

std::string at_most_text(double share, double proven) {
  return share <= proven ? at_least_text(proven) : at_most_text(share);
}

std::string coverage_in_words(double proven, double possible) {
  const std::string figure = at_least_text(proven);
  if (possible <= proven) return figure + " proven; these graphs cover no others";
  return fmt::format("{} proven (at most {})", figure, at_most_text(possible));
}

std::string cost_text(double cost, bool is_bound) {
  if (!is_bound) return cost_text(cost);
  return cost < 1 ? "at most " + cost_text(cost) : "unknown yet";
}

bool costs_are_bounds(const Explanation& e) {
  return e.costs_are_bounds || (!e.complete && e.metrics.coverage_upper.has_value());
}

std::string theta_text(double theta) { return fmt::format("{:.6g}", theta); }

std::string cost_text(double cost) {
  if (!std::isfinite(cost)) return "not known";
  return fmt::format("{:.4f}", std::floor(cost * 1e4 + 0.5) / 1e4);
}

std::string bonds_in_words(const Explanation& e) {
  if (e.edge_label_names.empty()) return {};
  const auto constraints = e.provenance.values_of("constraint");
  const bool valid =
      std::find(constraints.begin(), constraints.end(), "molecule") != constraints.end();
  return valid ? ", bonds counted, valid molecules" : ", bonds counted";
}

std::string probability_text(double probability) {
  return fmt::format("{:.4f}", std::floor(probability * 1e4 + kSlack) / 1e4);
}

std::string lead_text(double lead) { return probability_text(lead); }

}  // namespace fewedits
