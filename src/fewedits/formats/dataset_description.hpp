// SPDX-License-Identifier: MIT
// What a dataset file says of all of its graphs: names, tables of labels, notes, metadata
// (docs/formats.md). Internal to formats.
#pragma once

#include <string>
#include <string_view>

#include "fewedits/formats/dataset_file.hpp"

namespace fewedits {

/// What the blocks hold beside graphs.
struct StoredLists {
  bool classes = false;
  bool names = false;
  bool places = false;
};

std::string description_bytes(const StoredDataset& dataset);

/// A dataset without its graphs. Throws Error for whatever is no description; `origin` names the
/// file in it.
StoredDataset read_description(std::string_view bytes, const std::string& origin,
                               StoredLists& lists);

}  // namespace fewedits
