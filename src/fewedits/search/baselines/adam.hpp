// SPDX-License-Identifier: MIT
// Adam (Kingma & Ba 2015), with its usual decay rates.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fewedits {

struct Adam {
  std::vector<float> first;   ///< running mean of the gradient
  std::vector<float> second;  ///< of its square
  std::uint64_t steps = 0;

  explicit Adam(std::size_t parameters = 0) : first(parameters), second(parameters) {}

  void update(std::span<float> parameters, std::span<const float> gradient, double rate) {
    constexpr double kFirst = 0.9;
    constexpr double kSecond = 0.999;
    constexpr float kEpsilon = 1e-8F;
    ++steps;
    const auto t = static_cast<double>(steps);
    const auto step = static_cast<float>(rate / (1 - std::pow(kFirst, t)));
    const auto scale = static_cast<float>(1 / std::sqrt(1 - std::pow(kSecond, t)));
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const float g = gradient[i];
      first[i] += static_cast<float>(1 - kFirst) * (g - first[i]);
      second[i] += static_cast<float>(1 - kSecond) * (g * g - second[i]);
      parameters[i] -= step * first[i] / (std::sqrt(second[i]) * scale + kEpsilon);
    }
  }

  friend bool operator==(const Adam&, const Adam&) = default;
};

}  // namespace fewedits
