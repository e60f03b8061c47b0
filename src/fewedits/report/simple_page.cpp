// SPDX-License-Identifier: MIT
#include "fewedits/report/simple_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "fewedits/base/xml_text.hpp"

namespace fewedits {
namespace {

/// On one line, without what Markdown or the HTML in it would take for a sign.
std::string plain_markdown(const std::string& text) {
  constexpr std::string_view kSigns = "\\`*_[]|~#$";
  std::string safe = xml_text(text);
  // Quotes are signs within a tag alone.
  for (const auto& [entity, sign] : {std::pair("&apos;", "'"), std::pair("&quot;", "\"")}) {
    const std::string_view name = entity;
    for (auto at = safe.find(name); at != std::string::npos; at = safe.find(name, at + 1)) {
      safe.replace(at, name.size(), sign);
    }
  }
  std::string out;
  for (const char c : safe) {
    if (c == '\n' || c == '\r') {
      out += ' ';
    } else {
      if (kSigns.find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

/// A path as the target of a link.
std::string link_target(const std::string& path) {
  constexpr std::string_view kSafe = "-_./";
  std::string out;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       kSafe.find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

class MarkdownWriter {
 public:
  explicit MarkdownWriter(std::string folder) : folder_(std::move(folder)) {}

  std::string operator()(const PageHeading& heading) const {
    return "## " + plain_markdown(heading.text) + "\n";
  }
  std::string operator()(const PageText& text) const { return plain_markdown(text.text) + "\n"; }
  std::string operator()(const PageList& list) const {
    std::string out;
    for (const std::string& item : list.items) out += "- " + plain_markdown(item) + "\n";
    return out;
  }
  std::string operator()(const PageCommands& commands) const {
    std::string out = "```\n";
    for (const std::string& line : commands.lines) out += line + "\n";
    return out + "```\n";
  }
  std::string operator()(const PagePicture& picture) const {
    return fmt::format("![{}]({})\n", plain_markdown(picture.about),
                       link_target(folder_ + "/" + picture.name + ".svg"));
  }
  std::string operator()(const PageTable& table) const {
    std::string out;
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      for (const PageCell& cell : table.rows[r]) {
        const std::string text = plain_markdown(cell.text);
        out += cell.strong ? fmt::format("| **{}** ", text) : fmt::format("| {} ", text);
      }
      out += "|\n";
      if (r > 0) continue;
      for (std::size_t c = 0; c < table.rows[0].size(); ++c) out += c == 0 ? "|---" : "|---:";
      out += "|\n";
    }
    return out;
  }

 private:
  std::string folder_;
};

class HtmlWriter {
 public:
  std::string operator()(const PageHeading& heading) const {
    return "<h2>" + xml_text(heading.text) + "</h2>\n";
  }
  std::string operator()(const PageText& text) const {
    return "<p>" + xml_text(text.text) + "</p>\n";
  }
  std::string operator()(const PageList& list) const {
    std::string out = "<ul>\n";
    for (const std::string& item : list.items) out += "<li>" + xml_text(item) + "</li>\n";
    return out + "</ul>\n";
  }
  std::string operator()(const PageCommands& commands) const {
    std::string out = "<pre>";
    for (const std::string& line : commands.lines) out += xml_text(line) + "\n";
    return out + "</pre>\n";
  }
  std::string operator()(const PagePicture& picture) const {
    return fmt::format("<figure role=\"img\" aria-label=\"{}\">\n{}</figure>\n",
                       xml_text(picture.about), picture.svg);
  }
  std::string operator()(const PageTable& table) const {
    std::string out = "<div class=\"wide\"><table>\n";
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const char* const kind = r == 0 ? "th" : "td";
      out += "<tr>";
      for (const PageCell& cell : table.rows[r]) {
        const std::string text = xml_text(cell.text);
        out += fmt::format("<{0}>{1}</{0}>", kind, cell.strong ? "<b>" + text + "</b>" : text);
      }
      out += "</tr>\n";
    }
    return out + "</table></div>\n";
  }
};

constexpr std::string_view kPageStyle = R"(<style>
body { font: 16px/1.5 system-ui, sans-serif; color: #26282c; background: #ffffff;
  max-width: 66rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2 { line-height: 1.2; }
figure { margin: 1rem 0; overflow-x: auto; }
figure svg { max-width: 100%; height: auto; }
.wide, pre { overflow-x: auto; }
pre { background: #f3f4f6; padding: .8rem; }
table { border-collapse: collapse; }
th, td { padding: .3rem .7rem; text-align: right; border-bottom: 1px solid #d9dce1; }
th:first-child, td:first-child { text-align: left; }
</style>
)";

}  // namespace

std::vector<const PagePicture*> SimplePage::pictures() const {
  std::vector<const PagePicture*> out;
  for (const PageBlock& block : blocks) {
    if (const auto* picture = std::get_if<PagePicture>(&block)) out.push_back(picture);
  }
  return out;
}

std::string markdown_of(const SimplePage& page, const std::string& folder) {
  std::string out = "# " + plain_markdown(page.title) + "\n";
  const MarkdownWriter writer(folder);
  for (const PageBlock& block : page.blocks) out += "\n" + std::visit(writer, block);
  return out;
}

std::string html_of(const SimplePage& page) {
  const std::string title = xml_text(page.title);
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n{1}</head>\n<body>\n<h1>{0}</h1>\n",
      title, kPageStyle);
  for (const PageBlock& block : page.blocks) out += std::visit(HtmlWriter(), block);
  return out + "</body>\n</html>\n";
}

}  // namespace fewedits
