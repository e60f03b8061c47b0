// SPDX-License-Identifier: MIT
#include "fewedits/search/parts.hpp"

#include <utility>

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

std::vector<Measured> measure_covers(std::span<const Graph> graphs, const SearchContext& context) {
  Distance& distance = context.task.evaluator.distance();
  std::vector<Measured> out;
  out.reserve(graphs.size());
  if (Prover* prover = distance.prover()) {
    for (PackedMaps& maps : prover->maps_within(graphs, context.theta(), context.threads)) {
      const auto inputs = maps.graphs();
      std::vector<std::uint32_t> covers(inputs.begin(), inputs.end());
      out.push_back({std::move(covers), std::move(maps)});
    }
  } else {
    for (auto& covers : distance.within(graphs, context.theta(), context.threads)) {
      out.push_back({std::move(covers), {}});
    }
  }
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
