// SPDX-License-Identifier: MIT
// The one exception type for bad input: where, what, and what to do about it.
// Broken invariants of our own are asserts, never this.
#pragma once

#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace fewedits {

/// A place in a user's file. `line` counts from 1; 0 means the file as a whole.
struct Location {
  std::string file;
  std::int64_t line = 0;
};

class Error : public std::runtime_error {
 public:
  /// A template only so that Error({file}, message) means the constructor below: a braced
  /// list deduces nothing, while it would convert to a plain string parameter.
  template <std::convertible_to<std::string> Message>
  explicit Error(const Message& message, const std::string& remedy = {})
      : Error(Location{}, std::string(message), remedy) {}
  Error(const Location& where, const std::string& message, const std::string& remedy = {});

  [[nodiscard]] const Location& where() const { return where_; }
  [[nodiscard]] const std::string& remedy() const { return remedy_; }

 private:
  Location where_;
  std::string remedy_;
};

/// A user-supplied string made safe for a message: what `printable` (base/terminal_text) escapes is
/// escaped, and what is longer than `limit` bytes is cut.
std::string in_quotes(const std::string& text, std::size_t limit = 60);

}  // namespace fewedits
