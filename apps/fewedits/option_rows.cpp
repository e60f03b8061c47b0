// SPDX-License-Identifier: MIT
#include "option_rows.hpp"

#include <string>
#include <vector>

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
