// SPDX-License-Identifier: MIT
#include "fewedits/formats/csv_cell.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "fewedits/base/text.hpp"

namespace fewedits {
namespace {

/// What spreadsheets take for the beginning of a formula, or skip on their way to one: also the
/// full-width forms, which some of them read as the plain ones.
constexpr auto kBeginnings = std::to_array<std::string_view>(
    {"=", "+", "-", "@", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20", "\t", "\r", "\n"});

bool is_plain_number(std::string_view text) {
  const auto number = number_in<double>(text);
  return number && std::isfinite(*number);
}

}  // namespace

std::string csv_cell(std::string_view text) {
  const bool computes = std::ranges::any_of(
      kBeginnings, [&](std::string_view beginning) { return text.starts_with(beginning); });
  std::string out;
  if (computes && !is_plain_number(text)) out = "'";
  out += text;
  if (out.find_first_of(",\"\r\n") == std::string::npos) return out;
  std::string quoted = "\"";
  for (const char c : out) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace fewedits
