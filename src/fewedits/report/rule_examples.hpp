// SPDX-License-Identifier: MIT
// Inputs that a rule was carried out on, to be drawn: some where it worked, some where it did not.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fewedits/chem/graph_view.hpp"
#include "fewedits/graph/dataset.hpp"
#include "fewedits/proof/node_map.hpp"
#include "fewedits/rules/rewrite.hpp"
#include "fewedits/rules/rule_list.hpp"

namespace fewedits {

/// One place of a rule, carried out.
struct RuleExample {
  InputCount of;       ///< the input, and how its places do
  bool works = false;  ///< this place does
  Graph before;
  Graph after;
  NodeMap map;  ///< of before into after
};

struct ExampleCounts {
  std::size_t worked = 6;
  std::size_t failed = 3;
};

/// As many as there are, up to `counts`, of inputs of all sizes, the smaller first: first those
/// that worked. Where it works is told by the list, and that it applies there is checked; throws
/// Error naming `file` if not. A place that fails is looked for: the first one that counts, of an
/// input whose first place does not work.
std::vector<RuleExample> rule_examples(const MeasuredRule& rule, const std::vector<Graph>& graphs,
                                       const RewriteLimits& limits, const ExampleCounts& counts,
                                       const std::string& file);

}  // namespace fewedits
