// SPDX-License-Identifier: MIT
// The graphs chosen so far and what they cover together, for searches that exchange one of them at
// a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fewedits/graph/graph.hpp"

namespace fewedits {

/// A graph that may be chosen.
struct Choice {
  Graph graph;
  float probability = 0;
  std::vector<std::uint32_t> covers;  ///< inputs within the evaluation theta, ascending
  std::uint64_t visits = 0;
  std::uint32_t origin = 0;  ///< the input (or graph of the data) it comes from

  friend bool operator==(const Choice&, const Choice&) = default;
};

class ChosenSet {
 public:
  ChosenSet(std::vector<Choice> members, std::size_t num_inputs);

  [[nodiscard]] const std::vector<Choice>& members() const { return members_; }
  [[nodiscard]] std::size_t size() const { return members_.size(); }
  /// Inputs that a member covers; one that is out does not count.
  [[nodiscard]] std::size_t covered() const { return covered_; }
  [[nodiscard]] bool covers(std::uint32_t input) const { return counts_[input] > 0; }
  /// Inputs that the graph covers and no member does.
  [[nodiscard]] std::size_t marginal(const Choice& choice) const;

  /// Member s does not count until it, or another one, comes back to its place.
  void take_out(std::size_t s);
  void put_back(std::size_t s);
  void put_back(std::size_t s, Choice instead);

  /// Exchanges members for graphs of the archive as long as that covers more; true if any was.
  bool swap_in(std::span<const Choice> archive);
  /// The member that is missed least.
  [[nodiscard]] std::size_t weakest();

 private:
  void count(const Choice& choice, int by);

  std::vector<Choice> members_;
  std::vector<int> counts_;  ///< members that cover each input
  std::size_t covered_ = 0;
};

}  // namespace fewedits
