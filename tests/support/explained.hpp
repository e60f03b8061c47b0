// SPDX-License-Identifier: MIT
// A dataset and a certified explanation of it, of any size and made without a search: the inputs
// are the counterfactuals with a few edits each, so that the maps between them are known.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "fewedits/explanation/explanation.hpp"
#include "fewedits/fewedits.hpp"
#include "fewedits/formats/tu_writer.hpp"
#include "fewedits/synthetic/generator.hpp"
#include "support/shared.hpp"

namespace fewedits::test {

struct ExplainedOptions {
  std::size_t inputs = 60;
  std::size_t k = 5;
  std::uint64_t seed = 1;
  double theta = 0.1;
  /// Changes names and the like before the dataset is written.
  std::function<void(DatasetMetadata&)> metadata = {};
};

struct Explained {
  Dataset data;
  Explanation explanation;
};

/// A graph on its way from a counterfactual to an input, and the map back.
struct EditedGraph {
  Graph graph;
  NodeMap map;
};

inline void edit_once(Rng& rng, std::size_t labels, EditedGraph& g) {
  const auto node = static_cast<Node>(rng.below(g.graph.num_nodes()));
  const auto label = static_cast<Label>(rng.below(labels));
  const std::vector<Edge> edges = g.graph.edges();
  const Edge edge = edges[rng.below(edges.size())];
  switch (rng.below(4)) {
    case 0: g.graph = g.graph.with_label(node, label); break;
    case 1:
      g.graph = g.graph.with_leaf(node, label);
      g.map.push_back(kUnmatched);
      break;
    case 2: g.graph = g.graph.without_edge(edge.u, edge.v); break;
    default: g.graph = g.graph.without_node(node); g.map.erase(g.map.begin() + node);
  }
}

inline EditedGraph edited(const Graph& from, std::size_t labels, Rng& rng) {
  EditedGraph out{from, NodeMap(from.num_nodes())};
  for (Node v = 0; v < from.num_nodes(); ++v) out.map[v] = v;
  const std::uint64_t edits = 1 + rng.below(4);
  for (std::uint64_t i = 0; i < edits; ++i) edit_once(rng, labels, out);
  const std::vector<Node> position = random_permutation(rng, out.graph.num_nodes());
  out.graph = out.graph.permuted(position);
  NodeMap map(out.map.size());
  for (std::size_t v = 0; v < map.size(); ++v) map[position[v]] = out.map[v];
  return {out.graph, std::move(map)};
}

/// Writes the dataset into `folder`; counterfactual c is graph inputs + c of it.
inline Explained make_explained(const std::filesystem::path& folder,
                                const ExplainedOptions& options = {}) {
  RawDataset raw = generate({.graphs = options.k, .seed = options.seed, .threads = 1});
  DatasetMetadata metadata = generated_metadata();
  if (options.metadata) options.metadata(metadata);
  const std::vector<Graph> targets = raw.graphs;
  raw.graphs.clear();
  Rng rng(options.seed, 7);
  std::vector<NodeMap> maps;
  for (std::size_t i = 0; i < options.inputs; ++i) {
    EditedGraph input = edited(targets[i % options.k], raw.node_labels.size(), rng);
    raw.graphs.push_back(std::move(input.graph));
    maps.push_back(std::move(input.map));
  }
  raw.graphs.insert(raw.graphs.end(), targets.begin(), targets.end());
  raw.graph_labels.assign(options.inputs, 0);
  raw.graph_labels.resize(raw.graphs.size(), *metadata.desired_class);
  write_tu(folder, raw, metadata);

  Explained out{open_dataset(folder), {}};
  Explanation& e = out.explanation;
  e.provenance.software = "fewedits " + version();
  e.provenance.dataset_name = out.data.name;
  e.provenance.dataset_path = folder.string();
  e.provenance.dataset_hash = dataset_fingerprint(out.data);
  e.provenance.model_path = "model.pt";
  e.provenance.model_hash = "none";
  e.provenance.options = {{"k", std::to_string(options.k)},
                          {"theta", std::to_string(options.theta)}};
  e.method = "gcf";
  e.distance = "certified";
  e.meaning = DistanceMeaning::kProven;
  e.theta = options.theta;
  e.label_names = label_names(out.data).nodes;
  for (std::uint32_t i = 0; i < options.inputs; ++i) e.inputs.push_back(i);
  constexpr double kFar = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> distances(options.k, std::vector<double>(options.inputs, kFar));
  for (std::size_t c = 0; c < options.k; ++c) {
    Counterfactual target;
    target.graph = out.data.graphs[options.inputs + c].without_edge_labels();
    target.probability = 0.5 + 0.04 * static_cast<double>(c);
    target.visits = c;
    for (std::size_t i = c; i < options.inputs; i += options.k) {
      const Graph input = out.data.graphs[i].without_edge_labels();
      const std::int64_t edits = induced_cost(input, target.graph, maps[i]);
      target.proofs.push_back({static_cast<std::uint32_t>(i), edits, maps[i]});
      distances[c][i] =
          static_cast<double>(edits) / static_cast<double>(input.size() + target.graph.size());
    }
    e.counterfactuals.push_back(std::move(target));
  }
  fill_metrics(distances, e);
  for (std::size_t i = 0; i < options.inputs; ++i) {
    Recourse& r = e.recourse[i];
    const Counterfactual& c = e.counterfactuals[i % options.k];
    const Graph input = out.data.graphs[i].without_edge_labels();
    r.proof = RecourseProof{c.proofs[i / options.k].edits, 1, false, {}};
    if (r.covered) r.proof->script = edit_script(input, c.graph, maps[i]);
  }
  e.metrics.coverage_upper = e.metrics.coverage;
  for (std::uint64_t step = 10; step <= 100; step += 10) {
    const double share = static_cast<double>(step) / 400;
    e.trace.push_back({step, step / 2, share, {share / 4, share / 2}});
  }
  e.refinement = {{0, 0.25}, {1'000'000, 0.25}, {2'000'000, e.metrics.coverage}};
  e.steps = 100;
  e.neighbours = 12345;
  return out;
}

}  // namespace fewedits::test
