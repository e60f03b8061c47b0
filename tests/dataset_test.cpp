// SPDX-License-Identifier: MIT
#include "fewedits/graph/dataset.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "fewedits/base/error.hpp"

namespace fewedits {
namespace {

RawDataset three_graphs() {
  RawDataset raw;
  raw.name = "tiny";
  raw.node_labels = {{2, ""}, {5, ""}, {9, ""}};
  const std::vector<Label> a{0, 2};
  const std::vector<Label> b{1, 2};
  const std::vector<Label> c{2, 2, 0};
  raw.graphs = {Graph(a, std::vector<Edge>{{0, 1}}), Graph(b, {}), Graph(c, {})};
  raw.graph_labels = {-1, 4, 4};
  return raw;
}

TEST(DatasetTest, FilterDropsRareLabelsAndTheirGraphs) {
  DatasetMetadata metadata;
  metadata.rare_label_threshold = 1;  // value 5 occurs once
  metadata.node_label_names = {{9, "nine"}};
  const Dataset d = prepare(three_graphs(), metadata);
  EXPECT_EQ(d.source_index, (std::vector<std::int64_t>{0, 2}));
  EXPECT_EQ(d.node_labels, (std::vector<NamedValue>{{2, "2"}, {9, "nine"}}));
  EXPECT_EQ(d.graphs[0].label(1), 1U);
  EXPECT_EQ(d.total_nodes(), 5U);
  EXPECT_EQ(d.total_edges(), 1U);
  ASSERT_EQ(d.notes.size(), 1U);
  EXPECT_EQ(d.dropped, 1U);
}

TEST(DatasetTest, ANameThatSteersTheTerminalIsSpeltOut) {
  RawDataset raw = three_graphs();
  raw.name = "a\x1b[2J\nb";
  EXPECT_EQ(prepare(raw, {}).name, "a\\x1b[2J\\x0ab");
}

TEST(DatasetTest, GraphsWithoutNodesAreSkippedAndCountedApart) {
  RawDataset raw = three_graphs();
  raw.graphs.insert(raw.graphs.begin(), Graph());
  raw.graph_labels.insert(raw.graph_labels.begin(), 4);
  DatasetMetadata metadata;
  metadata.rare_label_threshold = 1;
  const Dataset d = prepare(raw, metadata);
  EXPECT_EQ(d.source_index, (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(d.classes, (std::vector<int>{0, 1}));
  EXPECT_EQ(d.notes, (std::vector<std::string>{
                         "skipped 1 of 4 graphs, which have no nodes",
                         "dropped 1 of 4 graphs with a node label that occurs at most 1 times"}));
  raw.graphs.assign(4, Graph());
  EXPECT_THROW(prepare(raw, {}), Error);
}

TEST(DatasetTest, WordsForClassesTakeTheValuesOfTheMetadata) {
  RawDataset raw = three_graphs();
  raw.class_names = {{0, "safe"}, {1, "toxic"}};
  raw.graph_labels = {1, 0, 1};
  const Dataset plain = prepare(raw, {});
  EXPECT_EQ(plain.class_labels, raw.class_names);
  EXPECT_EQ(plain.classes, (std::vector<int>{1, 0, 1}));
  DatasetMetadata metadata;
  metadata.class_names = {{3, "toxic"}, {7, "safe"}, {9, "unknown"}};
  metadata.desired_class = 7;
  const Dataset valued = prepare(raw, metadata);
  EXPECT_EQ(valued.classes, (std::vector<int>{0, 1, 0}));
  EXPECT_EQ(valued.desired_class, 1);
  metadata.class_names.erase(7);
  EXPECT_THROW(prepare(raw, metadata), Error) << "a word without a value";
  DatasetMetadata numbers_only;
  numbers_only.desired_class = 1;
  EXPECT_THROW(prepare(raw, numbers_only), Error) << "a value without a word";
}

TEST(DatasetTest, PartsOfASourceKeepTheirPlacesAndNames) {
  RawDataset raw = three_graphs();
  raw.source_index = {2, 5, 6};
  raw.left_out = 4;
  raw.names = {"a", "b", "c"};
  DatasetMetadata metadata;
  metadata.rare_label_threshold = 1;
  const Dataset d = prepare(raw, metadata);
  EXPECT_EQ(d.source_index, (std::vector<std::int64_t>{2, 6}));
  EXPECT_EQ(d.names, (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(d.dropped, 5U);
  EXPECT_EQ(d.notes, (std::vector<std::string>{
                         "dropped 1 of 3 graphs with a node label that occurs at most 1 times"}));
}

TEST(DatasetTest, DesiredClassIsOneWhicheverItsValue) {
  DatasetMetadata metadata;
  metadata.desired_class = -1;
  const Dataset low = prepare(three_graphs(), metadata);
  EXPECT_EQ(low.desired_class, 1);
  EXPECT_EQ(low.classes, (std::vector<int>{1, 0, 0}));
  EXPECT_EQ(low.class_labels[1].value, -1);
  metadata.desired_class = 4;
  EXPECT_EQ(prepare(three_graphs(), metadata).classes, (std::vector<int>{0, 1, 1}));
  metadata.desired_class = 3;
  EXPECT_THROW(prepare(three_graphs(), metadata), Error);
}

TEST(DatasetTest, MoreThanTwoClassesKeepTheirOrder) {
  RawDataset raw = three_graphs();
  raw.graph_labels = {7, 1, 3};
  DatasetMetadata metadata;
  metadata.desired_class = 3;
  const Dataset d = prepare(raw, metadata);
  EXPECT_EQ(d.classes, (std::vector<int>{2, 0, 1}));
  EXPECT_EQ(d.desired_class, 1);
}

TEST(DatasetTest, NamedClassesCountEvenWithoutGraphs) {
  RawDataset raw = three_graphs();
  raw.graph_labels = {0, 0, 0};
  DatasetMetadata metadata;
  metadata.desired_class = 1;
  EXPECT_THROW(prepare(raw, metadata), Error);
  metadata.class_names = {{0, "no"}, {1, "yes"}};
  const Dataset d = prepare(raw, metadata);
  EXPECT_EQ(d.class_labels, (std::vector<NamedValue>{{0, "no"}, {1, "yes"}}));
  EXPECT_EQ(d.desired_class, 1);
}

TEST(DatasetTest, NamesAreUnique) {
  DatasetMetadata metadata;
  metadata.node_label_names = {{2, "X"}, {9, "X"}};
  EXPECT_THROW(prepare(three_graphs(), metadata), Error);
  metadata.node_label_names = {{2, "5"}};  // the name of another label's number
  EXPECT_THROW(prepare(three_graphs(), metadata), Error);
  metadata.node_label_names.clear();
  metadata.class_names = {{-1, "same"}, {4, "same"}};
  EXPECT_THROW(prepare(three_graphs(), metadata), Error);
}

TEST(DatasetTest, SourcesWithoutClassesStayWithout) {
  RawDataset raw = three_graphs();
  raw.graph_labels.clear();
  const Dataset d = prepare(raw, {});
  EXPECT_EQ(d.size(), 3U);
  EXPECT_TRUE(d.classes.empty());
  EXPECT_TRUE(d.class_labels.empty());
}

TEST(DatasetTest, NothingLeftIsAnError) {
  DatasetMetadata metadata;
  metadata.rare_label_threshold = 1000;
  EXPECT_THROW(prepare(three_graphs(), metadata), Error);
  EXPECT_THROW(prepare(RawDataset{}, {}), Error);
}

TEST(SplitTest, IsAPartitionFixedByTheSeed) {
  const Split a = split_dataset(1003, 0.8, 0.1, 5);
  EXPECT_EQ(a.train.size(), 802U);
  EXPECT_EQ(a.validation.size(), 100U);
  EXPECT_EQ(a.test.size(), 101U);
  std::vector<std::size_t> all;
  for (const auto* part : {&a.train, &a.validation, &a.test}) {
    all.insert(all.end(), part->begin(), part->end());
  }
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], i);
  EXPECT_EQ(split_dataset(1003, 0.8, 0.1, 5).train, a.train);
  EXPECT_NE(split_dataset(1003, 0.8, 0.1, 6).train, a.train);
  EXPECT_EQ(split_dataset(10, 0.8, 0.1, 1).test.size(), 1U);
  EXPECT_THROW(split_dataset(10, 0.8, 0.3, 1), Error);
  EXPECT_THROW(split_dataset(10, -0.1, 0.3, 1), Error);
}

}  // namespace
}  // namespace fewedits
