// SPDX-License-Identifier: MIT
// From the texts that stand for classes in a molecule file to classes: whole numbers, or words.
// Internal to formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fewedits/chem/molecule_record.hpp"
#include "fewedits/graph/dataset.hpp"

namespace fewedits {

/// More different words than this are no classes but, say, names.
inline constexpr std::size_t kMaxClassWords = 100;

/// "3", "-1", "+1", and "1.0" as tables written by pandas have it.
std::optional<std::int64_t> integer_in(std::string_view text);

/// Where a column of classes was asked for, molecules without one are no part of the dataset
/// (tables of several assays have many); elsewhere they are a mistake, unless no molecule has a
/// class.
enum class Unclassified { kMistake, kLeftOut };

/// Takes the records that are left out away, and says in `out` which stay and what their classes
/// are: graph_labels, class_names, source_index, left_out, names, notes. Throws Error, naming file
/// and line, for classes that are neither whole numbers nor words, or some of them one and some the
/// other.
void take_classes(std::vector<MoleculeRecord>& records, Unclassified unclassified,
                  const std::string& file, RawDataset& out);

}  // namespace fewedits
