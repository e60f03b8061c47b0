// SPDX-License-Identifier: MIT
#include "fewedits/search/parts.hpp"

namespace fewedits {

Parts builtin_parts() {
  Parts out;
  out.classifiers = builtin_classifiers();
  out.distances = builtin_distances();
  out.sources.add("gcf", walk_source());
  out.sources.add("ground-truth", ground_truth_source());
  out.improvers.add("climb", climb_improver());
  out.improvers.add("refine", refine_improver());
  return out;
}

void SearchContext::note_improvement(std::uint64_t work, std::size_t covered) const {
  const RefinementPoint now{work, share(covered)};
  auto& points = result.refinement;
  const bool level = points.size() > 1 && points.back().coverage == now.coverage &&
                     points[points.size() - 2].coverage == now.coverage;
  if (level) points.pop_back();
  points.push_back(now);
}

}  // namespace fewedits
