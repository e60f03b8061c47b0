// SPDX-License-Identifier: MIT
#include "fewedits/formats/csv_cell.hpp"

#include <gtest/gtest.h>

#include "fewedits/formats/csv_reader.hpp"

namespace fewedits {
namespace {

TEST(CsvCellTest, WhatBeginsAFormulaBecomesAText) {
  EXPECT_EQ(csv_cell("=cmd"), "'=cmd");
  EXPECT_EQ(csv_cell("\uFF1Dcmd"), "'\uFF1Dcmd");
  EXPECT_EQ(csv_cell("\uFF0B1"), "'\uFF0B1");
  EXPECT_EQ(csv_cell("\uFF0Dx"), "'\uFF0Dx");
  EXPECT_EQ(csv_cell("\uFF20x"), "'\uFF20x");
  EXPECT_EQ(csv_cell("\r=1+1"), "\"'\r=1+1\"");
  EXPECT_EQ(csv_cell("\n=1"), "\"'\n=1\"");
  EXPECT_EQ(csv_cell("\t=1"), "'\t=1");
  EXPECT_EQ(csv_cell("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(csv_cell("-2+3"), "'-2+3");
  EXPECT_EQ(csv_cell("-inf"), "'-inf");
  EXPECT_EQ(csv_cell("+1"), "'+1");
}

TEST(CsvCellTest, NumbersAndOtherTextsStayAsTheyAre) {
  for (const char* text : {"", "-1", "-1.5e-3", "0.25", "a=b", "C-C", "\uFF21", "\u00e4"}) {
    EXPECT_EQ(csv_cell(text), text);
  }
}

TEST(CsvCellTest, WhatWouldSplitIsQuotedAndReadBack) {
  for (const char* text : {"a,b", "say \"x\"", "two\nlines", "cr\rlf", "=1,2"}) {
    const std::string line = csv_cell(text) + ",end\n";
    CsvReader reader(line, "test");
    CsvRow row;
    ASSERT_TRUE(reader.next(row));
    ASSERT_EQ(row.fields.size(), 2U) << line;
    EXPECT_EQ(row.fields[0], (text[0] == '=' ? "'" : "") + std::string(text));
  }
}

}  // namespace
}  // namespace fewedits
