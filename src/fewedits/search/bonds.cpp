// SPDX-License-Identifier: MIT
#include "fewedits/search/bonds.hpp"

#include <fmt/format.h>

#include <utility>

#include "fewedits/base/error.hpp"

namespace fewedits {

ExplainOptions with_bonds_decided(ExplainOptions options, const Dataset& dataset,
                                  const Classifier& classifier, const Parts& parts) {
  const bool proves = parts.distances.at(options.distance).proves;
  const SourceKind& source = parts.sources.at(options.method);
  const bool can = proves && !source.cuts_edges;
  if (classifier.num_edge_labels() > 0) {
    if (!options.bonds.value_or(true)) {
      throw Error({classifier.origin()}, "the model looks at bonds, so they cannot be left out",
                  "use them (option bonds: use), or take a model that does not look at them");
    }
    if (!can) {
      throw Error({classifier.origin()},
                  proves ? fmt::format("the model looks at bonds, of which the method {} knows "
                                       "nothing",
                                       options.method)
                         : fmt::format("the model looks at bonds, of which the distance {} knows "
                                       "nothing",
                                       options.distance),
                  "take the certified distance and a method that does not cut edges, or a model "
                  "that does not look at bonds");
    }
    options.bonds = true;
    return options;
  }
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
                "leave them out (option bonds: ignore)");
  }
  return options;
}

ExplainOptions with_view(ExplainOptions options, const GraphView& view) {
  options.distance_options.costs.relabel_edge = view.has_bonds() ? 1 : 0;
  options.constraints.molecule = view.rules();
  if (options.constraints.molecules_only && !view.rules()) {
    throw Error("the constraint molecule needs molecules whose bonds are known and used",
                "use bonds (option bonds: use), or leave the constraint out");
  }
  return options;
}

}  // namespace fewedits
