// SPDX-License-Identifier: MIT
#include "fewedits/distance/distances.hpp"

#include <algorithm>

#include "bindings.hpp"
#include "edits.hpp"
#include "fewedits/base/error.hpp"
#include "fewedits/distance/ged_distance.hpp"
#include "fewedits/explanation/proofs.hpp"
#include "fewedits/fewedits.hpp"
#include "fewedits/search/option_table.hpp"
#include "interrupts.hpp"

namespace fewedits::python {
namespace {

GedMethod ged_method(const std::string& name) {
  if (name == "lower") return GedMethod::kLower;
  if (name == "upper") return GedMethod::kUpper;
  if (name == "within") return GedMethod::kWithin;
  if (name == "exact") return GedMethod::kExact;
  throw Error("there is no method called " + in_quotes(name),
              "known are: lower, upper, exact, within");
}

EditCosts costs_from(const std::map<std::string, std::int32_t>& given) {
  EditCosts out;
  const std::map<std::string, std::int32_t EditCosts::*> known = {
      {"insert_node", &EditCosts::insert_node},   {"delete_node", &EditCosts::delete_node},
      {"relabel_node", &EditCosts::relabel_node}, {"insert_edge", &EditCosts::insert_edge},
      {"delete_edge", &EditCosts::delete_edge},   {"relabel_edge", &EditCosts::relabel_edge}};
  for (const auto& [name, cost] : given) {
    const auto at = known.find(name);
    if (at == known.end()) {
      throw Error("there is no cost called " + in_quotes(name),
                  "known are: insert_node, delete_node, relabel_node, insert_edge, delete_edge, "
                  "relabel_edge");
    }
    out.*(at->second) = cost;
  }
  out.check();
  return out;
}

struct Question {
  GedDistanceOptions options;
  double milliseconds;
};

GedDistanceOptions options_of(const std::string& method, double theta,
                              const std::map<std::string, std::int32_t>& costs,
                              std::optional<std::uint64_t> work, std::optional<double> milliseconds,
                              int starts, int kicks, std::uint64_t seed) {
  GedDistanceOptions out;
  out.method = ged_method(method);
  out.theta = theta;
  out.ged.costs = costs_from(costs);
  out.ged.effort = {starts, kicks};
  out.ged.seed = seed;
  if (work) out.ged.budget.work = *work;
  if (milliseconds) out.ged.budget.milliseconds = *milliseconds;
  return out;
}

/// All that was measured; pairs that an interrupt left out are not done.
std::vector<Measure> measured(Distance& distance, const std::vector<GraphPair>& pairs,
                              ThreadPool& pool, const nb::object& progress, const StopSign& sign) {
  std::vector<Measure> out(pairs.size());
  distance.measure(pairs, out, pool, [&](std::size_t done, std::size_t total) {
    if (!progress.is_none()) {
      const nb::gil_scoped_acquire held;
      progress(done, total);
    }
    return !sign.is_set();
  });
  return out;
}

std::vector<GraphPair> pairs_of(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs,
                                std::size_t graphs) {
  std::vector<GraphPair> out;
  for (const auto& [a, b] : pairs) {
    if (a >= graphs || b >= graphs) {
      throw Error("there is no graph " + std::to_string(std::max(a, b)),
                  "there are " + std::to_string(graphs) + ", counted from 0");
    }
    out.push_back({a, b});
  }
  return out;
}

std::vector<Measure> ged_measures(std::vector<Graph> graphs,
                                  const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs,
                                  const std::string& method, double theta,
                                  const std::map<std::string, std::int32_t>& costs,
                                  std::optional<std::uint64_t> work,
                                  std::optional<double> milliseconds, int starts, int kicks,
                                  std::uint64_t seed, int threads, const nb::object& progress) {
  Interrupts interrupts;
  GedDistanceOptions options =
      options_of(method, theta, costs, work, milliseconds, starts, kicks, seed);
  options.ged.budget.stop = &interrupts.sign();
  const auto list = pairs_of(pairs, graphs.size());
  std::vector<Measure> out;
  {
    const nb::gil_scoped_release free;
    ThreadPool pool(threads);
    GedDistance distance(std::move(graphs), options, pool);
    out = measured(distance, list, pool, progress, interrupts.sign());
  }
  (void)interrupts.take_pending();
  return out;
}

std::vector<Measure> other_measures(
    const std::string& name, std::vector<Graph> graphs, std::size_t num_labels,
    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs, const std::string& model,
    const std::vector<std::pair<std::string, std::string>>& own, int threads,
    const nb::object& progress) {
  Interrupts interrupts;
  ExplainOptions options;
  for (const auto& [option, value] : own) {
    const auto row = std::ranges::find(option_table(), option, &OptionRow::name);
    if (row == option_table().end() || row->distance != name) {
      throw Error("the distance " + name + " has no option called " + in_quotes(option));
    }
    row->set(value, options);
  }
  options.distance_options.model = model;
  options.distance_options.stop = &interrupts.sign();
  const auto list = pairs_of(pairs, graphs.size());
  std::vector<Measure> out;
  {
    const nb::gil_scoped_release free;
    ThreadPool pool(threads);
    const auto distance = builtin_distances().at(name).make(std::move(graphs), num_labels,
                                                            options.distance_options, pool);
    out = measured(*distance, list, pool, progress, interrupts.sign());
  }
  (void)interrupts.take_pending();
  return out;
}

}  // namespace

void bind_distances(nb::module_& m) {
  nb::class_<EditScript>(m, "EditScript", "Edits that lead from one graph to another.")
      .def("__len__", [](const EditScript& s) { return s.ops.size(); })
      .def_prop_ro(
          "ops", &ops_of,
          "Each edit as (kind, u, v, label): v and label are -1 where the kind has none. Nodes are "
          "those of the graph that the edits start from; inserted ones get the next numbers.")
      .def_prop_ro("map", &script_map_of,
                   "For each node of the script its node in the target; -1: it is deleted.")
      .def(
          "in_words",
          [](const EditScript& s, const Graph& start, std::vector<std::string> nodes,
             std::vector<std::string> edges, bool molecules) {
            return script_in_words(start, s, {std::move(nodes), std::move(edges), molecules});
          },
          "start"_a, "node_names"_a, "edge_names"_a, "molecules"_a)
      .def(
          "replay",
          [](const EditScript& s, const Graph& start) { return replay(start, s.ops).graph; },
          "start"_a)
      .def(
          "__eq__", [](const EditScript& a, const EditScript& b) { return a == b; },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__getstate__",
           [](const EditScript& s) { return std::make_tuple(ops_of(s), script_map_of(s)); })
      .def("__setstate__",
           [](EditScript& s, const std::tuple<std::vector<Op>, std::vector<std::int64_t>>& state) {
             const auto& [ops, map] = state;
             new (&s) EditScript{edit_ops_of(ops), map_from(map)};
           });
  m.def(
      "edit_script",
      [](const Graph& a, const Graph& b, const std::vector<std::int64_t>& map,
         const std::map<std::string, std::int32_t>& costs) {
        const NodeMap nodes = map_from(map);
        if (!is_node_map(a, b, nodes)) throw Error("that is no map of the nodes of the two graphs");
        const EditCosts own = costs_from(costs);
        return checked_script(a, b, nodes, own, induced_cost(a, b, nodes, own));
      },
      "a"_a, "b"_a, "map"_a, "costs"_a = std::map<std::string, std::int32_t>());
  nb::class_<Measure>(m, "Measure", "What is known of a pair of graphs.")
      .def_ro("distance", &Measure::distance)
      .def_ro("normalized", &Measure::normalized)
      .def_ro("lower", &Measure::lower)
      .def_ro("upper", &Measure::upper)
      .def_prop_ro("status", [](const Measure& r) { return std::string(name_of(r.status)); })
      .def_prop_ro("map", [](const Measure& r) { return map_of(r.map); })
      .def_prop_ro("decided_by",
                   [](const Measure& r) {
                     return r.stage == GedStage::kNone ? std::string() : name_of(r.stage);
                   })
      .def_ro("done", &Measure::done);
  m.def("ged_measures", &ged_measures, "graphs"_a, "pairs"_a, "method"_a, "theta"_a, "costs"_a,
        "work"_a, "milliseconds"_a, "starts"_a, "kicks"_a, "seed"_a, "threads"_a,
        "progress"_a = nb::none());
  m.def("other_measures", &other_measures, "name"_a, "graphs"_a, "num_labels"_a, "pairs"_a,
        "model"_a, "options"_a, "threads"_a, "progress"_a = nb::none());
  m.def(
      "ged_rows",
      [](std::vector<Graph> a, std::vector<Graph> b, std::optional<double> within,
         const std::map<std::string, std::int32_t>& costs, std::uint64_t work, int starts,
         int kicks, std::uint64_t seed, int threads, const nb::object& progress) {
        // All pairs of one list and another, so that only one of the two is stored twice.
        const std::size_t rows = a.size();
        const std::size_t columns = b.size();
        std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
        for (std::uint32_t i = 0; i < rows; ++i) {
          for (std::uint32_t j = 0; j < columns; ++j) {
            pairs.emplace_back(i, static_cast<std::uint32_t>(rows) + j);
          }
        }
        std::vector<Graph> graphs = std::move(a);
        graphs.insert(graphs.end(), b.begin(), b.end());
        const auto found = ged_measures(std::move(graphs), pairs, within ? "within" : "exact",
                                        within.value_or(0.1), costs, work, std::nullopt, starts,
                                        kicks, seed, threads, progress);
        std::vector<double> distance;
        std::vector<double> lower;
        std::vector<double> upper;
        std::vector<std::int8_t> status;
        for (const Measure& r : found) {
          distance.push_back(r.distance);
          lower.push_back(r.lower);
          upper.push_back(r.upper);
          status.push_back(r.done ? static_cast<std::int8_t>(r.status) : std::int8_t{-1});
        }
        const auto shaped = [&](auto values) {
          return nb::cast(array_of(std::move(values), {rows, columns}));
        };
        return nb::make_tuple(shaped(std::move(distance)), shaped(std::move(lower)),
                              shaped(std::move(upper)), shaped(std::move(status)));
      },
      "a"_a, "b"_a, "within"_a, "costs"_a, "work"_a, "starts"_a, "kicks"_a, "seed"_a, "threads"_a,
      "progress"_a = nb::none(),
      nb::sig("def ged_rows(a: collections.abc.Sequence[Graph], b: "
              "collections.abc.Sequence[Graph], within: float | None, costs: "
              "collections.abc.Mapping[str, int], work: int, starts: int, kicks: int, seed: int, "
              "threads: int, progress: object | None = None) -> tuple[numpy.ndarray, "
              "numpy.ndarray, numpy.ndarray, numpy.ndarray]"));
  m.def("pair_statuses", [] {
    std::vector<std::string> out;
    for (const auto s : {PairStatus::kExact, PairStatus::kBounds, PairStatus::kYes, PairStatus::kNo,
                         PairStatus::kUnknown}) {
      out.emplace_back(name_of(s));
    }
    return out;
  });
  m.def("distances", [] {
    std::vector<std::pair<std::string, std::string>> out;
    const DistanceRegistry known = builtin_distances();
    for (const std::string& name : known.names()) out.emplace_back(name, known.at(name).about);
    return out;
  });
}

}  // namespace fewedits::python
