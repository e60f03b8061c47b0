// SPDX-License-Identifier: MIT
#include "fewedits/search/climb/worth_table.hpp"

#include <cmath>

#include "fewedits/proof/edit_costs.hpp"

namespace fewedits {
namespace {

/// An input just outside theta, and where it is worth nothing any more: at e^−kFolds of that.
constexpr double kOutside = 0.7;
constexpr double kFolds = 2;

}  // namespace

void WorthTable::reset(const SoftCover& soft) {
  soft_ = soft;
  rows_.clear();
}

const WorthTable::Row& WorthTable::make_row(std::size_t sizes) {
  if (rows_.size() <= sizes) rows_.resize(sizes + 1);
  Row& r = rows_[sizes];
  r.limit =
      static_cast<std::int32_t>(distance_limit(soft_.theta, static_cast<std::int64_t>(sizes)));
  const double width = soft_.width * soft_.theta * static_cast<double>(sizes);
  r.worth.push_back(1);
  const auto last = static_cast<std::int64_t>(kFolds * width + 1);
  for (std::int64_t beyond = 1; beyond <= last; ++beyond) {
    r.worth.push_back(
        static_cast<float>(kOutside * std::exp(-static_cast<double>(beyond) / width)));
  }
  return r;
}

}  // namespace fewedits
