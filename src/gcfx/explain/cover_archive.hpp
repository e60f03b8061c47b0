// SPDX-License-Identifier: MIT
// Graphs that a search remembers, with what they cover as bit rows, and the question which k of
// them cover most: local search from a set at hand.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gcfx/base/parallel.hpp"
#include "gcfx/base/rng.hpp"
#include "gcfx/explain/chosen_set.hpp"

namespace gcfx {

class CoverArchive {
 public:
  explicit CoverArchive(std::size_t num_inputs) : words_((num_inputs + 63) / 64) {}

  [[nodiscard]] const std::vector<Choice>& choices() const { return choices_; }
  [[nodiscard]] std::size_t size() const { return choices_.size(); }
  void add(Choice choice);
  /// More is known to be covered.
  void extend(std::size_t at, std::vector<std::uint32_t> covers);
  /// Forgets the oldest ones beyond that number, but for `keep`; indices change.
  void shrink(std::size_t most, std::vector<std::size_t>& keep);

  [[nodiscard]] std::size_t covered(std::span<const std::size_t> team) const;
  /// Drops a few members at random, fills up and exchanges as long as that covers more; `tries`
  /// times over, each independently. The best outcome, or the team itself if all are worse; one
  /// that is as good is preferred, so that repeated calls wander.
  [[nodiscard]] std::vector<std::size_t> shaken(const std::vector<std::size_t>& team,
                                                std::size_t tries, std::uint64_t seed,
                                                ThreadPool& pool) const;

 private:
  using Words = std::vector<std::uint64_t>;
  struct Best {
    std::size_t choice = 0;
    std::size_t adds = 0;
  };

  [[nodiscard]] std::span<const std::uint64_t> row(std::size_t choice) const {
    return std::span(bits_).subspan(choice * words_, words_);
  }
  void set_bits(std::size_t at);
  [[nodiscard]] Words covered_without(std::span<const std::size_t> team, std::size_t member) const;
  [[nodiscard]] Best best_beside(const Words& taken, Rng& rng) const;
  void shake(std::vector<std::size_t>& team, Rng& rng) const;
  void exchange(std::vector<std::size_t>& team, Rng& rng) const;

  std::size_t words_;
  std::vector<Choice> choices_;
  Words bits_;
};

}  // namespace gcfx
