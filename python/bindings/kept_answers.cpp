// SPDX-License-Identifier: MIT
#include "kept_answers.hpp"

#include <algorithm>

namespace fewedits::python {
namespace {

constexpr std::size_t kFirstSlots = 1024;  // a power of two, as all numbers of slots

}  // namespace

std::size_t KeptAnswers::slot_of(const Hash128& key) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = key.low & mask;
  while (slots_[at].place != kFree && slots_[at].key != key) at = (at + 1) & mask;
  return at;
}

void KeptAnswers::grow() {
  std::vector<Hash128> keys(size_);
  for (const Slot& slot : slots_) {
    if (slot.place != kFree) keys[slot.place] = slot.key;
  }
  slots_.assign(std::max(kFirstSlots, 2 * slots_.size()), {});
  // In the order in which they came, so that the last one is in nobody's way.
  for (Place place = 0; place < keys.size(); ++place) {
    slots_[slot_of(keys[place])] = {keys[place], place};
  }
}

std::pair<KeptAnswers::Place, bool> KeptAnswers::find_or_add(const Hash128& key) {
  if (2 * (size_ + 1) > slots_.size()) grow();
  Slot& slot = slots_[slot_of(key)];
  if (slot.place != kFree) return {slot.place, false};
  rows_.resize((size_ + 1) * classes_);
  slot = {key, static_cast<Place>(size_++)};
  return {slot.place, true};
}

void KeptAnswers::forget_last(std::span<const Hash128> keys) {
  for (std::size_t i = keys.size(); i-- > 0;) slots_[slot_of(keys[i])].place = kFree;
  size_ -= keys.size();
  rows_.resize(size_ * classes_);
}

}  // namespace fewedits::python
