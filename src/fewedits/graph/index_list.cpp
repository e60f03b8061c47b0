// SPDX-License-Identifier: MIT
#include "fewedits/graph/index_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "fewedits/base/error.hpp"
#include "fewedits/base/text.hpp"

namespace fewedits {
namespace {

constexpr std::string_view kSeparators = ", \t\r\n";
/// So that a few bytes cannot ask for all memory.
constexpr std::uint64_t kMost = 10'000'000;

struct Range {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

Range parse_range(std::string_view text) {
  const auto dash = text.find('-');
  const auto first = number_in<std::uint32_t>(text.substr(0, dash));
  const auto last =
      dash == std::string_view::npos ? first : number_in<std::uint32_t>(text.substr(dash + 1));
  if (!first || !last || *first > *last) {
    throw Error(fmt::format("{} is no index of a graph, and no range of them",
                            in_quotes(std::string(text))),
                "write indices and ranges, counted from 0, e.g. 0-99,105");
  }
  return {*first, *last};
}

}  // namespace

std::vector<std::uint32_t> parse_index_list(std::string_view text) {
  std::vector<std::uint32_t> out;
  std::uint64_t count = 0;
  for (auto at = text.find_first_not_of(kSeparators); at != std::string_view::npos;
       at = text.find_first_not_of(kSeparators, at)) {
    const auto end = std::min(text.find_first_of(kSeparators, at), text.size());
    const auto [first, last] = parse_range(text.substr(at, end - at));
    count += std::uint64_t{last} - first + 1;
    if (count > kMost) throw Error(fmt::format("the list has more than {} graphs", kMost));
    out.resize(count);
    std::iota(out.end() - static_cast<std::ptrdiff_t>(last - first) - 1, out.end(), first);
    at = end;
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());  // clang 14 takes no subrange of ours
  return out;
}

std::string index_list_text(const std::vector<std::uint32_t>& indices) {
  std::string out;
  for (std::size_t i = 0; i < indices.size();) {
    std::size_t last = i;
    while (last + 1 < indices.size() && indices[last + 1] == indices[last] + 1) ++last;
    if (!out.empty()) out += ',';
    out += std::to_string(indices[i]);
    if (last > i) out += '-' + std::to_string(indices[last]);
    i = last + 1;
  }
  return out;
}

bool looks_like_index_list(std::string_view text) {
  return text.find_first_not_of("0123456789-, \t\r\n") == std::string_view::npos;
}

}  // namespace fewedits
