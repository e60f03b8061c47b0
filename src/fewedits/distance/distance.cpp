// SPDX-License-Identifier: MIT
#include "fewedits/distance/distance.hpp"

#include <cassert>

namespace fewedits {

std::string_view name_of(PairStatus status) {
  switch (status) {
    case PairStatus::kExact: return "exact";
    case PairStatus::kBounds: return "bounds";
    case PairStatus::kYes: return "yes";
    case PairStatus::kNo: return "no";
    case PairStatus::kUnknown: return "unknown";
  }
  assert(false);
  return "";
}

}  // namespace fewedits
