// SPDX-License-Identifier: MIT
// Any text as a list of rules, as how fragile graphs are, and as one rule as people write it: an
// Error, or something that says the same after writing and reading it again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fewedits/base/error.hpp"
#include "fewedits/rules/fragility_list.hpp"
#include "fewedits/rules/rule_json.hpp"
#include "fewedits/rules/rule_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const std::string written = fewedits::rules_json(fewedits::parse_rules(text, "fuzz"));
    if (fewedits::rules_json(fewedits::parse_rules(written, "again")) != written) std::abort();
  } catch (const fewedits::Error&) {
    // The expected answer to nonsense.
  }
  try {
    const std::string written = fewedits::fragility_json(fewedits::parse_fragility(text, "fuzz"));
    const auto again = fewedits::parse_fragility(written, "again");
    if (fewedits::fragility_json(again) != written) std::abort();
  } catch (const fewedits::Error&) {
  }
  static const fewedits::RuleNames names{{"C", "N", "O", "H", "Na"}, {"single", "double"}};
  try {
    const std::string written = fewedits::rule_text(fewedits::parse_rule(text, names), names);
    if (fewedits::rule_text(fewedits::parse_rule(written, names), names) != written) std::abort();
  } catch (const fewedits::Error&) {
  }
  return 0;
}
