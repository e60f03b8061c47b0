// SPDX-License-Identifier: MIT
#include <algorithm>

#include "bindings.hpp"
#include "dataset_handle.hpp"
#include "fewedits/base/error.hpp"
#include "fewedits/chem/graph_view.hpp"
#include "fewedits/classifier/class_choice.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/evaluate/evaluation.hpp"
#include "fewedits/evaluate/graph_list.hpp"
#include "fewedits/evaluate/recourse_answers.hpp"
#include "fewedits/explanation/proofs.hpp"
#include "fewedits/fewedits.hpp"
#include "fewedits/search/local/local_finder.hpp"
#include "fewedits/search/option_table.hpp"
#include "fewedits/search/parts.hpp"
#include "fewedits/verification/recorded_rules.hpp"
#include "fewedits/verification/report_words.hpp"
#include "fewedits/verification/verifier.hpp"
#include "interrupts.hpp"

namespace fewedits::python {
namespace {

const char* const kFile = "the explanation";

/// What somebody asks of graphs of a dataset and of counterfactuals.
struct Comparison {
  std::string distance = "certified";
  std::string distance_model;
  std::optional<double> theta;
  std::uint64_t prove_work = kProveWork;
  std::optional<std::vector<std::uint32_t>> graphs;  ///< indices; unset: all that are explained
  int threads = 0;
};

/// What came of it, with all that the answers refer to.
class Compared {
 public:
  Compared(const Explanation& e, const Dataset& data, const Classifier& model,
           const Comparison& asked, const nb::object& progress, Interrupts& interrupts)
      : view_(data, e.edge_label_names, kFile) {
    ThreadPool pool(asked.threads);
    const StopScope scope(pool, &interrupts.sign());
    const bool same = !e.provenance.dataset_hash.empty() &&
                      e.provenance.dataset_hash == dataset_fingerprint(data, view_.has_bonds());
    graphs_.reserve(e.counterfactuals.size());
    ProvenPairs known;
    for (const Counterfactual& c : e.counterfactuals) {
      graphs_.push_back(c.graph);
      if (same) known.push_back(c.proofs);
    }
    inputs_ = asked.graphs ? *asked.graphs : rejected(e, data, model, same, pool);
    for (const std::uint32_t input : inputs_) {
      if (input >= data.size()) {
        throw Error("there is no graph " + std::to_string(input),
                    "the dataset has " + std::to_string(data.size()) + " graphs, counted from 0");
      }
    }
    const DistanceKind kind = builtin_distances().at(asked.distance);
    if (view_.has_bonds() && !kind.proves) {
      throw Error("the distance " + asked.distance + " knows no bonds, which the explanation uses",
                  "take distance=\"certified\"");
    }
    DistanceOptions options;
    options.model = asked.distance_model;
    options.prove_work = asked.prove_work;
    options.stop = &interrupts.sign();
    costs_.relabel_edge = view_.has_bonds() ? 1 : 0;
    options.costs = costs_;
    GraphList list;
    list.theta = e.theta;
    list.distance = e.distance;
    list.meaning = e.meaning;
    const auto given = asked.theta ? asked.theta : theta_of(list, asked.distance, kind);
    options.theta = given.value_or(kEditTheta);
    std::vector<Graph> seen = view_.of(data, inputs_);
    const auto distance = kind.make(seen, data.node_labels.size(), options, pool);
    const double theta = given ? *given : default_theta(kind, *distance, options.seed, pool);
    const Goal goal(desired_class(data, model), recorded_acceptance(e.provenance, kFile));
    judged_ = judge(seen, model, goal.desired_class, pool);
    evaluation_ = evaluate_graphs(graphs_, model, goal, inputs_, *distance, theta, known, pool,
                                  [&](std::size_t done, std::size_t total) {
                                    if (!progress.is_none()) {
                                      const nb::gil_scoped_acquire held;
                                      progress(done, total);
                                    }
                                    return !interrupts.sign().is_set();
                                  });
    answers_.emplace(std::move(seen), graphs_, evaluation_, costs_);
  }
  Compared(const Compared&) = delete;
  Compared& operator=(const Compared&) = delete;

  [[nodiscard]] const Evaluation& evaluation() const { return evaluation_; }
  [[nodiscard]] const RecourseAnswers& answers() const { return *answers_; }
  [[nodiscard]] const std::vector<Judgement>& judged() const { return judged_; }
  [[nodiscard]] const std::vector<std::uint32_t>& inputs() const { return inputs_; }

 private:
  static std::vector<std::uint32_t> rejected(const Explanation& e, const Dataset& data,
                                             const Classifier& model, bool same, ThreadPool& pool) {
    const Provenance& p = e.provenance;
    const InputSelection selection =
        same ? recorded_selection(p, data, p.model_path, kFile) : InputSelection();
    return rejected_graphs(data, model, pool, selection).rejected;
  }

  GraphView view_;
  EditCosts costs_;
  std::vector<Graph> graphs_;
  std::vector<std::uint32_t> inputs_;
  std::vector<Judgement> judged_;  ///< the inputs
  Evaluation evaluation_;
  std::optional<RecourseAnswers> answers_;
};

std::shared_ptr<Compared> compare(const Explanation& e, const Dataset& data,
                                  const Classifier& model, const Comparison& asked,
                                  const nb::object& progress) {
  Interrupts interrupts;
  std::shared_ptr<Compared> out;
  {
    const nb::gil_scoped_release free;
    out = std::make_shared<Compared>(e, data, model, asked, progress, interrupts);
  }
  (void)interrupts.take_pending();
  return out;
}

struct Local {
  std::string method = "search";
  std::vector<std::pair<std::string, std::string>> options;
  std::optional<std::vector<std::string>> constraints;
  std::optional<double> min_probability;
  bool keep_isolated = false;
  std::vector<Node> frozen;
  int threads = 0;
};

/// For each graph alone; nothing where none was found, or where Ctrl-C came first.
struct Alone {
  std::uint32_t input = 0;
  bool searched = true;
  std::optional<Graph> graph = {};
  double probability = 0;
  double lead = 0;
  std::int64_t edits = 0;
  std::int64_t lower = 0;
  EditScript script = {};
};

std::vector<Alone> find_alone(const Dataset& data, const Classifier& model, bool bonds,
                              const Provenance& recorded, const Local& asked,
                              const std::vector<std::uint32_t>& inputs) {
  Interrupts interrupts;
  std::vector<Alone> out;
  {
    const nb::gil_scoped_release free;
    ThreadPool pool(asked.threads);
    const LocalFinderKind kind = local_finders(builtin_parts()).at(asked.method);
    if (!asked.frozen.empty() && !kind.freezes) {
      throw Error("freeze does not go with " + asked.method, "leave it out, or take the search");
    }
    if (bonds && kind.cuts_edges) {
      throw Error(asked.method + " knows no bonds, which the explanation uses", "take the search");
    }
    const GraphView view(data, bonds);
    ExplainOptions settings;
    for (const auto& [name, value] : asked.options) {
      const auto row = std::ranges::find(option_table(), name, &OptionRow::name);
      if (row == option_table().end() || row->method != asked.method) {
        throw Error(asked.method + " has no option called " + in_quotes(name));
      }
      row->set(value, settings);
    }
    CutRules rules{Goal(desired_class(data, model), recorded_acceptance(recorded, kFile)), {}};
    for (const std::string& text :
         asked.constraints ? *asked.constraints : recorded.values_of("constraint")) {
      add_constraint(text, label_names(data).nodes, rules.constraints);
    }
    rules.constraints.molecule = view.rules();
    double& least = rules.goal.acceptance.min_probability;
    least = asked.min_probability.value_or(least);
    rules.keep_isolated = asked.keep_isolated || !recorded.values_of("keep-isolated").empty();
    const RejectedGraphs graphs = rejected_graphs(data, model, pool);
    for (const std::uint32_t input : inputs) {
      if (input >= data.size()) throw Error("there is no graph " + std::to_string(input));
      for (const Node node : asked.frozen) {
        if (node < data.graphs[input].num_nodes()) continue;
        throw Error("graph " + std::to_string(input) + " has no node " + std::to_string(node) +
                    " to freeze");
      }
    }
    const LocalRequest request{graphs.rejected,   graphs.accepted, rules,
                               settings.local,    recorded.seed,   asked.frozen,
                               &interrupts.sign()};
    const auto goes_on = [&](std::uint64_t, std::uint64_t) { return !interrupts.sign().is_set(); };
    const auto found =
        find_for_each(kind, data, view, model, request, inputs, pool, {goes_on, goes_on});
    EditCosts costs;
    costs.relabel_edge = bonds ? 1 : 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      Alone& one = out.emplace_back(Alone{inputs[i], found[i].searched});
      if (!found[i].found) continue;
      const LocalCounterfactual& c = *found[i].found;
      one.graph = c.graph;
      one.probability = c.probability;
      one.lead = c.lead;
      one.edits = c.distance.upper;
      one.lower = c.distance.lower;
      one.script = checked_script(view(data.graphs[inputs[i]]), c.graph, c.distance.map, costs,
                                  c.distance.upper);
    }
  }
  (void)interrupts.take_pending();
  return out;
}

verify::Report verified(const Explanation& e, const Dataset& data, const Classifier* model,
                        const std::string& model_path, int threads) {
  ThreadPool pool(threads);
  const bool has_file = !model_path.empty();
  const InputSelection selection = model == nullptr
                                       ? InputSelection()
                                       : recorded_selection(e.provenance, data, model_path, kFile);
  return verify::verify(e,
                        {data, model, dataset_fingerprint(data, !e.edge_label_names.empty()),
                         // A model in memory is the one that is checked, in whatever file it is.
                         has_file ? model_hash(model_path) : e.provenance.model_hash, selection},
                        pool);
}

}  // namespace

void bind_evaluate(nb::module_& m) {
  nb::class_<Comparison>(m, "Comparison")
      .def(nb::init<>())
      .def_rw("distance", &Comparison::distance)
      .def_rw("distance_model", &Comparison::distance_model)
      .def_rw("theta", &Comparison::theta)
      .def_rw("prove_work", &Comparison::prove_work)
      .def_rw("graphs", &Comparison::graphs)
      .def_rw("threads", &Comparison::threads);
  nb::class_<Compared>(m, "Compared", "Counterfactuals measured anew on graphs of a dataset.")
      .def_prop_ro("inputs", &Compared::inputs)
      .def_prop_ro("result", [](const Compared& c) { return c.evaluation().result; })
      .def_prop_ro("possible",
                   [](const Compared& c) -> std::optional<Metrics> {
                     const auto& possible = c.evaluation().possible;
                     return possible ? std::optional(possible->metrics) : std::nullopt;
                   })
      .def_prop_ro("places", [](const Compared& c) { return c.evaluation().places; })
      .def_prop_ro("accepted",
                   [](const Compared& c) {
                     std::vector<std::pair<double, bool>> out;
                     for (const Judgement& j : c.evaluation().judged) {
                       out.emplace_back(j.probability, j.accepted);
                     }
                     return out;
                   })
      .def_prop_ro("complete", [](const Compared& c) { return c.answers().complete(); })
      .def("__len__", [](const Compared& c) { return c.answers().size(); })
      .def(
          "answer",
          [](const Compared& c, std::size_t i) {
            const RecourseAnswers& a = c.answers();
            if (i >= a.size()) throw nb::index_error();
            const bool found = a.found(i);
            const bool proven = found && a.proven();
            using Edits = std::optional<std::int64_t>;
            return std::make_tuple(c.judged()[i].probability, c.judged()[i].predicted,
                                   found ? std::optional(a.place(i)) : std::nullopt,
                                   a.recourse(i).distance, std::string(name_of(a.status(i))),
                                   proven ? Edits(a.pair(i).upper) : std::nullopt,
                                   proven ? std::optional(a.lower(i)) : std::nullopt);
          },
          "place"_a,
          "Probability, whether it is predicted the desired class, place of the nearest "
          "counterfactual, distance, status, edits, and what no counterfactual is nearer than.")
      .def(
          "script", [](const Compared& c, std::size_t i) { return c.answers().script(i); },
          "place"_a)
      .def(
          "input", [](const Compared& c, std::size_t i) { return c.answers().input(i); },
          "place"_a);
  m.def("compare", &compare, "explanation"_a, "dataset"_a, "classifier"_a, "comparison"_a,
        "progress"_a.none() = nb::none());
  m.def(
      "counterfactuals_of",
      [](std::vector<Graph> graphs, std::vector<std::string> edge_label_names, double min_lead) {
        Explanation out;
        out.edge_label_names = std::move(edge_label_names);
        out.distance = "none";
        out.meaning = DistanceMeaning::kOther;
        out.provenance.options.emplace_back("min-lead", std::to_string(min_lead));
        for (Graph& graph : graphs) {
          out.counterfactuals.emplace_back().graph = std::move(graph);
        }
        return out;
      },
      "graphs"_a, "edge_label_names"_a, "min_lead"_a,
      "Graphs to be measured, as if an explanation had them.");
  m.attr("SAFE_LEAD") = kSafeLead;

  nb::class_<Local>(m, "Local")
      .def(nb::init<>())
      .def_rw("method", &Local::method)
      .def_rw("options", &Local::options)
      .def_rw("constraints", &Local::constraints)
      .def_rw("min_probability", &Local::min_probability)
      .def_rw("keep_isolated", &Local::keep_isolated)
      .def_rw("frozen", &Local::frozen)
      .def_rw("threads", &Local::threads);
  nb::class_<Alone>(m, "Alone", "A graph's own counterfactual.")
      .def_ro("input", &Alone::input)
      .def_ro("searched", &Alone::searched)
      .def_ro("graph", &Alone::graph)
      .def_ro("probability", &Alone::probability)
      .def_ro("lead", &Alone::lead)
      .def_ro("edits", &Alone::edits)
      .def_ro("lower", &Alone::lower)
      .def_ro("script", &Alone::script);
  m.def("find_alone", &find_alone, "dataset"_a, "classifier"_a, "bonds"_a, "provenance"_a,
        "local"_a, "inputs"_a);
  m.def("local_methods", [] {
    std::vector<std::pair<std::string, std::string>> out;
    const auto known = local_finders(builtin_parts());
    for (const std::string& name : known.names()) out.emplace_back(name, known.at(name).about);
    return out;
  });
  m.def(
      "recorded_nothing", [] { return Provenance(); }, "A provenance that says nothing.");

  nb::class_<verify::Report>(m, "VerificationReport", "What came of a verification.")
      .def_prop_ro("holds", &verify::Report::holds, "No claim is false.")
      .def_prop_ro("all_checked", &verify::Report::all_checked)
      .def_ro("certified", &verify::Report::certified, "The figures rest on proofs.")
      .def_ro("model_checked", &verify::Report::model_checked)
      .def_ro("claims", &verify::Report::claims)
      .def_ro("false_claims", &verify::Report::false_claims)
      .def_ro("listed", &verify::Report::listed, "The first false claims.")
      .def_ro("not_checked", &verify::Report::not_checked)
      .def_ro("notes", &verify::Report::notes)
      .def_ro("maps", &verify::Report::maps, "That were replayed.")
      .def_ro("scripts", &verify::Report::scripts, "That were replayed.")
      .def_ro("coverage_at_most", &verify::Report::coverage_at_most)
      .def_ro("smallest_lead", &verify::Report::smallest_lead)
      .def_prop_ro("recomputed", &verify::Report::recomputed)
      .def_prop_ro("not_proven", &verify::Report::not_proven)
      .def(
          "in_words",
          [](const verify::Report& r, const Explanation& e, std::size_t graphs) {
            return verify::in_words(e, r, graphs);
          },
          "explanation"_a, "graphs"_a);
  m.def("verify", &verified, "explanation"_a, "dataset"_a, "classifier"_a.none(), "model_path"_a,
        "threads"_a, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace fewedits::python
