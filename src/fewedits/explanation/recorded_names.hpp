// SPDX-License-Identifier: MIT
// What an explanation may call its methods, distances and options. The search has these names, too
// (search/option_table, the registries), but who checks an explanation must not link the search; a
// test compares the two, so that a name that is missing here is found.
#pragma once

#include <span>
#include <string_view>

#include "fewedits/explanation/explanation.hpp"

namespace fewedits {

struct RecordedOption {
  std::string_view name;
  /// "number" (finite, 0 or more), "flag" (always empty), "text", "class", "list|file" (a list of
  /// indices), or the words it may be, with | between them.
  std::string_view type;
  bool repeated = false;  ///< may be given several times
};

struct RecordedMethod {
  std::string_view name;
  bool from_dataset = false;
  /// Counterfactuals are inputs without some of their edges; with the option keep-isolated they
  /// have all their nodes, and need not be connected.
  bool cuts_edges = false;
  bool walks = false;  ///< as many steps as its options say, which are always recorded
};

struct RecordedDistance {
  std::string_view name;
  DistanceMeaning meaning;
  bool has_model;
};

std::span<const RecordedOption> recorded_option_names();
std::span<const RecordedMethod> recorded_methods();
std::span<const RecordedDistance> recorded_distances();

/// The entry of that name, or null.
template <typename Entry>
const Entry* find_recorded(std::span<const Entry> entries, std::string_view name) {
  for (const Entry& entry : entries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

/// Is the text a value of an option of that type?
bool is_value_of(const RecordedOption& option, std::string_view text);

}  // namespace fewedits
