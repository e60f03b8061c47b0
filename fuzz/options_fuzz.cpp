// SPDX-License-Identifier: MIT
// Any text as values of options and as constraints, which a file records and a later command reads
// back: an Error, or a value that is written and read back as the same. The first byte chooses.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/edit/constraints.hpp"
#include "fewedits/search/option_table.hpp"
#include "fewedits/search/parts.hpp"

namespace {

void check_option(const fewedits::OptionRow& row, const std::string& text) {
  fewedits::ExplainOptions options;
  row.set(text, options);
  fewedits::check_options(options);
  const fewedits::Parts parts = fewedits::builtin_parts();
  const fewedits::ChosenParts chosen{parts.distances.at(options.distance),
                                     parts.sources.at(options.method)};
  const std::vector<std::string> recorded = row.recorded(options, chosen);
  if (recorded.size() > 1 && !row.repeatable) std::abort();
  if (recorded.empty()) return;
  fewedits::ExplainOptions again;
  for (const std::string& value : recorded) row.set(value, again);
  if (row.recorded(again, chosen) != recorded) std::abort();
}

/// What is no constraint of any dataset is none of this one.
void check_constraints(const std::string& text) {
  bool is_one = true;
  try {
    fewedits::check_constraint(text);
  } catch (const fewedits::Error&) {
    is_one = false;
  }
  fewedits::Constraints constraints;
  fewedits::add_constraint(text, {"C", "N", "O", "Cl", "a-b", "x=y"}, constraints);
  if (!is_one) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto& table = fewedits::option_table();
  try {
    if (data[0] < table.size()) {
      check_option(table[data[0]], text);
    } else {
      check_constraints(text);
    }
  } catch (const fewedits::Error&) {
    // The expected answer to nonsense.
  }
  return 0;
}
