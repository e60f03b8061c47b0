// SPDX-License-Identifier: MIT
// TU reader and writer: every kind of bad dataset, normalisation, scale, round trips.
#include "fewedits/formats/tu_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <sstream>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/formats/metadata.hpp"
#include "fewedits/formats/tu_lines.hpp"
#include "fewedits/formats/tu_writer.hpp"
#include "fewedits/formats/zip_writer.hpp"
#include "support/hostile_files.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;
using test::TemporaryFolder;

// Two graphs: a labelled path 1-2-3 (class 1) and an edge 4-5 (class -1).
Files small_dataset() {
  return {{"T_A.txt", "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n"},
          {"T_graph_indicator.txt", "1\n1\n1\n2\n2\n"},
          {"T_graph_labels.txt", "1\n-1\n"},
          {"T_node_labels.txt", "7\n0\n7\n3\n0\n"},
          {"T_edge_labels.txt", "2\n2\n5\n5\n2\n2\n"}};
}

Files with(Files files, const std::string& name, const std::string& content) {
  files[name] = content;
  return files;
}

Files without(Files files, const std::string& name) {
  files.erase(name);
  return files;
}

RawDataset parse(const Files& files) { return parse_tu("T", files, "data/T"); }

/// The error that the action throws; an empty one if it throws none.
Error error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  return Error("");
}

void expect_error(const Files& files, const std::string& file, std::int64_t line,
                  const std::string& message) {
  const Error error = error_of([&] { parse(files); });
  EXPECT_EQ(error.where().file, "data/T/" + file);
  EXPECT_EQ(error.where().line, line);
  EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
}

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

bool has_note(const RawDataset& raw, const std::string& note) {
  return std::find(raw.notes.begin(), raw.notes.end(), note) != raw.notes.end();
}

void expect_same(const RawDataset& a, const RawDataset& b) {
  EXPECT_EQ(a.graphs, b.graphs);
  EXPECT_EQ(a.graph_labels, b.graph_labels);
  EXPECT_EQ(a.node_labels, b.node_labels);
  EXPECT_EQ(a.edge_labels, b.edge_labels);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// --------------------------------------------------------------------------------------------
// What a good dataset becomes.

TEST(TuReaderTest, ReadsGraphsLabelsAndTables) {
  const RawDataset raw = parse(small_dataset());
  EXPECT_EQ(raw.name, "T");
  EXPECT_EQ(raw.graph_labels, (std::vector<std::int64_t>{1, -1}));
  EXPECT_EQ(raw.node_labels, (std::vector<NamedValue>{{0, ""}, {3, ""}, {7, ""}}));
  EXPECT_EQ(raw.edge_labels, (std::vector<NamedValue>{{2, ""}, {5, ""}}));
  const std::vector<Label> path_labels = {2, 0, 2};
  const std::vector<Edge> path_edges = {{0, 1, 0}, {1, 2, 1}};
  const std::vector<Label> pair_labels = {1, 0};
  const std::vector<Edge> pair_edges = {{0, 1, 0}};
  ASSERT_EQ(raw.graphs.size(), 2U);
  EXPECT_EQ(raw.graphs[0], Graph(path_labels, path_edges, Graph::EdgeLabels::kPresent));
  EXPECT_EQ(raw.graphs[1], Graph(pair_labels, pair_edges, Graph::EdgeLabels::kPresent));
  EXPECT_TRUE(raw.notes.empty());
}

TEST(TuReaderTest, SpellingOfTheLinesDoesNotMatter) {
  const Files plain = small_dataset();
  const std::vector<std::function<std::string(const std::string&)>> spellings = {
      [](const std::string& t) { return replaced(t, ", ", ","); },
      [](const std::string& t) { return replaced(t, ", ", "\t , \t"); },
      [](const std::string& t) { return replaced(t, ", ", " "); },
      [](const std::string& t) { return replaced(t, "\n", "\r\n"); },
      [](const std::string& t) { return replaced(t, "\n", " \t\n"); },
      [](const std::string& t) { return " " + replaced(t, "\n", "\n  "); },
      [](const std::string& t) { return t.substr(0, t.size() - 1); },
      [](const std::string& t) { return t + "\n \r\n\n"; },
      [](const std::string& t) { return "\xEF\xBB\xBF" + t; },
      [](const std::string& t) { return t.substr(0, t.size() - 1) + "\r"; },
      [](const std::string& t) { return replaced("\n" + t, "\n1", "\n+1").substr(1); },
      [](const std::string& t) { return replaced("\n" + t, "\n2", "\n002").substr(1); },
  };
  for (std::size_t i = 0; i < spellings.size(); ++i) {
    SCOPED_TRACE(i);
    Files files = plain;
    for (auto& [name, text] : files) text = spellings[i](text);
    const RawDataset raw = parse(files);
    expect_same(raw, parse(plain));
    EXPECT_TRUE(raw.notes.empty());
  }
}

TEST(TuReaderTest, GraphIndicatorNeedNotBeSorted) {
  Files files = small_dataset();
  files["T_graph_indicator.txt"] = "2\n1\n2\n1\n1\n";
  files["T_A.txt"] = "1, 3\n3, 1\n5, 2\n2, 5\n4, 5\n5, 4\n";
  const RawDataset raw = parse(files);
  const std::vector<Label> labels = {0, 1, 0};
  const std::vector<Edge> edges = {{0, 2, 1}, {1, 2, 0}};
  EXPECT_EQ(raw.graphs[0], Graph(labels, edges, Graph::EdgeLabels::kPresent));
  EXPECT_EQ(raw.graphs[1].num_edges(), 1U);
}

TEST(TuReaderTest, ExtremeLabelValuesSurvive) {
  const std::string labels =
      "-9223372036854775808\n9223372036854775807\n-1\n0\n00000000000000000000001\n";
  const RawDataset raw = parse(with(small_dataset(), "T_node_labels.txt", labels));
  ASSERT_EQ(raw.node_labels.size(), 5U);
  EXPECT_EQ(raw.node_labels.front().value, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(raw.node_labels.back().value, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(raw.graphs[0].label(0), 0U);
  EXPECT_EQ(raw.graphs[0].label(1), 4U);
}

// --------------------------------------------------------------------------------------------
// What is normalised, and said so.

TEST(TuReaderTest, WithoutLabelFilesNodesGetZeroAndEdgesNone) {
  const Files files = without(without(small_dataset(), "T_node_labels.txt"), "T_edge_labels.txt");
  const RawDataset raw = parse(files);
  EXPECT_EQ(raw.node_labels, (std::vector<NamedValue>{{0, ""}}));
  EXPECT_TRUE(raw.edge_labels.empty());
  EXPECT_FALSE(raw.graphs[0].has_edge_labels());
  EXPECT_TRUE(has_note(raw, "there is no T_node_labels.txt: every node gets the label 0"));
}

TEST(TuReaderTest, DuplicatesSelfLoopsAndOneWayEdgesAreCounted) {
  Files files = without(small_dataset(), "T_edge_labels.txt");
  // 1-2 three times forward and once back, 2-3 one way, loops on 3 and 5, 4-5 as it should be.
  files["T_A.txt"] = "1,2\n1,2\n2,1\n1,2\n3,2\n3,3\n4,5\n5,5\n5,4\n3,3\n";
  const RawDataset raw = parse(files);
  EXPECT_EQ(raw.graphs[0], parse(without(small_dataset(), "T_edge_labels.txt")).graphs[0]);
  EXPECT_EQ(raw.notes, (std::vector<std::string>{
                           "T_A.txt: 3 self loops dropped",
                           "T_A.txt: 2 lines dropped that repeat an edge in the same direction",
                           "T_A.txt: 1 edge listed in one direction only, taken as undirected"}));
}

TEST(TuReaderTest, TheFirstOfTwoEdgeLabelsIsKept) {
  const RawDataset raw = parse(with(small_dataset(), "T_edge_labels.txt", "2\n5\n5\n2\n2\n2\n"));
  EXPECT_EQ(raw.graphs, parse(small_dataset()).graphs);
  EXPECT_EQ(raw.notes,
            (std::vector<std::string>{
                "T_A.txt: 2 edges listed with different edge labels, the first is kept"}));
}

TEST(TuReaderTest, OfSeveralLabelColumnsTheFirstIsUsed) {
  const Files files = with(small_dataset(), "T_node_labels.txt", "7, 1\n0, 2\n7, -3\n3, 4\n0, 5\n");
  const RawDataset raw = parse(files);
  expect_same(raw, parse(small_dataset()));
  EXPECT_TRUE(
      has_note(raw, "T_node_labels.txt: the first of 2 columns is used, the others are ignored"));
}

TEST(TuReaderTest, AttributeFilesAreIgnoredWithANote) {
  Files files = small_dataset();
  for (const char* what : {"node", "edge", "graph"}) {
    files[std::string("T_") + what + "_attributes.txt"] = "anything\n";
  }
  const RawDataset raw = parse(files);
  expect_same(raw, parse(small_dataset()));
  EXPECT_EQ(raw.notes.size(), 3U);
  EXPECT_TRUE(has_note(raw, "T_node_attributes.txt is ignored"));
}

// --------------------------------------------------------------------------------------------
// Bad datasets.

TEST(TuReaderErrorTest, MissingFile) {
  for (const char* name : {"T_A.txt", "T_graph_indicator.txt", "T_graph_labels.txt"}) {
    expect_error(without(small_dataset(), name), name, 0, "is missing");
    expect_error(without(small_dataset(), name), name, 0, "looked for in data/T");
  }
}

TEST(TuReaderErrorTest, EmptyFile) {
  for (const auto& [name, text] : small_dataset()) {
    for (const char* nothing : {"", "\n", " \r\n\n", "\xEF\xBB\xBF"}) {
      expect_error(with(small_dataset(), name, nothing), name, 0, "is empty");
    }
  }
}

TEST(TuReaderErrorTest, NoGraphs) {
  Files files = small_dataset();
  for (auto& [name, text] : files) text.clear();
  expect_error(files, "T_graph_labels.txt", 0, "at least one graph");
}

TEST(TuReaderErrorTest, TokenThatIsNoInteger) {
  const std::string indicator = "T_graph_indicator.txt";
  for (const char* token : {"x", "1.0", "1e3", "0x1", "--1", "+", "-", "1;", "1\r2", "\x1b[31m"}) {
    SCOPED_TRACE(token);
    const std::string text = "1\n1\n" + std::string(token) + "\n2\n2\n";
    expect_error(with(small_dataset(), indicator, text), indicator, 3,
                 in_quotes(token) + " is not an integer");
  }
  expect_error(with(small_dataset(), "T_A.txt", "1, 2\n2, 1x\n"), "T_A.txt", 2,
               "'1x' is not an integer");
  expect_error(with(small_dataset(), "T_A.txt", std::string("1, 2\n2,\0 1\n", 11)), "T_A.txt", 2,
               "'\\x00' is not an integer");
  expect_error(with(small_dataset(), "T_node_labels.txt", "7, 1\n0, b\n"), "T_node_labels.txt", 2,
               "'b' is not an integer");
}

TEST(TuReaderErrorTest, NumberThatDoesNotFit) {
  for (const char* token : {"9223372036854775808", "-9223372036854775809", "18446744073709551617",
                            "99999999999999999999999999"}) {
    expect_error(with(small_dataset(), "T_graph_labels.txt", "1\n" + std::string(token) + "\n"),
                 "T_graph_labels.txt", 2, in_quotes(token) + " is too large");
  }
}

TEST(TuReaderErrorTest, WrongNumberOfColumns) {
  expect_error(with(small_dataset(), "T_A.txt", "1, 2\n2\n"), "T_A.txt", 2,
               "expected 2 columns in the line, found 1");
  expect_error(with(small_dataset(), "T_A.txt", "1, 2, 3\n"), "T_A.txt", 1,
               "expected 2 columns in the line, found 3");
  expect_error(with(small_dataset(), "T_graph_labels.txt", "1\n1 0\n"), "T_graph_labels.txt", 2,
               "expected 1 column in the line, found 2");
  expect_error(with(small_dataset(), "T_graph_indicator.txt", "1,1\n"), "T_graph_indicator.txt", 1,
               "expected 1 column in the line, found 2");
  expect_error(with(small_dataset(), "T_node_labels.txt", "7, 1\n0\n"), "T_node_labels.txt", 2,
               "expected 2 columns in the line, found 1");
  expect_error(with(small_dataset(), "T_node_labels.txt", "7\n0, 1\n"), "T_node_labels.txt", 2,
               "expected 1 column in the line, found 2");
  expect_error(with(small_dataset(), "T_A.txt", "1,\n"), "T_A.txt", 1,
               "a number is missing after the last comma");
  expect_error(with(small_dataset(), "T_A.txt", "1,,2\n"), "T_A.txt", 1,
               "a number is missing before the comma");
  expect_error(with(small_dataset(), "T_A.txt", ",\n"), "T_A.txt", 1,
               "a number is missing before the comma");
}

TEST(TuReaderErrorTest, BlankLineInTheMiddle) {
  expect_error(with(small_dataset(), "T_graph_labels.txt", "1\n \n\n-1\n"), "T_graph_labels.txt", 2,
               "is blank");
}

TEST(TuReaderErrorTest, NodeIdOutOfRange) {
  for (const char* id : {"0", "6", "-1", "4294967297"}) {
    expect_error(with(small_dataset(), "T_A.txt", "1, 2\n" + std::string(id) + ", 1\n"), "T_A.txt",
                 2, std::string("node id ") + id + " is out of range 1…5");
  }
}

TEST(TuReaderErrorTest, EdgeAcrossGraphs) {
  expect_error(with(small_dataset(), "T_A.txt", "1, 2\n2, 1\n3, 4\n"), "T_A.txt", 3,
               "edge 3, 4 joins graph 1 and graph 2");
}

TEST(TuReaderErrorTest, GraphIdOutOfRange) {
  const std::string indicator = "T_graph_indicator.txt";
  expect_error(with(small_dataset(), indicator, "1\n1\n1\n2\n3\n"), indicator, 5,
               "graph id 3 is out of range 1…2");
  expect_error(with(small_dataset(), indicator, "0\n0\n0\n1\n1\n"), indicator, 1,
               "graph id 0 is out of range 1…2");
  expect_error(with(small_dataset(), indicator, "0\n0\n0\n1\n1\n"), indicator, 1,
               "ids count from 1");
}

// As in the TU set Fingerprint. The graph's place stays, so that those after it keep their numbers.
TEST(TuReaderTest, GraphsWithoutNodesAreFoundAndThenSkipped) {
  Files files = small_dataset();
  files["T_graph_labels.txt"] = "5\n7\n5\n9\n";
  files["T_graph_indicator.txt"] = "2\n2\n2\n4\n4\n";
  const RawDataset raw = parse(files);
  ASSERT_EQ(raw.graphs.size(), 4U);
  for (const std::size_t g : {0U, 2U}) EXPECT_EQ(raw.graphs[g].num_nodes(), 0U);
  EXPECT_EQ(raw.graphs[1].num_nodes(), 3U);
  EXPECT_EQ(raw.graphs[3].num_nodes(), 2U);

  const Dataset data = prepare(raw, {});
  ASSERT_EQ(data.size(), 2U);
  EXPECT_EQ(data.source_index, (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(data.class_labels[static_cast<std::size_t>(data.classes[0])].value, 7);
  EXPECT_EQ(data.class_labels[static_cast<std::size_t>(data.classes[1])].value, 9);
  EXPECT_EQ(data.notes.back(), "skipped 2 of 4 graphs, which have no nodes");
}

TEST(TuReaderErrorTest, LabelFileTooShortOrTooLong) {
  expect_error(with(small_dataset(), "T_node_labels.txt", "1\n2\n"), "T_node_labels.txt", 3,
               "is too short: expected 5 lines (one per node, as T_graph_indicator.txt), found 2");
  expect_error(with(small_dataset(), "T_node_labels.txt", "1\n2\n3\n4\n5\n6\n"),
               "T_node_labels.txt", 6, "is too long: expected 5 lines");
  expect_error(with(small_dataset(), "T_edge_labels.txt", "1\n"), "T_edge_labels.txt", 2,
               "is too short: expected 6 lines (one per line of T_A.txt), found 1");
  expect_error(with(small_dataset(), "T_edge_labels.txt", "1\n1\n1\n1\n1\n1\n1\n"),
               "T_edge_labels.txt", 7, "is too long: expected 6 lines");
}

TEST(TuReaderErrorTest, EveryTruncationParsesOrIsAnError) {
  std::size_t parsed = 0;
  for (const auto& [name, text] : small_dataset()) {
    for (std::size_t length = 0; length < text.size(); ++length) {
      try {
        parsed += parse(with(small_dataset(), name, text.substr(0, length))).graphs.size();
      } catch (const Error& error) {
        EXPECT_FALSE(error.where().file.empty());
      }
    }
  }
  EXPECT_GT(parsed, 0U);
}

TEST(TuReaderErrorTest, EveryReplacedByteParsesOrIsAnError) {
  std::size_t parsed = 0;
  std::size_t refused = 0;
  for (const auto& [name, text] : small_dataset()) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string damaged = text;
        damaged[at] = static_cast<char>(byte);
        try {
          parsed += parse(with(small_dataset(), name, damaged)).graphs.empty() ? 0U : 1U;
        } catch (const Error& error) {
          EXPECT_FALSE(error.where().file.empty());
          ++refused;
        }
      }
    }
  }
  EXPECT_GT(parsed, 100U);
  EXPECT_GT(refused, 10'000U);
}

// --------------------------------------------------------------------------------------------
// Folders and archives.

void write_files(const TemporaryFolder& folder, const std::string& under, const Files& files) {
  for (const auto& [name, text] : files) folder.write((fs::path(under) / name).string(), text);
}

std::string zip_of(const std::string& prefix, const Files& files) {
  ZipWriter zip;
  for (const auto& [name, text] : files) zip.add(prefix + name, text);
  return zip.finish();
}

std::string metadata_named(const std::string& name) {
  DatasetMetadata metadata;
  metadata.name = name;
  return to_json(metadata);
}

TEST(TuFolderTest, FolderAndZipGiveTheSame) {
  const TemporaryFolder folder;
  const Files files = with(small_dataset(), "fewedits.json", metadata_named("mine"));
  write_files(folder, "T", files);
  const RawDataset plain = read_tu(folder.path() / "T");
  EXPECT_EQ(plain.name, "T");
  expect_same(plain, parse(small_dataset()));
  EXPECT_EQ(TuSource(folder.path() / "T").read_metadata().value().name, "mine");
  for (const std::string prefix : {"", "T/", "other/"}) {
    const TuSource zip(folder.write("anything.bin", zip_of(prefix, files)));
    const RawDataset zipped = zip.read();
    EXPECT_EQ(zipped.name, "T");
    expect_same(zipped, plain);
    EXPECT_EQ(zip.read_metadata().value().name, "mine");
  }
  const TuSource bare(folder.write("T.zip", zip_of("", small_dataset())));
  EXPECT_FALSE(bare.read_metadata().has_value());
}

TEST(TuFolderTest, ErrorsNameTheFile) {
  const TemporaryFolder folder;
  const Files bad = with(small_dataset(), "T_A.txt", "1, 2\n2, q\n");
  write_files(folder, "T", bad);
  const Error in_folder = error_of([&] { read_tu(folder.path() / "T"); });
  EXPECT_EQ(in_folder.where().file, (folder.path() / "T" / "T_A.txt").string());
  EXPECT_EQ(in_folder.where().line, 2);
  const Error with_slash = error_of([&] { read_tu(folder.path() / "T" / ""); });
  EXPECT_EQ(with_slash.where().file, in_folder.where().file);
  const fs::path zip = folder.write("T.zip", zip_of("in/", bad));
  const Error in_zip = error_of([&] { read_tu(zip); });
  EXPECT_EQ(in_zip.where().file, zip.string() + "/in/T_A.txt");
  EXPECT_EQ(in_zip.where().line, 2);
  const fs::path unnamed = folder.write("U.zip", zip_of("in/", with(bad, "fewedits.json", "{}")));
  const Error metadata = error_of([&] { (void)TuSource(unnamed).read_metadata(); });
  EXPECT_EQ(metadata.where().file, unnamed.string() + "/in/fewedits.json");
}

TEST(TuFolderTest, TheFoldersNameDecidesBetweenSeveralDatasets) {
  const TemporaryFolder folder;
  write_files(folder, "t", small_dataset());
  folder.write("t/Other_A.txt", "1, 2\n");
  EXPECT_EQ(read_tu(folder.path() / "t").name, "T");
  EXPECT_EQ(read_tu(folder.path() / "t" / "").name, "T");
  EXPECT_EQ(read_tu(folder.path() / "t" / ".").name, "T");
  fs::rename(folder.path() / "t", folder.path() / "elsewhere");
  const Error error = error_of([&] { read_tu(folder.path() / "elsewhere"); });
  expect_contains(error.what(), "several datasets lie here: 'Other_A.txt', 'T_A.txt'");
}

TEST(TuFolderTest, HiddenFilesAreNoDataset) {
  const TemporaryFolder folder;
  Files files = small_dataset();
  files["._T_A.txt"] = "junk";
  files["_A.txt"] = "junk";
  write_files(folder, "x", files);
  EXPECT_EQ(read_tu(folder.path() / "x").name, "T");
}

TEST(TuFolderTest, PathThatIsNoDataset) {
  const TemporaryFolder folder;
  const auto message = [](const fs::path& path) {
    return std::string(error_of([&] { read_tu(path); }).what());
  };
  expect_contains(message(folder.path() / "absent"), "absent: does not exist");
  expect_contains(message(folder.path()), "no file named NAME_A.txt lies here");
  expect_contains(message(folder.write("plain.txt", "hello")),
                  "plain.txt: is neither a folder nor a zip file");
  expect_contains(message(folder.write("empty.zip", "")), "empty.zip: the file is empty");
  expect_contains(message(folder.write("no.zip", zip_of("", {{"readme.txt", "hello"}}))),
                  "no file named NAME_A.txt lies here");
  expect_contains(message("/dev/null"), "is neither a folder nor a zip file");
}

TEST(TuFolderTest, AZipBombIsRefusedEarly) {
  const test::TemporaryFolder folder;
  const std::uint64_t size = 200U << 20;
  std::vector<test::RawMember> members;
  for (const char* name : {"T_A.txt", "T_graph_indicator.txt", "T_graph_labels.txt"}) {
    members.push_back({name, test::deflated_zeros(size), size, 0, 8});
  }
  const auto file = folder.write("T.zip", test::RawZip{members}.bytes());
  const auto growth = test::peak_growth([&] { EXPECT_THROW(read_tu(file), Error); });
  EXPECT_LT(growth, 96 << 20);
}

// The factor is the one that docs/formats.md states.
TEST(TuFolderTest, MemoryIsBoundedByTheSizeOfTheFiles) {
  constexpr std::size_t kLines = 1'100'000;
  const auto repeated = [](const std::string& line, std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out += line;
    return out;
  };
  std::string ids;
  for (std::size_t i = 1; i <= kLines / 4; ++i) ids += std::to_string(i) + "\n";
  const auto files = [](std::string labels, std::string indicator, std::string edges) {
    return Files{{"T_graph_labels.txt", std::move(labels)},
                 {"T_graph_indicator.txt", std::move(indicator)},
                 {"T_A.txt", std::move(edges)}};
  };
  for (const Files& hostile : {files(repeated("0\n", kLines), "1\n1\n", "1,2\n"),
                               files(repeated("0\n", kLines / 4), ids, "1,1\n"),
                               files("0\n", "1\n1\n", repeated("1,2\n", kLines / 2)),
                               files("0\n", repeated("1\n", kLines), "1,2\n")}) {
    std::size_t bytes = 0;
    for (const auto& [name, text] : hostile) bytes += text.size();
    const auto growth = test::peak_growth([&] { (void)prepare(parse(hostile), {}); });
    EXPECT_LT(growth, static_cast<std::int64_t>(40 * bytes));
  }
}

TEST(TuFolderTest, TruncatedZipIsAnError) {
  const TemporaryFolder folder;
  const std::string zip = zip_of("T/", small_dataset());
  for (std::size_t length = 0; length < zip.size(); length += 7) {
    const fs::path path = folder.write("T.zip", zip.substr(0, length));
    EXPECT_THROW(read_tu(path), Error) << length;
  }
}

// --------------------------------------------------------------------------------------------
// Scale. Limits are generous: the machine may be busy and the build sanitised.

double seconds_of(const std::function<void()>& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

constexpr std::size_t kManyLines = 10'000'000;

TEST(TuScaleTest, TenMillionLinesOfATinyGraph) {
  const TemporaryFolder folder;
  Files files = without(small_dataset(), "T_edge_labels.txt");
  files["T_A.txt"] = repeated("1, 2\n2, 1\n3, 3\n4, 5\n", kManyLines / 4);
  write_files(folder, "T", files);
  RawDataset raw;
  const double seconds = seconds_of([&] { raw = read_tu(folder.path() / "T"); });
  RecordProperty("milliseconds", static_cast<int>(1000 * seconds));
  EXPECT_LT(seconds, 30.0 * test::kSlowness);
  EXPECT_EQ(raw.graphs[0].num_edges(), 1U);
  EXPECT_TRUE(has_note(raw, "T_A.txt: 2500000 self loops dropped"));
  EXPECT_TRUE(
      has_note(raw, "T_A.txt: 7499997 lines dropped that repeat an edge in the same direction"));
}

TEST(TuScaleTest, TenMillionLinesThatEndInAnError) {
  const TemporaryFolder folder;
  write_files(folder, "T",
              with(small_dataset(), "T_A.txt", repeated("1, 2\n", kManyLines - 1) + "3, 4\n"));
  const double seconds = seconds_of([&] {
    const Error error = error_of([&] { read_tu(folder.path() / "T"); });
    EXPECT_EQ(error.where().line, static_cast<std::int64_t>(kManyLines));
  });
  EXPECT_LT(seconds, 30.0 * test::kSlowness);
}

TEST(TuScaleTest, TenMillionNodesAndLabels) {
  Files files;
  files["T_A.txt"] = "1, 2\n";
  files["T_graph_indicator.txt"] = repeated("1\n", kManyLines);
  files["T_graph_labels.txt"] = "0\n";
  files["T_node_labels.txt"] = repeated("4\n-2\n", kManyLines / 2);
  RawDataset raw;
  const double seconds = seconds_of([&] { raw = parse(files); });
  EXPECT_LT(seconds, 30.0 * test::kSlowness);
  EXPECT_EQ(raw.graphs.at(0).num_nodes(), kManyLines);
  EXPECT_EQ(raw.node_labels, (std::vector<NamedValue>{{-2, ""}, {4, ""}}));
}

// --------------------------------------------------------------------------------------------
// Writing.

/// Every value of the tables occurs, as it does in a dataset that was read.
RawDataset random_dataset(Rng& rng, bool edge_labels) {
  const Label labels = 1 + static_cast<Label>(rng.below(4));
  const Label kinds = edge_labels ? 1 + static_cast<Label>(rng.below(3)) : 0;
  RawDataset raw;
  for (Label l = 0; l < labels; ++l) raw.node_labels.push_back({std::int64_t{l} * 3 - 4, {}});
  for (Label l = 0; l < kinds; ++l) raw.edge_labels.push_back({std::int64_t{l} * 10 - 10, {}});
  const auto kind = edge_labels ? Graph::EdgeLabels::kPresent : Graph::EdgeLabels::kAbsent;
  std::vector<Label> star(std::max(labels, kinds) + 1);
  std::vector<Edge> spokes;
  for (Node v = 0; v < star.size(); ++v) {
    star[v] = v % labels;
    if (v > 0) spokes.push_back({0, v, kinds > 0 ? (v - 1) % kinds : 0});
  }
  raw.graphs.emplace_back(star, spokes, kind);
  const std::size_t count = 1 + rng.below(6);
  while (raw.graphs.size() < count) {
    const Node nodes = 1 + static_cast<Node>(rng.below(12));
    raw.graphs.push_back(test::random_graph(rng, nodes, rng.below(5), labels, kinds));
  }
  for (std::size_t g = 0; g < raw.graphs.size(); ++g) {
    raw.graph_labels.push_back(static_cast<std::int64_t>(rng.below(3)) - 1);
  }
  return raw;
}

TEST(TuWriterTest, RandomDatasetsComeBackTheSame) {
  const TemporaryFolder folder;
  Rng rng(11);
  for (int round = 0; round < 40; ++round) {
    SCOPED_TRACE(round);
    const RawDataset raw = random_dataset(rng, round % 2 == 0);
    const fs::path target = folder.path() / ("set" + std::to_string(round));
    write_tu(target, raw, {});
    const RawDataset back = read_tu(target);
    expect_same(back, raw);
    EXPECT_EQ(back.name, target.filename().string());
    EXPECT_TRUE(back.notes.empty());
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

/// The files of a random dataset, with the lines of edges in another order if `mixed`.
Files random_files(Rng& rng, bool mixed) {
  const TemporaryFolder folder;
  write_tu(folder.path() / "T", random_dataset(rng, rng.chance(0.5)), {});
  Files files;
  for (const auto& entry : fs::directory_iterator(folder.path() / "T")) {
    files[entry.path().filename().string()] = read_file(entry.path());
  }
  if (!mixed) return files;
  // A line moves with what belongs to it: graphs then lie in several stretches.
  std::vector<std::string> lines = lines_of(files["T_A.txt"]);
  std::vector<std::string> labels = lines_of(files["T_edge_labels.txt"]);
  const bool labelled = !labels.empty();
  for (std::size_t i = lines.size(); i > 1; --i) {
    const std::size_t j = rng.below(i);
    std::swap(lines[i - 1], lines[j]);
    if (labelled) std::swap(labels[i - 1], labels[j]);
  }
  const auto put = [&](const char* name, const std::vector<std::string>& list) {
    files[name].clear();
    for (const std::string& line : list) files[name] += line + "\n";
  };
  put("T_A.txt", lines);
  if (labelled) put("T_edge_labels.txt", labels);
  if (!labelled) files.erase("T_edge_labels.txt");
  return files;
}

/// What came of it, in words: all that was read, or the error.
std::string outcome_of(const Files& files, const TuReading& reading) {
  try {
    const RawDataset raw = parse_tu("T", files, "data/T", reading);
    std::string out;
    const auto add = [&](auto value) { out += std::to_string(value) + " "; };
    for (const Graph& g : raw.graphs) {
      out += "graph ";
      for (const Label label : g.labels()) add(raw.node_labels.at(label).value);
      for (const Edge& e : g.edges()) {
        for (const Node v : {e.u, e.v}) add(v);
        if (g.has_edge_labels()) add(raw.edge_labels.at(e.label).value);
      }
    }
    for (const std::int64_t label : raw.graph_labels) add(label);
    for (const std::string& note : raw.notes) out += note + "\n";
    return out;
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(TuReaderTest, PiecesAndThreadsMakeNoDifference) {
  ThreadPool one(1);
  ThreadPool three(3);
  Rng rng(23);
  int errors = 0;
  constexpr int kRounds = 400;
  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    Files files = random_files(rng, round % 3 == 0);
    if (round % 2 == 1) {
      auto hurt = files.begin();
      std::advance(hurt, static_cast<std::ptrdiff_t>(rng.below(files.size())));
      std::string& text = hurt->second;
      const std::size_t at = rng.below(text.size() + 1);
      constexpr std::array kInserted{"\n", "x", "\r\n", "\n\n", "0", "-", " ", ",", "\xEF\xBB\xBF"};
      switch (rng.below(3)) {
        case 0: text.insert(at, kInserted.at(rng.below(kInserted.size()))); break;
        case 1: text.erase(at, 1 + rng.below(3)); break;
        default: text += round % 4 == 1 ? "\n\n \n" : "\n\n1\n";
      }
    }
    const std::string whole = outcome_of(files, TuReading{one, std::size_t{1} << 20});
    errors += whole.starts_with("data/T") ? 1 : 0;
    for (const std::size_t bytes : {1U, 5U, 16U, 100U}) {
      EXPECT_EQ(outcome_of(files, TuReading{one, bytes}), whole) << bytes;
      EXPECT_EQ(outcome_of(files, TuReading{three, bytes}), whole) << bytes;
    }
  }
  EXPECT_GT(errors, kRounds / 8);
  EXPECT_LT(errors, kRounds / 2);
}

TEST(TuWriterTest, WritesTheMetadataBesideTheData) {
  const TemporaryFolder folder;
  DatasetMetadata metadata;
  metadata.name = "mine";
  metadata.node_label_names = {{0, "C"}, {7, "O"}};
  metadata.desired_class = -1;
  write_tu(folder.path() / "out" / "", parse(small_dataset()), metadata);
  EXPECT_EQ(read_file(folder.path() / "out" / "out_A.txt"), small_dataset()["T_A.txt"]);
  const DatasetMetadata back = TuSource(folder.path() / "out").read_metadata().value();
  EXPECT_EQ(back.name, "mine");
  EXPECT_EQ(back.node_label_names, metadata.node_label_names);
  EXPECT_EQ(back.desired_class, -1);
}

TEST(TuWriterTest, TakesAnEmptyFolderAndRefusesAnother) {
  const TemporaryFolder folder;
  const RawDataset raw = parse(small_dataset());
  fs::create_directory(folder.path() / "empty");
  write_tu(folder.path() / "empty", raw, {});
  expect_same(read_tu(folder.path() / "empty"), raw);

  const Error taken = error_of([&] { write_tu(folder.path() / "empty", raw, {}); });
  expect_contains(taken.what(), "exists already and is not an empty folder");
  folder.write("file", "x");
  EXPECT_THROW(write_tu(folder.path() / "file", raw, {}), Error);
  EXPECT_EQ(read_file(folder.path() / "file"), "x");
  EXPECT_THROW(write_tu(folder.path() / "no" / "such", raw, {}), Error);
  EXPECT_THROW(write_tu("/", raw, {}), Error);

  // Nothing else was left behind.
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& e : fs::directory_iterator(folder.path())) ++entries;
  EXPECT_EQ(entries, 2U);
}

TEST(TuWriterTest, RefusesWhatTheFormatCannotHold) {
  const TemporaryFolder folder;
  const fs::path target = folder.path() / "out";
  const auto message = [&](const RawDataset& raw) {
    return std::string(error_of([&] { write_tu(target, raw, {}); }).what());
  };
  RawDataset raw = parse(small_dataset());
  expect_contains(message({}), "without graphs");
  RawDataset nodeless = raw;
  nodeless.graphs[1] = Graph();
  expect_contains(message(nodeless), "graph 1 has no nodes");
  RawDataset mixed = raw;
  mixed.graphs[1] = raw.graphs[1].without_edge_labels();
  expect_contains(message(mixed), "differ in having edge labels");
  RawDataset edgeless = raw;
  const std::vector<Label> one = {0};
  edgeless.graphs = {Graph(one, {}), Graph(one, {})};
  expect_contains(message(edgeless), "no graph has an edge");
  EXPECT_FALSE(fs::exists(target));
}

/// PyTorch Geometric's folder is looked into once: what is called raw may lead back.
TEST(TuFolderTest, RawIsEnteredOnce) {
  const test::TemporaryFolder folder;
  std::filesystem::create_symlink(".", folder.path() / "raw");
  try {
    read_tu(folder.path());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where().file, (folder.path() / "raw").string());
  }
}

TEST(TuFolderTest, ANameWithANulIsNone) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(read_tu(folder.path() / std::string(1, '\0')), Error);
  EXPECT_THROW((void)read_file(folder.write("a", "a").string() + std::string(1, '\0')), Error);
}

}  // namespace
}  // namespace fewedits
