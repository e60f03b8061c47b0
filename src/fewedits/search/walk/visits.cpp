// SPDX-License-Identifier: MIT
#include "fewedits/search/walk/visits.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "fewedits/base/error.hpp"

namespace fewedits {

Visits::Visits(std::size_t capacity, std::size_t top, std::size_t num_inputs)
    : capacity_(capacity), most_candidates_(top), covers_(num_inputs) {
  assert(top >= 1 && capacity >= top);
}

Visits::Rank Visits::rank_of(std::uint32_t index) const {
  return {graphs_[index].count, graphs_[index].reached, index};
}

std::uint64_t Visits::count(const Hash128& hash) const {
  const auto it = by_hash_.find(hash);
  return it == by_hash_.end() ? 0 : graphs_[it->second].count;
}

void Visits::visit(VisitedGraph graph) {
  const auto known = by_hash_.find(graph.hash);
  if (known == by_hash_.end()) {
    const std::uint32_t index = place_for_new();
    graph.error = graphs_[index].count;  // 0 in a place that was free
    graph.count = graph.error + 1;
    graph.reached = clock_++;
    graphs_[index] = std::move(graph);
    add(index);
    return;
  }
  const std::uint32_t index = known->second;
  assert(graphs_[index].graph == graph.graph);
  const Rank before = rank_of(index);
  ++graphs_[index].count;
  graphs_[index].reached = clock_++;
  // A candidate that is visited again stays one.
  if (top_.erase(before) != 0) {
    top_.insert(rank_of(index));
  } else {
    rest_.erase(before);
    insert(rank_of(index));
  }
}

void Visits::restore(VisitedGraph graph) {
  if (by_hash_.contains(graph.hash)) throw Error("the saved run lists a graph twice");
  if (graphs_.size() >= capacity_) throw Error("the saved run lists more graphs than it may count");
  clock_ = std::max(clock_, graph.reached + 1);
  graphs_.push_back(std::move(graph));
  add(static_cast<std::uint32_t>(graphs_.size() - 1));
}

std::vector<std::uint32_t> Visits::candidates() const {
  std::vector<std::uint32_t> out;
  out.reserve(top_.size());
  for (const Rank& rank : top_) out.push_back(rank.index);
  return out;
}

std::vector<std::uint32_t> Visits::runners_up() const {
  std::vector<std::uint32_t> out;
  for (const Rank& rank : rest_) {
    if (rank.count != top_.rbegin()->count) break;
    out.push_back(rank.index);
  }
  return out;
}

/// A free place, or that of the least visited graph, which is forgotten; its count stays there.
std::uint32_t Visits::place_for_new() {
  if (graphs_.size() < capacity_) {
    graphs_.emplace_back();
    return static_cast<std::uint32_t>(graphs_.size() - 1);
  }
  const std::uint32_t index = rest_.empty() ? top_.rbegin()->index : rest_.rbegin()->index;
  forget(index);
  return index;
}

void Visits::add(std::uint32_t index) {
  by_hash_[graphs_[index].hash] = index;
  ++shapes_[graphs_[index].shape];
  insert(rank_of(index));
}

void Visits::forget(std::uint32_t index) {
  if (top_.erase(rank_of(index)) != 0) {
    covers_.remove(graphs_[index].covers);
  } else {
    rest_.erase(rank_of(index));
  }
  by_hash_.erase(graphs_[index].hash);
  const auto shape = shapes_.find(graphs_[index].shape);
  if (--shape->second == 0) shapes_.erase(shape);
}

/// Into the candidates if there is room or a worse one to push out.
void Visits::insert(const Rank& rank) {
  if (top_.size() == most_candidates_) {
    const Rank worst = *top_.rbegin();
    if (!(rank < worst)) {
      rest_.insert(rank);
      return;
    }
    top_.erase(worst);
    covers_.remove(graphs_[worst.index].covers);
    rest_.insert(worst);
  }
  top_.insert(rank);
  covers_.add(graphs_[rank.index].covers);
}

}  // namespace fewedits
