// SPDX-License-Identifier: MIT
#include "fewedits/glance/pattern_table.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace fewedits {
namespace {

double share_of(std::size_t part, std::size_t all) {
  return all == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(all);
}

/// A label alone, then groups, which have names; then what is told in fewest words.
std::size_t length(const PatternKey& key) {
  if (key.kind == PatternShare::Kind::kLabel) return 0;
  return key.kind == PatternShare::Kind::kGroup ? 1 : 1 + key.words.size();
}

}  // namespace

double TwoShares::among_rejected() const { return share_of(rejected, of_rejected); }
double TwoShares::among_accepted() const { return share_of(accepted, of_accepted); }

Interval TwoShares::interval(double quantile) const {
  if (of_rejected == 0 || of_accepted == 0) return {-1, 1};
  const double p = among_rejected();
  const double q = among_accepted();
  const Interval one = interval_of(p, of_rejected, quantile);
  const Interval other = interval_of(q, of_accepted, quantile);
  return {p - q - std::hypot(p - one.low, other.high - q),
          p - q + std::hypot(one.high - p, q - other.low)};
}

double TwoShares::margin(double quantile) const {
  const Interval is = interval(quantile);
  return std::max({0.0, is.low, -is.high});
}

PatternTable::PatternTable(const PatternReader& reader, std::span<const std::uint32_t> rejected,
                           std::span<const std::uint32_t> accepted, std::size_t least,
                           ThreadPool& pool)
    : num_rejected_(rejected.size()), num_accepted_(accepted.size()) {
  std::vector<std::uint32_t> graphs(rejected.begin(), rejected.end());
  graphs.insert(graphs.end(), accepted.begin(), accepted.end());
  // Twice over the graphs: what is seldom, which is most of it, is never stored.
  using Counts = std::map<PatternKey, std::size_t>;
  std::vector<Counts> counts(static_cast<std::size_t>(pool.size()));
  pool.for_chunks(graphs.size(), 16, [&](std::size_t begin, std::size_t end, int worker) {
    for (std::size_t i = begin; i < end; ++i) {
      for (SeenPattern& seen : reader.in_dataset(graphs[i])) {
        ++counts[static_cast<std::size_t>(worker)][std::move(seen.key)];
      }
    }
  });
  Counts all = std::move(counts[0]);
  for (std::size_t w = 1; w < counts.size(); ++w) {
    for (const auto& [key, count] : counts[w]) all[key] += count;
  }
  std::map<PatternKey, std::size_t> place;
  for (const auto& [key, count] : all) {
    if (count < least || count == graphs.size()) continue;
    place.emplace(key, rows_.size());
    rows_.push_back({key, {}, {}, {}});
  }
  std::vector<std::vector<std::pair<std::size_t, std::vector<Node>>>> found(graphs.size());
  pool.for_chunks(graphs.size(), 16, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) {
      for (SeenPattern& seen : reader.in_dataset(graphs[i])) {
        const auto at = place.find(seen.key);
        if (at != place.end()) found[i].emplace_back(at->second, std::move(seen.nodes));
      }
    }
  });
  for (std::uint32_t i = 0; i < graphs.size(); ++i) {
    for (auto& [row, nodes] : found[i]) {
      if (rows_[row].graphs.empty()) rows_[row].example = {graphs[i], std::move(nodes)};
      rows_[row].graphs.push_back(i);
    }
  }
  keep_simplest();
}

void PatternTable::keep_simplest() {
  std::sort(rows_.begin(), rows_.end(), [](const PatternRow& a, const PatternRow& b) {
    return length(a.key) != length(b.key) ? length(a.key) < length(b.key) : a.key < b.key;
  });
  std::map<std::vector<std::uint32_t>, std::size_t> known;
  std::vector<PatternRow> kept;
  for (PatternRow& row : rows_) {
    const auto [at, is_new] = known.emplace(row.graphs, kept.size());
    if (is_new) {
      kept.push_back(std::move(row));
    } else {
      kept[at->second].same.push_back(std::move(row.key));
    }
  }
  rows_ = std::move(kept);
}

TwoShares PatternTable::shares(const PatternRow& row, const std::vector<bool>& counts) const {
  TwoShares out;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i]) ++(i < num_rejected_ ? out.of_rejected : out.of_accepted);
  }
  for (const std::uint32_t i : row.graphs) {
    if (counts[i]) ++(i < num_rejected_ ? out.rejected : out.accepted);
  }
  return out;
}

TwoShares PatternTable::shares(const PatternRow& row) const {
  const auto first_accepted = std::lower_bound(row.graphs.begin(), row.graphs.end(), num_rejected_);
  return {static_cast<std::size_t>(first_accepted - row.graphs.begin()), num_rejected_,
          static_cast<std::size_t>(row.graphs.end() - first_accepted), num_accepted_};
}

double overlap(const PatternRow& a, const PatternRow& b) {
  std::vector<std::uint32_t> both;
  std::set_intersection(a.graphs.begin(), a.graphs.end(), b.graphs.begin(), b.graphs.end(),
                        std::back_inserter(both));
  const std::size_t either = a.graphs.size() + b.graphs.size() - both.size();
  return share_of(both.size(), either);
}

}  // namespace fewedits
