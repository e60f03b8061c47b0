// SPDX-License-Identifier: MIT
#include <chrono>
#include <cmath>
#include <functional>

#include "bindings.hpp"
#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/induction/brought_rules.hpp"
#include "fewedits/induction/recorded_options.hpp"
#include "fewedits/rules/rule_json.hpp"
#include "fewedits/rules/rule_reading.hpp"
#include "fewedits/rules/rule_words.hpp"
#include "interrupts.hpp"
#include "rule_questions.hpp"

namespace fewedits::python {
namespace {

using Clock = StopSign::Clock;

/// How rules are searched for, or which ones are measured.
struct RuleSearch {
  InduceOptions options;
  std::string objective = "average";
  std::vector<std::string> tried;
  bool measures = false;     ///< `tried` are measured, and none is searched for
  std::string second_model;  ///< its file; empty: there is none
  double time_limit = 0;
};

/// Told by the search now and then; calls Python no more often than it is looked at.
class StageTeller {
 public:
  StageTeller(const nb::object& tell, Interrupts& interrupts)
      : tell_(tell), interrupts_(interrupts) {}

  void operator()(const char* stage, std::size_t done, std::size_t all) {
    const auto now = Clock::now();
    if (stage == stage_ && now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    stage_ = stage;
    const nb::gil_scoped_acquire held;
    // Also so that a model that is asked later on is not told of it again.
    if (interrupts_.take_pending() || tell_.is_none()) return;
    try {
      if (tell_(stage, done, all, 0, nb::none()).is(nb::handle(Py_False))) interrupts_.sign().set();
    } catch (nb::python_error& error) {
      if (!is_interrupt(error)) throw;
      interrupts_.sign().set();
    }
  }

 private:
  const nb::object& tell_;
  Interrupts& interrupts_;
  std::string stage_;
  Clock::time_point last_;
};

RuleList found(const Dataset& data, const Explanation* explanation, const Asked& on,
               RuleSearch& search, const StopSign& stop, StageTeller& tell, ThreadPool& pool) {
  if (search.measures) {
    const RuleNames names{label_names(data).nodes, on.view.edge_label_names()};
    std::vector<Rule> rules;
    for (const std::string& text : search.tried) rules.push_back(parse_rule(text, names));
    search.options.rules = rules.size();
    tell("measure", 0, 1);
    const StopScope scope(pool, &stop);
    return measured_list(rules, search.options.seed, on.material, on.task, pool);
  }
  const auto objective = objective_of(search.objective);
  if (!objective) {
    throw Error("objective is " + in_quotes(search.objective),
                "it is average, somewhere or everywhere");
  }
  search.options.objective = *objective;
  if (explanation != nullptr) {
    search.options.more_candidates = rules_in_scripts(*explanation, data, on.view);
  }
  InduceHooks hooks;
  hooks.stop = &stop;
  hooks.progress = std::ref(tell);
  return induce(on.material, on.task, search.options, pool, hooks);
}

Provenance recorded(const Dataset& data, const Question& question, const Asked& on,
                    const RuleSearch& search, const Explanation* explanation) {
  Provenance out = provenance_of(data, question, on, explanation);
  out.seed = search.options.seed;
  RecordedOptions own = options_of_search(search.options);
  for (const std::string& text : search.tried) own.emplace_back("try", text);
  // Its scripts were tried, too; it is in no file.
  if (explanation != nullptr && !search.measures) own.emplace_back("explanation", "");
  out.options.insert(out.options.begin(), own.begin(), own.end());
  return out;
}

/// The list, and how many graphs the model accepts as they are.
std::pair<RuleList, std::size_t> run(const Dataset& data, const Classifier& classifier,
                                     const Classifier* second, const Question& question,
                                     RuleSearch search, const Explanation* explanation,
                                     const nb::object& progress) {
  const auto started = Clock::now();
  Interrupts interrupts;
  StageTeller tell(progress, interrupts);
  std::pair<RuleList, std::size_t> out;
  {
    const nb::gil_scoped_release free;
    ThreadPool pool(question.threads);
    StopSign sign(&interrupts.sign());
    const Asked on = [&] {
      const StopScope scope(pool, &sign);
      return asked(data, classifier, second, question, explanation, pool);
    }();
    if (search.time_limit > 0) {
      sign.set_at(started + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(search.time_limit)));
    }
    RuleList list = found(data, explanation, on, search, sign, tell, pool);
    list.provenance = recorded(data, question, on, search, explanation);
    list.classes = explained_classes(data, classifier, on.graphs);
    if (second != nullptr) {
      list.second_model_path = search.second_model;
      list.second_model_hash = model_hash(search.second_model);
    }
    list.label_names = label_names(data).nodes;
    list.edge_label_names = on.view.edge_label_names();
    out = {std::move(list), on.graphs.accepted.size()};
  }
  interrupts.take_pending();
  return out;
}

void bind_values(nb::module_& m) {
  nb::class_<RuleFigures>(m, "RuleFigures", "Shares of the inputs, and model calls.")
      .def_ro("support", &RuleFigures::support, "Some rule applies.")
      .def_ro("somewhere", &RuleFigures::somewhere, "Some place of some rule works.")
      .def_ro("calls", &RuleFigures::calls,
              "Graphs shown to the model until one is accepted, on average.")
      .def_ro("average", &RuleFigures::on_average,
              "Mean share of the places that work, of the rule that is used.")
      .def_ro("everywhere", &RuleFigures::everywhere, "Every place of the rule that is used works.")
      .def_ro("one_try", &RuleFigures::one_try, "One random place of each rule, in turn, works.")
      .def("__repr__",
           [](const RuleFigures& f) {
             const auto percent = [](double share) {
               const std::string tenths = std::to_string(std::lround(1000 * share));
               const std::string padded = tenths.size() < 2 ? "0" + tenths : tenths;
               return padded.substr(0, padded.size() - 1) + "." + padded.back() + "%";
             };
             return "RuleFigures(average " + percent(f.on_average) + ", somewhere " +
                    percent(f.somewhere) + ", everywhere " + percent(f.everywhere) + ", support " +
                    percent(f.support) + ")";
           })
      .def(
          "__eq__", [](const RuleFigures& a, const RuleFigures& b) { return a == b; },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"));
  nb::class_<RuleUse>(m, "RuleUse", "A rule on a set of graphs.")
      .def_ro("graphs", &RuleUse::graphs, "That it applies to.")
      .def_ro("places", &RuleUse::places, "In them.")
      .def_ro("accepted", &RuleUse::accepted, "Places whose result the model accepts.");
  nb::class_<PatternCounts>(m, "PatternCounts", "How many graphs contain a pattern.")
      .def_ro("rejected", &PatternCounts::rejected)
      .def_ro("accepted", &PatternCounts::accepted);
  nb::class_<MeasuredRule>(m, "MeasuredRule")
      .def_ro("alone", &MeasuredRule::alone)
      .def_ro("so_far", &MeasuredRule::list)
      .def_prop_ro("edits", [](const MeasuredRule& r) { return r.rule.cost(); })
      .def_prop_ro("inputs",
                   [](const MeasuredRule& r) {
                     std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> out;
                     for (const InputCount& one : r.inputs) {
                       out.emplace_back(one.input, one.count.places, one.count.works);
                     }
                     return out;
                   })
      .def_ro("on_accepted", &MeasuredRule::on_accepted)
      .def_ro("inverse_on_accepted", &MeasuredRule::inverse_on_accepted)
      .def_ro("left", &MeasuredRule::left)
      .def_ro("right", &MeasuredRule::right)
      .def_ro("pairs", &MeasuredRule::pairs)
      .def_ro("pairs_other_class", &MeasuredRule::pairs_other_class);
}

void bind_list(nb::module_& m) {
  nb::class_<RuleList>(m, "RuleList", "An ordered list of rules, as a value.")
      .def_ro("provenance", &RuleList::provenance)
      .def_ro("classes", &RuleList::classes)
      .def_ro("label_names", &RuleList::label_names)
      .def_ro("edge_label_names", &RuleList::edge_label_names)
      .def_prop_ro("objective",
                   [](const RuleList& list) { return std::string(name_of(list.objective)); })
      .def_ro("theta", &RuleList::theta)
      .def_ro("plausible", &RuleList::plausible)
      .def_ro("inputs", &RuleList::inputs)
      .def_ro("rules", &RuleList::rules)
      .def_ro("complete", &RuleList::complete)
      .def_prop_ro("figures", &RuleList::figures)
      .def_prop_ro("held_out",
                   [](const RuleList& list) -> std::optional<RuleFigures> {
                     return list.held_out ? std::optional(list.held_out->figures) : std::nullopt;
                   })
      .def_prop_ro("held_out_lists",
                   [](const RuleList& list) {
                     std::vector<std::vector<std::string>> out;
                     if (!list.held_out) return out;
                     for (const std::vector<Rule>& part : list.held_out->lists) {
                       auto& texts = out.emplace_back();
                       for (const Rule& rule : part) texts.push_back(rule_text(rule, list.names()));
                     }
                     return out;
                   })
      .def_prop_ro("random_rules",
                   [](const RuleList& list) -> std::optional<RuleFigures> {
                     // Where rules were only measured, none were drawn.
                     if (!list.baselines || list.baselines->lists.empty()) return std::nullopt;
                     return list.baselines->random_rules;
                   })
      .def_prop_ro("random_edits",
                   [](const RuleList& list) -> std::optional<double> {
                     return list.baselines ? std::optional(list.baselines->random_edits)
                                           : std::nullopt;
                   })
      .def(
          "text",
          [](const RuleList& list, std::size_t r) {
            return rule_text(list.rules.at(r).rule, list.names());
          },
          "rule"_a)
      .def(
          "words",
          [](const RuleList& list, std::size_t r, bool molecules) {
            return rule_words(list.rules.at(r).rule, list.names(), molecules);
          },
          "rule"_a, "molecules"_a)
      .def(
          "reading",
          [](const RuleList& list, std::size_t r, std::size_t accepted) {
            const RuleReading reading = reading_of(list.rules.at(r), list.inputs.size(), accepted,
                                                   kPatternsOfARule * list.rules.size());
            return std::make_pair(std::string(name_of(reading)), std::string(in_words(reading)));
          },
          "rule"_a, "accepted"_a)
      .def("json", &rules_json, nb::call_guard<nb::gil_scoped_release>())
      .def(
          "with_model_file",
          [](RuleList list, const std::filesystem::path& file, const std::string& called) {
            list.provenance.black_box.clear();
            list.provenance.model_path = called;
            list.provenance.model_hash = model_hash(file);
            return list;
          },
          "file"_a, "called"_a, nb::call_guard<nb::gil_scoped_release>(),
          "The same, of a model that is in that file now.")
      .def(
          "__eq__",
          // What is not written is of no importance.
          [](const RuleList& a, const RuleList& b) { return rules_json(a) == rules_json(b); },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__getstate__", [](const RuleList& list) { return rules_json(list); })
      .def("__setstate__", [](RuleList& list, const std::string& json) {
        new (&list) RuleList(parse_rules(json, "pickle"));
      });
}

}  // namespace

void bind_rules(nb::module_& m) {
  bind_values(m);
  bind_list(m);
  nb::class_<RuleSearch>(m, "RuleSearch",
                         "How rules are searched for; the defaults are those of the program.")
      .def(nb::init<>())
      .def_prop_rw(
          "rules", [](const RuleSearch& s) { return s.options.rules; },
          [](RuleSearch& s, std::size_t value) { s.options.rules = value; })
      .def_rw("objective", &RuleSearch::objective)
      .def_prop_rw(
          "folds", [](const RuleSearch& s) { return s.options.folds; },
          [](RuleSearch& s, std::size_t value) { s.options.folds = value; })
      .def_prop_rw(
          "min_support", [](const RuleSearch& s) { return s.options.min_support; },
          [](RuleSearch& s, double value) { s.options.min_support = value; })
      .def_prop_rw(
          "expansions", [](const RuleSearch& s) { return s.options.expansions; },
          [](RuleSearch& s, std::size_t value) { s.options.expansions = value; })
      .def_prop_rw(
          "two_steps", [](const RuleSearch& s) { return s.options.two_steps; },
          [](RuleSearch& s, std::size_t value) { s.options.two_steps = value; })
      .def_prop_rw(
          "more_changes", [](const RuleSearch& s) { return s.options.more_changes; },
          [](RuleSearch& s, std::size_t value) { s.options.more_changes = value; })
      .def_prop_rw(
          "seed", [](const RuleSearch& s) { return s.options.seed; },
          [](RuleSearch& s, std::uint64_t value) { s.options.seed = value; })
      .def_rw("tried", &RuleSearch::tried)
      .def_rw("measures", &RuleSearch::measures)
      .def_rw("second_model", &RuleSearch::second_model)
      .def_rw("time_limit", &RuleSearch::time_limit);
  m.def("rules", &run, "dataset"_a, "classifier"_a, "second"_a.none(), "question"_a, "search"_a,
        "explanation"_a.none(), "progress"_a.none() = nb::none(),
        nb::sig("def rules(dataset: Dataset, classifier: Classifier, second: Classifier | None, "
                "question: Question, search: RuleSearch, explanation: Explanation | None, "
                "progress: object | None = None) -> tuple[RuleList, int]"));
  m.def(
      "read_rules",
      [](const std::filesystem::path& file) {
        return parse_rules(read_file(file, kMaxRulesBytes), file.string());
      },
      "file"_a, nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "interval_of",
      [](double share, std::size_t count) {
        const Interval interval = interval_of(share, count);
        return std::make_pair(interval.low, interval.high);
      },
      "share"_a, "count"_a, "Of a mean of so many values from 0 to 1, 95 %.");
  m.def(
      "accepted_graphs",
      [](const Dataset& data, const Classifier& classifier, int threads) {
        Interrupts interrupts;
        const nb::gil_scoped_release free;
        ThreadPool pool(threads);
        const StopScope scope(pool, &interrupts.sign());
        return rejected_graphs(data, classifier, pool).accepted;
      },
      "dataset"_a, "classifier"_a, "threads"_a);
}

}  // namespace fewedits::python
