// SPDX-License-Identifier: MIT
// A page of text, tables and pictures, written as Markdown with the pictures beside it, or as one
// HTML file with the pictures inside. Texts may hold anything; either form spells it out.
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace fewedits {

struct PageHeading {
  std::string text;
};
struct PageText {
  std::string text;
};
struct PageList {
  std::vector<std::string> items;
};
/// To be typed as they are.
struct PageCommands {
  std::vector<std::string> lines;
};
struct PagePicture {
  std::string name;  ///< of its file, without ending
  std::string svg;
  std::string about;  ///< for who does not see it
};
struct PageCell {
  std::string text;
  bool strong = false;
};
/// The first row is the heading; every row has as many cells.
struct PageTable {
  std::vector<std::vector<PageCell>> rows;
};
using PageBlock =
    std::variant<PageHeading, PageText, PageList, PageCommands, PagePicture, PageTable>;

struct SimplePage {
  std::string title;
  std::vector<PageBlock> blocks;

  [[nodiscard]] std::vector<const PagePicture*> pictures() const;
};

/// `folder` is where NAME.svg of each picture is, as seen from the page.
std::string markdown_of(const SimplePage& page, const std::string& folder);
std::string html_of(const SimplePage& page);

}  // namespace fewedits
