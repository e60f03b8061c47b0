// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "bindings.hpp"
#include "dataset_handle.hpp"
#include "fewedits/chem/graph_view.hpp"
#include "fewedits/formats/dataset_file.hpp"
#include "fewedits/formats/graph_arrays.hpp"
#include "fewedits/formats/metadata.hpp"
#include "fewedits/formats/open_dataset.hpp"
#include "fewedits/formats/tu_writer.hpp"
#include "fewedits/graph/fingerprint.hpp"
#include "fewedits/synthetic/generator.hpp"

namespace fewedits::python {
namespace {

using Names = std::vector<std::pair<std::int64_t, std::string>>;

Names pairs_of(const std::vector<NamedValue>& values) {
  Names out;
  for (const NamedValue& v : values) out.emplace_back(v.value, v.name);
  return out;
}

std::vector<NamedValue> values_of(const Names& pairs) {
  std::vector<NamedValue> out;
  for (const auto& [value, name] : pairs) out.push_back({value, name});
  return out;
}

RawDataset raw_of(const std::string& name, const Int64s& nodes, const Int64s& lines,
                  const Int64s& node_labels, const Int64s& sources, const Int64s& targets,
                  const std::optional<Int64s>& edge_labels, const std::optional<Int64s>& classes,
                  bool lines_are_edges) {
  GraphArrays arrays{name,
                     span_of(nodes),
                     span_of(lines),
                     span_of(node_labels),
                     span_of(sources),
                     span_of(targets)};
  if (edge_labels) arrays.edge_labels = span_of(*edge_labels);
  if (classes) arrays.classes = span_of(*classes);
  arrays.lines_are_edges = lines_are_edges;
  return graphs_from_arrays(arrays);
}

/// Says which class is desired, as whoever opens a file says it.
DatasetHandle prepared(const RawDataset& raw, const std::string& metadata_json,
                       const std::optional<std::string>& desired) {
  return std::make_shared<const Dataset>(
      described_dataset(raw, parse_metadata(metadata_json, raw.name), desired));
}

/// As they would be written: with their values in the source, in a class's place its value.
RawDataset as_raw(const Dataset& data) {
  RawDataset out;
  out.name = data.name;
  out.graphs = data.graphs;
  for (const int c : data.classes) {
    out.graph_labels.push_back(data.class_labels[static_cast<std::size_t>(c)].value);
  }
  out.node_labels = data.node_labels;
  out.edge_labels = data.edge_labels;
  return out;
}

DatasetMetadata metadata_of(const Dataset& data) {
  DatasetMetadata out;
  out.name = data.name;
  out.domain = data.domain;
  for (const NamedValue& v : data.node_labels) out.node_label_names[v.value] = v.name;
  for (const NamedValue& v : data.edge_labels) out.edge_label_names[v.value] = v.name;
  for (const NamedValue& v : data.class_labels) out.class_names[v.value] = v.name;
  if (data.desired_class) {
    out.desired_class = data.class_labels[static_cast<std::size_t>(*data.desired_class)].value;
  }
  for (const int c : data.model_columns) {
    out.model_columns.push_back(data.class_labels[static_cast<std::size_t>(c)].value);
  }
  return out;
}

/// Unlike a folder, the file has the names of graphs and their places.
StoredDataset stored(const Dataset& data) {
  StoredDataset out;
  out.raw = as_raw(data);
  out.raw.names = data.names;
  out.raw.source_index = data.source_index;
  out.raw.left_out = data.dropped;
  out.metadata = metadata_of(data);
  out.reading.molecules = data.is_molecular();
  return out;
}

using Ints = std::vector<int>;

std::optional<std::tuple<Ints, Ints, std::optional<Ints>>> sketch_of(const Dataset& data,
                                                                     const Graph& graph) {
  if (!GraphView::knows_bonds(data)) return std::nullopt;
  const GraphView view(data, /*bonds=*/true);
  const MoleculeRules& rules = *view.rules();
  if (!graph.has_edge_labels()) {
    Ints charges;
    for (const Label label : graph.labels()) charges.push_back(rules.atom(label).charge);
    return std::tuple(Ints(graph.num_edges(), 1), charges, std::nullopt);
  }
  const auto kekule = rules.kekule_form(view(graph));
  if (!kekule) return std::nullopt;
  Ints orders;
  for (const Edge& e : kekule->edges()) {
    const auto bond = rules.bond(e.label);
    orders.push_back(bond == Bond::kTriple ? 3 : bond == Bond::kDouble ? 2 : 1);
  }
  return std::tuple(orders, rules.charges(*kekule),
                    std::optional(rules.implied_hydrogens(*kekule)));
}

}  // namespace

BondWriter::BondWriter(const Dataset& dataset) : labels_(dataset.edge_labels.size()) {
  if (!GraphView::knows_bonds(dataset)) return;
  const GraphView view(dataset, /*bonds=*/true);
  if (view.edge_label_names().size() > labels_) rules_ = view.rules();
}

Graph BondWriter::operator()(const Graph& graph) const {
  if (rules_ == nullptr || !graph.has_edge_labels()) return graph;
  const auto edges = graph.edges();
  const bool is_written =
      std::ranges::all_of(edges, [&](const Edge& e) { return e.label < labels_; });
  return is_written ? graph : rules_->kekule_form(graph).value_or(graph);
}

void bind_datasets(nb::module_& m) {
  nb::class_<RawDataset>(m, "RawDataset", "What was read, nothing dropped.")
      .def_ro("name", &RawDataset::name)
      .def_ro("graphs", &RawDataset::graphs)
      .def_ro("notes", &RawDataset::notes)
      .def_prop_ro("node_values", [](const RawDataset& raw) { return pairs_of(raw.node_labels); })
      .def_prop_ro("edge_values", [](const RawDataset& raw) { return pairs_of(raw.edge_labels); })
      .def_ro("graph_labels", &RawDataset::graph_labels)
      .def_rw("names", &RawDataset::names);

  nb::class_<Dataset>(m, "Dataset", "Graphs with classes, ready for a classifier.")
      .def("__len__", &Dataset::size)
      .def(
          "__getitem__",
          [](const Dataset& data, std::int64_t i) {
            const auto size = static_cast<std::int64_t>(data.size());
            if (i < 0) i += size;
            if (i < 0 || i >= size) throw nb::index_error();
            return data.graphs[static_cast<std::size_t>(i)];
          },
          "index"_a)
      .def_ro("name", &Dataset::name)
      .def_ro("domain", &Dataset::domain)
      .def_prop_ro("is_molecular", &Dataset::is_molecular)
      .def_ro("classes", &Dataset::classes)
      .def_ro("source_index", &Dataset::source_index)
      .def_ro("names", &Dataset::names)
      .def_ro("dropped", &Dataset::dropped)
      .def_ro("notes", &Dataset::notes)
      .def_ro("desired_class", &Dataset::desired_class)
      .def_ro("desired_column", &Dataset::desired_column)
      .def_ro("desired_name", &Dataset::desired_name)
      .def_ro("model_columns", &Dataset::model_columns)
      .def_prop_ro(
          "node_labels", [](const Dataset& d) { return pairs_of(d.node_labels); },
          "Value and name of each label of nodes.")
      .def_prop_ro("edge_labels", [](const Dataset& d) { return pairs_of(d.edge_labels); })
      .def_prop_ro("class_labels", [](const Dataset& d) { return pairs_of(d.class_labels); })
      .def_prop_ro("total_nodes", &Dataset::total_nodes)
      .def_prop_ro("total_edges", &Dataset::total_edges)
      .def_prop_ro("knows_bonds", [](const Dataset& d) { return GraphView::knows_bonds(d); })
      .def("fingerprint", &dataset_fingerprint, "bonds"_a = false,
           nb::call_guard<nb::gil_scoped_release>())
      .def(
          "save",
          [](const Dataset& d, const std::filesystem::path& path) {
            if (has_dataset_extension(path)) {
              ThreadPool pool;
              write_dataset_file(path, stored(d), pool);
            } else {
              write_tu(path, as_raw(d), metadata_of(d));
            }
          },
          "path"_a, nb::call_guard<nb::gil_scoped_release>());

  m.def(
      "as_written",
      [](const Dataset& data, const std::vector<Graph>& graphs) {
        const BondWriter written(data);
        std::vector<Graph> out;
        for (const Graph& graph : graphs) out.push_back(written(graph));
        return out;
      },
      "dataset"_a, "graphs"_a,
      "Molecules with bonds as the dataset writes them: aromatic ones single and double, if it has "
      "no label for them.");
  m.def("molecule_sketch", &sketch_of, "dataset"_a, "graph"_a,
        "Of a molecule the order of each bond in a Kekul\u00e9 form, the charge of each atom, and "
        "its "
        "hydrogens that are not nodes (None: labels of bonds play no part, and nobody says). None: "
        "the labels are not those of molecules.");
  m.def("raw_dataset", &raw_of, "name"_a, "nodes"_a, "lines"_a, "node_labels"_a, "sources"_a,
        "targets"_a, "edge_labels"_a = nb::none(), "classes"_a = nb::none(),
        "lines_are_edges"_a = false);
  m.def(
      "raw_from_graphs",
      [](const std::string& name, std::vector<Graph> graphs, const Names& node_values,
         const Names& edge_values, std::vector<std::int64_t> classes) {
        RawDataset raw;
        raw.name = name;
        raw.graphs = std::move(graphs);
        raw.node_labels = values_of(node_values);
        raw.edge_labels = values_of(edge_values);
        raw.graph_labels = std::move(classes);
        return raw;
      },
      "name"_a, "graphs"_a, "node_values"_a, "edge_values"_a, "classes"_a);
  m.def("prepare", &prepared, "raw"_a, "metadata"_a, "desired"_a = nb::none(),
        nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "metadata_json", [](const Dataset& d) { return to_json(metadata_of(d)); }, "dataset"_a);
  m.def("as_raw", &as_raw, "dataset"_a);
  m.def(
      "open_dataset",
      [](const std::filesystem::path& path, std::optional<std::filesystem::path> metadata,
         std::optional<std::string> desired, std::optional<std::int64_t> rare_label_threshold,
         std::string label_column, bool hydrogens, bool no_charges) -> DatasetHandle {
        DatasetOptions options;
        options.metadata = std::move(metadata);
        options.desired_class = std::move(desired);
        options.rare_label_threshold = rare_label_threshold;
        options.label_column = std::move(label_column);
        options.explicit_hydrogens = hydrogens;
        options.ignore_charges = no_charges;
        options.desired_may_be_the_models = true;
        return std::make_shared<const Dataset>(open_dataset(path, options));
      },
      "path"_a, "metadata"_a = nb::none(), "desired"_a = nb::none(),
      "rare_label_threshold"_a = nb::none(), "label_column"_a = "", "hydrogens"_a = false,
      "no_charges"_a = false, nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "generate",
      [](std::size_t graphs, std::uint64_t seed, double undesired_share, int threads) {
        return generate({graphs, seed, undesired_share, threads});
      },
      "graphs"_a, "seed"_a, "undesired_share"_a, "threads"_a,
      nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "builtin_metadata",
      [](const std::string& name) -> std::optional<std::string> {
        const auto known = builtin_metadata(name);
        return known ? std::optional(to_json(*known)) : std::nullopt;
      },
      "name"_a, "What is known of a public dataset, as JSON; None: nothing.");
  m.def("generated_metadata", [] { return to_json(generated_metadata()); });
  m.def(
      "write_tu",
      [](const std::filesystem::path& folder, const RawDataset& raw, const std::string& metadata) {
        write_tu(folder, raw, parse_metadata(metadata, raw.name));
      },
      "folder"_a, "raw"_a, "metadata"_a, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace fewedits::python
