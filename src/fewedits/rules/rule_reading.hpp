// SPDX-License-Identifier: MIT
// How a rule that works is to be read: takes it away what rejected graphs have, does it add what
// accepted ones have, or does it make what the data does not have at all?
#pragma once

#include <cstddef>
#include <string_view>

#include "fewedits/rules/rule_list.hpp"

namespace fewedits {

enum class RuleReading : std::uint8_t {
  /// What it changes (L, or a label that nodes lose) is more frequent among rejected graphs than
  /// among accepted ones.
  kTakesAway,
  /// What it makes (R, or a label that nodes get) is more frequent among accepted graphs: a cause,
  /// or a shortcut that the model has learned. That it is harmless nobody can see here. Where
  /// hardly
  /// any accepted graph has R, only a label that they have several times as often counts.
  kAddsMark,
  /// Both of these.
  kExchanges,
  /// What it makes is in less than 1 % of the accepted graphs: nothing like it was learned from.
  kStrange,
  /// None of these: what it changes and what it makes tell nothing.
  kUnclear
};

/// Fewer accepted graphs than this share: hardly any.
inline constexpr double kSeldomAccepted = 0.01;
/// So many times as frequent among accepted graphs is a label that explains what is seldom itself.
inline constexpr double kStrongMark = 3;

/// That reading_of looks at, at least: L, R, a label that is lost and one that is won.
inline constexpr std::size_t kPatternsOfARule = 4;

/// "More frequent" means that the 95 % intervals of the two shares do not overlap, widened for
/// `tried` patterns (Bonferroni). `rejected`, `accepted`: graphs of each kind.
RuleReading reading_of(const MeasuredRule& rule, std::size_t rejected, std::size_t accepted,
                       std::size_t tried);

/// "takes", "adds", "exchanges", "strange", "unclear".
std::string_view name_of(RuleReading reading);
/// In a few words, for a table.
std::string_view in_words(RuleReading reading);

}  // namespace fewedits
