// SPDX-License-Identifier: MIT
#include "fewedits/classifier/native/surroundings.hpp"

namespace fewedits {

void Surroundings::explore(const Graph& graph, std::span<const Node> from, std::size_t hops,
                           bool with_edge_labels) {
  if (place_.size() < graph.num_nodes()) place_.resize(graph.num_nodes(), 0);
  nodes_.clear();
  const auto add = [this](Node v) {
    if (place_[v] < nodes_.size() && nodes_[place_[v]] == v) return;
    place_[v] = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(v);
  };
  for (const Node v : from) add(v);
  ends_.assign(1, nodes_.size());
  std::size_t begin = 0;
  for (std::size_t hop = 1; hop <= hops; ++hop) {
    const std::size_t end = nodes_.size();
    for (std::size_t i = begin; i < end; ++i) {
      for (const Node u : graph.neighbours(nodes_[i])) add(u);
    }
    begin = end;
    ends_.push_back(nodes_.size());
  }
  labels_.clear();
  for (const Node v : nodes_) labels_.push_back(graph.label(v));
  offsets_.assign(1, 0);
  targets_.clear();
  for (std::size_t i = 0; i < begin; ++i) {
    for (const Node u : graph.neighbours(nodes_[i])) targets_.push_back(place_[u]);
    offsets_.push_back(static_cast<std::uint32_t>(targets_.size()));
  }
  edge_labels_.clear();
  if (!with_edge_labels) return;
  for (std::size_t i = 0; i < begin; ++i) {
    const auto row = graph.edge_labels(nodes_[i]);
    edge_labels_.insert(edge_labels_.end(), row.begin(), row.end());
  }
}

}  // namespace fewedits
