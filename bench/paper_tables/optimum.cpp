// SPDX-License-Identifier: MIT
#include "optimum.hpp"

#include <fmt/format.h>

#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/formats/csv_reader.hpp"

namespace fewedits::bench {

Optima read_optima(const std::filesystem::path& file) {
  Optima out;
  if (!std::filesystem::exists(file)) return out;
  const std::string text = read_file(file);
  CsvReader reader(text, file.string());
  CsvRow row;
  reader.next(row);  // the header
  while (reader.next(row)) {
    if (row.is_blank()) continue;
    const auto number = [&](std::size_t i) {
      const auto value = i < row.fields.size() ? number_in<double>(row.fields[i]) : std::nullopt;
      if (value) return *value;
      throw Error({file.string(), row.line}, fmt::format("field {} is no number", i + 1),
                  "delete the file: bench/optimum.py writes it");
    };
    out.push_back({row.fields.at(0), row.fields.at(1), static_cast<std::uint64_t>(number(2)),
                   number(3), number(6), number(7), number(8)});
  }
  return out;
}

}  // namespace fewedits::bench
