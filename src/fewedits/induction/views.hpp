// SPDX-License-Identifier: MIT
// Which inputs a choice of rules may look at: all of them, or all but one part. What it chooses
// from must come from these inputs alone, or figures on the part that is held out mean little.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fewedits/rules/rule.hpp"

namespace fewedits {

/// By view.
using ViewSet = std::vector<bool>;

/// View 0 has all inputs, view f + 1 all but those of part f (fold_of_each).
class RuleViews {
 public:
  /// `inputs`: what they are called; fewer than two folds: there is view 0 alone.
  RuleViews(std::span<const std::uint32_t> inputs, std::size_t folds, std::uint64_t seed);

  [[nodiscard]] std::size_t size() const { return sizes_.size(); }
  [[nodiscard]] bool has(std::size_t view, std::size_t input) const {
    return view == 0 || part_[input] != view - 1;
  }
  /// How many inputs it has.
  [[nodiscard]] std::size_t num_inputs(std::size_t view) const { return sizes_[view]; }
  [[nodiscard]] std::vector<bool> inputs_of(std::size_t view) const;
  /// All inputs in random order: who is looked at first where not all are. Two inputs have the same
  /// order whoever else there is.
  [[nodiscard]] const std::vector<std::uint32_t>& order() const { return order_; }

  [[nodiscard]] ViewSet only(std::size_t view) const {
    ViewSet out(size(), false);
    out[view] = true;
    return out;
  }

 private:
  std::vector<std::uint32_t> part_;
  std::vector<std::size_t> sizes_;
  std::vector<std::uint32_t> order_;
};

/// A rule, and the views whose inputs alone bring it about.
struct ViewedRule {
  Rule rule;
  ViewSet views;
};

/// So many of the inputs are that share; at least one.
std::size_t least_support(double share, std::size_t inputs);

/// Each rule once, with all its views; ascending.
std::vector<ViewedRule> merged(std::vector<ViewedRule> rules);

}  // namespace fewedits
