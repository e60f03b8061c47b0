// SPDX-License-Identifier: MIT
// Cuts CSV text into rows of fields (RFC 4180): fields may be quoted, a quote inside is doubled,
// and line breaks inside count. Blanks around unquoted fields are dropped, as is a byte-order mark.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fewedits {

struct CsvRow {
  std::vector<std::string> fields;
  std::int64_t line = 0;

  [[nodiscard]] bool is_blank() const { return fields.size() == 1 && fields[0].empty(); }
};

class CsvReader {
 public:
  /// Keeps a reference to the text; `file` is for messages.
  CsvReader(std::string_view text, std::string file);

  /// False at the end. Throws Error naming the line for a quote without end or text after one.
  bool next(CsvRow& row);

 private:
  std::string plain_field();
  std::string quoted_field();
  void end_row();

  std::string_view text_;
  std::string file_;
  std::size_t at_ = 0;
  std::int64_t line_ = 1;
};

}  // namespace fewedits
