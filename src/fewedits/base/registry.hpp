// SPDX-License-Identifier: MIT
// Things that are chosen by name: distances, sources of candidates, improvers, readers of models.
// What is built in is added by the same call as what a stranger brings.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fewedits/base/error.hpp"

namespace fewedits {

template <typename Entry>
class Registry {
 public:
  /// What the entries are, for messages: "distance".
  explicit Registry(std::string what) : what_(std::move(what)) {}

  /// Throws Error if the name is taken.
  void add(std::string name, Entry entry) {
    if (contains(name)) throw Error("there are two entries called " + name + " (" + what_ + ")");
    entries_.emplace_back(std::move(name), std::move(entry));
  }
  [[nodiscard]] bool contains(std::string_view name) const { return find(name) != entries_.end(); }
  /// Throws Error naming those there are.
  [[nodiscard]] const Entry& at(std::string_view name) const {
    const auto entry = find(name);
    if (entry != entries_.end()) return entry->second;
    std::string known;
    for (const std::string& other : names()) known += (known.empty() ? "" : ", ") + other;
    throw Error("there is no " + what_ + " called " + std::string(name), "known are: " + known);
  }
  /// In the order in which they were added.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& [name, entry] : entries_) out.push_back(name);
    return out;
  }

 private:
  using Entries = std::vector<std::pair<std::string, Entry>>;

  [[nodiscard]] typename Entries::const_iterator find(std::string_view name) const {
    return std::find_if(entries_.begin(), entries_.end(),
                        [&](const auto& entry) { return entry.first == name; });
  }

  std::string what_;
  Entries entries_;
};

}  // namespace fewedits
