// SPDX-License-Identifier: MIT
// The ledger of a verification: what was looked into, what of it is false, what was left out.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

#include "fewedits/verification/verifier.hpp"

namespace fewedits::verify {

class Claims {
 public:
  Claims(Report& report, std::uint64_t max_work) : report_(report), max_work_(max_work) {}

  /// Counts a claim, and notes it down if it is false; returns whether it holds.
  template <typename... Args>
  bool claim(bool holds, fmt::format_string<Args...> text, Args&&... args) {
    ++report_.claims;
    if (holds) return true;
    if (++report_.false_claims <= Report::kListed) {
      report_.listed.push_back(fmt::format(text, std::forward<Args>(args)...));
    }
    return false;
  }

  /// Something worth knowing that is no fault.
  void note(std::string text) { report_.notes.push_back(std::move(text)); }

  /// Claims that nobody looks into.
  void leave_out(std::string text) {
    if (++report_.left_out <= Report::kListed) report_.not_checked.push_back(std::move(text));
  }

  [[nodiscard]] bool affords(std::uint64_t work) const { return work <= max_work_; }
  /// Leaves the claims out if looking into them takes too much work.
  bool afford(const std::string& what, std::uint64_t work) {
    if (affords(work)) return true;
    leave_out(
        fmt::format("{}: that takes {} units of work, the limit is {}", what, work, max_work_));
    return false;
  }

 private:
  Report& report_;
  std::uint64_t max_work_;
};

}  // namespace fewedits::verify
