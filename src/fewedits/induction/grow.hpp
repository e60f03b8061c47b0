// SPDX-License-Identifier: MIT
// Rules with more and more context: where a rule works at some places only, what lies around those
// may tell which.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "fewedits/induction/place_table.hpp"

namespace fewedits {

/// A rule with what it does in the graphs that it was found on.
struct RuleCandidate {
  Rule rule;
  std::size_t core = 0;            ///< the rule of the table that it is, but for its context
  std::vector<RuleEntry> entries;  ///< ascending by graph; those that count only
  bool is_expanded = false;
};

struct GrowOptions {
  /// Graphs that a rule must apply to.
  std::size_t min_support = 1;
  /// So many rules get more context, those first of which it promises most.
  std::size_t expansions = 100;
  /// By rule of the table: is it left out? Empty: none is.
  std::vector<bool> without = {};
  std::size_t at_a_time = 16;  ///< of them; results do not depend on the number of threads
};

/// Which rules come of which by one edge more, and what they do in all graphs of one table: counted
/// once, whoever asks, for whichever graphs.
class GrowthMemory {
 public:
  /// Nobody asks for less support.
  GrowthMemory(const PlaceTable& table, std::size_t min_support)
      : table_(table), min_support_(min_support) {}

  [[nodiscard]] const PlaceTable& table() const { return table_; }
  /// Makes sure that children() knows these.
  void expand(const std::vector<const RuleCandidate*>& parents, ThreadPool& pool);
  /// With what they do in all graphs.
  [[nodiscard]] const std::vector<RuleCandidate>& children(const Rule& parent) const {
    return children_.at(parent);
  }

 private:
  const PlaceTable& table_;
  std::size_t min_support_;
  std::map<Rule, std::vector<RuleCandidate>> children_;
  std::map<Rule, std::pair<Rule, std::size_t>> born_;  ///< a parent of each, and its place there
};

/// Of the table's rules and those with context, all with enough support among the graphs that
/// `counts` says yes to. Simple rules come first. Throws Stopped if the pool is told to stop.
std::vector<RuleCandidate> grow_rules(GrowthMemory& memory, const std::vector<bool>& counts,
                                      const GrowOptions& options, ThreadPool& pool);

/// Occurrences of one rule that are looked at for more context: a rule with more of them (trees in
/// graphs of high degree) gets none.
inline constexpr std::size_t kMostOccurrences = 1'000'000;

/// All rules with one edge of context more, that have enough support, and what they do: counted
/// from the table. For tests, too.
std::vector<RuleCandidate> with_one_edge_more(const RuleCandidate& candidate,
                                              const PlaceTable& table, std::size_t min_support);

}  // namespace fewedits
