// SPDX-License-Identifier: MIT
#include "fewedits/induction/fragility.hpp"

#include "bindings.hpp"
#include "fewedits/base/error.hpp"
#include "fewedits/chem/graph_view.hpp"
#include "fewedits/classifier/class_choice.hpp"
#include "fewedits/classifier/input_rule.hpp"
#include "fewedits/edit/constraints.hpp"
#include "fewedits/fewedits.hpp"
#include "fewedits/verification/recorded_rules.hpp"
#include "interrupts.hpp"

namespace fewedits::python {
namespace {

/// What is asked, unless an explanation says it.
struct Question {
  double theta = 0.1;
  std::optional<bool> bonds;  ///< unset: where they are known
  bool plausible = false;
  std::vector<std::string> constraints;
  std::vector<std::string> source_classes;
  bool only_correct = false;
  std::optional<double> min_lead;
  std::optional<double> min_probability;
  int threads = 0;
};

struct Sides {
  std::vector<FragileGraph> rejected;
  std::vector<FragileGraph> accepted;
};

Sides asked(const Dataset& data, const Classifier& classifier, const Question& question,
            const Explanation* explanation, ThreadPool& pool,
            const std::function<void(std::size_t, std::size_t)>& tell) {
  InputSelection selection;
  Acceptance acceptance{kSafeLead, 0};
  std::vector<std::string> texts = question.constraints;
  if (explanation != nullptr) {
    const Provenance& p = explanation->provenance;
    selection = recorded_selection(p, data, p.model_path, "the explanation");
    acceptance = recorded_acceptance(p, "the explanation");
    for (const std::string& text : p.values_of("constraint")) {
      if (text != "molecule") texts.push_back(text);
    }
  }
  if (!question.source_classes.empty()) selection.source_classes = question.source_classes;
  selection.only_correct |= question.only_correct;
  if (question.min_lead) acceptance.min_lead = *question.min_lead;
  if (question.min_probability) acceptance.min_probability = *question.min_probability;
  Constraints constraints;
  for (const std::string& text : texts) {
    add_constraint(text, label_names(data).nodes, constraints);
  }
  const GraphView view(data, question.bonds.value_or(GraphView::knows_bonds(data)));
  const RejectedGraphs graphs = rejected_graphs(data, classifier, pool, selection);
  const RuleMaterial material = rule_material(data, view, graphs.rejected, graphs.accepted);
  const RuleTask task{
      classifier, Goal(desired_class(data, classifier), acceptance),
      rule_limits(view, std::move(constraints), question.theta, question.plausible, material)};
  const std::size_t all = graphs.rejected.size() + graphs.accepted.size();
  Sides out;
  out.rejected = fragile_graphs(graphs.rejected, false, material, task, pool,
                                [&](std::size_t done) { tell(done, all); });
  out.accepted = fragile_graphs(graphs.accepted, true, material, task, pool, [&](std::size_t done) {
    tell(graphs.rejected.size() + done, all);
  });
  return out;
}

}  // namespace

void bind_fragility(nb::module_& m) {
  nb::class_<FragileGraph>(m, "FragileGraph", "How many steps it takes to change its verdict.")
      .def_ro("graph", &FragileGraph::graph, "Index into the dataset.")
      .def_ro("steps", &FragileGraph::steps, "Steps of the edit map, within theta.")
      .def_ro("enough", &FragileGraph::enough, "Of them, those that alone change the verdict.")
      .def_prop_ro(
          "fewest_known",
          [](const FragileGraph& g) -> std::optional<std::uint32_t> {
            return g.fewest_known == 0 ? std::nullopt : std::optional(g.fewest_known);
          },
          "1 or 2 steps that are known to change it; None: more, or unknown.")
      .def("__getstate__",
           [](const FragileGraph& g) {
             return std::make_tuple(g.graph, g.steps, g.enough, g.fewest_known);
           })
      .def("__setstate__",
           [](FragileGraph& g,
              const std::tuple<std::uint32_t, std::uint64_t, std::uint64_t, std::uint32_t>& state) {
             const auto& [graph, steps, enough, fewest] = state;
             new (&g) FragileGraph{graph, steps, enough, fewest};
           });
  nb::class_<Question>(m, "FragilityQuestion")
      .def(nb::init<>())
      .def_rw("theta", &Question::theta)
      .def_rw("bonds", &Question::bonds, nb::arg().none())
      .def_rw("plausible", &Question::plausible)
      .def_rw("constraints", &Question::constraints)
      .def_rw("source_classes", &Question::source_classes)
      .def_rw("only_correct", &Question::only_correct)
      .def_rw("min_lead", &Question::min_lead, nb::arg().none())
      .def_rw("min_probability", &Question::min_probability, nb::arg().none())
      .def_rw("threads", &Question::threads);
  m.def(
      "fragility",
      [](const Dataset& data, const Classifier& classifier, const Question& question,
         const Explanation* explanation, const nb::object& progress) {
        Interrupts interrupts;
        Sides out;
        {
          const nb::gil_scoped_release free;
          ThreadPool pool(question.threads);
          const StopScope scope(pool, &interrupts.sign());
          out = asked(data, classifier, question, explanation, pool,
                      [&](std::size_t done, std::size_t all) {
                        if (progress.is_none()) return;
                        const nb::gil_scoped_acquire held;
                        progress(done, all);
                      });
        }
        return std::make_pair(std::move(out.rejected), std::move(out.accepted));
      },
      "dataset"_a, "classifier"_a, "question"_a, "explanation"_a.none(),
      "progress"_a.none() = nb::none(),
      nb::sig("def fragility(dataset: Dataset, classifier: Classifier, question: "
              "FragilityQuestion, explanation: Explanation | None, progress: object | None = None) "
              "-> tuple[list[FragileGraph], list[FragileGraph]]"));
}

}  // namespace fewedits::python
