// SPDX-License-Identifier: MIT
// Walks through untrusted bytes: every read is checked against the end.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "fewedits/base/error.hpp"

namespace fewedits {

class ByteCursor {
 public:
  /// `origin` and `what` name the bytes in errors, `remedy` says what to do about damaged ones; the
  /// bytes must outlive the cursor.
  ByteCursor(std::string_view bytes, std::string origin, std::string what,
             std::string remedy = "the file is damaged or cut off; copy or download it again")
      : bytes_(bytes),
        origin_(std::move(origin)),
        what_(std::move(what)),
        remedy_(std::move(remedy)) {}

  [[nodiscard]] std::size_t position() const { return at_; }
  [[nodiscard]] std::size_t remaining() const { return bytes_.size() - at_; }

  /// The next `count` bytes. 64-bit counts come straight from files, hence the wide type.
  std::string_view take(std::uint64_t count) {
    if (count > remaining()) {
      throw Error(Location{origin_},
                  what_ + " ends too early: " + std::to_string(count) + " bytes wanted at byte " +
                      std::to_string(at_) + ", " + std::to_string(remaining()) + " left",
                  remedy_);
    }
    const std::string_view taken = bytes_.substr(at_, static_cast<std::size_t>(count));
    at_ += taken.size();
    return taken;
  }

  void skip(std::uint64_t count) { take(count); }

  /// A cursor over bytes taken from this one, named the same in errors.
  [[nodiscard]] ByteCursor inside(std::string_view taken) const {
    return {taken, origin_, what_, remedy_};
  }

  /// A little-endian number.
  template <std::integral T>
  T number() {
    static_assert(std::endian::native == std::endian::little);
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  std::string origin_;
  std::string what_;
  std::string remedy_;
};

}  // namespace fewedits
