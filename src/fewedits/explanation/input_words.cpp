// SPDX-License-Identifier: MIT
#include "fewedits/explanation/input_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

std::vector<std::string> choice_in_words(const Provenance& provenance) {
  std::vector<std::string> out;
  const auto classes = provenance.values_of("source-class");
  if (!classes.empty()) out.push_back("predicted " + classes_in_words(classes));
  if (!provenance.values_of("only-correct").empty()) out.emplace_back("correctly classified");
  for (const std::string& part : provenance.values_of("split")) {
    out.push_back(fmt::format("of the {} part of the data", part));
  }
  if (!provenance.values_of("graphs").empty()) out.emplace_back("of the list that was given");
  return out;
}

std::string inputs_in_words(const ExplainedClasses& classes, const Provenance& provenance,
                            std::size_t inputs, std::size_t graphs) {
  const std::vector<std::string> choice = choice_in_words(provenance);
  const std::string predicted = classes_in_words(classes.predicted);
  if (choice.empty()) {
    return fmt::format("{} of {} graphs are predicted {}, not the desired class {}",
                       grouped(inputs), grouped(graphs), predicted, classes.desired);
  }
  const std::string explained = fmt::format("explained: those {}", fmt::join(choice, ", "));
  if (!classes.not_desired) {
    return fmt::format("{} of {} graphs, predicted {} and not the desired class {}, are {}",
                       grouped(inputs), grouped(graphs), predicted, classes.desired, explained);
  }
  return fmt::format(
      "{} of {} graphs are not predicted the desired class {}; {} of them, predicted {}, are {}",
      grouped(*classes.not_desired), grouped(graphs), classes.desired, grouped(inputs), predicted,
      explained);
}

}  // namespace fewedits
