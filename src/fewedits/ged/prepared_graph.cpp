// SPDX-License-Identifier: MIT
#include "fewedits/ged/prepared_graph.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace fewedits {
namespace {

LabelTally counts_of(std::vector<Label> labels) {
  std::sort(labels.begin(), labels.end());
  LabelTally counts;
  for (const Label label : labels) {
    if (counts.empty() || counts.back().first != label) counts.emplace_back(label, 0);
    ++counts.back().second;
  }
  return counts;
}

}  // namespace

GraphProfile profile_of(const Graph& graph) {
  GraphProfile profile;
  const auto labels = graph.labels();
  profile.nodes = graph.num_nodes();
  profile.edges = static_cast<std::uint32_t>(graph.num_edges());
  profile.labels = counts_of({labels.begin(), labels.end()});
  std::vector<Label> edge_labels;
  for (const Edge& edge : graph.edges()) edge_labels.push_back(edge.label);
  profile.edge_labels = counts_of(std::move(edge_labels));
  for (Node v = 0; v < graph.num_nodes(); ++v) {
    const std::size_t degree = graph.degree(v);
    if (profile.degree_above.size() < degree) profile.degree_above.resize(degree);
    for (std::size_t t = 0; t < degree; ++t) ++profile.degree_above[t];
  }
  return profile;
}

PreparedGraph::PreparedGraph(Graph graph)
    : graph_(std::move(graph)),
      edges_(graph_.edges()),
      profile_(profile_of(graph_)),
      twin_(find_twins(false)),
      labelled_twin_(graph_.has_edge_labels() ? find_twins(true) : std::vector<Node>()) {
  look_around();
  pair_edges();
  if (graph_.num_nodes() <= kBits) set_bits();
}

void PreparedGraph::set_bits() {
  bit_rows_.assign(graph_.num_nodes(), 0);
  for (Node v = 0; v < graph_.num_nodes(); ++v) {
    for (const Node w : graph_.neighbours(v)) bit_rows_[v] |= std::uint64_t{1} << w;
  }
  if (!graph_.has_edge_labels()) return;
  for (const auto& [label, count] : profile_.edge_labels) num_edge_labels_ = std::size_t{label} + 1;
  if (num_edge_labels_ > kEdgeLabels) return;
  labelled_bit_rows_.assign(graph_.num_nodes() * num_edge_labels_, 0);
  for (const Edge& e : edges_) {
    labelled_bit_rows_[e.u * num_edge_labels_ + e.label] |= std::uint64_t{1} << e.v;
    labelled_bit_rows_[e.v * num_edge_labels_ + e.label] |= std::uint64_t{1} << e.u;
  }
}

void PreparedGraph::look_around() {
  const Node n = graph_.num_nodes();
  shells_.assign(n, Shells{});
  std::vector<Node> seen_from(n, n);
  std::vector<Node> front;
  std::vector<Node> next;
  for (Node root = 0; root < n; ++root) {
    seen_from[root] = root;
    front.assign(1, root);
    for (std::size_t shell = 0; shell < kShells; ++shell) {
      next.clear();
      for (const Node v : front) {
        for (const Node w : graph_.neighbours(v)) {
          if (seen_from[w] == root) continue;
          seen_from[w] = root;
          next.push_back(w);
          std::uint8_t& count = shells_[root][shell * kFolds + graph_.label(w) % kFolds];
          if (count < 255) ++count;
        }
      }
      std::swap(front, next);
    }
  }
}

void PreparedGraph::pair_edges() {
  const auto offsets = graph_.offsets();
  const auto targets = graph_.targets();
  reverse_.resize(targets.size());
  // Neighbours ascend, so the edges that end in v are met in the order in which v lists them.
  std::vector<std::uint32_t> next(offsets.begin(), offsets.end());
  for (Node v = 0; v < graph_.num_nodes(); ++v) {
    for (std::uint32_t e = offsets[v]; e < offsets[v + 1]; ++e) reverse_[e] = next[targets[e]]++;
  }
}

std::vector<Node> PreparedGraph::find_twins(bool edge_labels_count) const {
  using Key = std::tuple<Label, std::vector<Node>, std::vector<Label>>;
  std::map<Key, Node> first;
  std::vector<Node> twin(graph_.num_nodes());
  for (Node v = 0; v < graph_.num_nodes(); ++v) {
    const auto nodes = graph_.neighbours(v);
    const auto edges = edge_labels_count ? graph_.edge_labels(v) : std::span<const Label>();
    twin[v] =
        first
            .try_emplace(
                Key{graph_.label(v), {nodes.begin(), nodes.end()}, {edges.begin(), edges.end()}}, v)
            .first->second;
  }
  return twin;
}

}  // namespace fewedits
