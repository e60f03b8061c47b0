// SPDX-License-Identifier: MIT
// Dataset files: what comes back, what is refused, and that every byte counts.
#include "fewedits/formats/dataset_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "fewedits/base/byte_writer.hpp"
#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/sha256.hpp"
#include "fewedits/formats/dataset_block.hpp"
#include "fewedits/formats/dataset_description.hpp"
#include "fewedits/formats/metadata.hpp"
#include "fewedits/formats/open_dataset.hpp"
#include "fewedits/formats/tu_writer.hpp"
#include "fewedits/graph/fingerprint.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

using test::random_graph;
using test::TemporaryFolder;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::size_t kBlock = 2048;  // graphs to a block, as docs/formats.md says

struct Shape {
  std::size_t graphs = 12;
  Node nodes = 12;
  std::size_t node_labels = 5;
  std::size_t edge_labels = 3;  ///< 0: none
  bool classes = true;
  bool names = true;
  bool places = true;
};

std::vector<NamedValue> table(std::size_t count, std::int64_t first) {
  std::vector<NamedValue> out;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t value = first + 3 * static_cast<std::int64_t>(i);
    out.push_back({value, i % 2 == 0 ? std::string() : "name " + std::to_string(i)});
  }
  return out;
}

StoredDataset random_dataset(Rng& rng, const Shape& shape) {
  StoredDataset out;
  RawDataset& raw = out.raw;
  raw.name = "Größe";
  raw.node_labels = table(shape.node_labels, -4);
  raw.edge_labels = table(shape.edge_labels, 1);
  raw.notes = {"one note", "another\none"};
  raw.left_out = rng.below(3);
  std::int64_t place = 0;
  for (std::size_t i = 0; i < shape.graphs; ++i) {
    const auto nodes = static_cast<Node>(rng.below(shape.nodes + 1));
    raw.graphs.push_back(nodes == 0 ? Graph()
                                    : random_graph(rng, nodes, rng.below(4),
                                                   static_cast<Label>(shape.node_labels),
                                                   static_cast<Label>(shape.edge_labels)));
    place += 1 + static_cast<std::int64_t>(rng.below(300));
    if (shape.places) raw.source_index.push_back(place);
    if (shape.names) raw.names.push_back("graph " + std::to_string(rng.below(1000)));
    constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::min();
    if (shape.classes) raw.graph_labels.push_back(rng.chance(0.1) ? kFar : 1 - 2 * (place % 2));
  }
  out.metadata.name = "mine";
  out.metadata.domain = "molecule";
  out.metadata.node_label_names = {{-4, "C"}};
  out.metadata.rare_label_threshold = 7;
  out.reading = {true, "activity", rng.chance(0.5), rng.chance(0.5)};
  return out;
}

void expect_same(const StoredDataset& a, const StoredDataset& b) {
  EXPECT_EQ(a.raw.name, b.raw.name);
  EXPECT_EQ(a.raw.graphs, b.raw.graphs);
  EXPECT_EQ(a.raw.graph_labels, b.raw.graph_labels);
  EXPECT_EQ(a.raw.class_names, b.raw.class_names);
  EXPECT_EQ(a.raw.names, b.raw.names);
  EXPECT_EQ(a.raw.source_index, b.raw.source_index);
  EXPECT_EQ(a.raw.left_out, b.raw.left_out);
  EXPECT_EQ(a.raw.node_labels, b.raw.node_labels);
  EXPECT_EQ(a.raw.edge_labels, b.raw.edge_labels);
  EXPECT_EQ(a.raw.notes, b.raw.notes);
  EXPECT_EQ(to_json(a.metadata), to_json(b.metadata));
  EXPECT_EQ(a.numbers_are_ours, b.numbers_are_ours);
  EXPECT_EQ(a.reading, b.reading);
}

class DatasetFileTest : public testing::Test {
 protected:
  std::string bytes_of(const StoredDataset& dataset) { return dataset_file_bytes(dataset, pool_); }
  StoredDataset parsed(std::string_view bytes) { return parse_dataset_file(bytes, "x.few", pool_); }
  /// What is said of these bytes; empty: they are fine.
  std::string trouble_with(std::string_view bytes) {
    try {
      (void)parsed(bytes);
      return {};
    } catch (const Error& error) {
      EXPECT_EQ(error.where().file, "x.few");
      EXPECT_FALSE(error.remedy().empty()) << error.what();
      return error.what();
    }
  }
  /// A small dataset with one block changed, and the checksums put right.
  std::string sealed(const StoredDataset& dataset, const std::string& block) {
    return dataset_file_of(dataset.raw.graphs.size(), description_bytes(dataset), {block});
  }
  static std::string one_block(const StoredDataset& dataset) {
    return block_bytes(dataset.raw, block_form(dataset.raw), 0, dataset.raw.graphs.size());
  }

  ThreadPool pool_{1};
  Rng rng_{5, 1};
};

TEST_F(DatasetFileTest, WhateverIsWrittenComesBack) {
  for (int round = 0; round < 64; ++round) {
    SCOPED_TRACE(round);
    const StoredDataset dataset = random_dataset(
        rng_, {.graphs = 1 + rng_.below(40),
               .nodes = round % 8 == 0 ? Node{400} : Node{15},
               .node_labels = round % 16 == 3 ? std::size_t{70'000} : 1 + rng_.below(400),
               .edge_labels = round % 3 == 0 ? 0 : 1 + rng_.below(300),
               .classes = (round & 1) != 0,
               .names = (round & 2) != 0,
               .places = (round & 4) != 0});
    const std::string bytes = bytes_of(dataset);
    const StoredDataset back = parsed(bytes);
    expect_same(back, dataset);
    EXPECT_EQ(bytes_of(back), bytes);
  }
}

TEST_F(DatasetFileTest, ManyBlocksAndManyThreadsMakeNoDifference) {
  ThreadPool four(4);
  for (const std::size_t graphs : {kBlock - 1, kBlock, kBlock + 1, 3 * kBlock + 5}) {
    SCOPED_TRACE(graphs);
    const StoredDataset dataset = random_dataset(rng_, {.graphs = graphs, .nodes = 4});
    const std::string bytes = bytes_of(dataset);
    EXPECT_EQ(dataset_file_bytes(dataset, four), bytes);
    expect_same(parse_dataset_file(bytes, "x", four), dataset);
    expect_same(parsed(bytes), dataset);
  }
}

TEST_F(DatasetFileTest, AMoleculeTakesAFewBytesForAnAtom) {
  // A label, the number of later neighbours, the neighbour and the label of the bond.
  StoredDataset dataset = random_dataset(
      rng_, {.graphs = 1000, .nodes = 40, .classes = false, .names = false, .places = false});
  std::size_t nodes = 0;
  for (const Graph& g : dataset.raw.graphs) nodes += g.num_nodes() + g.num_edges();
  EXPECT_LT(bytes_of(dataset).size(), 2 * nodes + 4 * dataset.raw.graphs.size() + 2000);
}

TEST_F(DatasetFileTest, NoByteCanBeChangedUnseen) {
  const std::string bytes = bytes_of(random_dataset(rng_, {.graphs = kBlock + 3, .nodes = 3}));
  const auto expect_seen = [&](std::size_t at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ (1 << rng_.below(8)));
    EXPECT_FALSE(trouble_with(changed).empty()) << "byte " << at;
  };
  for (std::size_t at = 0; at < 400; ++at) expect_seen(at);
  for (int i = 0; i < 300; ++i) expect_seen(rng_.below(bytes.size()));
  expect_seen(bytes.size() - 1);
}

TEST_F(DatasetFileTest, NothingIsCutOffOrAddedUnseen) {
  const std::string bytes = bytes_of(random_dataset(rng_, {}));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(trouble_with(std::string_view(bytes).substr(0, size)).empty()) << size;
  }
  EXPECT_THAT(trouble_with(bytes + "x"), HasSubstr("goes on after its last block"));
  EXPECT_THAT(trouble_with(std::string_view(bytes).substr(0, bytes.size() - 1)),
              HasSubstr("cut off"));
  EXPECT_THAT(trouble_with("PK"), HasSubstr("no dataset file"));
}

TEST_F(DatasetFileTest, SaysWhichBlockIsDamaged) {
  std::string bytes = bytes_of(random_dataset(rng_, {.graphs = kBlock + 3}));
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  EXPECT_THAT(trouble_with(bytes),
              AllOf(HasSubstr("block 1 (graphs 2048 to 2050)"), HasSubstr("checksum")));
}

TEST_F(DatasetFileTest, AnotherVersionIsNamed) {
  std::string bytes = bytes_of(random_dataset(rng_, {}));
  bytes[8] = 2;
  EXPECT_THAT(trouble_with(bytes), AllOf(HasSubstr("version 2"), HasSubstr("reads version 1")));
}

TEST_F(DatasetFileTest, SealedNonsenseIsRefusedOrIsADataset) {
  // Checksums prove nothing about who made them. What is taken is written as the same bytes.
  int refused = 0;
  int taken = 0;
  for (int round = 0; round < 3000; ++round) {
    const StoredDataset dataset = random_dataset(rng_, {.graphs = 3, .nodes = 6});
    std::string block = one_block(dataset);
    const std::uint64_t changes = 1 + rng_.below(3);
    for (std::uint64_t i = 0; i < changes; ++i) {
      const std::size_t at = rng_.below(block.size());
      switch (rng_.below(3)) {
        case 0: block[at] = static_cast<char>(rng_.below(256)); break;
        case 1: block.erase(at, 1 + rng_.below(3)); break;
        default: block.insert(at, 1, static_cast<char>(rng_.below(256)));
      }
      if (block.empty()) block = "x";
    }
    const std::string bytes = sealed(dataset, block);
    if (!trouble_with(bytes).empty()) {
      ++refused;
      continue;
    }
    ++taken;
    EXPECT_EQ(bytes_of(parsed(bytes)), bytes);
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(taken, 50);
}

TEST_F(DatasetFileTest, SealedDescriptionsAreReadWithTheSameCare) {
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    const StoredDataset dataset = random_dataset(rng_, {.graphs = 2, .nodes = 4});
    std::string description = description_bytes(dataset);
    description[rng_.below(description.size())] = static_cast<char>(rng_.below(256));
    if (rng_.chance(0.3)) description.resize(rng_.below(description.size()));
    const std::string bytes = dataset_file_of(2, description, {one_block(dataset)});
    try {
      (void)parsed(bytes);
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST_F(DatasetFileTest, CountsBeyondAllMeasureAreRefusedAtOnce) {
  const StoredDataset dataset = random_dataset(rng_, {.graphs = 2});
  const std::string description = description_bytes(dataset);
  const std::string block = one_block(dataset);
  for (const std::uint64_t graphs :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{2048},
        std::uint64_t{2049}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    EXPECT_FALSE(trouble_with(dataset_file_of(graphs, description, {block})).empty()) << graphs;
  }
  EXPECT_FALSE(trouble_with(dataset_file_of(2, description, {block, block})).empty());
  EXPECT_FALSE(trouble_with(dataset_file_of(2, description, {})).empty());
  EXPECT_FALSE(trouble_with(dataset_file_of(2, {}, {block})).empty());
  // A graph of two milliards of nodes, and one of as many edges, in a few bytes.
  const StoredDataset plain =
      random_dataset(rng_, {.graphs = 1, .classes = false, .names = false, .places = false});
  EXPECT_THAT(trouble_with(sealed(plain, "\xfe\xff\xff\xff\x0f\x01")), HasSubstr("ends too early"));
  EXPECT_THAT(trouble_with(sealed(plain, std::string("\x02\xff\xff\xff\xff\x0f\0\0", 8))),
              HasSubstr("counts the edges"));
  EXPECT_THAT(trouble_with(sealed(plain, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01")),
              HasSubstr("too large"));
  EXPECT_THAT(trouble_with(sealed(plain, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\x01")),
              HasSubstr("a number that is none"));
  EXPECT_THAT(trouble_with(sealed(plain, std::string("\x82\0\0\0\0", 5))),
              HasSubstr("a number that is none"));
}

TEST_F(DatasetFileTest, WhatIsNoSetOfSimpleGraphsIsRefused) {
  StoredDataset dataset;
  dataset.raw.node_labels = table(2, 0);
  dataset.raw.edge_labels = table(2, 0);
  dataset.raw.graphs.resize(1);
  const auto trouble = [&](std::string_view block) {
    return trouble_with(sealed(dataset, std::string(block)));
  };
  using namespace std::string_view_literals;
  // Nodes and whether bonds have labels, edges; labels; rows; ends; labels of bonds.
  EXPECT_EQ(trouble("\x04\x01\0\x01\x01\0\x01"sv), "");
  EXPECT_EQ(trouble("\x05\x01\0\x01\x01\0\x01\x01"sv), "");
  EXPECT_EQ(trouble("\0\0"sv), "");
  EXPECT_THAT(trouble("\x04\x01\0\x02\x01\0\x01"sv), HasSubstr("out of range"));
  EXPECT_THAT(trouble("\x04\x01\0\x01\x01\0\x02"sv), HasSubstr("out of range"));
  EXPECT_THAT(trouble("\x05\x01\0\x01\x01\0\x01\x02"sv), HasSubstr("out of range"));
  EXPECT_THAT(trouble("\x04\x01\0\x01\x01\0\0"sv), HasSubstr("do not ascend"));
  EXPECT_THAT(trouble("\x04\x01\0\x01\0\x01\x01"sv), HasSubstr("do not ascend"));
  EXPECT_THAT(trouble("\x04\x02\0\x01\x01\0\x01\x01"sv), HasSubstr("counts the edges"));
  EXPECT_THAT(trouble("\0\x01"sv), HasSubstr("without nodes"));
  EXPECT_THAT(trouble("\x01\0"sv), HasSubstr("without nodes"));
  EXPECT_THAT(trouble("\0\0\0"sv), HasSubstr("after its last graph"));
}

TEST_F(DatasetFileTest, LabelsThatAreInNoTableAreNotWritten) {
  StoredDataset dataset = random_dataset(rng_, {.graphs = 3});
  dataset.raw.graphs[1] = Graph(std::vector<Label>{99}, {});
  EXPECT_THROW((void)bytes_of(dataset), Error);
  dataset.raw.graphs.clear();
  EXPECT_THROW((void)bytes_of(dataset), Error);
}

// -----------------------------------------------------------------------------------------
// As a dataset that is opened.

void expect_same(const Dataset& a, const Dataset& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.domain, b.domain);
  EXPECT_EQ(a.graphs, b.graphs);
  EXPECT_EQ(a.classes, b.classes);
  EXPECT_EQ(a.source_index, b.source_index);
  EXPECT_EQ(a.names, b.names);
  EXPECT_EQ(a.node_labels, b.node_labels);
  EXPECT_EQ(a.edge_labels, b.edge_labels);
  EXPECT_EQ(a.class_labels, b.class_labels);
  EXPECT_EQ(a.desired_class, b.desired_class);
  EXPECT_EQ(a.model_columns, b.model_columns);
  EXPECT_EQ(a.dropped, b.dropped);
  EXPECT_EQ(a.notes, b.notes);
  for (const bool bonds : {false, true}) {
    EXPECT_EQ(dataset_fingerprint(a, bonds), dataset_fingerprint(b, bonds));
  }
}

class SavedDatasetTest : public DatasetFileTest {
 protected:
  std::filesystem::path few_ = folder().path() / "data.few";

  static const TemporaryFolder& folder() {
    static const TemporaryFolder one;
    return one;
  }
};

TEST_F(SavedDatasetTest, ThePapersDatasetsAreTheSameFromTheFile) {
  for (const char* name : {"AIDS", "Mutagenicity", "NCI1", "PROTEINS"}) {
    const auto path = std::filesystem::path("datasets") / name;
    FEWEDITS_REQUIRE_SHARED(path);
    SCOPED_TRACE(name);
    const Dataset first = open_and_save_dataset(test::shared_root() / path, {}, few_);
    expect_same(open_dataset(test::shared_root() / path), first);
    DatasetDescription by;
    expect_same(open_dataset(few_, {}, &by), first);
    EXPECT_EQ(by.from, DatasetDescription::From::kInside);
    EXPECT_TRUE(by.builtin);
    // The filter is applied when the file is opened, and may be another one then.
    DatasetOptions all;
    all.rare_label_threshold = 0;
    expect_same(open_dataset(few_, all), open_dataset(test::shared_root() / path, all));
  }
}

std::filesystem::path write_small_folder(const TemporaryFolder& folder, const std::string& name) {
  RawDataset raw;
  raw.node_labels = {{0, ""}, {5, ""}};
  const std::vector<Label> labels{0, 1, 1};
  const std::vector<Edge> edges{{0, 1, 0}, {1, 2, 0}};
  raw.graphs = {Graph(labels, edges),
                Graph(std::vector<Label>{0, 0}, std::vector<Edge>{{0, 1, 0}})};
  raw.graph_labels = {3, 8};
  write_tu(folder.path() / name, raw, {});
  return folder.path() / name;
}

TEST_F(SavedDatasetTest, WhatTheOptionsSaidIsInTheFile) {
  const auto tu = write_small_folder(folder(), "options");
  DatasetOptions options;
  options.desired_class = "8";
  options.rare_label_threshold = 2;
  const Dataset first = open_and_save_dataset(tu, options, few_);
  EXPECT_EQ(first.desired_class, 0);
  EXPECT_EQ(first.size(), 1U);
  expect_same(open_dataset(few_), first);
  options.rare_label_threshold = 0;
  options.desired_class = "3";
  expect_same(open_dataset(few_, options), open_dataset(tu, options));
  // Metadata that is given goes before what is inside.
  options = {};
  options.metadata =
      folder().write("m.json", R"({"format": "fewedits.dataset/2", "name": "other"})");
  expect_same(open_dataset(few_, options), open_dataset(tu, options));
}

TEST_F(SavedDatasetTest, AClassOfAModelCannotBeSaved) {
  const auto tu = write_small_folder(folder(), "model");
  DatasetOptions options;
  options.desired_class = "model:1";
  EXPECT_THAT([&] { (void)open_and_save_dataset(tu, options, few_); },
              testing::ThrowsMessage<Error>(HasSubstr("no part of a dataset")));
  EXPECT_THAT([&] { (void)open_and_save_dataset(tu, {}, folder().path() / "data.zip"); },
              testing::ThrowsMessage<Error>(HasSubstr("known by its ending")));
  EXPECT_FALSE(std::filesystem::exists(folder().path() / "data.zip"));
}

TEST_F(SavedDatasetTest, HowMoleculesWereReadCannotBeChosenAnyMore) {
  const auto tu = write_small_folder(folder(), "molecules");
  (void)open_and_save_dataset(tu, {}, few_);
  const auto trouble = [&](const std::function<void(DatasetOptions&)>& change) {
    DatasetOptions options;
    change(options);
    try {
      (void)open_dataset(few_, options);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(trouble([](auto& o) { o.explicit_hydrogens = true; }), HasSubstr("hydrogens"));
  EXPECT_THAT(trouble([](auto& o) { o.ignore_charges = true; }), HasSubstr("charges"));
  EXPECT_THAT(trouble([](auto& o) { o.label_column = "x"; }), HasSubstr("column"));
}

TEST_F(SavedDatasetTest, WordsForClassesKeepTheirMeaning) {
  // As a molecule file with words has them, which needs RDKit to be read.
  StoredDataset dataset = random_dataset(rng_, {.graphs = 4, .nodes = 5, .places = false});
  for (Graph& g : dataset.raw.graphs) g = Graph(std::vector<Label>{0}, {});
  dataset.raw.class_names = {{0, "inert"}, {1, "toxic"}};
  dataset.raw.graph_labels = {0, 1, 1, 0};
  dataset.metadata = {};
  dataset.metadata.class_names = {{0, "inert"}, {1, "toxic"}};
  dataset.metadata.desired_class = 0;
  dataset.numbers_are_ours = true;
  write_dataset_file(few_, dataset, pool_);
  const Dataset data = open_dataset(few_);
  EXPECT_EQ(data.class_labels.at(static_cast<std::size_t>(*data.desired_class)).name, "inert");
  DatasetOptions options;
  options.desired_class = "1";
  EXPECT_THAT([&] { (void)open_dataset(few_, options); },
              testing::ThrowsMessage<Error>(HasSubstr("are words")));
  options.desired_class = "toxic";
  EXPECT_EQ(open_dataset(few_, options).class_labels.at(1).name, "toxic");
  options.metadata = folder().write(
      "m.json", R"({"format": "fewedits.dataset/2", "classes": {"7": "toxic", "9": "inert"}})");
  options.desired_class = "7";
  EXPECT_EQ(open_dataset(few_, options).class_labels.at(1), (NamedValue{7, "toxic"}));
  dataset.raw.graph_labels[2] = 5;
  write_dataset_file(few_, dataset, pool_);
  EXPECT_THAT([&] { (void)open_dataset(few_); },
              testing::ThrowsMessage<Error>(HasSubstr("stands for no word")));
}

}  // namespace
}  // namespace fewedits
