// SPDX-License-Identifier: MIT
#include "fewedits/search/walk/neighbourhood_cache.hpp"

namespace fewedits {

KnownNeighbourhood& NeighbourhoodCache::at(const Hash128& graph) {
  const auto found = places_.find(graph);
  if (found != places_.end()) {
    used_.splice(used_.begin(), used_, found->second);
  } else {
    used_.push_front({graph, 0, {}});
    places_[graph] = used_.begin();
  }
  return used_.front().known;
}

void NeighbourhoodCache::forget_until_it_fits() {
  if (used_.empty()) return;
  Node& newest = used_.front();
  bytes_ += newest.known.bytes() - newest.bytes;
  newest.bytes = newest.known.bytes();
  // The newest one stays even if it alone is too large: somebody is using it.
  while (bytes_ > budget_ && used_.size() > 1) {
    bytes_ -= used_.back().bytes;
    places_.erase(used_.back().graph);
    used_.pop_back();
  }
}

}  // namespace fewedits
