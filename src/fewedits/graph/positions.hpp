// SPDX-License-Identifier: MIT
// Where the nodes of a graph are drawn.
#pragma once

#include <optional>
#include <vector>

namespace fewedits {

struct Point {
  double x = 0;
  double y = 0;
  friend bool operator==(const Point&, const Point&) = default;
};

/// One per node.
using Positions = std::vector<Point>;

/// Where a node is wanted, e.g. because its counterpart in another picture is there; one per node,
/// or none at all.
using Anchors = std::vector<std::optional<Point>>;

}  // namespace fewedits
