// SPDX-License-Identifier: MIT
#include "fewedits/formats/molecule_records.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/formats/csv_reader.hpp"
#include "fewedits/formats/molecule_classes.hpp"

namespace fewedits {
namespace {

struct Line {
  std::string_view text;  ///< without the line break
  std::int64_t number = 0;
};

class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}

  bool next(Line& line) {
    if (rest_.empty()) return false;
    const auto end = rest_.find('\n');
    line = {rest_.substr(0, end), ++number_};
    if (line.text.ends_with('\r')) line.text.remove_suffix(1);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    return true;
  }

 private:
  std::string_view rest_;
  std::int64_t number_ = 0;
};

std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  const auto end = std::min(text.find_first_of(kBlanks), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

/// Of the column in a file of SMILES, from 0.
std::size_t column_number(const std::string& text, const std::string& file) {
  const auto number = number_in<std::uint32_t>(text);
  if (number && *number >= 2) return *number - 1;
  throw Error({file}, fmt::format("{} is no column that classes can stand in", in_quotes(text)),
              "columns of SMILES files have no names: give the number of one, from 2");
}

std::string joined_words(const std::vector<std::string_view>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<MoleculeRecord> smiles_records(std::string_view text, const std::string& file,
                                           const std::string& label_column) {
  const bool chosen = !label_column.empty();
  const std::size_t column = chosen ? column_number(label_column, file) : 1;
  std::vector<MoleculeRecord> records;
  LineReader reader(text);
  for (Line line; reader.next(line);) {
    std::string_view rest = line.text;
    std::vector<std::string_view> words;
    for (auto word = take_word(rest); !word.empty(); word = take_word(rest)) words.push_back(word);
    if (words.empty() || words[0].front() == '#') continue;
    MoleculeRecord record{
        MoleculeRecord::Form::kSmiles, std::string(words[0]), line.number, {}, {}};
    words.erase(words.begin());
    // A second word that is no integer starts the name, unless somebody says that it is the class.
    const std::size_t at = column - 1;  // the SMILES is gone
    if (at < words.size() && (chosen || integer_in(words[at]))) {
      record.class_text = words[at];
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
    }
    record.name = joined_words(words);
    records.push_back(std::move(record));
  }
  return records;
}

constexpr std::size_t kNoColumn = ~std::size_t{0};

std::size_t find_column(const CsvRow& header, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    for (std::size_t i = 0; i < header.fields.size(); ++i) {
      if (ascii_lower(header.fields[i]) == name) return i;
    }
  }
  return kNoColumn;
}

/// Some of many names, for a message.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 20;
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    if (shown.size() == kShown) break;
    shown.push_back(in_quotes(name));
  }
  return fmt::format("{}{}", fmt::join(shown, ", "), names.size() > kShown ? ", …" : "");
}

/// Names that differ in case only are told apart where somebody says one of them.
std::size_t label_column_of(const CsvRow& header, const std::string& label_column,
                            const std::string& file) {
  if (label_column.empty()) return find_column(header, {"label", "class", "y"});
  const auto exact = std::ranges::find(header.fields, label_column);
  if (exact != header.fields.end()) {
    return static_cast<std::size_t>(exact - header.fields.begin());
  }
  const std::size_t found = find_column(header, {ascii_lower(label_column)});
  if (found != kNoColumn) return found;
  throw Error({file, header.line}, fmt::format("no column is named {}", in_quotes(label_column)),
              "the columns are " + some_of(header.fields));
}

std::vector<MoleculeRecord> csv_records(std::string_view text, const std::string& file,
                                        const std::string& label_column) {
  CsvReader reader(text, file);
  CsvRow row;
  if (!reader.next(row)) return {};
  const std::size_t smiles = find_column(row, {"smiles"});
  if (smiles == kNoColumn) {
    throw Error({file, row.line}, "no column is named smiles",
                "name the columns in the first line, e.g. smiles,label");
  }
  const std::size_t label = label_column_of(row, label_column, file);
  const std::size_t name = find_column(row, {"name", "title", "id"});
  const std::size_t columns = row.fields.size();
  std::vector<MoleculeRecord> records;
  while (reader.next(row)) {
    if (row.is_blank()) continue;
    if (row.fields.size() != columns) {
      throw Error({file, row.line},
                  fmt::format("the row has {} fields, the header {}", row.fields.size(), columns));
    }
    MoleculeRecord record{MoleculeRecord::Form::kSmiles, row.fields[smiles], row.line, {}, {}};
    if (label != kNoColumn) record.class_text = row.fields[label];
    if (name != kNoColumn) record.name = row.fields[name];
    records.push_back(std::move(record));
  }
  return records;
}

/// Of "> <label>", "> 25 <Label> (7)": what is between the angle brackets.
std::optional<std::string> field_name(std::string_view line) {
  if (!line.starts_with('>')) return std::nullopt;
  const auto open = line.find('<', 1);
  const auto close = line.find('>', 1);
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return std::nullopt;
  }
  return std::string(line.substr(open + 1, close - open - 1));
}

/// Which SD field holds the class.
class ClassField {
 public:
  ClassField(std::string column, std::string file)
      : column_(std::move(column)), file_(std::move(file)) {}

  bool is(const std::string& field) {
    const std::string lower = ascii_lower(field);
    const bool it_is =
        column_.empty() ? lower == "label" || lower == "class" : lower == ascii_lower(column_);
    found_ = found_ || it_is;
    if (!it_is && std::ranges::find(others_, field) == others_.end() && others_.size() < kMost) {
      others_.push_back(field);
    }
    return it_is;
  }

  void check_found() const {
    if (column_.empty() || found_) return;
    throw Error({file_}, fmt::format("no molecule has a field {}", in_quotes(column_)),
                others_.empty() ? "no molecule has any" : "the fields are " + some_of(others_));
  }

 private:
  static constexpr std::size_t kMost = 100;
  std::string column_;
  std::string file_;
  bool found_ = false;
  std::vector<std::string> others_;
};

std::vector<MoleculeRecord> sdf_records(std::string_view text, const std::string& file,
                                        const std::string& label_column) {
  std::vector<MoleculeRecord> records;
  MoleculeRecord record;
  const auto finish = [&] {
    if (!trimmed(record.text).empty()) records.push_back(std::move(record));
    record = {};
  };
  ClassField class_field(label_column, file);
  bool value_follows = false;
  LineReader reader(text);
  for (Line line; reader.next(line);) {
    if (line.text.starts_with("$$$$")) {
      finish();
      value_follows = false;
      continue;
    }
    if (record.line == 0) {
      record = {MoleculeRecord::Form::kMolBlock, {}, line.number, {}, {}};
      record.name = trimmed(line.text);
    }
    if (value_follows) record.class_text = trimmed(line.text);
    const auto field = field_name(line.text);
    value_follows = field && class_field.is(*field);
    record.text.append(line.text) += '\n';
  }
  finish();
  class_field.check_found();
  return records;
}

/// RDKit, as C does, takes a NUL for the end of the text and would read half of a molecule.
void refuse_nul(std::string_view text, const std::string& file) {
  const auto at = text.find('\0');
  if (at == std::string_view::npos) return;
  throw Error({file, 1 + std::ranges::count(text.substr(0, at), '\n')}, "there is a NUL byte",
              "the file is not plain text, or damaged: get it again, or write it as UTF-8");
}

enum class Format { kSmiles, kCsv, kSdf };

std::optional<Format> format_of(const std::filesystem::path& path) {
  const std::string extension = ascii_lower(path.extension().string());
  if (extension == ".smi" || extension == ".smiles") return Format::kSmiles;
  if (extension == ".csv") return Format::kCsv;
  if (extension == ".sdf") return Format::kSdf;
  return std::nullopt;
}

Format format_or_throw(const std::filesystem::path& path) {
  if (const auto format = format_of(path)) return *format;
  throw Error({path.string()}, "is not known as a molecule file",
              "known extensions are .smi, .smiles, .csv and .sdf");
}

const char* const kOneEach = "one molecule a line or record is expected";

std::vector<MoleculeRecord> records_of(Format format, std::string_view text,
                                       const std::string& file, const std::string& label_column) {
  switch (format) {
    case Format::kSmiles: return smiles_records(text, file, label_column);
    case Format::kCsv: return csv_records(text, file, label_column);
    case Format::kSdf: return sdf_records(text, file, label_column);
  }
  return {};
}

}  // namespace

bool has_molecule_extension(const std::filesystem::path& path) {
  return format_of(path).has_value();
}

std::vector<MoleculeRecord> read_molecule_records(const std::filesystem::path& path,
                                                  const std::string& label_column) {
  format_or_throw(path);  // before a large file of another kind is read
  return parse_molecule_records(read_file(path), path, label_column);
}

std::vector<MoleculeRecord> parse_molecule_records(std::string_view text,
                                                   const std::filesystem::path& path,
                                                   const std::string& label_column) {
  const std::string file = path.string();
  if (text.empty()) throw Error({file}, "the file is empty", kOneEach);
  refuse_nul(text, file);
  auto records = records_of(format_or_throw(path), text, file, label_column);
  if (records.empty()) throw Error({file}, "holds no molecules", kOneEach);
  return records;
}

}  // namespace fewedits
