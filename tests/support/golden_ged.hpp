// SPDX-License-Identifier: MIT
// 150 pairs of each dataset with their exact distances (SPEC §4).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "fewedits/fewedits.hpp"
#include "fewedits/ged/solver.hpp"
#include "support/ged.hpp"

namespace fewedits::test {

struct GoldenSet {
  const char* folder;
  const char* dataset;
};

struct GoldenPair {
  PreparedGraph a;
  PreparedGraph b;
  std::int64_t distance;
};

inline std::vector<GoldenPair> read_golden_pairs(const GoldenSet& set) {
  const Dataset data = open_dataset(shared_root() / "datasets" / set.dataset);
  std::ifstream file(shared_root() / "golden" / set.folder / "exact_ged.csv");
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "graph_a,graph_b,exact_ged");
  std::vector<GoldenPair> pairs;
  while (std::getline(file, line)) {
    std::size_t a = 0;
    std::size_t b = 0;
    std::int64_t distance = -1;
    char comma = 0;
    std::istringstream(line) >> a >> comma >> b >> comma >> distance;
    pairs.push_back({PreparedGraph(data.graphs.at(a)), PreparedGraph(data.graphs.at(b)), distance});
  }
  EXPECT_EQ(pairs.size(), 150U);
  return pairs;
}

/// Solves every pair; bounds must hold and an exact answer must be right. How many were exact.
inline std::size_t solve_golden(const std::vector<GoldenPair>& pairs, const GedOptions& options) {
  GedSolver solver(options);
  std::size_t solved = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto& [a, b, distance] = pairs[i];
    const GedBounds found = solver.exact(a, b);
    EXPECT_LE(found.lower, distance) << "pair " << i;
    EXPECT_GE(found.upper, distance) << "pair " << i;
    expect_certified(a.graph(), b.graph(), found.map, found.upper, {});
    solved += found.exact() ? 1U : 0U;
  }
  return solved;
}

}  // namespace fewedits::test
