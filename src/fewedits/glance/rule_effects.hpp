// SPDX-License-Identifier: MIT
// Internal to glance: what a rule of a list does to patterns, and how it does on inputs that had no
// say in its choice.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "fewedits/glance/pattern_reader.hpp"
#include "fewedits/rules/rule_list.hpp"

namespace fewedits {

/// A rule by itself, on the inputs of those parts whose lists, chosen without them, have it.
struct HeldOutRule {
  double on_average = 0;   ///< mean share of places that work
  std::size_t inputs = 0;  ///< those of these parts
};
/// None: nothing was held out, or hardly any list has the rule (they have fewer than half of the
/// inputs).
std::optional<HeldOutRule> held_out(const RuleList& list, std::size_t rule);

/// By pattern, in how many inputs the rule makes it more frequent and less.
struct PatternMoves {
  std::size_t inputs = 0;  ///< that were carried out
  struct Move {
    std::size_t more = 0;
    std::size_t fewer = 0;
  };
  std::map<PatternKey, Move> moves;

  /// In so many of the inputs that the rule is about the pattern.
  [[nodiscard]] bool takes_away(const PatternKey& key) const { return is_most(key, false); }
  [[nodiscard]] bool adds(const PatternKey& key) const { return is_most(key, true); }

 private:
  [[nodiscard]] bool is_most(const PatternKey& key, bool more) const;
};
/// Of the first place that works, in some of the inputs. Nothing in the list is trusted: what does
/// not fit the graphs is left out.
PatternMoves pattern_moves(const RuleList& list, std::size_t rule, const Dataset& dataset,
                           const GraphView& view, const PatternReader& reader);

}  // namespace fewedits
