// SPDX-License-Identifier: MIT
#include "fewedits/search/bonds.hpp"

#include <fmt/format.h>

#include <utility>

#include "fewedits/base/error.hpp"

namespace fewedits {

ExplainOptions with_bonds_decided(ExplainOptions options, const Dataset& dataset,
                                  const Parts& parts) {
  const bool proves = parts.distances.at(options.distance).proves;
  const SourceKind& source = parts.sources.at(options.method);
  const bool can = proves && !source.cuts_edges;
  // Where there are none, leaving them out makes no difference.
  if (dataset.edge_labels.empty() && !options.bonds.value_or(false)) options.bonds.reset();
  if (!options.bonds) {
    if (dataset.edge_labels.empty()) return options;
    // The walk alone is the paper's, which knows no bonds.
    const bool searches = options.refine || !source.walks;
    options.bonds = can && searches && GraphView::knows_bonds(dataset);
    return options;
  }
  if (*options.bonds && !can) {
    throw Error(proves ? fmt::format("the method {} knows no bonds", options.method)
                       : fmt::format("the distance {} knows no bonds", options.distance),
                "leave them out (--bonds ignore)");
  }
  return options;
}

ExplainOptions with_view(ExplainOptions options, const GraphView& view) {
  options.distance_options.costs.relabel_edge = view.has_bonds() ? 1 : 0;
  options.constraints.molecule = view.rules();
  if (options.constraints.molecules_only && !view.rules()) {
    throw Error("the constraint molecule needs molecules whose bonds are known and used",
                "use bonds (--bonds use), or leave the constraint out");
  }
  return options;
}

}  // namespace fewedits
