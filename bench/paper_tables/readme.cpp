// SPDX-License-Identifier: MIT
#include "readme.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "markdown.hpp"
#include "sections.hpp"

namespace fewedits::bench {
namespace {

constexpr const char* kBegin = "<!-- begin: written by make paper-tables -->\n";
constexpr const char* kEnd = "<!-- end: written by make paper-tables -->\n";

/// "82 to 107", over the datasets.
std::string seconds_text(const Source& source, const std::string& method) {
  double least = 1e9;
  double most = 0;
  for (const PaperDataset& p : kPaper) {
    const auto seconds = source.seconds(p.name, method);
    if (!seconds) continue;
    least = std::min(least, *seconds);
    most = std::max(most, *seconds);
  }
  if (most == 0) return kNone;
  return range_text(least, most);
}

std::string published_seconds() {
  const auto by_walk = [](const PaperDataset& a, const PaperDataset& b) {
    return a.seconds[2] < b.seconds[2];
  };
  const auto [least, most] = std::minmax_element(kPaper.begin(), kPaper.end(), by_walk);
  return range_text(least->seconds[2], most->seconds[2]);
}

/// "20 to 37 %" of what the walk under a GREED claims is proven, and on which datasets, unless it
/// is all of them; none if that is not on record.
std::optional<std::string> proven_share(const Source& source, const std::string& method) {
  double least = 1e9;
  double most = 0;
  std::vector<std::string_view> names;
  for (const PaperDataset& p : kPaper) {
    const auto [claimed, proven] =
        source.same_seeds(p.name, {method, Part::kCoverage}, {method, Part::kProven});
    if (!claimed || !proven || claimed->mean == 0) continue;
    least = std::min(least, 100 * proven->mean / claimed->mean);
    most = std::max(most, 100 * proven->mean / claimed->mean);
    names.push_back(p.name);
  }
  if (least > most) return std::nullopt;
  const std::string on =
      names.size() == kPaper.size() ? "" : fmt::format(" on {}", fmt::join(names, ", "));
  return fmt::format("{} %{}", range_text(least, most), on);
}

std::string on_errors(const Source& source) {
  const auto published = proven_share(source, "walk");
  if (!published) return "";
  const auto own = proven_share(source, "own-walk");
  return fmt::format(
      "\nWith the published weights, a search under GREED finds where GREED errs: of what the walk "
      "claims, {} is proven{} {} Hence proofs by default.\n",
      *published,
      own ? fmt::format("; with weights trained here, {}.", *own)
          : " (other weights are not on record yet).",
      understating_sentence(source));
}

/// Where coverage is short of what was published.
std::string on_shortfalls(const Source& source) {
  std::vector<std::string> out;
  for (const auto& [method, name, published] :
       {std::tuple("cff", "CFF", &PaperDataset::cff),
        std::tuple("rcexplainer", "RCExplainer", &PaperDataset::rcexplainer),
        std::tuple("walk", "the walk", &PaperDataset::gcfexplainer)}) {
    std::vector<std::string> where;
    for (const PaperDataset& p : kPaper) {
      const auto ours = source.figure(p.name, method, Part::kCoverage);
      const double difference = ours ? ours->mean - (p.*published).coverage : 0;
      if (difference < -1) {
        where.push_back(fmt::format("{} ({})", p.name, signed_text(difference, 2)));
      }
    }
    if (!where.empty()) out.push_back(fmt::format("{} on {}", name, fmt::join(where, ", ")));
  }
  if (out.empty()) return "";
  return fmt::format("More than a point short of the published coverage here: {}.\n",
                     fmt::join(out, "; "));
}

}  // namespace

std::string readme_tables(const Source& source) {
  return greed_coverage_in_short(source) + "\n" + proven_coverage_in_short(source) +
         on_errors(source) + on_shortfalls(source) +
         fmt::format(
             "Seconds on two CPU cores: certified search {}, the paper's walk {}; its authors "
             "published {} on an RTX 2080.\n",
             seconds_text(source, "certified"), seconds_text(source, "alpha-1"),
             published_seconds());
}

void put_into(const std::filesystem::path& file, const std::string& text) {
  const std::string before = read_file(file);
  const std::size_t begin = before.find(kBegin);
  const std::size_t end = before.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos || end < begin) {
    throw Error({file.string()}, fmt::format("has no place for tables: {}{}", kBegin, kEnd),
                "put these two lines there");
  }
  const std::size_t from = begin + std::string(kBegin).size();
  write_file_atomically(file, before.substr(0, from) + text + before.substr(end));
}

}  // namespace fewedits::bench
