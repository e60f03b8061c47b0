// SPDX-License-Identifier: MIT
#include "fewedits/distance/kernel_options.hpp"

#include <fmt/format.h>

#include <string_view>

#include "fewedits/base/error.hpp"

namespace fewedits {
namespace {

void require_option(std::string_view what, int value, int low, int high) {
  if (value >= low && value <= high) return;
  throw Error(fmt::format("{} is {}", what, value),
              fmt::format("give a number from {} to {}", low, high));
}

}  // namespace

void check_kernel(const WlOptions& options) {
  require_option("the number of Weisfeiler-Lehman iterations", options.iterations, 0, 20);
}

void check_kernel(const RwOptions& options) {
  require_option("the length of the random walks", options.length, 1, 50);
  if (options.decay > 0 && options.decay <= 1) return;
  throw Error(fmt::format("the decay of the random walks is {}", options.decay),
              "give a number above 0 and up to 1");
}

void check_kernel(const NspdOptions& options) {
  require_option("the radius of the neighbourhoods", options.radius, 0, 10);
  require_option("the distance of the neighbourhoods", options.distance, 0, 20);
}

}  // namespace fewedits
