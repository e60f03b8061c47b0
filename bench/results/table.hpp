// SPDX-License-Identifier: MIT
// The explanations of a dataset side by side, as Markdown.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "modes.hpp"
#include "paper_tables/paper.hpp"
#include "support/yardstick.hpp"

namespace fewedits::bench {

struct Row {
  const Mode* mode = nullptr;
  std::uint64_t seed = 1;
  std::uint64_t steps = 0;  ///< of the walk
  double seconds = 0;       ///< of the search; 0: not recorded
  Figures figures;
  std::string note;
};

/// What all tables have in common, to go before them.
std::string preface(const Plan& plan);

/// The paper's figures, then ours; below them what there is to note, and the footer.
std::string table(const PaperDataset& paper, const std::vector<Row>& rows,
                  const std::string& footer);

}  // namespace fewedits::bench
