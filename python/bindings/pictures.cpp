// SPDX-License-Identifier: MIT
#include "fewedits/pictures.hpp"

#include "bindings.hpp"
#include "fewedits/fewedits.hpp"
#include "fewedits/report/artist.hpp"
#include "fewedits/report/svg.hpp"
#include "fewedits/report_page.hpp"
#include "interrupts.hpp"

namespace fewedits::python {
namespace {

const char* const kFile = "the explanation";

/// Of the model, if it is at hand, it is told which graphs it accepts.
std::string page(const std::vector<std::pair<Explanation, std::string>>& explanations,
                 const std::vector<std::pair<RuleList, std::string>>& rules,
                 const FragilityList* fragility, const Dataset& data, const Classifier* classifier,
                 int threads) {
  Interrupts interrupts;
  const nb::gil_scoped_release free;
  ThreadPool pool(threads);
  const StopScope scope(pool, &interrupts.sign());
  PageSources sources;
  for (const auto& [explanation, file] : explanations) {
    sources.explanations.push_back({explanation, file, {}, {}});
  }
  for (const auto& [list, file] : rules) sources.rules.push_back({list, file});
  if (fragility != nullptr) sources.fragility = ReportedFragility{*fragility, "fragility"};
  if (classifier != nullptr) {
    sources.accepted = rejected_graphs(data, *classifier, pool).accepted;
  }
  return report_page(std::move(sources), data, pool);
}

/// A graph, and what edits make of it, side by side.
std::string pair_picture(const Dataset& data, const Graph& start, const Graph& target,
                         const EditScript& script, const std::string& start_caption,
                         const std::string& target_caption) {
  const Artist artist(data);
  const auto map = std::span(script.map).first(start.num_nodes());
  const Positions here = artist.draw(start);
  const Positions there = artist.draw_changed(start, here, target, map);
  return SvgPainter(data).pair({start, here, start_caption}, {target, there, target_caption},
                               script);
}

}  // namespace

void bind_pictures(nb::module_& m) {
  m.def(
      "draw_graph",
      [](const Dataset& data, const Graph& graph) {
        return SvgPainter(data).graph(graph, Artist(data).draw(graph));
      },
      "dataset"_a, "graph"_a, nb::call_guard<nb::gil_scoped_release>());
  m.def("draw_pair", &pair_picture, "dataset"_a, "start"_a, "target"_a, "script"_a,
        "start_caption"_a, "target_caption"_a, nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "draw",
      [](const Explanation& explanation, const Dataset& data, std::size_t recourses,
         const std::vector<std::uint32_t>& graphs, int threads) {
        std::vector<std::pair<std::string, std::string>> out;
        ThreadPool pool(threads);
        draw_pictures(explanation, data, {recourses, graphs}, kFile, pool, [&](Picture picture) {
          out.emplace_back(std::move(picture.name), std::move(picture.svg));
        });
        return out;
      },
      "explanation"_a, "dataset"_a, "recourses"_a, "graphs"_a, "threads"_a,
      nb::call_guard<nb::gil_scoped_release>());
  m.def("report_page", &page, "explanations"_a, "rules"_a, "fragility"_a.none(), "dataset"_a,
        "classifier"_a.none(), "threads"_a);
}

}  // namespace fewedits::python
