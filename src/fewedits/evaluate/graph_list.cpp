// SPDX-License-Identifier: MIT
#include "fewedits/evaluate/graph_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fewedits/base/error.hpp"
#include "fewedits/chem/atom_label.hpp"

namespace fewedits {
namespace {

/// Index of each name among the known ones; `who` does not know it otherwise.
std::vector<Label> match(const std::vector<std::string>& names,
                         const std::vector<std::string>& known, const std::string& who,
                         const char* what = "node label") {
  std::vector<Label> to;
  for (const std::string& name : names) {
    const auto it = std::find(known.begin(), known.end(), name);
    if (it == known.end()) {
      const bool charged = element_of(name) != name;
      throw Error(
          fmt::format("{} does not know the {} {}", who, what, in_quotes(name)),
          fmt::format("it has {}; use graphs and a dataset of the same kind{}",
                      fmt::join(known, ", "),
                      charged ? ", or read molecules without charges (option no-charges)" : ""));
    }
    to.push_back(static_cast<Label>(it - known.begin()));
  }
  return to;
}

void relabel(std::vector<Graph>& graphs, const std::vector<Label>& to) {
  for (Graph& graph : graphs) graph = graph.relabelled(to);
}

/// The dataset's edge labels in the order of those that are known. Molecules know an aromatic bond
/// that a dataset need not have.
void share_edge_labels(const std::string& file, const std::vector<std::string>& known,
                       Dataset& dataset) {
  const std::vector<std::string> names = label_names(dataset).edges;
  const std::vector<Label> to = match(names, known, file, "edge label");
  for (Graph& graph : dataset.graphs) {
    auto edges = graph.edges();
    for (Edge& edge : edges) edge.label = to[edge.label];
    graph = Graph(graph.labels(), edges, Graph::EdgeLabels::kPresent);
  }
  dataset.edge_labels.clear();
  for (const std::string& name : known) dataset.edge_labels.push_back({0, name});
}

void check_numbers(const std::string& file, const std::vector<Graph>& graphs, std::size_t labels) {
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    for (const Label label : graphs[i].labels()) {
      if (label < labels) continue;
      throw Error({file},
                  fmt::format("graph {} has the node label {}, the dataset has {} labels", i + 1,
                              label, labels),
                  "labels are counted from 0; \"node_labels\" can name them");
    }
  }
}

}  // namespace

void share_labels(const std::string& file, GraphList& list, Dataset& dataset) {
  const std::vector<std::string> names = label_names(dataset).nodes;
  if (list.provenance) {
    relabel(dataset.graphs, match(names, list.label_names, file));
    dataset.node_labels.clear();
    for (const std::string& name : list.label_names) dataset.node_labels.push_back({0, name});
    if (!list.edge_label_names.empty() && !dataset.edge_labels.empty()) {
      share_edge_labels(file, list.edge_label_names, dataset);
    }
  } else if (!list.label_names.empty()) {
    relabel(list.graphs, match(list.label_names, names, "the dataset"));
  } else {
    check_numbers(file, list.graphs, names.size());
  }
}

}  // namespace fewedits
