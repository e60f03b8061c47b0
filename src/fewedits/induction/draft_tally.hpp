// SPDX-License-Identifier: MIT
// Which graphs have what: many drafts are one rule, and the rule is made once for each. Internal to
// induction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fewedits/base/hash.hpp"
#include "fewedits/induction/generalise.hpp"

namespace fewedits {

/// A draft as numbers.
using DraftWords = std::vector<std::uint32_t>;

struct WordsHash {
  std::size_t operator()(const DraftWords& words) const { return hash_words(words).low; }
};

DraftWords words_of(const RuleDraft& draft);

class DraftTally {
 public:
  /// `input`: whose they are, as a place in the list of inputs. Each input once.
  void add(const std::vector<DraftWords>& drafts_of_a_graph, std::size_t input);

  /// Rules that at least so many of these inputs have. Ascending.
  [[nodiscard]] std::vector<Rule> with_support(const std::vector<bool>& inputs,
                                               std::size_t least) const;
  /// Of those the ones with most support, and the simplest among equals. Ascending.
  [[nodiscard]] std::vector<Rule> most_frequent(const std::vector<bool>& inputs, std::size_t most,
                                                std::size_t least) const;

 private:
  static constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);

  std::uint32_t number_of(const DraftWords& words);
  [[nodiscard]] std::vector<std::size_t> support_in(const std::vector<bool>& inputs) const;

  std::unordered_map<DraftWords, std::uint32_t, WordsHash> rule_of_draft_;
  std::map<Rule, std::uint32_t> number_;
  std::vector<std::pair<std::size_t, std::vector<std::uint32_t>>> rules_of_;  ///< by input
};

}  // namespace fewedits
