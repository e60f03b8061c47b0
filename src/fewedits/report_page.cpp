// SPDX-License-Identifier: MIT
#include "fewedits/report_page.hpp"

#include <utility>

#include "fewedits/evaluate/recourse_pairs.hpp"

namespace fewedits {

std::string report_page(PageSources sources, const Dataset& dataset, ThreadPool& pool) {
  if (!sources.explanations.empty()) {
    ReportedExplanation& first = sources.explanations.front();
    first.pairs = recourse_pairs(first.explanation, dataset, kMaxReportedNodes, first.file, pool);
  }
  PageParts parts{sources.explanations, sources.rules, std::move(sources.fragility),
                  std::move(sources.accepted)};
  const std::string json = report_json(parts, dataset, pool);
  pool.check_stop();
  return report_html(json);
}

}  // namespace fewedits
