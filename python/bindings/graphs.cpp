// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>

#include "bindings.hpp"
#include "fewedits/base/error.hpp"
#include "fewedits/graph/graph.hpp"
#include "fewedits/graph/identity.hpp"

namespace fewedits::python {
namespace {

using Labels = std::vector<Label>;
using Edges = std::vector<std::pair<Node, Node>>;

/// Checks what the library asserts.
Graph make_graph(const Labels& labels, const Edges& edges,
                 const std::optional<Labels>& edge_labels) {
  if (edge_labels && edge_labels->size() != edges.size()) {
    throw Error("there are " + std::to_string(edges.size()) + " edges and " +
                std::to_string(edge_labels->size()) + " labels of edges");
  }
  std::vector<Edge> list;
  std::set<std::pair<Node, Node>> seen;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto [u, v] = edges[i];
    const std::string name = std::to_string(u) + "-" + std::to_string(v);
    if (u >= labels.size() || v >= labels.size()) {
      throw Error("the edge " + name + " names a node that is not there",
                  "nodes are counted from 0");
    }
    if (u == v) throw Error("the edge " + name + " is a self loop");
    if (!seen.insert(std::minmax(u, v)).second) throw Error("the edge " + name + " is there twice");
    list.push_back({u, v, edge_labels ? (*edge_labels)[i] : Label{0}});
  }
  return {labels, list, edge_labels ? Graph::EdgeLabels::kPresent : Graph::EdgeLabels::kAbsent};
}

Labels labels_of(const Graph& graph) { return {graph.labels().begin(), graph.labels().end()}; }

Edges edges_of(const Graph& graph) {
  Edges out;
  for (const Edge& e : graph.edges()) out.emplace_back(e.u, e.v);
  return out;
}

std::optional<Labels> edge_labels_of(const Graph& graph) {
  if (!graph.has_edge_labels()) return std::nullopt;
  Labels out;
  for (const Edge& e : graph.edges()) out.push_back(e.label);
  return out;
}

std::string words(const Graph& graph) {
  return "Graph(" + std::to_string(graph.num_nodes()) + " nodes, " +
         std::to_string(graph.num_edges()) + " edges)";
}

}  // namespace

void bind_graphs(nb::module_& m) {
  nb::class_<Graph>(m, "Graph",
                    "An undirected, simple graph with labels of nodes and perhaps of edges; "
                    "immutable. Labels are numbers: what they mean, a Dataset says.")
      .def(
          "__init__",
          [](Graph* self, const Labels& labels, const Edges& edges,
             const std::optional<Labels>& edge_labels) {
            new (self) Graph(make_graph(labels, edges, edge_labels));
          },
          "labels"_a, "edges"_a, "edge_labels"_a = nb::none(),
          "A graph of labels of nodes, and pairs of nodes that are joined.")
      .def_prop_ro("num_nodes", &Graph::num_nodes)
      .def_prop_ro("num_edges", &Graph::num_edges)
      .def_prop_ro(
          "labels",
          [](const Graph& g) {
            return array_of(std::vector<std::int64_t>(g.labels().begin(), g.labels().end()));
          },
          nb::rv_policy::move, "The label of each node, as a new array.")
      .def_prop_ro(
          "edges",
          [](const Graph& g) {
            std::vector<std::int64_t> flat;
            for (const Edge& e : g.edges()) flat.insert(flat.end(), {e.u, e.v});
            const std::size_t rows = flat.size() / 2;
            return array_of(std::move(flat), {rows, 2});
          },
          nb::rv_policy::move, "Each edge once, as rows (u, v) with u < v, ascending; a new array.")
      .def_prop_ro(
          "edge_labels",
          [](const Graph& g) -> nb::object {
            if (!g.has_edge_labels()) return nb::none();
            std::vector<std::int64_t> out;
            for (const Edge& e : g.edges()) out.push_back(e.label);
            return nb::cast(array_of(std::move(out)));
          },
          nb::sig("def edge_labels(self) -> numpy.ndarray | None"),
          "The labels of the edges, in their order; None if they have none.")
      .def_prop_ro("has_edge_labels", &Graph::has_edge_labels)
      .def("is_connected", &Graph::is_connected)
      .def("without_edge_labels", &Graph::without_edge_labels)
      .def(
          "is_isomorphic", [](const Graph& a, const Graph& b) { return isomorphic(a, b); },
          "other"_a, nb::call_guard<nb::gil_scoped_release>(),
          "Is it the same graph but for the order of its nodes?")
      .def(
          "__eq__", [](const Graph& a, const Graph& b) { return a == b; }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__",
           [](const Graph& g) {
             std::size_t hash = g.num_nodes();
             const auto mix = [&hash](std::uint64_t value) {
               hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
             };
             for (const Label l : g.labels()) mix(l);
             for (const Edge& e : g.edges()) mix((std::uint64_t{e.u} << 40) ^ (e.v << 8) ^ e.label);
             return static_cast<Py_ssize_t>(hash >> 1);
           })
      .def("__repr__", &words)
      .def("__copy__", [](const Graph& g) { return g; })
      .def(
          "__deepcopy__", [](const Graph& g, nb::handle) { return g; }, "memo"_a)
      .def("__getstate__",
           [](const Graph& g) {
             return std::make_tuple(labels_of(g), edges_of(g), edge_labels_of(g));
           })
      .def("__setstate__",
           [](Graph& g, const std::tuple<Labels, Edges, std::optional<Labels>>& state) {
             const auto& [labels, edges, edge_labels] = state;
             new (&g) Graph(make_graph(labels, edges, edge_labels));
           });
}

}  // namespace fewedits::python
