// SPDX-License-Identifier: MIT
// Internal to report: what the writers of a page's data share.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "fewedits/chem/molecule_rules.hpp"
#include "fewedits/graph/positions.hpp"
#include "fewedits/proof/edit_script.hpp"
#include "fewedits/report/artist.hpp"

namespace fewedits {

using PageJson = nlohmann::ordered_json;

/// A flat list of whole numbers; an edge is about 30 long.
PageJson positions_json(const Positions& at);

/// Labels, edges as a flat list of their ends, and charges where bonds tell some (`rules`, may be
/// null). `bonds`: with the labels of edges.
PageJson graph_json(const Graph& graph, bool bonds, const MoleculeRules* rules);

/// Where each node goes; -1 for one that is deleted.
PageJson map_json(std::span<const Node> map);

/// A graph and what becomes of it, drawn beside each other with what stays in the same place:
/// `before`, `after`, `xy`, `target_xy`, `map` and `ops`, [kind, u, v] each. `shown` is `before`
/// with the bonds that are drawn.
PageJson rewrite_json(const Graph& shown, const Graph& before, const Graph& after,
                      std::span<const Node> map, const Artist& artist, const MoleculeRules* rules);

}  // namespace fewedits
