// SPDX-License-Identifier: MIT
#include <string_view>

#include "fewedits/report/report.hpp"

namespace fewedits {

// web/, by CMake.
extern const std::string_view kReportPage;
extern const std::string_view kReportStyle;
extern const std::string_view kReportScript;

namespace {

void replace_mark(std::string_view mark, std::string_view text, std::string& page) {
  page.replace(page.find(mark), mark.size(), text);
}

/// In JSON a "<" stands in strings only, where it may be written so; thus no string can end the
/// element that the JSON is in.
std::string inside_script(const std::string& json) {
  std::string out;
  out.reserve(json.size() + json.size() / 64);
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string report_html(const std::string& json) {
  std::string page(kReportPage);
  replace_mark("/*STYLE*/", kReportStyle, page);
  replace_mark("/*SCRIPT*/", kReportScript, page);
  // Last, and once: what comes from files may contain anything, such as these marks.
  replace_mark("/*DATA*/", inside_script(json), page);
  return page;
}

}  // namespace fewedits
