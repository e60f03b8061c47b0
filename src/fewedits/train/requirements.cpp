// SPDX-License-Identifier: MIT
#include "fewedits/train/requirements.hpp"

#include <fmt/format.h>

#include "fewedits/base/error.hpp"

namespace fewedits {

void Requirements::require(bool fine, const std::string& what, const std::string& remedy) const {
  if (!fine) throw Error(fmt::format("{}: {}", work_, what), remedy);
}

void Requirements::at_least_one(int value, const char* name) const {
  require(value >= 1, fmt::format("{} is {}", name, value), "it must be at least 1");
}

void Requirements::learning_rate(double rate) const {
  // Adam's step, a float, is up to ten times the rate.
  require(rate > 0 && rate < 1e30, fmt::format("the learning rate is {}", rate),
          "it must be above 0 and finite, e.g. 0.001");
}

}  // namespace fewedits
