// SPDX-License-Identifier: MIT
// Internal to glance: the sentences that a report opens with.
//
// Patterns are chosen on one half of the graphs, by intervals corrected for all that were tried,
// and spoken of with the shares of the other half, where they must tell again. Rules are spoken of
// with the figures of inputs that had no say in them. What is seldom, small or within chance is not
// said.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "fewedits/glance/glance.hpp"
#include "fewedits/glance/pattern_table.hpp"

namespace fewedits {

/// A sentence whose pattern is a row of the table yet.
struct OpeningSentence {
  GlanceSentence sentence;
  std::optional<std::size_t> row;
};

/// `lists`: places in material.rules of the lists that fit the view.
std::vector<OpeningSentence> opening(const GlanceMaterial& material, const GlanceOptions& options,
                                     const PatternReader& reader, const PatternTable& table,
                                     const std::vector<std::size_t>& lists);

}  // namespace fewedits
