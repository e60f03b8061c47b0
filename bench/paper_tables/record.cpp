// SPDX-License-Identifier: MIT
#include "record.hpp"

#include <fmt/format.h>

#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/formats/csv_reader.hpp"

namespace fewedits::bench {
namespace {

constexpr const char* kHeader = "dataset,search,seed,coverage_percent,cost_median,seconds";

}  // namespace

Record read_record(const std::filesystem::path& file) {
  Record out;
  if (!std::filesystem::exists(file)) return out;
  const std::string text = read_file(file);
  CsvReader reader(text, file.string());
  CsvRow row;
  reader.next(row);
  const auto need = [&](bool holds, const std::string& what) {
    if (!holds) throw Error({file.string(), row.line}, what, "delete the file or mend the line");
  };
  need(fmt::format("{}", fmt::join(row.fields, ",")) == kHeader,
       fmt::format("the header is not {}", kHeader));
  while (reader.next(row)) {
    if (row.is_blank()) continue;
    need(row.fields.size() == 6, "there must be six fields");
    const auto seed = number_in<std::uint64_t>(row.fields[2]);
    const auto coverage = number_in<double>(row.fields[3]);
    const auto cost = number_in<double>(row.fields[4]);
    const auto seconds = number_in<double>(row.fields[5]);
    need(seed && coverage && cost && seconds, "all but the first two fields must be numbers");
    out[{row.fields[0], row.fields[1], *seed}] = {*coverage, *cost, *seconds};
  }
  return out;
}

std::string csv(const Record& record) {
  std::string out = fmt::format("{}\n", kHeader);
  for (const auto& [name, run] : record) {
    out += fmt::format("{},{},{},{:.4f},{:.6f},{:.3f}\n", name.dataset, name.search, name.seed,
                       run.coverage, run.cost, run.seconds);
  }
  return out;
}

}  // namespace fewedits::bench
