// SPDX-License-Identifier: MIT
// From the columns of the TU format to what a graph is made of: label values to indices,
// directed lines to undirected simple edges. Internal to formats.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fewedits/graph/dataset.hpp"
#include "fewedits/graph/graph.hpp"

namespace fewedits {

/// A column of labels as indices into the ascending table of its values.
struct LabelColumn {
  std::vector<Label> indices;
  std::vector<NamedValue> table;
};

/// Collects values, numbering them as they come; memory is one index per line.
class LabelCollector {
 public:
  void add(std::int64_t value) {
    // Neighbouring lines often agree, which saves the look-up.
    if (indices_.empty() || value != last_value_) {
      last_value_ = value;
      last_index_ = number_.try_emplace(value, static_cast<Label>(number_.size())).first->second;
    }
    indices_.push_back(last_index_);
  }

  void reserve(std::size_t lines) { indices_.reserve(lines); }

  LabelColumn finish() {
    std::vector<std::pair<std::int64_t, Label>> ascending(number_.begin(), number_.end());
    std::sort(ascending.begin(), ascending.end());
    LabelColumn out;
    std::vector<Label> rank(ascending.size());
    for (const auto& [value, number] : ascending) {
      rank[number] = static_cast<Label>(out.table.size());
      out.table.push_back({value, {}});
    }
    out.indices = std::move(indices_);
    for (Label& index : out.indices) index = rank[index];
    return out;
  }

 private:
  std::unordered_map<std::int64_t, Label> number_;
  std::vector<Label> indices_;
  std::int64_t last_value_ = 0;
  Label last_index_ = 0;
};

/// What normalising the edges changed, over all graphs.
struct EdgeCounts {
  std::uint64_t self_loops = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t one_way = 0;
  std::uint64_t two_labels = 0;

  EdgeCounts& operator+=(const EdgeCounts& more) {
    self_loops += more.self_loops;
    duplicates += more.duplicates;
    one_way += more.one_way;
    two_labels += more.two_labels;
    return *this;
  }
};

/// The undirected simple edges of one graph from its lines, in the order of the file.
class EdgeNormaliser {
 public:
  [[nodiscard]] const EdgeCounts& counts() const { return counts_; }

  /// Valid until the next call.
  std::span<const Edge> operator()(std::span<const Edge> lines) {
    keys_.clear();
    edges_.clear();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto [u, v, label] = lines[i];
      if (u == v) {
        ++counts_.self_loops;
        continue;
      }
      keys_.emplace_back(std::uint64_t{std::min(u, v)} << 32 | std::max(u, v),
                         2 * i + (u < v ? 1 : 0));
    }
    std::sort(keys_.begin(), keys_.end());
    for (std::size_t begin = 0; begin < keys_.size();) {
      std::size_t end = begin + 1;
      while (end < keys_.size() && keys_[end].first == keys_[begin].first) ++end;
      add_edge(std::span(keys_).subspan(begin, end - begin), lines);
      begin = end;
    }
    return edges_;
  }

 private:
  /// (both ends, smaller first; 2·line + direction): sorted, the lines of an edge are
  /// neighbours and the first of them is the first in the file.
  using Key = std::pair<std::uint64_t, std::uint64_t>;

  void add_edge(std::span<const Key> same, std::span<const Edge> lines) {
    std::uint64_t listed[2] = {0, 0};
    bool labels_agree = true;
    const Label label = lines[same.front().second / 2].label;
    for (const Key& key : same) {
      ++listed[key.second % 2];
      labels_agree = labels_agree && lines[key.second / 2].label == label;
    }
    for (const std::uint64_t times : listed) counts_.duplicates += times > 1 ? times - 1 : 0;
    counts_.one_way += listed[0] == 0 || listed[1] == 0 ? 1 : 0;
    counts_.two_labels += labels_agree ? 0 : 1;
    const std::uint64_t ends = same.front().first;
    edges_.push_back({static_cast<Node>(ends >> 32), static_cast<Node>(ends), label});
  }

  EdgeCounts counts_;
  std::vector<Key> keys_;
  std::vector<Edge> edges_;
};

/// Puts the items of all groups one after the other, in the order they came in; `first` has the
/// start of each group.
template <typename T, typename GroupOf>
std::vector<T> grouped(const std::vector<T>& items, const std::vector<std::size_t>& first,
                       GroupOf group_of) {
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  std::vector<T> out(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) out[next[group_of(i)]++] = items[i];
  return out;
}

}  // namespace fewedits
