// SPDX-License-Identifier: MIT
#include "fewedits/cover/chosen_set.hpp"

#include <algorithm>
#include <utility>

namespace fewedits {

ChosenSet::ChosenSet(std::vector<Choice> members, std::size_t num_inputs)
    : members_(std::move(members)), counts_(num_inputs, 0) {
  for (const Choice& c : members_) count(c, 1);
}

void ChosenSet::count(const Choice& choice, int by) {
  for (const std::uint32_t input : choice.covers) {
    covered_ -= counts_[input] > 0 ? 1U : 0U;
    counts_[input] += by;
    covered_ += counts_[input] > 0 ? 1U : 0U;
  }
}

std::size_t ChosenSet::marginal(const Choice& choice) const {
  return static_cast<std::size_t>(
      std::count_if(choice.covers.begin(), choice.covers.end(),
                    [&](std::uint32_t input) { return counts_[input] == 0; }));
}

void ChosenSet::take_out(std::size_t s) { count(members_[s], -1); }
void ChosenSet::put_back(std::size_t s) { count(members_[s], 1); }
void ChosenSet::put_back(std::size_t s, Choice instead) {
  members_[s] = std::move(instead);
  put_back(s);
}

bool ChosenSet::swap_in(std::span<const Choice> archive) {
  bool better = false;
  for (bool again = true; again;) {
    again = false;
    for (std::size_t s = 0; s < size(); ++s) {
      take_out(s);
      const Choice* best = &members_[s];
      std::size_t most = marginal(members_[s]);
      for (const Choice& c : archive) {
        if (c.covers.size() <= most) continue;
        if (const std::size_t value = marginal(c); value > most) {
          most = value;
          best = &c;
        }
      }
      if (best != &members_[s]) {
        members_[s] = *best;
        again = better = true;
      }
      put_back(s);
    }
  }
  return better;
}

std::size_t ChosenSet::weakest() {
  std::size_t at = 0;
  std::size_t least = counts_.size() + 1;
  for (std::size_t s = 0; s < size(); ++s) {
    take_out(s);
    const std::size_t value = marginal(members_[s]);
    put_back(s);
    if (value < least) {
      least = value;
      at = s;
    }
  }
  return at;
}

}  // namespace fewedits
