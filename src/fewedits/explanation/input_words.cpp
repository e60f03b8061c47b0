// SPDX-License-Identifier: MIT
#include "fewedits/explanation/input_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "fewedits/base/text.hpp"

namespace fewedits {
namespace {

/// More names than anybody reads in a sentence.
constexpr std::size_t kMostNamed = 4;

/// Three or more whole numbers in a row.
bool counts_up(const std::vector<std::string>& names) {
  std::optional<std::int64_t> before;
  for (const std::string& name : names) {
    const auto number = number_in<std::int64_t>(name);
    if (!number || (before && *number != *before + 1)) return false;
    before = number;
  }
  return names.size() > 2;
}

}  // namespace

std::string classes_in_words(const std::vector<std::string>& names) {
  if (names.empty()) return "another class";
  if (counts_up(names)) return fmt::format("{}–{}", names.front(), names.back());
  if (names.size() > kMostNamed) return fmt::format("one of {} classes", names.size());
  std::string out = names.front();
  for (std::size_t i = 1; i < names.size(); ++i) {
    out += (i + 1 == names.size() ? " or " : ", ") + names[i];
  }
  return out;
}

std::string inputs_in_words(const ExplainedClasses& classes, const Provenance& provenance,
                            std::size_t inputs, std::size_t graphs) {
  std::string out =
      fmt::format("{} of {} graphs are predicted {}, not the desired class {}", grouped(inputs),
                  grouped(graphs), classes_in_words(classes.predicted), classes.desired);
  const auto given = [&](const char* option) { return !provenance.values_of(option).empty(); };
  if (given("source-class")) out += "; other classes were not asked for";
  if (given("only-correct")) out += "; only graphs whose class that is";
  for (const std::string& part : provenance.values_of("split")) {
    out += fmt::format("; only the {} part of the data", part);
  }
  if (given("graphs")) out += "; only graphs of the list that was given";
  return out;
}

}  // namespace fewedits
