// SPDX-License-Identifier: MIT
#include "fewedits/search/climb/cover_measure.hpp"

#include <utility>

namespace fewedits {

CoverMeasure::CoverMeasure(const Terrain& terrain, const MeasureEffort& effort, ThreadPool& threads)
    : terrain_(terrain), effort_(effort), threads_(threads) {
  GedOptions options;
  options.effort = effort.maps;
  options.seed = terrain.options.seed;
  if (effort.decided > 0) options.budget.work = effort.decision_work;
  for (int t = 0; t < threads.size(); ++t) solvers_.emplace_back(options);
}

void CoverMeasure::extend(Choice& choice, KnownMaps* known) {
  const PreparedGraph graph(choice.graph);
  const std::size_t count = terrain_.inputs.size();
  std::vector<std::uint8_t> covered(count, 0);
  for (const std::uint32_t i : choice.covers) covered[i] = 1;
  std::vector<GedBounds> found(count);
  threads_.for_chunks(count, 32, [&](std::size_t begin, std::size_t end, int worker) {
    for (std::size_t i = begin; i < end; ++i) {
      if (covered[i] != 0) continue;
      const PreparedGraph& input = terrain_.inputs[i];
      found[i] = look(solvers_[static_cast<std::size_t>(worker)], graph, input);
      covered[i] = found[i].upper <= terrain_.limit(graph, input) ? 1 : 0;
    }
  });
  choice.covers.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    if (covered[i] != 0) choice.covers.push_back(i);
  }
  if (known != nullptr) known->improve(found);
  looked_at_ += count;
}

std::uint64_t CoverMeasure::work() const {
  std::uint64_t sum = looked_at_;
  for (const GedSolver& solver : solvers_) sum += solver.work();
  return sum;
}

GedBounds CoverMeasure::look(GedSolver& solver, const PreparedGraph& graph,
                             const PreparedGraph& input) const {
  const std::int64_t limit = terrain_.limit(graph, input);
  GedBounds found = solver.look_for(graph, input, limit, effort_.hopeless);
  if (found.upper <= limit || found.upper > limit + effort_.decided) return found;
  Within decided = solver.within(graph, input, limit);
  if (decided.upper < found.upper) {
    found = {decided.lower, decided.upper, std::move(decided.map)};
  }
  return found;
}

}  // namespace fewedits
