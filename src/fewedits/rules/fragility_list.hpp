// SPDX-License-Identifier: MIT
// How easily a model is talked out of its verdicts, graph by graph: "fewedits.fragility/1"
// (docs/formats.md). Decided by induction/fragility.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fewedits/explanation/explanation.hpp"

namespace fewedits {

inline constexpr const char* kFragilityFormat = "fewedits.fragility/1";

/// Of one graph.
struct FragileGraph {
  std::uint32_t graph = 0;
  std::uint64_t steps = 0;   ///< of the edit map, within theta
  std::uint64_t enough = 0;  ///< of them, those that alone change the verdict
  /// The fewest steps that are known to change it: 1 if `enough`, else 2 if some pair of steps was
  /// found (the best neighbours' neighbours were looked at), else 0: not known.
  std::uint32_t fewest_known = 0;
  friend bool operator==(const FragileGraph&, const FragileGraph&) = default;
};

/// How many of the graphs are known to need so many steps.
std::size_t num_with_fewest(const std::vector<FragileGraph>& graphs, std::uint32_t fewest);
/// The mean share of a graph's steps that are enough; 0 of no graphs.
double mean_share_enough(const std::vector<FragileGraph>& graphs);

struct FragilityList {
  Provenance provenance;
  std::string desired;  ///< class
  double theta = 0.1;
  bool bonds = false;      ///< do labels of edges count?
  bool plausible = false;  ///< only results whose neighbourhoods all occur
  std::vector<FragileGraph> rejected;
  std::vector<FragileGraph> accepted;
  friend bool operator==(const FragilityList&, const FragilityList&) = default;
};

std::string fragility_json(const FragilityList& list);
/// Throws Error naming `file` and the place in it for what is none, or contradicts itself.
FragilityList parse_fragility(const std::string& text, const std::string& file);
/// Does the text say that it is one?
bool is_fragility_json(const std::string& text);

}  // namespace fewedits
