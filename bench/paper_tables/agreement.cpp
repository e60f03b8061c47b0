// SPDX-License-Identifier: MIT
#include "agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "fewedits/base/text.hpp"
#include "fewedits/ged/edit_distance.hpp"
#include "fewedits/graph/identity.hpp"

namespace fewedits::bench {
namespace {

std::set<std::uint32_t> covered(const Explanation& e) {
  std::set<std::uint32_t> out;
  for (const Counterfactual& c : e.counterfactuals) out.insert(c.covers.begin(), c.covers.end());
  return out;
}

double jaccard(const std::set<std::uint32_t>& a, const std::set<std::uint32_t>& b) {
  std::vector<std::uint32_t> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  const std::size_t either = a.size() + b.size() - both.size();
  return either == 0 ? 0 : static_cast<double>(both.size()) / static_cast<double>(either);
}

bool is_same(const Graph& a, const Graph& b) { return Identity(a).hash() == Identity(b).hash(); }

/// An upper bound that is not exact misses pairs at worst.
bool is_near(const Graph& a, const Graph& b) {
  GedOptions options;
  options.budget.work = 1'000'000;
  return edit_distance(a, b, options).upper <= kFewEdits;
}

double shared_graphs(const Explanation& a, const Explanation& b, const auto& alike) {
  return static_cast<double>(std::count_if(
      a.counterfactuals.begin(), a.counterfactuals.end(), [&](const Counterfactual& x) {
        return std::any_of(b.counterfactuals.begin(), b.counterfactuals.end(),
                           [&](const Counterfactual& y) { return alike(x.graph, y.graph); });
      }));
}

}  // namespace

void note_agreement(const std::string& dataset, std::uint64_t seed,
                    const std::vector<MetricChoice>& choices, Facts& facts) {
  for (const auto& [a, of_a] : choices) {
    facts[{dataset, "theta-" + a, seed}] = of_a.theta;
    for (const std::string& text : of_a.provenance.values_of("walk-theta")) {
      facts[{dataset, "walk-theta-" + a, seed}] = number_in<double>(text).value_or(0);
    }
    for (const auto& [b, of_b] : choices) {
      if (a == b) continue;
      const auto put = [&](const char* what, double value) {
        facts[{dataset, fmt::format("{}-{}-{}", what, a, b), seed}] = value;
      };
      put("jaccard", jaccard(covered(of_a), covered(of_b)));
      put("same", shared_graphs(of_a, of_b, is_same));
      put("near", shared_graphs(of_a, of_b, is_near));
    }
  }
}

}  // namespace fewedits::bench
