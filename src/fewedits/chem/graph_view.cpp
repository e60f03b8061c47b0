// SPDX-License-Identifier: MIT
#include "fewedits/chem/graph_view.hpp"

#include <algorithm>

#include "fewedits/base/error.hpp"
#include "fewedits/chem/bond.hpp"

namespace fewedits {
namespace {

std::vector<std::string> names_of(const std::vector<NamedValue>& values) {
  std::vector<std::string> out;
  out.reserve(values.size());
  for (const NamedValue& v : values) {
    out.push_back(v.name.empty() ? std::to_string(v.value) : v.name);
  }
  return out;
}

/// With one for the aromatic bonds that will be found.
std::vector<std::string> bond_names(const Dataset& dataset) {
  std::vector<std::string> out = names_of(dataset.edge_labels);
  const std::string aromatic(name_of(Bond::kAromatic));
  if (std::find(out.begin(), out.end(), aromatic) == out.end()) out.push_back(aromatic);
  return out;
}

std::optional<MoleculeRules> rules_of(const Dataset& dataset) {
  if (!dataset.is_molecular() || dataset.edge_labels.empty()) return std::nullopt;
  return MoleculeRules::of(names_of(dataset.node_labels), bond_names(dataset));
}

}  // namespace

GraphView::GraphView(const Dataset& dataset, bool bonds) {
  if (!bonds) return;
  if (dataset.edge_labels.empty()) {
    throw Error("the graphs have no labels of edges, so there are no bonds to use",
                "leave bonds out (option bonds: ignore)");
  }
  if (auto rules = rules_of(dataset)) {
    rules_ = std::make_shared<const MoleculeRules>(std::move(*rules));
    edge_label_names_ = bond_names(dataset);
  } else {
    edge_label_names_ = names_of(dataset.edge_labels);
  }
}

GraphView::GraphView(const Dataset& dataset, const std::vector<std::string>& recorded,
                     const std::string& file)
    : GraphView(dataset, !recorded.empty() && !dataset.edge_labels.empty()) {
  if (edge_label_names_ == recorded) return;
  throw Error({file}, "the dataset has other edge labels than the explanation",
              "give the dataset that was explained, read in the same way");
}

bool GraphView::knows_bonds(const Dataset& dataset) { return rules_of(dataset).has_value(); }

Graph GraphView::operator()(const Graph& graph) const {
  if (!has_bonds()) return graph.without_edge_labels();
  // Files may have another idea of what is aromatic.
  return rules_ ? rules_->canonical(graph, MoleculeRules::Aromatic::kForeign) : graph;
}

std::vector<Graph> GraphView::of(const Dataset& dataset,
                                 std::span<const std::uint32_t> indices) const {
  std::vector<Graph> out;
  out.reserve(indices.size());
  for (const std::uint32_t i : indices) out.push_back((*this)(dataset.graphs[i]));
  return out;
}

}  // namespace fewedits
