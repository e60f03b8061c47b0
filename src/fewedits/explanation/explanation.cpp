// SPDX-License-Identifier: MIT
#include "fewedits/explanation/explanation.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace fewedits {
namespace {

double coverage_within(double theta, const std::vector<Recourse>& recourse) {
  const auto covered = std::count_if(recourse.begin(), recourse.end(),
                                     [&](const Recourse& r) { return r.distance <= theta; });
  return recourse.empty() ? 0 : static_cast<double>(covered) / static_cast<double>(recourse.size());
}

/// Of the counterfactuals seen so far, which the recourse is to.
PrefixMetrics measure(std::size_t k, double theta, const std::vector<Recourse>& recourse) {
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  if (recourse.empty()) return {k, 0, kUnknown, kUnknown};
  std::vector<double> costs;
  costs.reserve(recourse.size());
  double sum = 0;
  for (const Recourse& r : recourse) {
    costs.push_back(r.distance);
    sum += r.distance;
  }
  return {k, coverage_within(theta, recourse), lower_median(std::move(costs)),
          sum / static_cast<double>(recourse.size())};
}

/// The recourse still is the one to the counterfactuals before this one.
void fill_covers(const std::vector<double>& distances, double theta,
                 const std::vector<Recourse>& recourse, Counterfactual& counterfactual) {
  counterfactual.covers.clear();
  counterfactual.gain = 0;
  for (std::size_t i = 0; i < recourse.size(); ++i) {
    assert(!std::isnan(distances[i]));
    if (distances[i] <= theta) {
      counterfactual.covers.push_back(recourse[i].input);
      counterfactual.gain += recourse[i].covered ? 0U : 1U;
    }
  }
}

void improve_recourse(const std::vector<double>& distances, double theta, std::uint32_t c,
                      std::vector<Recourse>& recourse) {
  for (std::size_t i = 0; i < recourse.size(); ++i) {
    Recourse& r = recourse[i];
    if (distances[i] < r.distance) r = {r.input, c, distances[i], distances[i] <= theta, {}};
  }
}

std::optional<double> smallest_lead(const std::vector<Counterfactual>& of) {
  std::optional<double> out;
  for (const Counterfactual& c : of) {
    if (!c.lead) return std::nullopt;
    out = std::min(out.value_or(*c.lead), *c.lead);
  }
  return out;
}

/// A fifth of theta for each step, theta itself at the fifth. Rounded to what one would write: 0.06
/// must be the 0.06 of the command line, not 3 · 0.02.
double at_step(int step, double theta) {
  if (step == 5) return theta;
  return std::round(theta * step / 5 * 1e12) / 1e12;
}

}  // namespace

std::vector<std::string> Provenance::values_of(std::string_view option) const {
  std::vector<std::string> out;
  for (const auto& [name, value] : options) {
    if (name == option) out.push_back(value);
  }
  return out;
}

std::string_view name_of(DistanceMeaning meaning) {
  switch (meaning) {
    case DistanceMeaning::kProven: return "proven edits";
    case DistanceMeaning::kEstimate: return "estimated edits";
    case DistanceMeaning::kOther: return "other";
  }
  assert(false && "there is no other meaning");
  return {};
}

std::string_view name_of(RunEnd end) {
  constexpr std::array<std::string_view, kRunEnds> kNames{"work done", "converged", "all covered",
                                                          "time limit", "interrupted"};
  return kNames[static_cast<std::size_t>(end)];
}

EditCosts costs_of(const Explanation& explanation) {
  EditCosts costs;
  costs.relabel_edge = explanation.edge_label_names.empty() ? 0 : 1;
  return costs;
}

double lower_median(std::vector<double> values) {
  assert(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void fill_metrics(std::span<const std::vector<double>> distances, Explanation& explanation) {
  assert(distances.size() == explanation.counterfactuals.size());
  const double theta = explanation.theta;
  auto& recourse = explanation.recourse;
  recourse.clear();
  for (const std::uint32_t input : explanation.inputs) recourse.emplace_back().input = input;

  Metrics metrics;
  for (std::uint32_t c = 0; c < distances.size(); ++c) {
    assert(distances[c].size() == recourse.size());
    fill_covers(distances[c], theta, recourse, explanation.counterfactuals[c]);
    improve_recourse(distances[c], theta, c, recourse);
    metrics.by_k.push_back(measure(c + 1, theta, recourse));
  }
  const PrefixMetrics all = measure(distances.size(), theta, recourse);
  metrics.coverage = all.coverage;
  metrics.cost_median = all.cost_median;
  metrics.cost_mean = all.cost_mean;
  for (int step = 1; step <= 10; ++step) {
    const double at = at_step(step, theta);
    if (at > 1) break;
    metrics.by_theta.push_back({at, coverage_within(at, recourse)});
  }
  metrics.smallest_lead = smallest_lead(explanation.counterfactuals);
  explanation.metrics = std::move(metrics);
}

}  // namespace fewedits
