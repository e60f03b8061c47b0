// SPDX-License-Identifier: MIT
// Which dataset and which model an explanation is held against, and who says so.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "fewedits/explanation/explanation.hpp"
#include "fewedits/graph/dataset.hpp"

namespace fewedits::verify {

/// A dataset that the user names is read as the user says, and what the explanation recorded of
/// that is a claim like others. Without one, the explanation says where it is and how to read it.
struct Sources {
  Dataset data;
  std::string data_path;
  std::string data_hash;
  std::string model_path;  ///< empty: the model is a black box, and not in a file
  std::string model_hash;
  bool data_path_taken = false;  ///< from the explanation
  bool model_path_taken = false;
  /// Where names, desired class and filter come from, in words.
  std::string described_by;
  /// How that differs from the built-in entry of the dataset's name, if it has one.
  std::vector<std::string> unlike_builtin;
  /// Flags that the explanation has and the user did not give, as a command line would spell them,
  /// if they were taken from there.
  std::vector<std::string> taken;
  /// What the dataset would be without them, compared with what it is; empty: the same.
  std::vector<std::string> without_taken;
  /// Why that could not be found out; unset: it could.
  std::optional<std::string> without_unknown;
  /// All flags that the explanation records, and what the dataset would be with those alone; empty:
  /// the same.
  std::vector<std::string> recorded;
  std::vector<std::string> as_recorded;
  /// Why that could not be found out; unset: it could.
  std::optional<std::string> recorded_unknown;
};

/// Throws Error if the dataset or the model is not to be found or read, or if no class is desired.
/// `bonds`: labels of edges belong to the dataset's hash.
Sources find_sources(const Provenance& provenance, bool bonds, const std::string& file,
                     const cli::DatasetArguments& dataset, const std::string& model);

}  // namespace fewedits::verify
