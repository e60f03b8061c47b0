// SPDX-License-Identifier: MIT
// Internal to report: do the parts of a page belong together?
#pragma once

#include <string>
#include <vector>

#include "fewedits/chem/graph_view.hpp"
#include "fewedits/report/page_parts.hpp"

namespace fewedits {

/// What to know before rules and counterfactuals are read together, in sentences: other inputs,
/// another theta, bonds used by one of them alone.
std::vector<std::string> rule_notes(const PageParts& parts);

/// The graphs as the page's first part sees them.
GraphView view_of(const PageParts& parts, const Dataset& dataset);

}  // namespace fewedits
