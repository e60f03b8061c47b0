// SPDX-License-Identifier: MIT
#include "option_rows.hpp"

#include <string>

#include "fewedits/base/error.hpp"

namespace fewedits::cli {

void add_row(CLI::App& command, const OptionRow& row, ExplainOptions& options) {
  const std::string name = "--" + row.name;
  if (row.is_flag()) {
    command
        .add_flag_callback(
            name, [&] { row.set("", options); }, row.help)
        ->group(title_of(row.group));
    return;
  }
  CLI::Option* option = command.add_option_function<std::string>(
      name, [&row, &options](const std::string& text) { row.set(text, options); }, row.help);
  option->group(title_of(row.group))
      ->type_name(row.type == "number" ? "N" : row.type)
      ->default_str(row.initial);
  option->check([&row](const std::string& text) {
    try {
      ExplainOptions scratch;
      row.set(text, scratch);
      return std::string();
    } catch (const Error& error) {
      return std::string(error.what());
    }
  });
}

}  // namespace fewedits::cli
