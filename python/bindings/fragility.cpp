// SPDX-License-Identifier: MIT
#include "fewedits/induction/fragility.hpp"

#include "bindings.hpp"
#include "fewedits/fewedits.hpp"
#include "interrupts.hpp"
#include "rule_questions.hpp"

namespace fewedits::python {
namespace {

FragilityList found(const Dataset& data, const Classifier& classifier, const Question& question,
                    const Explanation* explanation, ThreadPool& pool,
                    const std::function<void(std::size_t, std::size_t)>& tell) {
  const Asked on = asked(data, classifier, nullptr, question, explanation, pool);
  FragilityList out;
  out.provenance = provenance_of(data, question, on, explanation);
  out.desired = explained_classes(data, classifier, on.graphs).desired;
  out.theta = on.task.limits.theta;
  out.bonds = on.view.has_bonds();
  out.plausible = on.task.limits.known != nullptr;
  const std::size_t rejected = on.graphs.rejected.size();
  const std::size_t all = rejected + on.graphs.accepted.size();
  out.rejected = fragile_graphs(on.graphs.rejected, false, on.material, on.task, pool,
                                [&](std::size_t done) { tell(done, all); });
  out.accepted = fragile_graphs(on.graphs.accepted, true, on.material, on.task, pool,
                                [&](std::size_t done) { tell(rejected + done, all); });
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
  nb::class_<FragilityList>(m, "FragilityList", "What was found, as a value.")
      .def_ro("provenance", &FragilityList::provenance)
      .def_ro("desired", &FragilityList::desired)
      .def_ro("theta", &FragilityList::theta)
      .def_ro("bonds", &FragilityList::bonds)
      .def_ro("plausible", &FragilityList::plausible)
      .def_ro("rejected", &FragilityList::rejected)
      .def_ro("accepted", &FragilityList::accepted)
      .def("__getstate__", [](const FragilityList& list) { return fragility_json(list); })
      .def("__setstate__", [](FragilityList& list, const std::string& json) {
        new (&list) FragilityList(parse_fragility(json, "pickle"));
      });
  nb::class_<Question>(m, "Question", "What rules and fragility ask.")
      .def(nb::init<>())
      .def_rw("theta", &Question::theta)
      .def_rw("bonds", &Question::bonds, nb::arg().none())
      .def_rw("plausible", &Question::plausible)
      .def_rw("constraints", &Question::constraints)
      .def_rw("source_classes", &Question::source_classes)
      .def_rw("only_correct", &Question::only_correct)
      .def_rw("min_lead", &Question::min_lead, nb::arg().none())
      .def_rw("min_probability", &Question::min_probability, nb::arg().none())
      .def_rw("threads", &Question::threads)
      .def_rw("dataset_path", &Question::dataset_path)
      .def_rw("model_path", &Question::model_path)
      .def_rw("black_box", &Question::black_box)
      .def_rw("recorded", &Question::recorded);
  m.def(
      "fragility",
      [](const Dataset& data, const Classifier& classifier, const Question& question,
         const Explanation* explanation, const nb::object& progress) {
        Interrupts interrupts;
        const nb::gil_scoped_release free;
        ThreadPool pool(question.threads);
        const StopScope scope(pool, &interrupts.sign());
        return found(data, classifier, question, explanation, pool,
                     [&](std::size_t done, std::size_t all) {
                       if (progress.is_none()) return;
                       const nb::gil_scoped_acquire held;
                       progress(done, all);
                     });
      },
      "dataset"_a, "classifier"_a, "question"_a, "explanation"_a.none(),
      "progress"_a.none() = nb::none(),
      nb::sig("def fragility(dataset: Dataset, classifier: Classifier, question: Question, "
              "explanation: Explanation | None, progress: object | None = None) -> "
              "FragilityList"));
}

}  // namespace fewedits::python
