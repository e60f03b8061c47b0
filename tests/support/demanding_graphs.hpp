// SPDX-License-Identifier: MIT
// Datasets that ask much of every stage: large graphs, graphs whose symmetries are hard to find,
// and many graphs.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fewedits/base/rng.hpp"
#include "fewedits/formats/checkpoint_writer.hpp"
#include "fewedits/formats/tu_writer.hpp"
#include "support/shared.hpp"

namespace fewedits::test {

/// Graphs of a label each: no label tells their nodes apart.
inline Graph plain_graph(Node nodes, const std::vector<Edge>& edges, Label label) {
  return {std::vector<Label>(nodes, label), edges};
}

/// Rows and columns of a square are cliques.
inline Graph rook_graph(Node side, Label label) {
  std::vector<Edge> edges;
  for (Node i = 0; i < side; ++i) {
    for (Node j = 0; j < side; ++j) {
      for (Node k = j + 1; k < side; ++k) {
        edges.push_back({i * side + j, i * side + k, 0});
        edges.push_back({j * side + i, k * side + i, 0});
      }
    }
  }
  return plain_graph(side * side, edges, label);
}

/// Nodes are neighbours if they differ by a square; p is a prime, 1 modulo 4.
inline Graph paley_graph(Node p, Label label) {
  std::set<Node> squares;
  for (Node x = 1; x < p; ++x) squares.insert(x * x % p);
  std::vector<Edge> edges;
  for (Node i = 0; i < p; ++i) {
    for (Node j = i + 1; j < p; ++j) {
      if (squares.contains(j - i)) edges.push_back({i, j, 0});
    }
  }
  return plain_graph(p, edges, label);
}

/// After Cai, Fürer and Immerman (1992), over a ring with diameters: refinement of degrees cannot
/// tell it from its twin.
inline Graph cfi_graph(Node ring, Label label) {
  std::vector<std::pair<Node, Node>> base;
  for (Node i = 0; i < ring; ++i) base.emplace_back(i, (i + 1) % ring);
  for (Node i = 0; i < ring / 2; ++i) base.emplace_back(i, i + ring / 2);
  std::vector<std::vector<Node>> at(ring);
  for (Node e = 0; e < base.size(); ++e) {
    at[base[e].first].push_back(e);
    at[base[e].second].push_back(e);
  }
  // Four nodes for each node of the base, then for each of its ends of edges two.
  const auto end_of = [&](Node v, std::size_t place, Node side) {
    return 4 * ring + 6 * v + 2 * static_cast<Node>(place) + side;
  };
  const auto place_of = [&](Node v, Node e) {
    return static_cast<std::size_t>(std::find(at[v].begin(), at[v].end(), e) - at[v].begin());
  };
  std::vector<Edge> edges;
  for (Node v = 0; v < ring; ++v) {
    Node middle = 4 * v;
    for (const Node chosen : {0U, 3U, 5U, 6U}) {  // an even number of the three
      for (std::size_t p = 0; p < 3; ++p) {
        edges.push_back({middle, end_of(v, p, chosen >> p & 1U), 0});
      }
      ++middle;
    }
  }
  for (Node e = 0; e < base.size(); ++e) {
    const auto [u, v] = base[e];
    for (const Node side : {0U, 1U}) {
      edges.push_back({end_of(u, place_of(u, e), side), end_of(v, place_of(v, e), side), 0});
    }
  }
  return plain_graph(10 * ring, edges, label);
}

/// Rings beside each other, all alike.
inline Graph ring_copies(Node copies, Node nodes, Label label) {
  std::vector<Edge> edges;
  for (Node c = 0; c < copies; ++c) {
    for (Node i = 0; i < nodes; ++i) {
      edges.push_back({c * nodes + i, c * nodes + (i + 1) % nodes, 0});
    }
  }
  return plain_graph(copies * nodes, edges, label);
}

inline std::vector<Graph> large_graphs(std::size_t count, Node nodes) {
  Rng rng(11);
  std::vector<Graph> out;
  for (std::size_t i = 0; i < count; ++i) {
    Graph g = random_graph(rng, nodes, nodes / 10, 1);
    std::vector<Label> labels(nodes);
    for (Label& label : labels) label = rng.chance(i % 2 == 0 ? 0.25 : 0.75) ? 1 : 0;
    out.emplace_back(labels, g.edges());
  }
  return out;
}

inline std::vector<Graph> hard_graphs() {
  std::vector<Graph> out;
  for (const Label label : {0U, 1U}) {
    for (int again = 0; again < 3; ++again) {
      out.push_back(rook_graph(12, label));
      out.push_back(paley_graph(109, label));
      out.push_back(cfi_graph(80, label));
      out.push_back(ring_copies(60, 6, label));
    }
  }
  return out;
}

/// With so many labels 1, drawn at random.
inline Graph with_ones(const Graph& g, Node ones, Rng& rng) {
  std::vector<Label> labels(g.num_nodes(), 0);
  for (Node left = ones; left > 0;) {
    Label& label = labels[rng.below(labels.size())];
    left -= label == 0 ? 1U : 0U;
    label = 1;
  }
  return {labels, g.edges()};
}

/// A few relabelled nodes away from the other class: counterfactuals are found at once, and the
/// final stage has work to do.
inline std::vector<Graph> large_graphs_near_the_boundary(std::size_t count, Node nodes) {
  Rng rng(12);
  const Graph base = random_graph(rng, nodes, nodes / 10, 1);
  std::vector<Graph> out;
  for (Node i = 0; i < count; ++i) {
    const Graph own = random_graph(rng, nodes, nodes / 10, 1);
    out.push_back(with_ones(i % 2 == 0 ? base : own, nodes / 2 - i % 4, rng));
  }
  for (Node i = 0; i < 4; ++i) out.push_back(with_ones(base, nodes / 2 + 3 + i, rng));
  return out;
}

/// The same of graphs that are hard for nauty.
inline std::vector<Graph> hard_graphs_near_the_boundary() {
  std::vector<Graph> out;
  for (const Graph& g : {rook_graph(12, 0), paley_graph(109, 0), cfi_graph(40, 0),
                         ring_copies(60, 6, 0), rook_graph(10, 0), ring_copies(100, 5, 0)}) {
    // Halves that are as regular as the graph: the first nodes have the label.
    for (const Node away : {0U, 0U, 1U, 2U, 3U}) {
      std::vector<Label> labels(g.num_nodes(), 0);
      std::fill_n(labels.begin(), g.num_nodes() / 2 - away, 1);
      out.emplace_back(labels, g.edges());
    }
    std::vector<Label> labels(g.num_nodes(), 0);
    std::fill_n(labels.begin(), g.num_nodes() / 2 + 2, 1);
    out.emplace_back(labels, g.edges());
  }
  return out;
}

/// The desired class is which of two labels most nodes have.
struct DemandingFiles {
  std::string data;
  std::string model;
};
inline DemandingFiles write_demanding(const std::filesystem::path& folder,
                                      std::vector<Graph> graphs) {
  RawDataset raw;
  raw.node_labels = {{0, "a"}, {1, "b"}};
  for (const Graph& g : graphs) {
    std::size_t ones = 0;
    for (const Label label : g.labels()) ones += label;
    raw.graph_labels.push_back(2 * ones > g.num_nodes() ? 1 : 0);
  }
  raw.graphs = std::move(graphs);
  DatasetMetadata metadata;
  metadata.class_names = {{0, "mostly a"}, {1, "mostly b"}};
  metadata.desired_class = 1;
  metadata.model_columns = {0, 1};
  const DemandingFiles files{(folder / "data").string(), (folder / "model.safetensors").string()};
  write_tu(files.data, raw, metadata);
  write_checkpoint(files.model, {{"convs.0.weight", Tensor::from_floats({2, 2}, {4, 0, 0, 4})},
                                 {"fc.weight", Tensor::from_floats({2, 2}, {1, -1, -1, 1})}});
  return files;
}

}  // namespace fewedits::test
