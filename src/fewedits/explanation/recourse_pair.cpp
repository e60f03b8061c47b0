// SPDX-License-Identifier: MIT
#include "fewedits/explanation/recourse_pair.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fewedits/base/error.hpp"

namespace fewedits {
namespace {

std::uint32_t place_of(const Explanation& e, std::uint32_t graph) {
  return static_cast<std::uint32_t>(std::lower_bound(e.inputs.begin(), e.inputs.end(), graph) -
                                    e.inputs.begin());
}

}  // namespace

std::vector<RecoursePair> listed_pairs(const Explanation& e) {
  std::vector<RecoursePair> out;
  for (std::uint32_t c = 0; c < e.counterfactuals.size(); ++c) {
    for (const std::uint32_t graph : e.counterfactuals[c].covers) {
      const std::uint32_t input = place_of(e, graph);
      out.push_back({input, c, true, e.recourse[input].counterfactual == c, true, {}, {}});
    }
  }
  for (std::uint32_t i = 0; i < e.recourse.size(); ++i) {
    const Recourse& r = e.recourse[i];
    if (r.covered || r.counterfactual == Recourse::kNone) continue;
    out.push_back({i, r.counterfactual, false, true, true, {}, {}});
  }
  return out;
}

void check_fits(const Explanation& e, const Dataset& dataset, const std::string& file) {
  const char* const remedy = "give the dataset that was explained, read in the same way";
  if (e.label_names != label_names(dataset).nodes) {
    throw Error({file}, "the dataset has other node labels than the explanation", remedy);
  }
  if (e.recourse.size() != e.inputs.size()) {
    throw Error({file},
                fmt::format("has {} recourses for {} inputs", e.recourse.size(), e.inputs.size()));
  }
  if (!e.inputs.empty() && e.inputs.back() >= dataset.size()) {
    throw Error({file},
                fmt::format("explains graph {}, but the dataset has {} graphs", e.inputs.back(),
                            dataset.size()),
                remedy);
  }
}

}  // namespace fewedits
