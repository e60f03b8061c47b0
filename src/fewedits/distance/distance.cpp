// SPDX-License-Identifier: MIT
#include "fewedits/distance/distance.hpp"

#include <algorithm>
#include <cassert>

namespace fewedits {
namespace {

/// Graphs at a time: all distances of many graphs to many others would not fit into memory.
constexpr std::size_t kSlice = 256;

}  // namespace

std::string_view name_of(PairStatus status) {
  switch (status) {
    case PairStatus::kExact: return "exact";
    case PairStatus::kBounds: return "bounds";
    case PairStatus::kYes: return "yes";
    case PairStatus::kNo: return "no";
    case PairStatus::kUnknown: return "unknown";
  }
  assert(false);
  return "";
}

std::vector<std::vector<std::uint32_t>> Distance::within(std::span<const Graph> queries,
                                                         double theta, ThreadPool& pool) {
  std::vector<std::vector<std::uint32_t>> out;
  out.reserve(queries.size());
  for (std::size_t first = 0; first < queries.size(); first += kSlice) {
    const auto slice = queries.subspan(first, std::min(kSlice, queries.size() - first));
    for (const auto& row : rows(slice, pool)) {
      std::vector<std::uint32_t>& near = out.emplace_back();
      for (std::uint32_t i = 0; i < row.size(); ++i) {
        if (row[i] <= theta) near.push_back(i);
      }
    }
  }
  return out;
}

NearRows Distance::neighbourhood(const Graph& graph, std::span<const Edit> edits, double theta,
                                 ThreadPool& pool) {
  std::vector<std::vector<std::uint32_t>> lists;
  lists.reserve(edits.size());
  std::vector<Graph> slice;
  for (std::size_t first = 0; first < edits.size(); first += kSlice) {
    slice.clear();
    for (const Edit& edit : edits.subspan(first, std::min(kSlice, edits.size() - first))) {
      slice.push_back(apply(graph, edit));
    }
    for (auto& list : within(slice, theta, pool)) lists.push_back(std::move(list));
  }
  return near_rows(lists, graphs().size());
}

NearRows near_rows(std::span<const std::vector<std::uint32_t>> lists, std::size_t stored) {
  NearRows out;
  std::vector<std::uint32_t> place(stored, 0);
  for (const auto& list : lists) {
    for (const std::uint32_t i : list) place[i] = 1;
  }
  for (std::uint32_t i = 0; i < stored; ++i) {
    if (place[i] == 0) continue;
    place[i] = static_cast<std::uint32_t>(out.active.size());
    out.active.push_back(i);
  }
  out.rows = BitRows(out.active.size(), lists.size());
  for (std::size_t row = 0; row < lists.size(); ++row) {
    for (const std::uint32_t i : lists[row]) out.rows.set(row, place[i]);
  }
  return out;
}

}  // namespace fewedits
