// SPDX-License-Identifier: MIT
#include "fewedits/formats/metadata.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "fewedits/base/error.hpp"
#include "fewedits/formats/tu_reader.hpp"
#include "fewedits/graph/dataset.hpp"
#include "fewedits/graph/identity.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

constexpr const char* kComplete = R"({
  "format": "fewedits.dataset/2",
  "name": "Mutagenicity",
  "domain": "molecule",
  "node_labels": {"0": "C", "1": "O", "-3": "N"},
  "edge_labels": {"0": "single"},
  "classes": {"0": "mutagen", "1": "nonmutagen"},
  "desired_class": 1,
  "rare_label_threshold": 50
})";

void expect_error(const std::string& json, const std::string& message, std::int64_t line = 0) {
  try {
    parse_metadata(json, "my.json");
    FAIL() << "accepted: " << json;
  } catch (const Error& error) {
    EXPECT_EQ(error.where().file, "my.json");
    EXPECT_EQ(error.where().line, line);
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
  }
}

/// A metadata object with one more member.
std::string with(const std::string& member) {
  return R"({"format": "fewedits.dataset/2", )" + member + "}";
}

void expect_equal(const DatasetMetadata& a, const DatasetMetadata& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.domain, b.domain);
  EXPECT_EQ(a.node_label_names, b.node_label_names);
  EXPECT_EQ(a.edge_label_names, b.edge_label_names);
  EXPECT_EQ(a.class_names, b.class_names);
  EXPECT_EQ(a.desired_class, b.desired_class);
  EXPECT_EQ(a.rare_label_threshold, b.rare_label_threshold);
}

TEST(MetadataTest, ReadsEveryKey) {
  const DatasetMetadata m = parse_metadata(kComplete, "my.json");
  EXPECT_EQ(m.name, "Mutagenicity");
  EXPECT_EQ(m.domain, "molecule");
  EXPECT_EQ(m.node_label_names,
            (std::map<std::int64_t, std::string>{{-3, "N"}, {0, "C"}, {1, "O"}}));
  EXPECT_EQ(m.edge_label_names, (std::map<std::int64_t, std::string>{{0, "single"}}));
  EXPECT_EQ(m.class_names.at(1), "nonmutagen");
  EXPECT_EQ(m.desired_class, 1);
  EXPECT_EQ(m.rare_label_threshold, 50);
}

TEST(MetadataTest, OnlyTheFormatIsRequired) {
  expect_equal(parse_metadata(R"({"format": "fewedits.dataset/2"})", "my.json"), {});
}

TEST(MetadataTest, JsonRoundTrip) {
  const DatasetMetadata complete = parse_metadata(kComplete, "my.json");
  for (const DatasetMetadata& m : {complete, DatasetMetadata{}}) {
    expect_equal(parse_metadata(to_json(m), "again"), m);
  }
  DatasetMetadata unsafe;
  unsafe.name = "caf\xC3\xA9 \xFF";
  EXPECT_EQ(parse_metadata(to_json(unsafe), "again").name, "caf\xC3\xA9 \xEF\xBF\xBD");
}

TEST(MetadataTest, SyntaxErrorsNameTheLine) {
  expect_error("{\n\"format\": \"fewedits.dataset/2\",\n\"name\" 1}", "line 3", 3);
  expect_error("", "the file is empty", 0);
  expect_error("\xFF", "is not valid JSON", 1);
  expect_error(with(R"("desired_class": 1e999)"), "is not valid JSON: 'number overflow", 1);
}

TEST(MetadataTest, FormatIsChecked) {
  expect_error("{}", "the key 'format' is missing");
  expect_error(R"({"format": "fewedits.dataset/3"})", "format 'fewedits.dataset/3' is not known");
  expect_error(R"({"format": 1})", "'format' is not a string but number");
  expect_error("[1]", "is not a JSON object but array");
}

TEST(MetadataTest, WrongKeysAndValuesAreNamed) {
  expect_error(with(R"("desired": 1)"), "unknown key 'desired'");
  expect_error(with(R"("name": 1)"), "'name' is not a string");
  expect_error(with(R"("name": "")"), "'name' is empty");
  expect_error(with(R"("name": "\u001b[31m")"), "control characters");
  expect_error(with(R"("domain": "music")"), "'domain' is 'music'");
  expect_error(with(R"("node_labels": ["C"])"), "'node_labels' is not an object but array");
  expect_error(with(R"("node_labels": {"0": 1})"), "'node_labels.0' is not a string");
  expect_error(with(R"("edge_labels": {"single": "0"})"),
               "'edge_labels': 'single' is not an integer");
  expect_error(with(R"("classes": {"00": "a"})"), "'classes': '00' is not an integer");
  expect_error(with(R"("classes": {"9223372036854775808": "a"})"), "is not an integer");
  expect_error(with(R"("desired_class": "1")"), "'desired_class' is not a 64-bit integer");
  expect_error(with(R"("desired_class": 1.0)"), "'desired_class' is not a 64-bit integer");
  expect_error(with(R"("desired_class": 9223372036854775808)"), "'desired_class' is not a 64-bit");
  expect_error(with(R"("desired_class": null)"), "'desired_class' is not a 64-bit integer");
  expect_error(with(R"("rare_label_threshold": -1)"), "'rare_label_threshold' is negative");
  expect_error(with(R"("name": "a", "name": "b")"), "key 'name' occurs twice");
  expect_error(with(R"("classes": {"0": "a", "0": "b"})"), "key '0' occurs twice");
}

TEST(MetadataTest, EveryTruncationIsAnError) {
  const std::string text = kComplete;
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_THROW(parse_metadata(text.substr(0, length), "my.json"), Error) << length;
  }
}

TEST(MetadataTest, DeepNestingIsAnError) {
  EXPECT_THROW(parse_metadata(std::string(1'000'000, '['), "my.json"), Error);
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  for (const std::string key : {"name", "desired_class", "rare_label_threshold", "classes"}) {
    EXPECT_THROW(parse_metadata(with("\"" + key + "\": " + deep), "my.json"), Error) << key;
  }
}

TEST(BuiltinMetadataTest, KnowsThePapersDatasets) {
  EXPECT_EQ(builtin_metadata_names(), (std::vector<std::string>{"AIDS", "MUTAG", "Mutagenicity",
                                                                "NCI1", "PTC_MR", "PROTEINS"}));
  EXPECT_FALSE(builtin_metadata("none").has_value());
  EXPECT_EQ(builtin_metadata("aids").value().name, "AIDS");
  EXPECT_EQ(builtin_metadata("MUTAGENICITY").value().node_label_names.at(3), "H");
  // SPEC §2: desired class and filter.
  EXPECT_EQ(builtin_metadata("AIDS").value().desired_class, 0);
  EXPECT_EQ(builtin_metadata("Mutagenicity").value().desired_class, 1);
  EXPECT_EQ(builtin_metadata("NCI1").value().desired_class, 0);
  EXPECT_EQ(builtin_metadata("PROTEINS").value().desired_class, 1);
  EXPECT_EQ(builtin_metadata("NCI1").value().rare_label_threshold, 50);
  EXPECT_EQ(builtin_metadata("PROTEINS").value().rare_label_threshold, std::nullopt);
}

// Their publisher names atoms and bonds, not classes (docs/formats.md).
TEST(BuiltinMetadataTest, NoClassIsDesiredWhereNobodySaysWhichIsWhich) {
  for (const char* name : {"MUTAG", "PTC_MR"}) {
    const DatasetMetadata entry = builtin_metadata(name).value();
    EXPECT_EQ(entry.domain, "molecule");
    EXPECT_EQ(entry.edge_label_names.size(), 4U);
    EXPECT_TRUE(entry.class_names.empty());
    EXPECT_EQ(entry.desired_class, std::nullopt);
    EXPECT_TRUE(entry.model_columns.empty());
    EXPECT_EQ(entry.rare_label_threshold, std::nullopt);
  }
  EXPECT_EQ(builtin_metadata("mutag").value().node_label_names.at(6), "Br");
  EXPECT_EQ(builtin_metadata("mutag").value().edge_label_names.at(0), "aromatic");
  EXPECT_EQ(builtin_metadata("ptc_mr").value().node_label_names.at(5), "C");
  EXPECT_EQ(builtin_metadata("ptc_mr").value().edge_label_names.at(0), "triple");
}

TEST(BuiltinMetadataTest, EntriesAreValidFilesOfTheirOwn) {
  for (const std::string& name : builtin_metadata_names()) {
    const DatasetMetadata entry = builtin_metadata(name).value();
    expect_equal(parse_metadata(to_json(entry), name), entry);
  }
}

// Reader, built-in metadata and filter together (SPEC §2).

struct PaperDataset {
  const char* name;
  const char* golden;
  std::size_t graphs;
  std::uint64_t nodes;
  std::uint64_t edges;
  std::size_t labels;
};

class PaperDatasetTest : public testing::TestWithParam<PaperDataset> {
 protected:
  static Dataset load() {
    RawDataset raw = read_tu(test::shared_root() / "datasets" / GetParam().name);
    const auto metadata = builtin_metadata(raw.name);
    EXPECT_TRUE(metadata.has_value());
    return prepare(std::move(raw), metadata.value_or(DatasetMetadata{}));
  }
};

TEST_P(PaperDatasetTest, HasExactlyThePapersStatistics) {
  FEWEDITS_REQUIRE_SHARED(std::filesystem::path("datasets") / GetParam().name);
  const Dataset data = load();
  EXPECT_EQ(data.size(), GetParam().graphs);
  EXPECT_EQ(data.total_nodes(), GetParam().nodes);
  EXPECT_EQ(data.total_edges(), GetParam().edges);
  EXPECT_EQ(data.node_labels.size(), GetParam().labels);
  EXPECT_EQ(data.class_labels.size(), 2U);
  EXPECT_EQ(data.desired_class, 1);
}

TEST_P(PaperDatasetTest, KeepsTheGraphsTheAuthorsKept) {
  const std::filesystem::path golden =
      std::filesystem::path("golden") / GetParam().golden / "predictions.csv";
  FEWEDITS_REQUIRE_SHARED(golden);
  FEWEDITS_REQUIRE_SHARED(std::filesystem::path("datasets") / GetParam().name);
  const Dataset data = load();
  std::ifstream file(test::shared_root() / golden);
  std::string line;
  std::getline(file, line);
  ASSERT_EQ(line.substr(0, 15), "graph,tu_graph,");
  std::size_t row = 0;
  for (; std::getline(file, line); ++row) {
    std::istringstream columns(line);
    std::size_t graph = 0;
    std::int64_t tu_graph = 0;
    char comma = 0;
    columns >> graph >> comma >> tu_graph;
    ASSERT_EQ(graph, row);
    ASSERT_LT(row, data.size());
    ASSERT_EQ(data.source_index[row], tu_graph);
  }
  EXPECT_EQ(row, data.size());
}

TEST_P(PaperDatasetTest, EveryGraphHasACanonicalForm) {
  FEWEDITS_REQUIRE_SHARED(std::filesystem::path("datasets") / GetParam().name);
  for (const Graph& graph : load().graphs) ASSERT_TRUE(Identity(graph).complete());
}

INSTANTIATE_TEST_SUITE_P(
    All, PaperDatasetTest,
    testing::Values(PaperDataset{"NCI1", "nci1", 3978, 118714, 128663, 10},
                    PaperDataset{"Mutagenicity", "mutagenicity", 4308, 130719, 132707, 10},
                    PaperDataset{"AIDS", "aids", 1837, 28905, 29985, 9},
                    PaperDataset{"PROTEINS", "proteins", 1113, 43471, 81044, 3}),
    [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace fewedits
