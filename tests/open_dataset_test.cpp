// SPDX-License-Identifier: MIT
// From a path to a dataset: which metadata counts, and what is read.
#include "fewedits/formats/open_dataset.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/formats/metadata.hpp"
#include "fewedits/formats/zip_writer.hpp"
#include "support/open_counter.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

namespace fs = std::filesystem;
using test::OpenCounter;
using test::TemporaryFolder;

std::string metadata_named(const std::string& name) {
  DatasetMetadata metadata;
  metadata.name = name;
  return to_json(metadata);
}

/// One graph of each of two classes; `metadata` beside it, unless empty.
fs::path write_zip(const TemporaryFolder& folder, const std::string& metadata) {
  ZipWriter zip;
  zip.add("T_A.txt", "1, 2\n2, 1\n");
  zip.add("T_graph_indicator.txt", "1\n1\n2\n");
  zip.add("T_graph_labels.txt", "0\n1\n");
  if (!metadata.empty()) zip.add("fewedits.json", metadata);
  return folder.write("T.zip", zip.finish());
}

TEST(OpenCounterTest, CountsEveryOpening) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("file", "x");
  const OpenCounter openings(file);
  EXPECT_EQ(openings.count(), 0);
  read_file(file);
  read_file(file);
  EXPECT_EQ(openings.count(), 2);
}

TEST(OpenDatasetTest, OpensAZipFileOnceForDataAndMetadata) {
  const TemporaryFolder folder;
  for (const std::string& metadata : {metadata_named("mine"), std::string()}) {
    SCOPED_TRACE(metadata);
    const fs::path zip = write_zip(folder, metadata);
    const OpenCounter openings(zip);
    const Dataset data = open_dataset(zip);
    EXPECT_EQ(data.size(), 2U);
    EXPECT_EQ(data.name, metadata.empty() ? "T" : "mine");
    EXPECT_EQ(openings.count(), 1);
  }
}

TEST(OpenDatasetTest, GivenMetadataGoesBeforeTheFileBesideTheData) {
  const TemporaryFolder folder;
  // Not even read: what is wrong with it does not matter.
  const fs::path zip = write_zip(folder, "no JSON");
  EXPECT_THROW(open_dataset(zip), Error);
  DatasetOptions options;
  options.metadata = folder.write("given.json", metadata_named("given"));
  EXPECT_EQ(open_dataset(zip, options).name, "given");
}

TEST(OpenDatasetTest, TuDataHasNothingToChooseAsMoleculeFilesHave) {
  const TemporaryFolder folder;
  const fs::path zip = write_zip(folder, "");
  DatasetOptions column;
  column.label_column = "label";
  DatasetOptions uncharged;
  uncharged.ignore_charges = true;
  DatasetOptions hydrogens;
  hydrogens.explicit_hydrogens = true;
  for (const DatasetOptions& options : {column, uncharged, hydrogens}) {
    EXPECT_THROW(open_dataset(zip, options), Error);
  }
}

TEST(DatasetFilesTest, AreThoseThatAreReadOrLookedFor) {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "T/raw");
  for (const char* name : {"T_A.txt", "T_graph_indicator.txt", "T_graph_labels.txt", "other.txt"}) {
    folder.write("T/raw/" + std::string(name), "1\n");
  }
  std::vector<fs::path> files = dataset_files(folder.path() / "T");
  std::sort(files.begin(), files.end());
  std::vector<fs::path> expected;
  for (const char* name : {"T_A.txt", "T_edge_labels.txt", "T_graph_indicator.txt",
                           "T_graph_labels.txt", "T_node_labels.txt", "fewedits.json"}) {
    expected.push_back(folder.path() / "T/raw" / name);
  }
  EXPECT_EQ(files, expected);
  const fs::path zip = folder.path() / "data.zip";
  EXPECT_EQ(dataset_files(zip), std::vector{zip});
}

}  // namespace
}  // namespace fewedits
