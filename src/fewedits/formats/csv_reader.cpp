// SPDX-License-Identifier: MIT
#include "fewedits/formats/csv_reader.hpp"

#include <algorithm>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/base/text.hpp"

namespace fewedits {

CsvReader::CsvReader(std::string_view text, std::string file)
    : text_(text), file_(std::move(file)) {
  if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
}

bool CsvReader::next(CsvRow& row) {
  if (at_ >= text_.size()) return false;
  row = {{}, line_};
  for (bool more = true; more;) {
    std::string field = text_.substr(at_).starts_with('"') ? quoted_field() : plain_field();
    row.fields.push_back(std::move(field));
    more = at_ < text_.size() && text_[at_] == ',';
    if (more) ++at_;
  }
  end_row();
  return true;
}

std::string CsvReader::plain_field() {
  const auto end = std::min(text_.find_first_of(",\n", at_), text_.size());
  const std::string_view field = trimmed(text_.substr(at_, end - at_));
  at_ = end;
  return std::string(field);
}

std::string CsvReader::quoted_field() {
  const std::int64_t start = line_;
  std::string field;
  for (++at_; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '"') {
      ++at_;
      if (at_ >= text_.size() || text_[at_] != '"') return field;
    }
    line_ += c == '\n' ? 1 : 0;
    field += c;
  }
  throw Error({file_, start}, "a quoted field has no end", "close it with a double quote");
}

void CsvReader::end_row() {
  if (at_ < text_.size() && text_[at_] == '\r') ++at_;
  if (at_ < text_.size() && text_[at_] != '\n') {
    throw Error({file_, line_}, "there is text between a closing quote and the next comma",
                "write a quote inside a quoted field twice");
  }
  ++at_;
  ++line_;
}

}  // namespace fewedits
