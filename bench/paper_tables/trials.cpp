// SPDX-License-Identifier: MIT
#include "trials.hpp"

#include <fmt/format.h>

#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/formats/csv_reader.hpp"
#include "support/local_explainers.hpp"

namespace fewedits::bench {

Trials read_trials(const std::filesystem::path& file) {
  Trials out;
  if (!std::filesystem::exists(file)) return out;
  const std::string text = read_file(file);
  CsvReader reader(text, file.string());
  CsvRow row;
  const auto need = [&](bool holds, const std::string& what) {
    if (!holds) throw Error({file.string(), row.line}, what, "mend the line");
  };
  reader.next(row);
  need(fmt::format("{}", fmt::join(row.fields, ",")) == kTrialsHeader,
       fmt::format("the header is not {}", kTrialsHeader));
  while (reader.next(row)) {
    if (row.is_blank()) continue;
    need(row.fields.size() == 10, "there must be ten fields");
    const auto number = [&](std::size_t i) {
      const auto value = number_in<double>(row.fields[i]);
      need(value.has_value(), in_quotes(row.fields[i]) + " is no number");
      return *value;
    };
    if (number(2) != 1) continue;
    out.push_back({row.fields[0], row.fields[1], row.fields[3], number(4), number(5), number(6),
                   number(7), row.fields[9] == kAllNodes});
  }
  return out;
}

std::optional<TunedTrial> trial_of(const Trials& trials, const std::string& dataset,
                                   const std::string& method, const LocalSettings& settings) {
  const std::string words = settings_words(method, settings);
  std::optional<TunedTrial> out;
  for (const TunedTrial& t : trials) {
    if (t.dataset == dataset && t.method == method && t.settings == words && t.all_nodes) out = t;
  }
  return out;
}

}  // namespace fewedits::bench
