// SPDX-License-Identifier: MIT
#include "fewedits/formats/molecule_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/formats/csv_reader.hpp"

namespace fewedits {
namespace {

// "3", "-1", "+1", and "1.0" as tables written by pandas have it.
std::optional<std::int64_t> as_class(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  const std::string_view tail(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  if (tail.empty()) return value;
  if (tail.front() == '.' && tail.find_first_not_of('0', 1) == std::string_view::npos) return value;
  return std::nullopt;
}

std::int64_t required_class(const Location& where, std::string_view text) {
  const auto value = as_class(text);
  if (value) return *value;
  throw Error(where, fmt::format("the class {} is not an integer", in_quotes(std::string(text))),
              "give each molecule a whole number as its class");
}

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

std::vector<MoleculeRecord> smiles_records(std::string_view text) {
  std::vector<MoleculeRecord> records;
  LineReader reader(text);
  for (Line line; reader.next(line);) {
    std::string_view rest = line.text;
    const std::string_view smiles = take_word(rest);
    if (smiles.empty() || smiles.front() == '#') continue;
    // A second word that is no integer starts the name.
    records.push_back({MoleculeRecord::Form::kSmiles, std::string(smiles), line.number,
                       as_class(take_word(rest))});
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

std::vector<MoleculeRecord> csv_records(std::string_view text, const std::string& file) {
  CsvReader reader(text, file);
  CsvRow row;
  if (!reader.next(row)) return {};
  const std::size_t smiles = find_column(row, {"smiles"});
  const std::size_t label = find_column(row, {"label", "class", "y"});
  if (smiles == kNoColumn) {
    throw Error({file, row.line}, "no column is named smiles",
                "name the columns in the first line, e.g. smiles,label");
  }
  const std::size_t columns = row.fields.size();
  std::vector<MoleculeRecord> records;
  while (reader.next(row)) {
    if (row.is_blank()) continue;
    const Location where{file, row.line};
    if (row.fields.size() != columns) {
      throw Error(where,
                  fmt::format("the row has {} fields, the header {}", row.fields.size(), columns));
    }
    MoleculeRecord record{MoleculeRecord::Form::kSmiles, row.fields[smiles], row.line, {}};
    if (label != kNoColumn) record.class_value = required_class(where, row.fields[label]);
    records.push_back(std::move(record));
  }
  return records;
}

// "> <label>", "> 25 <Label> (7)": the name is between the angle brackets.
bool is_class_field(std::string_view line) {
  if (!line.starts_with('>')) return false;
  const auto open = line.find('<', 1);
  const auto close = line.find('>', 1);
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return false;
  }
  const std::string name = ascii_lower(std::string(line.substr(open + 1, close - open - 1)));
  return name == "label" || name == "class";
}

std::vector<MoleculeRecord> sdf_records(std::string_view text, const std::string& file) {
  std::vector<MoleculeRecord> records;
  MoleculeRecord record;
  const auto finish = [&] {
    if (!trimmed(record.text).empty()) records.push_back(std::move(record));
    record = {};
  };
  bool value_follows = false;
  LineReader reader(text);
  for (Line line; reader.next(line);) {
    if (line.text.starts_with("$$$$")) {
      finish();
      value_follows = false;
      continue;
    }
    if (record.line == 0) record = {MoleculeRecord::Form::kMolBlock, {}, line.number, {}};
    if (value_follows) record.class_value = required_class({file, line.number}, line.text);
    value_follows = is_class_field(line.text);
    record.text.append(line.text) += '\n';
  }
  finish();
  return records;
}

// Half a column of classes is a mistake, not a dataset.
void check_classes(const std::vector<MoleculeRecord>& records, const std::string& file) {
  const auto lacks = [](const MoleculeRecord& r) { return !r.class_value.has_value(); };
  const auto missing = std::ranges::find_if(records, lacks);
  if (missing == records.end() || std::ranges::all_of(records, lacks)) return;
  throw Error({file, missing->line}, "the molecule has no class, but others in the file have one",
              "give every molecule a class, or none");
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
                                       const std::string& file) {
  switch (format) {
    case Format::kSmiles: return smiles_records(text);
    case Format::kCsv: return csv_records(text, file);
    case Format::kSdf: return sdf_records(text, file);
  }
  return {};
}

}  // namespace

bool has_molecule_extension(const std::filesystem::path& path) {
  return format_of(path).has_value();
}

std::vector<MoleculeRecord> read_molecule_records(const std::filesystem::path& path) {
  format_or_throw(path);  // before a large file of another kind is read
  return parse_molecule_records(read_file(path), path);
}

std::vector<MoleculeRecord> parse_molecule_records(std::string_view text,
                                                   const std::filesystem::path& path) {
  const std::string file = path.string();
  if (text.empty()) throw Error({file}, "the file is empty", kOneEach);
  refuse_nul(text, file);
  auto records = records_of(format_or_throw(path), text, file);
  if (records.empty()) throw Error({file}, "holds no molecules", kOneEach);
  check_classes(records, file);
  return records;
}

}  // namespace fewedits
