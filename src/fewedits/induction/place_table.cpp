// SPDX-License-Identifier: MIT
#include "fewedits/induction/place_table.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>

namespace fewedits {

void JudgedRule::add(std::uint32_t graph, std::span<const JudgedPlace> places) {
  if (places.empty()) return;
  if (width_ == 0) {
    const PlaceKey& key = places.front().key;
    width_ = static_cast<std::size_t>(std::find(key.begin(), key.end(), kNoNode) - key.begin());
  }
  RuleEntry entry{graph, static_cast<std::uint32_t>(places.size()), 0};
  begins_.push_back(works_.size());
  for (const JudgedPlace& place : places) {
    keys_.insert(keys_.end(), place.key.begin(),
                 place.key.begin() + static_cast<std::ptrdiff_t>(width_));
    works_.push_back(place.works);
    entry.works += place.works ? 1 : 0;
  }
  entries_.push_back(entry);
}

std::optional<std::uint32_t> JudgedRule::find(std::size_t entry, const PlaceKey& key) const {
  std::size_t low = begins_[entry];
  std::size_t high = low + entries_[entry].places;
  const auto compare = [&](std::size_t place) {
    const auto at = keys_.begin() + static_cast<std::ptrdiff_t>(place * width_);
    return std::lexicographical_compare_three_way(
        at, at + static_cast<std::ptrdiff_t>(width_), key.begin(),
        key.begin() + static_cast<std::ptrdiff_t>(width_));
  };
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const auto order = compare(middle);
    if (order == 0) return static_cast<std::uint32_t>(middle - begins_[entry]);
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return std::nullopt;
}

PlaceTable::PlaceTable(std::span<const Graph> graphs) : graphs_(graphs) {
  for (const Graph& graph : graphs) twins_.push_back(first_twins(graph));
}

PlaceTable::PlaceTable(std::span<const Rule> rules, std::span<const Graph> graphs,
                       const RuleTask& task, ThreadPool& pool,
                       const std::function<void(std::size_t)>& progress)
    : PlaceTable(graphs) {
  if (!add(rules, task, pool, progress)) throw Stopped();
}

bool PlaceTable::add(std::span<const Rule> rules, const RuleTask& task, ThreadPool& pool,
                     const std::function<void(std::size_t)>& progress) {
  const std::vector<RuleMatcher> matchers(rules.begin(), rules.end());
  std::vector<JudgedRule> fresh(rules.begin(), rules.end());
  std::vector<std::unique_ptr<ThreadPool>> alone;
  for (int i = 0; i < pool.size(); ++i) {
    alone.push_back(std::make_unique<ThreadPool>(1));
    alone.back()->obey(pool.stop_sign());
  }
  const auto keep = [&] {
    rules_.insert(rules_.end(), std::make_move_iterator(fresh.begin()),
                  std::make_move_iterator(fresh.end()));
  };
  // Some at a time: places are stored more tightly than they are found.
  constexpr std::size_t kAtATime = 64;
  for (std::size_t first = 0; first < graphs_.size(); first += kAtATime) {
    const std::size_t count = std::min(kAtATime, graphs_.size() - first);
    std::vector<std::vector<std::vector<JudgedPlace>>> found(count);
    try {
      pool.for_chunks(count, 1, [&](std::size_t begin, std::size_t end, int worker) {
        for (std::size_t i = begin; i < end; ++i) {
          found[i] = judged_places(graphs_[first + i], matchers, task,
                                   *alone[static_cast<std::size_t>(worker)]);
        }
      });
    } catch (const Stopped&) {
      if (first == 0 || !rules_.empty()) throw;
      keep();
      return false;
    }
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t r = 0; r < fresh.size(); ++r) {
        fresh[r].add(static_cast<std::uint32_t>(first + i), found[i][r]);
        asked_ += found[i][r].size();
      }
    }
    if (progress) progress(first + count);
  }
  keep();
  return true;
}

}  // namespace fewedits
