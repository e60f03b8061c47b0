// SPDX-License-Identifier: MIT
#include "fewedits/formats/graph_arrays.hpp"

#include <fmt/format.h>

#include <limits>
#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/formats/tu_normalise.hpp"

namespace fewedits {
namespace {

/// The sum of the sizes of all graphs.
std::size_t total(std::span<const std::int64_t> sizes, const char* what) {
  std::size_t sum = 0;
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    if (sizes[g] < 0 || sizes[g] > std::numeric_limits<std::int32_t>::max()) {
      throw Error(fmt::format("graph {}: it cannot have {} {}", g, sizes[g], what));
    }
    sum += static_cast<std::size_t>(sizes[g]);
  }
  return sum;
}

void check_length(const char* what, std::size_t is, std::size_t expected) {
  if (is == expected) return;
  throw Error(fmt::format("{}: there are {}, not {}", what, is, expected));
}

void check(const GraphArrays& a) {
  check_length("numbers of edges of graphs", a.lines.size(), a.nodes.size());
  check_length("labels of nodes", a.node_labels.size(), total(a.nodes, "nodes"));
  const std::size_t lines = total(a.lines, "edges");
  check_length("sources of edges", a.sources.size(), lines);
  check_length("targets of edges", a.targets.size(), lines);
  if (a.edge_labels) check_length("labels of edges", a.edge_labels->size(), lines);
  if (a.classes) check_length("classes of graphs", a.classes->size(), a.nodes.size());
}

LabelColumn column_of(std::span<const std::int64_t> values) {
  LabelCollector collector;
  for (const std::int64_t value : values) collector.add(value);
  return collector.finish();
}

Node end_of(std::int64_t id, std::int64_t nodes, std::size_t graph) {
  if (id >= 0 && id < nodes) return static_cast<Node>(id);
  throw Error(fmt::format("graph {}: an edge names the node {}, but it has {}", graph, id,
                          counted(static_cast<std::uint64_t>(nodes), "node")),
              "nodes are counted from 0 in each graph");
}

void add_notes(const EdgeCounts& counts, bool lines_are_edges, RawDataset& out) {
  const auto note = [&](std::uint64_t count, const char* noun, const char* what) {
    if (count > 0) out.notes.push_back(fmt::format("{} {}", counted(count, noun), what));
  };
  note(counts.self_loops, "self loop", "dropped");
  note(counts.duplicates, "repeated edge", "dropped");
  if (!lines_are_edges) {
    note(counts.one_way, "edge", "listed in one direction only: taken as undirected");
  }
  note(counts.two_labels, "edge", "with two labels: the first one counts");
}

}  // namespace

RawDataset graphs_from_arrays(const GraphArrays& a) {
  check(a);
  RawDataset out;
  out.name = a.name;
  LabelColumn nodes = column_of(a.node_labels);
  LabelColumn edges = a.edge_labels ? column_of(*a.edge_labels) : LabelColumn();
  const auto kind = a.edge_labels ? Graph::EdgeLabels::kPresent : Graph::EdgeLabels::kAbsent;
  EdgeNormaliser normalise;
  std::vector<Edge> lines;
  std::size_t node = 0;
  std::size_t line = 0;
  for (std::size_t g = 0; g < a.nodes.size(); ++g) {
    lines.clear();
    for (const std::size_t end = line + static_cast<std::size_t>(a.lines[g]); line < end; ++line) {
      lines.push_back({end_of(a.sources[line], a.nodes[g], g),
                       end_of(a.targets[line], a.nodes[g], g),
                       a.edge_labels ? edges.indices[line] : Label{0}});
    }
    const auto size = static_cast<std::size_t>(a.nodes[g]);
    out.graphs.emplace_back(std::span<const Label>(nodes.indices).subspan(node, size),
                            normalise(lines), kind);
    node += size;
  }
  if (a.classes) out.graph_labels.assign(a.classes->begin(), a.classes->end());
  out.node_labels = std::move(nodes.table);
  out.edge_labels = std::move(edges.table);
  add_notes(normalise.counts(), a.lines_are_edges, out);
  return out;
}

}  // namespace fewedits
