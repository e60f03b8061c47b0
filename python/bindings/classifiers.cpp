// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstring>

#include "batch.hpp"
#include "bindings.hpp"
#include "callable_classifier.hpp"
#include "dataset_handle.hpp"
#include "fewedits/base/error.hpp"
#include "fewedits/classifier/aligned_classifier.hpp"
#include "fewedits/classifier/class_choice.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/classifier/native/native_classifier.hpp"
#include "fewedits/fewedits.hpp"
#include "fewedits/formats/checkpoint_writer.hpp"

namespace fewedits::python {
namespace {

using AnyArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

DType dtype_of(const std::string& name, nb::dlpack::dtype type) {
  const auto is = [&](nb::dlpack::dtype_code code, int bits) {
    return type.code == static_cast<std::uint8_t>(code) && type.bits == bits;
  };
  using Code = nb::dlpack::dtype_code;
  if (is(Code::Float, 16)) return DType::kFloat16;
  if (is(Code::Float, 32)) return DType::kFloat32;
  if (is(Code::Float, 64)) return DType::kFloat64;
  if (is(Code::Int, 8)) return DType::kInt8;
  if (is(Code::UInt, 8)) return DType::kUInt8;
  if (is(Code::Int, 16)) return DType::kInt16;
  if (is(Code::Int, 32)) return DType::kInt32;
  if (is(Code::Int, 64)) return DType::kInt64;
  if (is(Code::Bool, 8)) return DType::kBool;
  throw Error("the tensor " + in_quotes(name) + " has values of a kind that no model has");
}

StateDict state_dict_of(const std::map<std::string, AnyArray>& arrays) {
  StateDict out;
  for (const auto& [name, array] : arrays) {
    Tensor& tensor = out[name];
    tensor.dtype = dtype_of(name, array.dtype());
    for (std::size_t d = 0; d < array.ndim(); ++d) {
      tensor.shape.push_back(static_cast<std::int64_t>(array.shape(d)));
    }
    tensor.bytes.resize(array.nbytes());
    if (array.nbytes() > 0) std::memcpy(tensor.bytes.data(), array.data(), array.nbytes());
  }
  return out;
}

using Table = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::object empty_array(std::size_t rows, std::size_t columns, const Table& like) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  return numpy.attr("empty")(nb::make_tuple(rows, columns), nb::cast(like).attr("dtype"));
}

/// Rows of a table, in a new array of NumPy.
template <typename Write>
nb::object rows_of(const Table& table, std::size_t rows, const Write& write) {
  nb::object out = empty_array(rows, table.shape(1), table);
  auto view = nb::cast<nb::ndarray<nb::ndim<2>, nb::c_contig, nb::device::cpu>>(out);
  const std::size_t width = table.shape(1) * table.itemsize();
  const auto* const from = static_cast<const std::byte*>(table.data());
  auto* const to = static_cast<std::byte*>(view.data());
  const nb::gil_scoped_release free;
  write(from, table.shape(0), width, to);
  return out;
}

nb::ndarray<nb::numpy, std::int64_t> filled(std::size_t rows, std::optional<std::size_t> columns,
                                            const std::function<void(std::int64_t*)>& write) {
  std::vector<std::int64_t> values(rows * columns.value_or(1));
  {
    const nb::gil_scoped_release free;
    write(values.data());
  }
  return columns ? array_of(std::move(values), {rows, *columns})
                 : array_of(std::move(values), {rows});
}

void bind_batch(nb::module_& m) {
  nb::class_<Batch>(m, "Batch", "Graphs that a model is asked about, as arrays over all of them.")
      .def(
          "__init__",
          [](Batch* self, std::vector<Graph> graphs) {
            new (self) Batch(std::move(graphs), nullptr);
          },
          "graphs"_a)
      .def_prop_ro("num_graphs", &Batch::num_graphs)
      .def_prop_ro("num_nodes", &Batch::num_nodes)
      .def_prop_ro("num_lines", &Batch::num_lines, "Edges count twice, once for each direction.")
      .def_prop_ro("has_edge_labels", &Batch::has_edge_labels)
      .def_prop_ro(
          "graphs", [](const Batch& b) { return b.graphs(); }, "A new list of all graphs.")
      .def_prop_ro(
          "labels",
          [](const Batch& b) {
            return filled(b.num_nodes(), {}, [&](auto* out) { b.write_labels(out); });
          },
          nb::rv_policy::move)
      .def_prop_ro(
          "batch",
          [](const Batch& b) {
            return filled(b.num_nodes(), {}, [&](auto* out) { b.write_batch(out); });
          },
          nb::rv_policy::move)
      .def_prop_ro(
          "edge_index",
          [](const Batch& b) {
            return filled(2, b.num_lines(), [&](auto* out) { b.write_edge_index(out); });
          },
          nb::rv_policy::move)
      .def_prop_ro(
          "edge_labels",
          [](const Batch& b) {
            return filled(b.num_lines(), {}, [&](auto* out) { b.write_edge_labels(out); });
          },
          nb::rv_policy::move)
      .def(
          "node_rows",
          [](const Batch& b, const Table& table) {
            return rows_of(table, b.num_nodes(), [&](auto... args) { b.write_node_rows(args...); });
          },
          "table"_a, nb::sig("def node_rows(self, table: numpy.ndarray) -> numpy.ndarray"),
          "For each node the row of its label.")
      .def(
          "edge_rows",
          [](const Batch& b, const Table& table) {
            return rows_of(table, b.num_lines(), [&](auto... args) { b.write_edge_rows(args...); });
          },
          "table"_a, nb::sig("def edge_rows(self, table: numpy.ndarray) -> numpy.ndarray"),
          "For each direction of an edge the row of its label.")
      .def("block_size", &Batch::block_size, "edge_labels"_a)
      .def(
          "write_block",
          [](const Batch& b,
             nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> out,
             bool edge_labels) {
            if (out.size() < b.block_size(edge_labels)) {
              throw Error("the block is too small for the batch");
            }
            std::int32_t* const to = out.data();
            const nb::gil_scoped_release free;
            b.write_block(to, edge_labels);
          },
          "out"_a, "edge_labels"_a,
          "Labels of nodes, graphs of nodes, sources, targets and labels of edges, one after the "
          "other.");
}

/// As the search asks: graphs and threads are there already.
class Asking {
 public:
  Asking(std::vector<Graph> graphs, int threads) : graphs_(std::move(graphs)), pool_(threads) {}

  double ask(const Classifier& classifier) {
    const auto start = std::chrono::steady_clock::now();
    (void)checked_log_probabilities(graphs_, classifier, GraphsFrom::kSearch, pool_);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  std::vector<Graph> graphs_;
  ThreadPool pool_;
};

}  // namespace

void bind_classifiers(nb::module_& m) {
  bind_batch(m);
  nb::class_<Asking>(m, "Asking", "Graphs that models are asked about, for benchmarks.")
      .def(nb::init<std::vector<Graph>, int>(), "graphs"_a, "threads"_a = 0)
      .def("ask", &Asking::ask, "classifier"_a, nb::call_guard<nb::gil_scoped_release>(),
           "Seconds that it took.");
  nb::class_<Classifier>(m, "Classifier", "Graphs in, log-probabilities out.")
      .def_prop_ro("origin", &Classifier::origin)
      .def_prop_ro("notes", &Classifier::notes)
      .def_prop_ro("num_classes", &Classifier::num_classes)
      .def_prop_ro("num_labels", &Classifier::num_labels)
      .def_prop_ro("label_names",
                   [](const Classifier& c) {
                     const auto names = c.label_names();
                     return std::vector<std::string>(names.begin(), names.end());
                   })
      .def_prop_ro("class_names",
                   [](const Classifier& c) {
                     const auto names = c.class_names();
                     return std::vector<std::string>(names.begin(), names.end());
                   })
      .def_prop_ro("knows_classes", &Classifier::knows_classes)
      .def("column_of", &Classifier::column_of, "index"_a)
      .def_prop_ro("has_gradients", [](const Classifier& c) { return c.weighted() != nullptr; })
      .def(
          "log_probabilities",
          [](const Classifier& c, const std::vector<Graph>& graphs, int threads) {
            std::vector<float> out;
            {
              const nb::gil_scoped_release free;
              ThreadPool pool(threads);
              out = checked_log_probabilities(graphs, c, GraphsFrom::kSearch, pool);
            }
            return array_of(std::move(out), {graphs.size(), c.num_classes()});
          },
          "graphs"_a, "threads"_a = 0);

  nb::class_<CallableClassifier::Counts>(m, "CallCounts", "How often a callable was asked.")
      .def_ro("graphs", &CallableClassifier::Counts::graphs)
      .def_ro("asked", &CallableClassifier::Counts::asked)
      .def_ro("batches", &CallableClassifier::Counts::batches)
      .def_ro("seconds", &CallableClassifier::Counts::seconds);

  m.def(
      "open_classifier",
      [](const std::filesystem::path& file, const Dataset& dataset,
         bool required) -> std::shared_ptr<Classifier> {
        return open_classifier(file, dataset,
                               required ? ClassMatch::kRequired : ClassMatch::kOptional);
      },
      "file"_a, "dataset"_a, "required"_a = true, nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "native_classifier",
      [](const std::string& model_json, const std::map<std::string, AnyArray>& tensors,
         const std::string& name, const Dataset& dataset,
         bool required) -> std::shared_ptr<Classifier> {
        const ModelFile file = parse_model_file(model_json, name);
        return aligned(std::make_unique<NativeClassifier>(file.spec, state_dict_of(tensors), name),
                       dataset, required ? ClassMatch::kRequired : ClassMatch::kOptional);
      },
      "model_json"_a, "tensors"_a, "name"_a, "dataset"_a, "required"_a = true,
      "A model in memory: the text of a model file (docs/formats.md) and the tensors that it "
      "names.");
  m.def(
      "callable_classifier",
      [](nb::object ask, std::size_t classes, const std::string& name, const Dataset& dataset,
         std::size_t graphs_at_once, std::size_t nodes_at_once,
         bool required) -> std::pair<std::shared_ptr<Classifier>,
                                     std::shared_ptr<const CallableClassifier::Counts>> {
        auto model = std::make_unique<CallableClassifier>(
            std::move(ask), classes, dataset.node_labels.size(), graphs_at_once, nodes_at_once,
            name, BondWriter(dataset));
        auto counts = model->counts();
        return {aligned(std::move(model), dataset,
                        required ? ClassMatch::kRequired : ClassMatch::kOptional),
                std::move(counts)};
      },
      "ask"_a, "classes"_a, "name"_a, "dataset"_a, "graphs_at_once"_a, "nodes_at_once"_a,
      "required"_a = true);
  m.def(
      "write_weights",
      [](const std::filesystem::path& file, const std::map<std::string, AnyArray>& tensors) {
        write_checkpoint(file, state_dict_of(tensors));
      },
      "file"_a, "tensors"_a);
  m.def("model_hash", &model_hash, "file"_a, nb::call_guard<nb::gil_scoped_release>());

  m.def("class_name", &class_name, "index"_a, "dataset"_a, "classifier"_a);
  m.def("desired_class", &desired_class, "dataset"_a, "classifier"_a);
  m.def(
      "predict",
      [](const Dataset& dataset, const Classifier& classifier, int threads) {
        Predictions p;
        {
          const nb::gil_scoped_release free;
          ThreadPool pool(threads);
          p = predict(dataset, classifier, pool);
        }
        const std::size_t rows = p.predicted.size();
        return nb::make_tuple(
            array_of(std::move(p.log_probabilities), {rows, p.classes}),
            array_of(std::vector<std::int64_t>(p.predicted.begin(), p.predicted.end())), p.names,
            p.accuracy);
      },
      "dataset"_a, "classifier"_a, "threads"_a = 0,
      nb::sig("def predict(dataset: Dataset, classifier: Classifier, threads: int = 0) -> "
              "tuple[numpy.ndarray, numpy.ndarray, list[str], float | None]"));
}

}  // namespace fewedits::python
