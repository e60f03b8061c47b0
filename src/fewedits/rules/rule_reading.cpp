// SPDX-License-Identifier: MIT
#include "fewedits/rules/rule_reading.hpp"

#include <algorithm>

namespace fewedits {
namespace {

double share(std::size_t part, std::size_t all) {
  return all == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(all);
}

/// Of a of n against b of m: is the first share larger, beyond chance?
bool is_larger(std::size_t a, std::size_t n, std::size_t b, std::size_t m, std::size_t tried) {
  if (n == 0 || m == 0) return false;
  const double z = corrected_quantile(tried);
  return interval_of(share(a, n), n, z).low > interval_of(share(b, m), m, z).high;
}

}  // namespace

RuleReading reading_of(const MeasuredRule& rule, std::size_t rejected, std::size_t accepted,
                       std::size_t tried) {
  const auto is_of_rejected = [&](const PatternCounts& counts) {
    return is_larger(counts.rejected, rejected, counts.accepted, accepted, tried);
  };
  const auto is_of_accepted = [&](const PatternCounts& counts) {
    return is_larger(counts.accepted, accepted, counts.rejected, rejected, tried);
  };
  const bool takes = is_of_rejected(rule.left) ||
                     std::any_of(rule.lost.begin(), rule.lost.end(), [&](const LabelCounts& one) {
                       return is_of_rejected(one.graphs);
                     });
  const bool is_seldom = rule.right && share(rule.right->accepted, accepted) < kSeldomAccepted;
  const auto is_mark = [&](const LabelCounts& one) {
    const bool is_strong =
        share(one.graphs.accepted, accepted) >= kStrongMark * share(one.graphs.rejected, rejected);
    return is_of_accepted(one.graphs) && (is_strong || !is_seldom);
  };
  const bool adds = (rule.right && !is_seldom && is_of_accepted(*rule.right)) ||
                    std::any_of(rule.won.begin(), rule.won.end(), is_mark);
  if (takes && adds) return RuleReading::kExchanges;
  if (adds) return RuleReading::kAddsMark;
  if (is_seldom) return RuleReading::kStrange;
  return takes ? RuleReading::kTakesAway : RuleReading::kUnclear;
}

std::string_view name_of(RuleReading reading) {
  switch (reading) {
    case RuleReading::kTakesAway: return "takes";
    case RuleReading::kAddsMark: return "adds";
    case RuleReading::kExchanges: return "exchanges";
    case RuleReading::kStrange: return "strange";
    case RuleReading::kUnclear: return "unclear";
  }
  return "";
}

std::string_view in_words(RuleReading reading) {
  switch (reading) {
    case RuleReading::kTakesAway: return "takes away what rejected graphs have";
    case RuleReading::kAddsMark: return "adds what accepted graphs have: a cause, or a shortcut";
    case RuleReading::kExchanges: return "replaces what rejected graphs have by what accepted have";
    case RuleReading::kStrange:
      return "makes what accepted graphs hardly have: the model is fooled";
    case RuleReading::kUnclear: return "neither side tells rejected from accepted";
  }
  return "";
}

}  // namespace fewedits
