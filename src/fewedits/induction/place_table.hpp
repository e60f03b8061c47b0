// SPDX-License-Identifier: MIT
// All places of many rules in many graphs, each judged once. Rules with more context have some of
// these places and no others: what they do is counted without the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fewedits/rules/figures.hpp"

namespace fewedits {

/// How one rule does in one graph where it applies.
struct RuleEntry {
  std::uint32_t graph = 0;
  std::uint32_t places = 0;
  std::uint32_t works = 0;
};

/// One rule's places.
class JudgedRule {
 public:
  explicit JudgedRule(Rule rule) : matcher_(std::move(rule)) {}

  [[nodiscard]] const RuleMatcher& matcher() const { return matcher_; }
  [[nodiscard]] const Rule& rule() const { return matcher_.rule(); }
  /// Graphs with a place, ascending.
  [[nodiscard]] const std::vector<RuleEntry>& entries() const { return entries_; }

  /// Graphs in ascending order.
  void add(std::uint32_t graph, std::span<const JudgedPlace> places);

  /// Among the places of entry `entry`, in order, the one with that key, if it counts.
  [[nodiscard]] std::optional<std::uint32_t> find(std::size_t entry, const PlaceKey& key) const;
  [[nodiscard]] bool works(std::size_t entry, std::uint32_t place) const {
    return works_[begins_[entry] + place];
  }

 private:
  RuleMatcher matcher_;
  std::size_t width_ = 0;  ///< nodes of a key
  std::vector<RuleEntry> entries_;
  std::vector<std::size_t> begins_;  ///< of each entry's places
  std::vector<Node> keys_;
  std::vector<bool> works_;
};

class PlaceTable {
 public:
  /// Asks the model about every place of every rule. Rules that differ by their context alone need
  /// not all be among them. `progress` hears how many graphs are done. Throws Stopped if the pool
  /// is told to stop.
  PlaceTable(std::span<const Rule> rules, std::span<const Graph> graphs, const RuleTask& task,
             ThreadPool& pool, const std::function<void(std::size_t)>& progress = {});
  /// Without rules yet.
  explicit PlaceTable(std::span<const Graph> graphs);

  /// More rules. False: the pool was told to stop, these are the first rules, and only some graphs
  /// were looked at. Throws Stopped, and stays as it is, if there would be nothing or there were
  /// rules already.
  bool add(std::span<const Rule> rules, const RuleTask& task, ThreadPool& pool,
           const std::function<void(std::size_t)>& progress = {});

  [[nodiscard]] const std::vector<JudgedRule>& rules() const { return rules_; }
  [[nodiscard]] std::span<const Graph> graphs() const { return graphs_; }
  [[nodiscard]] std::span<const Node> twins(std::uint32_t graph) const { return twins_[graph]; }
  /// Graphs that were shown to the model.
  [[nodiscard]] std::uint64_t asked() const { return asked_; }

 private:
  std::span<const Graph> graphs_;
  std::vector<std::vector<Node>> twins_;
  std::vector<JudgedRule> rules_;
  std::uint64_t asked_ = 0;
};

}  // namespace fewedits
