// SPDX-License-Identifier: MIT
#include "support/local_explainers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/formats/csv_reader.hpp"
#include "fewedits/search/option_table.hpp"
#include "fewedits/search/parts.hpp"

namespace fewedits::bench {
namespace {

constexpr const char* kKeepIsolated = "keep-isolated";

const OptionRow* find_option(const std::string& name) {
  const auto& table = option_table();
  const auto row = std::find_if(table.begin(), table.end(),
                                [&](const OptionRow& option) { return option.name == name; });
  return row == table.end() ? nullptr : &*row;
}

void tune(const std::string& dataset, const std::filesystem::path& tuning,
          ExplainOptions& options) {
  if (!std::filesystem::exists(tuning)) return;
  const std::string text = read_file(tuning);
  CsvReader reader(text, tuning.string());
  CsvRow row;
  reader.next(row);  // the header
  while (reader.next(row)) {
    if (row.is_blank()) continue;
    const auto need = [&](bool holds, const std::string& what) {
      if (!holds) throw Error({tuning.string(), row.line}, what, "mend the line");
    };
    need(row.fields.size() == 4, "there must be four fields");
    if (row.fields[0] != dataset || row.fields[1] != options.method) continue;
    const OptionRow* const option = find_option(row.fields[2]);
    need(option != nullptr, "there is no option " + in_quotes(row.fields[2]));
    option->set(row.fields[3], options);
  }
}

}  // namespace

bool set_local_explainer(const std::string& method, const std::string& dataset,
                         const std::filesystem::path& tuning, ExplainOptions& options) {
  options.method = method;
  if (!builtin_parts().sources.contains(method)) return false;
  if (const OptionRow* const keep = find_option(kKeepIsolated)) keep->set("", options);
  tune(dataset, tuning, options);
  return true;
}

std::string settings_words(const std::string& method, const LocalSettings& settings) {
  const auto& [cff, rc] = settings;
  if (method == "cff") {
    return fmt::format("--cff-lambda {} --cff-alpha {} --cff-rate {} --cff-steps {}", cff.lambda,
                       cff.alpha, cff.rate, cff.steps);
  }
  if (method == "rcexplainer") {
    return fmt::format("--rc-lambda {} --rc-size {} --rc-entropy {} --rc-rate {} --rc-epochs {}",
                       rc.lambda, rc.size, rc.entropy, rc.rate, rc.epochs);
  }
  throw Error(method + " has no settings");
}

}  // namespace fewedits::bench
