// SPDX-License-Identifier: MIT
// What a training asks of its options and its data.
#pragma once

#include <string>

namespace fewedits {

/// Errors begin with the name of the work.
class Requirements {
 public:
  constexpr explicit Requirements(const char* work) : work_(work) {}

  /// Throws Error unless fine.
  void require(bool fine, const std::string& what, const std::string& remedy) const;
  void at_least_one(int value, const char* name) const;
  void learning_rate(double rate) const;

 private:
  const char* work_;
};

}  // namespace fewedits
