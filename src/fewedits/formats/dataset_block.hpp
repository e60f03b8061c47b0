// SPDX-License-Identifier: MIT
// Some graphs of a dataset as bytes, with their classes, names and places: a block of a dataset
// file (docs/formats.md). A set of graphs has one such form, so that equal bytes mean equal sets.
// Internal to formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "fewedits/graph/dataset.hpp"

namespace fewedits {

/// What all blocks of a file have in common.
struct BlockForm {
  bool has_classes = false;
  bool has_names = false;
  bool has_places = false;  ///< RawDataset::source_index
  std::size_t num_node_labels = 0;
  std::size_t num_edge_labels = 0;
};

/// No graph takes fewer bytes than this: its nodes and its edges are numbers.
inline constexpr std::size_t kLeastGraphBytes = 2;

BlockForm block_form(const RawDataset& raw);

/// The graphs [begin, end) of `raw`. Throws Error for what no reader would take back, labels that
/// are not in the tables.
std::string block_bytes(const RawDataset& raw, const BlockForm& form, std::size_t begin,
                        std::size_t end);

/// Puts what the bytes hold at [begin, end) of the lists of `out`, which have their sizes already.
/// Throws Error for whatever is no such block; `origin` and `what` name the bytes in it.
void read_block(std::string_view bytes, const BlockForm& form, const std::string& origin,
                const std::string& what, std::size_t begin, std::size_t end, RawDataset& out);

}  // namespace fewedits
