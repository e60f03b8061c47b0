// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "bindings.hpp"
#include "edits.hpp"
#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/explanation/script_json.hpp"
#include "fewedits/fewedits.hpp"
#include "fewedits/report/report.hpp"

namespace fewedits::python {

std::vector<Op> ops_of(const EditScript& script) {
  std::vector<Op> out;
  for (const EditOp& op : script.ops) {
    out.emplace_back(std::string(name_of(op.kind)), op.u,
                     names_one_node(op.kind) ? -1 : static_cast<std::int64_t>(op.v),
                     has_label(op.kind) ? static_cast<std::int64_t>(op.label) : -1);
  }
  return out;
}

std::vector<EditOp> edit_ops_of(const std::vector<Op>& ops) {
  std::vector<EditOp> out;
  for (const auto& [name, u, v, label] : ops) {
    const auto kind = edit_kind(name);
    if (!kind) throw Error(in_quotes(name) + " is no kind of edit");
    out.push_back({*kind, static_cast<Node>(u), static_cast<Node>(std::max<std::int64_t>(v, 0)),
                   static_cast<Label>(std::max<std::int64_t>(label, 0))});
  }
  return out;
}

void bind_explanations(nb::module_& m) {
  nb::class_<Counterfactual>(m, "Counterfactual", "A graph that the model accepts.")
      .def_ro("graph", &Counterfactual::graph)
      .def_ro("probability", &Counterfactual::probability)
      .def_ro("lead", &Counterfactual::lead)
      .def_ro("covers", &Counterfactual::covers)
      .def_ro("gain", &Counterfactual::gain)
      .def_ro("visits", &Counterfactual::visits)
      .def_ro("origin", &Counterfactual::origin);
  nb::class_<Recourse>(m, "Recourse", "An input and the counterfactual that is nearest to it.")
      .def_ro("input", &Recourse::input)
      .def_prop_ro("counterfactual",
                   [](const Recourse& r) -> std::optional<std::uint32_t> {
                     if (r.counterfactual == Recourse::kNone) return std::nullopt;
                     return r.counterfactual;
                   })
      .def_ro("distance", &Recourse::distance)
      .def_ro("covered", &Recourse::covered)
      .def_prop_ro("edits",
                   [](const Recourse& r) -> std::optional<std::int64_t> {
                     return r.proof ? std::optional(r.proof->edits) : std::nullopt;
                   })
      .def_prop_ro("lower",
                   [](const Recourse& r) -> std::optional<std::int64_t> {
                     return r.proof ? std::optional(r.proof->lower) : std::nullopt;
                   })
      .def_prop_ro("open", [](const Recourse& r) { return r.proof && r.proof->open; })
      .def_prop_ro("script", [](const Recourse& r) -> std::optional<EditScript> {
        return r.proof ? r.proof->script : std::nullopt;
      });
  nb::class_<PrefixMetrics>(m, "PrefixMetrics")
      .def_ro("k", &PrefixMetrics::k)
      .def_ro("coverage", &PrefixMetrics::coverage)
      .def_ro("cost_median", &PrefixMetrics::cost_median)
      .def_ro("cost_mean", &PrefixMetrics::cost_mean);
  nb::class_<ThetaMetrics>(m, "ThetaMetrics")
      .def_ro("theta", &ThetaMetrics::theta)
      .def_ro("coverage", &ThetaMetrics::coverage);
  nb::class_<Metrics>(m, "Metrics")
      .def_ro("coverage", &Metrics::coverage)
      .def_ro("coverage_upper", &Metrics::coverage_upper)
      .def_ro("cost_median", &Metrics::cost_median)
      .def_ro("cost_mean", &Metrics::cost_mean)
      .def_ro("by_k", &Metrics::by_k)
      .def_ro("by_theta", &Metrics::by_theta)
      .def_ro("smallest_lead", &Metrics::smallest_lead);
  nb::class_<TracePoint>(m, "TracePoint")
      .def_ro("step", &TracePoint::step)
      .def_ro("candidates", &TracePoint::candidates)
      .def_ro("coverage", &TracePoint::coverage)
      .def_ro("summary_coverage", &TracePoint::summary_coverage);
  nb::class_<RefinementPoint>(m, "RefinementPoint")
      .def_ro("work", &RefinementPoint::work)
      .def_ro("coverage", &RefinementPoint::coverage);
  nb::class_<Provenance>(m, "Provenance", "What the figures rest on.")
      .def_ro("software", &Provenance::software)
      .def_ro("dataset_name", &Provenance::dataset_name)
      .def_ro("dataset_path", &Provenance::dataset_path)
      .def_ro("dataset_hash", &Provenance::dataset_hash)
      .def_ro("model_path", &Provenance::model_path)
      .def_ro("model_hash", &Provenance::model_hash)
      .def_ro("black_box", &Provenance::black_box)
      .def_ro("distance_model_path", &Provenance::distance_model_path)
      .def_ro("options", &Provenance::options)
      .def_ro("seed", &Provenance::seed);
  nb::class_<ExplainedClasses>(m, "ExplainedClasses")
      .def_ro("desired", &ExplainedClasses::desired)
      .def_ro("column", &ExplainedClasses::column)
      .def_ro("predicted", &ExplainedClasses::predicted)
      .def_ro("not_desired", &ExplainedClasses::not_desired);
  nb::class_<Explanation>(m, "Explanation", "The result as a value.")
      .def_ro("provenance", &Explanation::provenance)
      .def_ro("classes", &Explanation::classes)
      .def_ro("method", &Explanation::method)
      .def_ro("from_dataset", &Explanation::from_dataset)
      .def_ro("distance", &Explanation::distance)
      .def_prop_ro("meaning", [](const Explanation& e) { return std::string(name_of(e.meaning)); })
      .def_ro("theta", &Explanation::theta)
      .def_ro("inputs", &Explanation::inputs)
      .def_ro("label_names", &Explanation::label_names)
      .def_ro("edge_label_names", &Explanation::edge_label_names)
      .def_ro("counterfactuals", &Explanation::counterfactuals)
      .def_ro("recourse", &Explanation::recourse)
      .def_ro("metrics", &Explanation::metrics)
      .def_ro("trace", &Explanation::trace)
      .def_ro("refinement", &Explanation::refinement)
      .def_ro("steps", &Explanation::steps)
      .def_ro("neighbours", &Explanation::neighbours)
      .def_ro("seconds", &Explanation::seconds)
      .def_ro("complete", &Explanation::complete)
      .def_prop_ro("ended", [](const Explanation& e) { return std::string(name_of(e.ended)); })
      .def_prop_ro("command", [](const Explanation& e) { return reproducing_command(e); })
      .def(
          "json", [](const Explanation& e) { return explanation_json(e); },
          nb::call_guard<nb::gil_scoped_release>(),
          "All of it, also the edits that a file has beside it.")
      .def(
          "write",
          [](const Explanation& e, const std::filesystem::path& file) {
            const ExplanationFiles files = explanation_files(e, file);
            if (!files.scripts.empty()) {
              write_file_atomically(file.parent_path() / files.scripts_name, files.scripts);
            }
            write_file_atomically(file, files.json);
          },
          "file"_a, nb::call_guard<nb::gil_scoped_release>(),
          "As JSON; edits that are too many for that go into a file beside it.")
      .def(
          "with_model_file",
          [](Explanation e, const std::filesystem::path& file) {
            e.provenance.black_box.clear();
            // As seen from the explanation, so that they can be moved together.
            e.provenance.model_path = file.filename().string();
            e.provenance.model_hash = model_hash(file);
            return e;
          },
          "file"_a, nb::call_guard<nb::gil_scoped_release>(),
          "The same, of a model that is in that file beside it now.")
      .def(
          "__eq__", [](const Explanation& a, const Explanation& b) { return a == b; },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__getstate__", [](const Explanation& e) { return explanation_json(e); })
      .def("__setstate__", [](Explanation& e, const std::string& json) {
        new (&e) Explanation(parse_explanation(json, "pickle"));
      });
  m.def(
      "parse_explanation",
      [](const std::string& text, const std::string& file) {
        return parse_explanation(text, file);
      },
      "text"_a, "file"_a, nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "read_explanation",
      [](const std::filesystem::path& file) {
        return parse_explanation(read_file(file, kMaxExplanationBytes), file.string());
      },
      "file"_a, nb::call_guard<nb::gil_scoped_release>());
  m.def("write_file", &write_file_atomically, "file"_a, "text"_a,
        nb::call_guard<nb::gil_scoped_release>());
  m.def("explained_graphs", &explained_graphs, "dataset"_a, "explanation"_a,
        nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace fewedits::python
