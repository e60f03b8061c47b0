// SPDX-License-Identifier: MIT
#include "fewedits/search/climb/cover_measure.hpp"

#include <memory>
#include <utility>

#include "fewedits/ged/lower_bound.hpp"

namespace fewedits {
namespace {

GedOptions options_for(const MeasureEffort& effort, const SearchSpace& space) {
  GedOptions options;
  options.costs = space.costs;
  options.effort = effort.maps;
  options.seed = space.options.seed;
  options.budget.stop = space.stop;
  if (effort.decided > 0) options.budget.work = effort.decision_work;
  return options;
}

}  // namespace

CoverMeasure::CoverMeasure(const SearchSpace& space, const MeasureEffort& effort,
                           ThreadPool& threads)
    : space_(space),
      effort_(effort),
      threads_(threads),
      solvers_(options_for(effort, space), threads) {}

void CoverMeasure::extend(Candidate& candidate, KnownMaps* known) {
  const auto prepared =
      known != nullptr ? known->graph : std::make_shared<const PreparedGraph>(candidate.graph);
  const PreparedGraph& graph = *prepared;
  const std::size_t count = space_.inputs.size();
  std::vector<std::uint8_t> covered(count, 0);
  for (const std::uint32_t i : candidate.covers) covered[i] = 1;
  std::vector<GedBounds> found(count);
  try {
    look_at_all(graph, covered, found);
  } catch (const Stopped&) {  // what was found by then is true
  }
  candidate.covers.clear();
  PackedMaps maps(candidate.graph.num_nodes());
  for (std::uint32_t i = 0; i < count; ++i) {
    if (covered[i] == 0) continue;
    candidate.covers.push_back(i);
    if (!found[i].map.empty()) maps.set(i, found[i].map);
  }
  candidate.maps.add_missing(maps);
  if (known != nullptr) known->improve(found);
  looked_at_ += count;
}

void CoverMeasure::look_at_all(const PreparedGraph& graph, std::vector<std::uint8_t>& covered,
                               std::vector<GedBounds>& found) {
  threads_.for_chunks(found.size(), 32, [&](std::size_t begin, std::size_t end, int worker) {
    for (std::size_t i = begin; i < end; ++i) {
      if (covered[i] != 0) continue;
      const PreparedGraph& input = space_.inputs[i];
      found[i] = look(solvers_[worker], graph, input);
      covered[i] = found[i].upper <= space_.limit(graph, input) ? 1 : 0;
    }
  });
}

std::uint64_t CoverMeasure::work() const { return looked_at_ + solvers_.work(); }

GedBounds CoverMeasure::look(GedSolver& solver, const PreparedGraph& graph,
                             const PreparedGraph& input) const {
  const std::int64_t limit = space_.limit(graph, input);
  if (degree_bound(graph.profile(), input.profile(), space_.costs) <= limit) threads_.check_stop();
  GedBounds found = solver.look_for(graph, input, limit, effort_.hopeless);
  if (found.upper <= limit || found.upper > limit + effort_.decided) return found;
  Within decided = solver.within(graph, input, limit);
  if (decided.upper < found.upper) found = std::move(decided);
  return found;
}

}  // namespace fewedits
