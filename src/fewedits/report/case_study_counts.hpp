// SPDX-License-Identifier: MIT
// Internal to report: how many inputs of a case study a graph covers.
#pragma once

#include <cstddef>
#include <optional>

#include "fewedits/explanation/case_study.hpp"
#include "fewedits/graph/dataset.hpp"

namespace fewedits {

struct CoverRange {
  std::size_t surely = 0;    ///< by edits in hand
  std::size_t possibly = 0;  ///< not excluded by a lower bound
  CoverRange& operator+=(const CoverRange& other) {
    surely += other.surely;
    possibly += other.possibly;
    return *this;
  }
};

/// Of all inputs, or of all but one.
CoverRange covered_by(const CaseGraph& graph, std::optional<std::size_t> but,
                      const CaseStudy& study, double theta, const Dataset& data);

}  // namespace fewedits
