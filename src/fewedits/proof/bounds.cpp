// SPDX-License-Identifier: MIT
#include "fewedits/proof/bounds.hpp"

#include <algorithm>
#include <utility>

namespace fewedits {
namespace {

std::vector<std::vector<double>> table(const CertifiedDistances& distances,
                                       double (CertifiedPair::*value)() const) {
  std::vector<std::vector<double>> out;
  for (const auto& pairs : distances.pairs) {
    auto& row = out.emplace_back();
    for (const CertifiedPair& pair : pairs) row.push_back((pair.*value)());
  }
  return out;
}

}  // namespace

void CertifiedPair::improve(GedBounds found, std::int64_t limit) {
  lower = std::max(lower, found.lower);
  if (found.upper < upper) {
    upper = found.upper;
    map = std::move(found.map);
  }
  if (upper <= limit) within = Answer::kYes;
  if (lower > limit) within = Answer::kNo;
}

std::vector<std::vector<double>> CertifiedDistances::normalized_upper() const {
  return table(*this, &CertifiedPair::normalized_upper);
}

std::vector<std::vector<double>> CertifiedDistances::normalized_lower() const {
  return table(*this, &CertifiedPair::normalized_lower);
}

}  // namespace fewedits
