// SPDX-License-Identifier: MIT
#include "fewedits/report_page.hpp"

#include <utility>

#include "fewedits/chem/graph_view.hpp"
#include "fewedits/evaluate/recourse_pairs.hpp"
#include "fewedits/explanation/thinned.hpp"

namespace fewedits {
namespace {

/// What the first part of the page sees of the graphs, and which of them it explains.
struct Seen {
  GraphView view;
  const std::vector<std::uint32_t>& inputs;
};

Seen seen_by(const PageSources& sources, const Dataset& dataset) {
  if (!sources.explanations.empty()) {
    const ReportedExplanation& first = sources.explanations.front();
    return {GraphView(dataset, first.explanation.edge_label_names, first.file),
            first.explanation.inputs};
  }
  const ReportedRules& first = sources.rules.front();
  return {GraphView(dataset, first.list.edge_label_names, first.file), first.list.inputs};
}

/// Nothing where there is nobody to tell apart.
std::optional<Glance> glance_of(const PageSources& sources, const Dataset& dataset,
                                ThreadPool& pool) {
  const Seen seen = seen_by(sources, dataset);
  if (!sources.accepted || sources.accepted->empty() || seen.inputs.empty()) return std::nullopt;
  GlanceMaterial material{dataset, seen.view, seen.inputs, *sources.accepted};
  if (!sources.explanations.empty()) {
    for (const Counterfactual& c : sources.explanations.front().explanation.counterfactuals) {
      material.counterfactuals.push_back(c.graph);
    }
  }
  // Rules that see other bonds are about other graphs.
  for (const ReportedRules& one : sources.rules) {
    if (one.list.edge_label_names == seen.view.edge_label_names()) {
      material.rules.push_back(&one.list);
    }
  }
  if (sources.fragility && !sources.fragility->list.plausible &&
      sources.fragility->list.bonds == seen.view.has_bonds()) {
    const std::vector<FragileGraph>& graphs = sources.fragility->list.rejected;
    material.fragility = FragilityFigures{graphs.size(), num_with_fewest(graphs, 1)};
  }
  return glance(material, {}, pool);
}

}  // namespace

std::string report_page(PageSources sources, const Dataset& dataset, ThreadPool& pool) {
  if (!sources.explanations.empty()) {
    ReportedExplanation& first = sources.explanations.front();
    first.shown = thinned(first.explanation, kMaxReportedInputs);
    first.pairs = recourse_pairs(first.shown ? *first.shown : first.explanation, dataset,
                                 kMaxReportedNodes, first.file, pool);
  }
  // Before what is looked at does it.
  check_fits(PageParts{sources.explanations, sources.rules, sources.fragility}, dataset);
  std::optional<Glance> glance = glance_of(sources, dataset, pool);
  PageParts parts{sources.explanations, sources.rules, std::move(sources.fragility),
                  std::move(sources.accepted), std::move(glance)};
  const std::string json = report_json(parts, dataset, pool);
  pool.check_stop();
  return report_html(json);
}

}  // namespace fewedits
