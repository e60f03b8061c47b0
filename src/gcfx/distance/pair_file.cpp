// SPDX-License-Identifier: MIT
#include "gcfx/distance/pair_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "gcfx/base/error.hpp"
#include "gcfx/base/file.hpp"

namespace gcfx {
namespace {

constexpr std::string_view kBlank = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string_view unquoted(std::string_view field) {
  field = trimmed(field);
  const bool quoted = field.size() >= 2 && field.front() == '"' && field.back() == '"';
  return quoted ? trimmed(field.substr(1, field.size() - 2)) : field;
}

/// Cuts at commas outside quotes. A quoted field that goes on in the next line is not for us.
std::vector<std::string_view> fields(std::string_view line) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  bool inside = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '"') inside = !inside;
    if (line[at] != ',' || inside) continue;
    parts.push_back(unquoted(line.substr(begin, at - begin)));
    begin = at + 1;
  }
  parts.push_back(unquoted(line.substr(begin)));
  return parts;
}

class PairParser {
 public:
  PairParser(std::string file, std::size_t num_graphs)
      : file_(std::move(file)), num_graphs_(num_graphs) {}

  void line(std::string_view text) {
    ++line_;
    if (trimmed(text).empty()) return;
    if (column_a_ == kNone) {
      heading(text);
    } else {
      pair(text);
    }
  }

  std::vector<GraphPair> finish() {
    if (column_a_ == kNone) throw Error({file_}, "the file is empty", kRemedy);
    return std::move(pairs_);
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  static constexpr const char* kRemedy =
      "the first line names the columns: graph_a,graph_b; each other line is a pair of graphs";

  void heading(std::string_view text) {
    // Spreadsheets like to begin with a byte-order mark.
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    const auto names = fields(text);
    const auto find = [&](std::string_view name) {
      const auto at = std::find(names.begin(), names.end(), name);
      if (at == names.end()) {
        throw Error({file_, line_}, fmt::format("there is no column {}", name), kRemedy);
      }
      if (std::count(names.begin(), names.end(), name) > 1) {
        throw Error({file_, line_}, fmt::format("there are two columns {}", name), kRemedy);
      }
      return static_cast<std::size_t>(at - names.begin());
    };
    column_a_ = find("graph_a");
    column_b_ = find("graph_b");
    columns_ = names.size();
  }

  void pair(std::string_view text) {
    const auto parts = fields(text);
    if (parts.size() != columns_) {
      throw Error({file_, line_},
                  fmt::format("{} fields where the heading has {}", parts.size(), columns_),
                  kRemedy);
    }
    pairs_.push_back({index(parts, column_a_), index(parts, column_b_)});
  }

  std::uint32_t index(const std::vector<std::string_view>& parts, std::size_t column) const {
    const std::string_view text = parts[column];
    std::uint64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || problem != std::errc() || end != text.data() + text.size()) {
      throw Error({file_, line_},
                  fmt::format("{} is no graph index", gcfx::quoted(std::string(text))), kRemedy);
    }
    if (value >= num_graphs_) {
      throw Error(
          {file_, line_}, fmt::format("there is no graph {}", value),
          num_graphs_ == 0
              ? std::string("the dataset is empty")
              : fmt::format("indices count from 0 to {} in the filtered dataset", num_graphs_ - 1));
    }
    return static_cast<std::uint32_t>(value);
  }

  std::string file_;
  std::size_t num_graphs_;
  std::int64_t line_ = 0;
  std::size_t column_a_ = kNone;
  std::size_t column_b_ = kNone;
  std::size_t columns_ = 0;
  std::vector<GraphPair> pairs_;
};

}  // namespace

std::vector<GraphPair> parse_pairs(std::string_view text, const std::string& file,
                                   std::size_t num_graphs) {
  PairParser parser(file, num_graphs);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    parser.line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parser.finish();
}

std::vector<GraphPair> read_pairs(const std::filesystem::path& path, std::size_t num_graphs) {
  return parse_pairs(read_file(path), path.string(), num_graphs);
}

}  // namespace gcfx
