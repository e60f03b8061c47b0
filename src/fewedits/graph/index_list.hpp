// SPDX-License-Identifier: MIT
// Indices of graphs as people and files write them: "0-99,105", in any order, with blanks or line
// ends wherever a comma may be.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fewedits {

/// Ascending, each once. Throws Error for anything else than numbers and ranges, and for lists that
/// no dataset is as long as.
std::vector<std::uint32_t> parse_index_list(std::string_view text);

/// As short as it can be said; the indices are ascending.
std::string index_list_text(const std::vector<std::uint32_t>& indices);

/// Is it such a list at all, and not, say, the name of a file?
bool looks_like_index_list(std::string_view text);

}  // namespace fewedits
