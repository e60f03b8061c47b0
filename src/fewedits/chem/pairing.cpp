// SPDX-License-Identifier: MIT
#include "fewedits/chem/pairing.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace fewedits {

Pairing::Pairing(Point points, std::span<const Line> lines)
    : lines_(lines.begin(), lines.end()),
      offsets_(points + 1, 0),
      targets_(2 * lines.size()),
      mate_(points, kNone),
      blocked_(points, false),
      state_(points),
      previous_(points),
      base_(points),
      stamp_(points, 0) {
  for (const auto& [u, v] : lines_) {
    ++offsets_[u + 1];
    ++offsets_[v + 1];
  }
  std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
  std::vector<std::uint32_t> at = offsets_;
  for (const auto& [u, v] : lines_) {
    targets_[at[u]++] = v;
    targets_[at[v]++] = u;
  }
}

void Pairing::pair(Point u, Point v) {
  assert(mate_[u] == kNone && mate_[v] == kNone);
  mate_[u] = v;
  mate_[v] = u;
}

Pairing::Point Pairing::base(Point v) {
  while (base_[v] != v) v = base_[v] = base_[base_[v]];
  return v;
}

Pairing::Point Pairing::common_base(Point u, Point v) {
  ++stamp_now_;
  for (u = base(u), v = base(v);; std::swap(u, v)) {
    if (u == kNone) continue;
    if (stamp_[u] == stamp_now_) return u;
    stamp_[u] = stamp_now_;
    u = mate_[u] == kNone ? kNone : base(previous_[mate_[u]]);
  }
}

void Pairing::shrink(Point u, Point v, Point to) {
  while (base(u) != to) {
    previous_[u] = v;
    v = mate_[u];
    if (state_[v] == State::kInner) {
      state_[v] = State::kOuter;
      queue_.push_back(v);
    }
    if (base_[u] == u) base_[u] = to;
    if (base_[v] == v) base_[v] = to;
    u = previous_[v];
  }
}

void Pairing::flip(Point end) {
  while (end != kNone) {
    const Point before = previous_[end];
    const Point next = mate_[before];
    mate_[end] = before;
    mate_[before] = end;
    end = next;
  }
}

bool Pairing::augment(Point root, std::span<const bool> may_be_alone) {
  std::fill(state_.begin(), state_.end(), State::kUnseen);
  std::iota(base_.begin(), base_.end(), Point{0});
  queue_.assign(1, root);
  state_[root] = State::kOuter;
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const Point u = queue_[i];
    for (const Point v : neighbours(u)) {
      if (blocked_[v] || Line(std::minmax(u, v)) == forbidden_) continue;
      if (state_[v] == State::kInner || base(u) == base(v)) continue;
      if (state_[v] == State::kOuter) {
        const Point to = common_base(u, v);
        shrink(u, v, to);
        shrink(v, u, to);
        continue;
      }
      state_[v] = State::kInner;
      previous_[v] = u;
      if (mate_[v] == kNone) {
        flip(v);
        return true;
      }
      state_[mate_[v]] = State::kOuter;
      queue_.push_back(mate_[v]);
    }
  }
  if (may_be_alone.empty()) return false;
  const auto giver =
      std::find_if(queue_.begin() + 1, queue_.end(), [&](Point v) { return may_be_alone[v]; });
  if (giver == queue_.end()) return false;
  const Point freed = mate_[*giver];
  mate_[*giver] = kNone;
  flip(freed);
  return true;
}

bool Pairing::find_mate(Point v, std::span<const bool> may_be_alone) {
  return mate_[v] != kNone || augment(v, may_be_alone);
}

bool Pairing::force(std::size_t line, bool paired) {
  const auto [u, v] = lines_[line];
  if ((mate_[u] == v) == paired) return true;
  const Point mate_u = mate_[u];
  const Point mate_v = mate_[v];
  if (!paired) {
    mate_[u] = mate_[v] = kNone;
    forbidden_ = std::minmax(u, v);
    const bool found = augment(u, {});
    forbidden_ = {kNone, kNone};
    if (!found) pair(u, v);
    return found;
  }
  if (mate_u == kNone || mate_v == kNone) return false;
  mate_[mate_u] = mate_[mate_v] = kNone;
  blocked_[u] = blocked_[v] = true;
  const bool found = augment(mate_u, {});
  blocked_[u] = blocked_[v] = false;
  mate_[u] = found ? v : mate_u;
  mate_[v] = found ? u : mate_v;
  if (!found) {
    mate_[mate_u] = u;
    mate_[mate_v] = v;
  }
  return found;
}

bool Pairing::is_alternating(std::size_t line) {
  const auto [u, v] = lines_[line];
  return force(line, mate_[u] != v);
}

std::vector<bool> Pairing::peeled() const {
  std::vector<bool> gone(mate_.size(), false);
  std::vector<std::uint32_t> degree(mate_.size());
  std::vector<Point> ends;
  for (Point v = 0; v < mate_.size(); ++v) {
    degree[v] = static_cast<std::uint32_t>(neighbours(v).size());
    if (degree[v] <= 1 || mate_[v] == kNone) ends.push_back(v);
  }
  while (!ends.empty()) {
    const Point end = ends.back();
    ends.pop_back();
    // Its only line is its pair in every pairing, or it has no mate: its mate goes with it.
    for (const Point v : {end, mate_[end]}) {
      if (v == kNone || gone[v]) continue;
      gone[v] = true;
      for (const Point w : neighbours(v)) {
        if (!gone[w] && --degree[w] == 1) ends.push_back(w);
      }
    }
  }
  return gone;
}

std::vector<bool> Pairing::alternating(std::span<const Known> known) {
  std::vector<bool> found(lines_.size(), false);
  bool is_all_known = !known.empty();
  for (std::size_t l = 0; l < known.size(); ++l) {
    found[l] = known[l] == Known::kAlternating;
    is_all_known = is_all_known && known[l] != Known::kNothing;
  }
  if (is_all_known) return found;
  std::vector<bool> gone = peeled();
  if (std::find(gone.begin(), gone.end(), false) == gone.end()) return found;
  std::swap(gone, blocked_);
  std::vector<Point> mates = mate_;
  const auto mark_changes = [&] {
    for (std::size_t l = 0; l < lines_.size(); ++l) {
      const auto [u, v] = lines_[l];
      if ((mates[u] == v) != (mate_[u] == v)) found[l] = true;
    }
    mates = mate_;
  };
  // Every cycle has pairs on it. A line between points whose pairs are on no cycle is on none.
  std::vector<bool> on_cycle(mate_.size(), false);
  for (const bool pairs : {true, false}) {
    for (std::size_t l = 0; l < lines_.size(); ++l) {
      const auto [u, v] = lines_[l];
      if (found[l] || blocked_[u] || blocked_[v] || (mate_[u] == v) != pairs) continue;
      if (!known.empty() && known[l] == Known::kNot) continue;
      if (!pairs && !(on_cycle[u] && on_cycle[v])) continue;
      if (is_alternating(l)) mark_changes();
    }
    for (std::size_t l = 0; l < lines_.size(); ++l) {
      if (found[l]) on_cycle[lines_[l].first] = on_cycle[lines_[l].second] = true;
    }
  }
  std::swap(gone, blocked_);
  return found;
}

}  // namespace fewedits
