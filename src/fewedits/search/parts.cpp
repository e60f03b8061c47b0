// SPDX-License-Identifier: MIT
#include "fewedits/search/parts.hpp"

#include <algorithm>
#include <utility>

#include "fewedits/search/run_control.hpp"

namespace fewedits {

Parts builtin_parts() {
  Parts out;
  out.classifiers = builtin_classifiers();
  out.distances = builtin_distances();
  out.sources.add("gcf", walk_source());
  out.sources.add("ground-truth", ground_truth_source());
  out.sources.add("cff", edge_cutting_source(cff_explainer()));
  out.sources.add("rcexplainer", edge_cutting_source(rc_explainer()));
  out.improvers.add("climb", climb_improver());
  out.improvers.add("refine", refine_improver());
  return out;
}

Registry<EdgeExplainerKind> edge_explainers(const Parts& parts) {
  Registry<EdgeExplainerKind> out("explainer that cuts edges");
  for (const std::string& name : parts.sources.names()) {
    if (const auto& explainer = parts.sources.at(name).explainer) out.add(name, *explainer);
  }
  return out;
}

namespace {

void measure_some(std::span<const Graph> graphs, const SearchContext& context,
                  std::vector<Measured>& out) {
  Distance& distance = context.task.evaluator.distance();
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
}

}  // namespace

std::vector<Measured> measure_covers(std::span<const Graph> graphs, const SearchContext& context) {
  std::vector<Measured> out;
  out.reserve(graphs.size());
  // Maps take long, and are found graph by graph.
  const std::size_t slice = context.task.evaluator.distance().prover() != nullptr ? 1 : 256;
  try {
    while (out.size() < graphs.size()) {
      measure_some(graphs.subspan(out.size(), std::min(slice, graphs.size() - out.size())), context,
                   out);
    }
  } catch (const Stopped&) {
    (void)context.control.is_over();  // it is, and the result not what it could be
  }
  return out;
}

bool SearchContext::goes_on(const ExplainProgress& progress) const {
  return control.goes_on(progress);
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
