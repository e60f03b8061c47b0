// SPDX-License-Identifier: MIT
#include "fewedits/search/baselines/edge_cut.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace fewedits {
namespace {

/// The nodes of the largest connected part, as flags.
std::vector<std::uint8_t> largest_part(const Graph& graph) {
  const Node n = graph.num_nodes();
  std::vector<Node> part(n, n);  // by node: the lowest of its part
  std::vector<Node> open;
  Node best = 0;
  std::size_t most = 0;
  for (Node start = 0; start < n; ++start) {
    if (part[start] != n) continue;
    std::size_t size = 0;
    part[start] = start;
    open.push_back(start);
    while (!open.empty()) {
      const Node v = open.back();
      open.pop_back();
      ++size;
      for (const Node w : graph.neighbours(v)) {
        if (part[w] == n) {
          part[w] = start;
          open.push_back(w);
        }
      }
    }
    if (size > most) {
      most = size;
      best = start;
    }
  }
  std::vector<std::uint8_t> out(n);
  for (Node v = 0; v < n; ++v) out[v] = part[v] == best ? 1 : 0;
  return out;
}

/// The nodes that are flagged, with the edges among them.
CutGraph part_of(const Graph& graph, const std::vector<std::uint8_t>& kept) {
  CutGraph out{{}, NodeMap(graph.num_nodes(), kUnmatched)};
  std::vector<Label> labels;
  for (Node v = 0; v < graph.num_nodes(); ++v) {
    if (kept[v] == 0) continue;
    out.map[v] = static_cast<Node>(labels.size());
    labels.push_back(graph.label(v));
  }
  std::vector<Edge> edges;
  for (const Edge& e : graph.edges()) {
    if (kept[e.u] != 0 && kept[e.v] != 0) edges.push_back({out.map[e.u], out.map[e.v], 0});
  }
  out.graph = Graph(labels, edges);
  return out;
}

}  // namespace

CutGraph cut_graph(const Graph& graph, std::span<const std::uint32_t> removed, bool keep_isolated) {
  const std::vector<Edge> all = graph.edges();
  std::vector<std::uint8_t> goes(all.size());
  for (const std::uint32_t e : removed) goes[e] = 1;
  std::vector<Edge> left;
  for (std::size_t e = 0; e < all.size(); ++e) {
    if (goes[e] == 0) left.push_back({all[e].u, all[e].v, 0});
  }
  CutGraph out{Graph(graph.labels(), left), NodeMap(graph.num_nodes())};
  std::iota(out.map.begin(), out.map.end(), Node{0});
  return keep_isolated ? out : part_of(out.graph, largest_part(out.graph));
}

std::vector<std::optional<EdgeCut>> judged_cuts(std::vector<CutGraph> cuts, const CutRules& rules,
                                                const Classifier& classifier, ThreadPool& pool) {
  Constraints constraints = rules.constraints;
  constraints.connected = !rules.keep_isolated;
  std::vector<Graph> graphs;
  graphs.reserve(cuts.size());
  for (const CutGraph& c : cuts) graphs.push_back(c.graph);
  const std::vector<Judgement> judged = judge(graphs, classifier, rules.goal, pool);
  std::vector<std::optional<EdgeCut>> out(cuts.size());
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const bool is_one =
        judged[i].accepted && graphs[i].num_nodes() > 0 && satisfies(graphs[i], constraints);
    if (is_one) out[i] = EdgeCut{std::move(cuts[i].graph), std::move(cuts[i].map), judged[i]};
  }
  return out;
}

std::optional<EdgeCut> first_cut(const Graph& graph, std::span<const std::uint32_t> order,
                                 const CutRules& rules, const Classifier& classifier,
                                 ThreadPool& pool) {
  // Most graphs need few cuts; a batch shares the threads.
  constexpr std::size_t kBatch = 32;
  std::size_t next = 1;
  while (next <= order.size()) {
    std::vector<CutGraph> cuts;
    for (; next <= order.size() && cuts.size() < kBatch; ++next) {
      cuts.push_back(cut_graph(graph, order.first(next), rules.keep_isolated));
    }
    for (auto& found : judged_cuts(std::move(cuts), rules, classifier, pool)) {
      if (found) return std::move(found);
    }
  }
  return std::nullopt;
}

}  // namespace fewedits
