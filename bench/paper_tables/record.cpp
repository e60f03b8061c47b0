// SPDX-License-Identifier: MIT
#include "record.hpp"

#include <fmt/format.h>

#include <functional>

#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/formats/csv_reader.hpp"

namespace fewedits::bench {
namespace {

constexpr const char* kShortHeader = "dataset,search,seed,coverage_percent,cost_median,seconds";
constexpr const char* kLongHeader =
    "dataset,search,seed,coverage_percent,cost_median,seconds,greed_percent,proven_percent,"
    "possible_percent,proven_cost_median,summary_seconds,note";
constexpr const char* kHeader =
    "dataset,search,seed,coverage_percent,cost_median,seconds,greed_percent,proven_percent,"
    "possible_percent,proven_cost_median,summary_seconds,note,machine";
constexpr const char* kCurvesHeader = "dataset,search,seed,curve,points";
constexpr const char* kFactsHeader = "dataset,what,seed,value";

/// A file of rows of as many fields as its header has, which is one of those given.
class Rows {
 public:
  Rows(const std::filesystem::path& file, const std::vector<std::string>& headers)
      : file_(file.string()), text_(read_file(file)), reader_(text_, file_) {
    reader_.next(row_);
    const std::string header = fmt::format("{}", fmt::join(row_.fields, ","));
    bool known = false;
    for (const std::string& h : headers) known = known || h == header;
    need(known, fmt::format("the header is not {}", headers.back()));
    fields_ = row_.fields.size();
  }

  bool next() {
    while (reader_.next(row_)) {
      if (row_.is_blank()) continue;
      need(row_.fields.size() == fields_, fmt::format("there must be {} fields", fields_));
      return true;
    }
    return false;
  }
  [[nodiscard]] std::size_t fields() const { return fields_; }
  [[nodiscard]] const std::string& text(std::size_t i) const { return row_.fields.at(i); }
  template <typename T>
  [[nodiscard]] T number(std::size_t i) const {
    return number_of<T>(row_.fields.at(i));
  }
  [[nodiscard]] std::optional<double> optional(std::size_t i) const {
    if (text(i).empty()) return std::nullopt;
    return number<double>(i);
  }
  template <typename T>
  [[nodiscard]] T number_of(const std::string& text) const {
    const auto value = number_in<T>(text);
    need(value.has_value(), fmt::format("{} is no number", in_quotes(text)));
    return *value;
  }
  void need(bool holds, const std::string& what) const {
    if (!holds) throw Error({file_, row_.line}, what, "delete the file or mend the line");
  }

 private:
  std::string file_;
  std::string text_;
  CsvReader reader_;
  CsvRow row_;
  std::size_t fields_ = 0;
};

std::string quoted(const std::string& text) {
  if (text.empty()) return "";
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

/// "1:0.12 2:0.2"
Points points_of(const Rows& rows, const std::string& text) {
  Points out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string pair = text.substr(at, end - at);
    const std::size_t colon = pair.find(':');
    rows.need(colon != std::string::npos, fmt::format("{} is no point", in_quotes(pair)));
    out.emplace_back(rows.number_of<double>(pair.substr(0, colon)),
                     rows.number_of<double>(pair.substr(colon + 1)));
    at = end + 1;
  }
  return out;
}

}  // namespace

Record read_record(const std::filesystem::path& file) {
  Record out;
  if (!std::filesystem::exists(file)) return out;
  Rows rows(file, {kShortHeader, kLongHeader, kHeader});
  while (rows.next()) {
    Run run{rows.number<double>(3), rows.number<double>(4), rows.number<double>(5)};
    if (rows.fields() > 6) {
      const auto greed = rows.optional(6);
      if (greed) {
        run.alike = {*greed, rows.number<double>(7), rows.number<double>(8),
                     rows.number<double>(9)};
      }
      run.summary_seconds = rows.optional(10);
      run.note = rows.text(11);
      if (rows.fields() > 12) run.machine = rows.text(12);
    }
    out[{rows.text(0), rows.text(1), rows.number<std::uint64_t>(2)}] = run;
  }
  return out;
}

std::string csv(const Record& record) {
  std::string out = fmt::format("{}\n", kHeader);
  for (const auto& [name, run] : record) {
    out += fmt::format("{},{},{},{:.4f},{:.6f},{:.3f},", name.dataset, name.search, name.seed,
                       run.coverage, run.cost, run.seconds);
    if (const auto& alike = run.alike) {
      out += fmt::format("{:.4f},{:.4f},{:.4f},{:.6f},", alike->greed, alike->proven,
                         alike->possible, alike->cost);
    } else {
      out += ",,,,";
    }
    out += run.summary_seconds ? fmt::format("{:.6f},", *run.summary_seconds) : ",";
    out += quoted(run.note) + "," + quoted(run.machine) + "\n";
  }
  return out;
}

Curves read_curves(const std::filesystem::path& file) {
  Curves out;
  if (!std::filesystem::exists(file)) return out;
  Rows rows(file, {kCurvesHeader});
  while (rows.next()) {
    const RunName name{rows.text(0), rows.text(1), rows.number<std::uint64_t>(2)};
    out[{name, rows.text(3)}] = points_of(rows, rows.text(4));
  }
  return out;
}

std::string csv(const Curves& curves) {
  std::string out = fmt::format("{}\n", kCurvesHeader);
  for (const auto& [key, points] : curves) {
    const auto& [name, curve] = key;
    std::vector<std::string> words;
    for (const auto& [x, y] : points) words.push_back(fmt::format("{:.6g}:{:.6g}", x, y));
    out += fmt::format("{},{},{},{},{}\n", name.dataset, name.search, name.seed, curve,
                       fmt::join(words, " "));
  }
  return out;
}

Facts read_facts(const std::filesystem::path& file) {
  Facts out;
  if (!std::filesystem::exists(file)) return out;
  Rows rows(file, {kFactsHeader});
  while (rows.next()) {
    out[{rows.text(0), rows.text(1), rows.number<std::uint64_t>(2)}] = rows.number<double>(3);
  }
  return out;
}

std::string csv(const Facts& facts) {
  std::string out = fmt::format("{}\n", kFactsHeader);
  for (const auto& [name, value] : facts) {
    out += fmt::format("{},{},{},{:.6g}\n", name.dataset, name.what, name.seed, value);
  }
  return out;
}

}  // namespace fewedits::bench
