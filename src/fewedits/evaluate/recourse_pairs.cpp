// SPDX-License-Identifier: MIT
#include "fewedits/evaluate/recourse_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <tuple>

#include "fewedits/base/error.hpp"
#include "fewedits/chem/graph_view.hpp"
#include "fewedits/ged/solver_pool.hpp"

namespace fewedits {
namespace {

/// Beyond every distance that is known.
double distance_or_far(const RecoursePair& pair) {
  return pair.distance.value_or(std::numeric_limits<double>::infinity());
}

/// Those that fit: first the nearest of each input, the covered ones before the others, from near
/// to far. Of the rest, what counts as a change is kept but not shown.
void keep_most_telling(std::span<const Graph> graphs, std::size_t max_nodes,
                       std::vector<RecoursePair>& pairs) {
  std::stable_sort(pairs.begin(), pairs.end(), [](const RecoursePair& a, const RecoursePair& b) {
    return std::tuple(!a.nearest, !a.covered, distance_or_far(a)) <
           std::tuple(!b.nearest, !b.covered, distance_or_far(b));
  });
  std::size_t nodes = 0;
  for (RecoursePair& pair : pairs) {
    nodes += graphs[pair.input].num_nodes();
    pair.shown = nodes <= max_nodes;
  }
  std::erase_if(pairs, [](const RecoursePair& pair) {
    return !pair.shown && !(pair.nearest && pair.covered);
  });
}

[[noreturn]] void fail(const Explanation& e, const RecoursePair& pair, const std::string& file,
                       const char* what) {
  throw Error({file},
              fmt::format("the proof of graph {} and counterfactual {} {}", e.inputs[pair.input],
                          pair.counterfactual, what),
              "fewedits-verify tells all that is wrong with an explanation");
}

const ProvenPair& proof_of(const Explanation& e, const RecoursePair& pair,
                           const std::string& file) {
  const std::vector<ProvenPair>& proofs = e.counterfactuals[pair.counterfactual].proofs;
  const std::uint32_t input = e.inputs[pair.input];
  const auto proof =
      std::lower_bound(proofs.begin(), proofs.end(), input,
                       [](const ProvenPair& p, std::uint32_t i) { return p.input < i; });
  if (proof == proofs.end() || proof->input != input) fail(e, pair, file, "is missing");
  return *proof;
}

EditScript proven_script(const Explanation& e, const Graph& graph, const RecoursePair& pair,
                         const std::string& file) {
  const Counterfactual& c = e.counterfactuals[pair.counterfactual];
  const ProvenPair& proof = proof_of(e, pair, file);
  if (!is_node_map(graph, c.graph, proof.map)) fail(e, pair, file, "does not fit the graphs");
  EditScript script = edit_script(graph, c.graph, proof.map, costs_of(e));
  if (static_cast<std::int64_t>(script.ops.size()) != proof.edits) {
    fail(e, pair, file, "costs something else than it claims");
  }
  return script;
}

/// As far as the explanation tells them.
void add_distances(const Explanation& e, std::span<const Graph> graphs, const std::string& file,
                   const ThreadPool& pool, std::vector<RecoursePair>& pairs) {
  for (RecoursePair& pair : pairs) {
    pool.check_stop();
    if (e.meaning == DistanceMeaning::kProven) {
      pair.distance = normalized_distance(proof_of(e, pair, file).edits, graphs[pair.input],
                                          e.counterfactuals[pair.counterfactual].graph);
    } else if (pair.nearest) {
      pair.distance = e.recourse[pair.input].distance;
    }
  }
}

void add_proven(const Explanation& e, std::span<const Graph> graphs, const std::string& file,
                const ThreadPool& pool, std::vector<RecoursePair>& pairs) {
  for (RecoursePair& pair : pairs) {
    pool.check_stop();
    pair.script = proven_script(e, graphs[pair.input], pair, file);
  }
}

void add_found(const Explanation& e, std::span<const Graph> graphs, ThreadPool& pool,
               std::vector<RecoursePair>& pairs) {
  std::vector<PreparedGraph> targets;
  for (const Counterfactual& c : e.counterfactuals) targets.emplace_back(c.graph);
  GedOptions options;
  options.costs = costs_of(e);
  SolverPool solvers(options, pool);
  constexpr std::size_t kChunk = 16;
  pool.for_chunks(pairs.size(), kChunk, [&](std::size_t begin, std::size_t end, int worker) {
    for (std::size_t i = begin; i < end; ++i) {
      RecoursePair& pair = pairs[i];
      const Graph& graph = graphs[pair.input];
      const PreparedGraph& target = targets[pair.counterfactual];
      GedSolver& solver = solvers[worker];
      const GedBounds bounds = solver.upper(PreparedGraph(graph), target);
      pair.script = edit_script(graph, target.graph(), bounds.map, options.costs);
    }
  });
}

}  // namespace

std::vector<RecoursePair> recourse_pairs(const Explanation& explanation, const Dataset& dataset,
                                         std::size_t max_nodes, const std::string& file,
                                         ThreadPool& pool) {
  check_fits(explanation, dataset, file);
  const GraphView view(dataset, explanation.edge_label_names, file);
  std::vector<Graph> graphs;
  for (const std::uint32_t i : explanation.inputs) {
    pool.check_stop();
    graphs.push_back(view(dataset.graphs[i]));
  }
  std::vector<RecoursePair> pairs = listed_pairs(explanation);
  add_distances(explanation, graphs, file, pool, pairs);
  keep_most_telling(graphs, max_nodes, pairs);
  if (explanation.meaning == DistanceMeaning::kProven) {
    add_proven(explanation, graphs, file, pool, pairs);
  } else {
    add_found(explanation, graphs, pool, pairs);
  }
  std::sort(pairs.begin(), pairs.end(), [](const RecoursePair& a, const RecoursePair& b) {
    return std::tuple(a.counterfactual, !a.covered, distance_or_far(a), a.script.ops.size(),
                      a.input) < std::tuple(b.counterfactual, !b.covered, distance_or_far(b),
                                            b.script.ops.size(), b.input);
  });
  return pairs;
}

}  // namespace fewedits
