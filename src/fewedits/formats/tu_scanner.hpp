// SPDX-License-Identifier: MIT
// Lines of integers, as the files of the TU format have them. Header-only so that the loop
// over a file's bytes is inlined: 10^7 lines take a fraction of a second.
//
// Columns are separated by a comma with any blanks around, or by blanks alone. CRLF, a missing
// last newline, a byte-order mark and blank lines at the end are fine; a blank line in the
// middle is not, because in this format the line number is the id. Internal to the TU reader.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "fewedits/base/error.hpp"

namespace fewedits {

class IntegerLines {
 public:
  /// `text` must outlive the scanner; `file` names it in errors. It begins after so many lines of
  /// the file, and only where that begins is a byte-order mark one.
  IntegerLines(std::string_view text, std::string file, std::int64_t lines_before = 0)
      : at_(text.data()),
        end_(text.data() + text.size()),
        before_(lines_before),
        file_(std::move(file)) {
    if (lines_before == 0 && text.starts_with("\xEF\xBB\xBF")) at_ += 3;
  }

  /// Moves to the next line; false at the end of the file. The current line must have been
  /// consumed (expect_line_end).
  bool next_line() {
    std::int64_t first_blank = 0;
    while (begin_line()) {
      if (!at_line_end()) {
        if (first_blank > 0) throw Error(Location{file_, first_blank}, "is blank", "remove it");
        return true;
      }
      if (first_blank == 0) first_blank = line();
    }
    ends_blank_ = first_blank > 0;
    return false;
  }

  /// The next column. `columns` is how many the line should have, for the message.
  std::int64_t integer(std::int64_t columns) {
    if (at_line_end()) wrong_columns(columns);
    const char* const token = at_;
    bool negative = false;
    if (*at_ == '-' || *at_ == '+') negative = *at_++ == '-';
    const char* const digits = at_;
    std::uint64_t value = 0;
    bool fits = true;
    for (; at_ != end_ && *at_ >= '0' && *at_ <= '9'; ++at_) {
      const auto digit = static_cast<std::uint64_t>(*at_ - '0');
      fits = fits && value <= (kLargest + (negative ? 1U : 0U) - digit) / 10;
      value = value * 10 + digit;
    }
    if (at_ == digits || !at_separator()) bad_token(token);
    if (!fits) too_large(token);
    skip_separator();
    return static_cast<std::int64_t>(negative ? 0 - value : value);
  }

  void expect_line_end(std::int64_t columns) {
    if (!at_line_end()) wrong_columns(columns);
  }

  [[nodiscard]] bool at_line_end() const {
    return at_ == end_ || *at_ == '\n' || (*at_ == '\r' && (at_ + 1 == end_ || at_[1] == '\n'));
  }

  /// Number of the current line, from 1.
  [[nodiscard]] std::int64_t line() const { return before_ + line_; }
  /// At the end: were there blank lines before it?
  [[nodiscard]] bool ends_blank() const { return ends_blank_; }
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] Location here() const { return {file_, line()}; }

 private:
  static constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();

  // Past the end of the current line, if any, and past the blanks the next one starts with.
  bool begin_line() {
    if (line_ > 0) {
      if (at_ != end_ && *at_ == '\r') ++at_;
      if (at_ != end_) ++at_;
    }
    if (at_ == end_) return false;
    ++line_;
    line_start_ = at_;
    skip_blanks();
    return true;
  }

  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
  }

  [[nodiscard]] bool at_separator() const {
    return at_line_end() || *at_ == ',' || *at_ == ' ' || *at_ == '\t';
  }

  void skip_separator() {
    skip_blanks();
    if (at_ == end_ || *at_ != ',') return;
    ++at_;
    skip_blanks();
    if (at_line_end()) throw Error(here(), "a number is missing after the last comma");
  }

  [[noreturn]] void bad_token(const char* token) {
    while (!at_separator()) ++at_;
    if (at_ == token) throw Error(here(), "a number is missing before the comma");
    throw Error(here(), fmt::format("{} is not an integer", in_quotes(std::string(token, at_))),
                "the files of this format hold integers, in columns separated by commas");
  }

  [[noreturn]] void too_large(const char* token) {
    while (!at_separator()) ++at_;
    throw Error(here(), fmt::format("{} is too large", in_quotes(std::string(token, at_))),
                "integers have at most 64 bits");
  }

  [[noreturn]] void wrong_columns(std::int64_t columns) {
    std::int64_t found = 0;
    bool inside = false;
    for (at_ = line_start_; !at_line_end(); ++at_) {
      const bool number = !at_separator();
      if (number && !inside) ++found;
      inside = number;
    }
    throw Error(here(), fmt::format("expected {} {} in the line, found {}", columns,
                                    columns == 1 ? "column" : "columns", found));
  }

  const char* at_;
  const char* end_;
  const char* line_start_ = nullptr;
  std::int64_t line_ = 0;    // of the text
  std::int64_t before_ = 0;  // lines of the file before it
  bool ends_blank_ = false;
  std::string file_;
};

}  // namespace fewedits
