// SPDX-License-Identifier: MIT
#include "fewedits/formats/molecule_classes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <map>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/base/terminal_text.hpp"
#include "fewedits/base/text.hpp"

namespace fewedits {
namespace {

constexpr const char* kWholeOrWords = "classes are whole numbers or words";

/// What tables write where nothing was measured.
bool is_missing(std::string_view text) {
  constexpr auto kMissing = std::to_array<std::string_view>({"", "na", "n/a", "nan", "null"});
  return std::ranges::find(kMissing, ascii_lower(std::string(text))) != kMissing.end();
}

bool has_class(const MoleculeRecord& record) {
  return record.class_text && !is_missing(*record.class_text);
}

void leave_out_unclassified(std::vector<MoleculeRecord>& records, const std::string& file,
                            RawDataset& out) {
  std::vector<MoleculeRecord> kept;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (!has_class(records[i])) continue;
    out.source_index.push_back(static_cast<std::int64_t>(i));
    kept.push_back(std::move(records[i]));
  }
  if (kept.empty()) throw Error({file}, "no molecule has a class in the column of classes");
  out.left_out = records.size() - kept.size();
  if (out.left_out == 0) {
    out.source_index.clear();
  } else {
    out.notes.push_back(fmt::format("left out {} of {} molecules, which have no class",
                                    out.left_out, records.size()));
  }
  records = std::move(kept);
}

/// Half a column of classes is a mistake, not a dataset.
void check_all_or_none(const std::vector<MoleculeRecord>& records, const std::string& file) {
  if (std::ranges::none_of(records, has_class)) return;
  const auto missing = std::ranges::find_if_not(records, has_class);
  if (missing == records.end()) return;
  throw Error({file, missing->line}, "the molecule has no class, but others in the file have one",
              "give every molecule a class, or none; naming the column (option label-column) "
              "leaves out those without");
}

[[noreturn]] void refuse(const MoleculeRecord& record, const std::string& what,
                         const std::string& file, const std::string& remedy = kWholeOrWords) {
  throw Error({file, record.line},
              fmt::format("the class {} {}", in_quotes(*record.class_text), what), remedy);
}

void take_words(const std::vector<MoleculeRecord>& records, const std::string& file,
                RawDataset& out) {
  std::map<std::string, std::int64_t> number;
  for (const MoleculeRecord& record : records) {
    const std::string& word = *record.class_text;
    if (number_in<double>(word)) refuse(record, "is not an integer", file);
    if (printable(word) != word) refuse(record, "has control characters in it", file);
    number.emplace(word, 0);
    if (number.size() <= kMaxClassWords) continue;
    throw Error({file, record.line},
                fmt::format("there are more than {} different classes", kMaxClassWords),
                "say which column holds the classes (option label-column)");
  }
  for (auto& [word, value] : number) {
    value = static_cast<std::int64_t>(out.class_names.size());
    out.class_names.push_back({value, word});
  }
  for (const MoleculeRecord& record : records) {
    out.graph_labels.push_back(number.at(*record.class_text));
  }
}

void take_numbers(const std::vector<MoleculeRecord>& records, const std::string& file,
                  RawDataset& out) {
  for (const MoleculeRecord& record : records) {
    const auto value = integer_in(*record.class_text);
    if (!value) refuse(record, "is not an integer, as those of other molecules are", file);
    out.graph_labels.push_back(*value);
  }
}

}  // namespace

std::optional<std::int64_t> integer_in(std::string_view text) {
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

void take_classes(std::vector<MoleculeRecord>& records, Unclassified unclassified,
                  const std::string& file, RawDataset& out) {
  if (unclassified == Unclassified::kLeftOut) {
    leave_out_unclassified(records, file, out);
  } else {
    check_all_or_none(records, file);
  }
  const auto is_number = [](const MoleculeRecord& r) {
    return integer_in(*r.class_text).has_value();
  };
  if (!std::ranges::all_of(records, has_class)) {
    out.notes.emplace_back(
        "the file has no classes (in a .smi the second column, in a .csv a column label, class or "
        "y, in an .sdf a field label or class; the option label-column names another)");
  } else if (std::ranges::any_of(records, is_number)) {
    take_numbers(records, file, out);
  } else {
    take_words(records, file, out);
  }
  if (std::ranges::all_of(records, [](const MoleculeRecord& r) { return r.name.empty(); })) return;
  for (const MoleculeRecord& record : records) out.names.push_back(printable(record.name));
}

}  // namespace fewedits
