// SPDX-License-Identifier: MIT
#include "fewedits/search/evaluator.hpp"

#include <algorithm>

#include "fewedits/edit/neighbours.hpp"
#include "fewedits/graph/shape_hash.hpp"

namespace fewedits {

std::vector<Judgement> ModelEvaluator::judge(std::span<const Graph> graphs, ThreadPool& pool) {
  return fewedits::judge(graphs, classifier_, goal_, pool);
}

Neighbourhood ModelEvaluator::evaluate(const Graph& graph, std::span<const Edit> edits,
                                       double theta, ThreadPool& pool) {
  Neighbourhood out(graph, edits);
  out.probability.reserve(out.size());
  out.accepted.reserve(out.size());
  out.shape.resize(out.size());
  std::vector<Graph> slice;
  const std::size_t most = neighbours_at_a_time(graph);
  for (std::size_t first = 0; first < out.size(); first += most) {
    slice.resize(std::min(most, out.size() - first));
    pool.for_chunks(slice.size(), 64, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t i = begin; i < end; ++i) {
        slice[i] = apply(graph, out.edits[first + i]);
        out.shape[first + i] = shape_hash(slice[i]);
      }
    });
    for (const Judgement& judged :
         judge_neighbours(graph, std::span(out.edits).subspan(first, slice.size()), slice,
                          classifier_, goal_, pool)) {
      out.probability.push_back(static_cast<float>(judged.probability));
      out.accepted.push_back(judged.accepted ? 1 : 0);
    }
  }
  out.near = distance_.neighbourhood(graph, out.edits, theta, pool);
  return out;
}

}  // namespace fewedits
