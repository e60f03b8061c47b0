// SPDX-License-Identifier: MIT
#include "fewedits/distance/pair_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/formats/csv_reader.hpp"

namespace fewedits {
namespace {

constexpr const char* kRemedy =
    "the first line names the columns: graph_a,graph_b; each other line is a pair of graphs";

std::size_t column_of(const CsvRow& heading, const std::string& name, const std::string& file) {
  const auto& names = heading.fields;
  const auto count = std::count(names.begin(), names.end(), name);
  if (count != 1) {
    throw Error({file, heading.line},
                fmt::format("there {} {}", count == 0 ? "is no column" : "are two columns", name),
                kRemedy);
  }
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

std::uint32_t index_of(const std::string& text, const Location& where, std::size_t num_graphs) {
  const auto value = number_in<std::uint64_t>(text);
  if (!value) throw Error(where, fmt::format("{} is no graph index", in_quotes(text)), kRemedy);
  if (*value >= num_graphs) {
    throw Error(where, fmt::format("there is no graph {}", *value),
                fmt::format("the filtered dataset has {} graphs, counted from 0", num_graphs));
  }
  return static_cast<std::uint32_t>(*value);
}

}  // namespace

std::vector<GraphPair> parse_pairs(std::string_view text, const std::string& file,
                                   std::size_t num_graphs) {
  CsvReader reader(text, file);
  CsvRow row;
  if (!reader.next(row)) throw Error({file}, "the file is empty", kRemedy);
  const std::size_t columns = row.fields.size();
  const std::size_t a = column_of(row, "graph_a", file);
  const std::size_t b = column_of(row, "graph_b", file);
  std::vector<GraphPair> pairs;
  while (reader.next(row)) {
    if (row.is_blank()) continue;
    const Location where{file, row.line};
    if (row.fields.size() != columns) {
      throw Error(where,
                  fmt::format("{} fields where the heading has {}", row.fields.size(), columns),
                  kRemedy);
    }
    pairs.push_back(
        {index_of(row.fields[a], where, num_graphs), index_of(row.fields[b], where, num_graphs)});
  }
  return pairs;
}

std::vector<GraphPair> read_pairs(const std::filesystem::path& path, std::size_t num_graphs) {
  return parse_pairs(read_file(path), path.string(), num_graphs);
}

}  // namespace fewedits
