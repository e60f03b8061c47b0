// SPDX-License-Identifier: MIT
#include "option_rows.hpp"

#include <algorithm>
#include <cassert>
#include <string>
#include <vector>

#include "arguments.hpp"

namespace fewedits::cli {

namespace {

/// A value that the option takes and that is within its range, whatever the others are.
CLI::Validator valid_for(const OptionRow& row) {
  return readable_by([&row](const std::string& text) {
    ExplainOptions scratch;
    row.set(text, scratch);
    check_options(scratch);
  });
}

}  // namespace

CLI::Validator valid_option(std::string_view name) {
  const auto& table = option_table();
  const auto row = std::ranges::find(table, name, &OptionRow::name);
  assert(row != table.end());
  return valid_for(*row);
}

void add_row(CLI::App& command, const OptionRow& row, ExplainOptions& options) {
  const std::string name = "--" + row.name;
  if (row.is_flag()) {
    command
        .add_flag_callback(
            name, [&] { row.set("", options); }, row.help)
        ->group(title_of(row.group));
    return;
  }
  using Texts = std::vector<std::string>;
  CLI::Option* option = command.add_option_function<Texts>(
      name,
      [&row, &options](const Texts& texts) {
        for (const std::string& text : texts) row.set(text, options);
      },
      row.help);
  option->allow_extra_args(false);
  if (!row.repeatable) option->expected(1);
  option->group(title_of(row.group))
      ->type_name(row.type == "number" ? "N" : row.type)
      ->default_str(row.initial);
  option->check(valid_for(row));
}

}  // namespace fewedits::cli
