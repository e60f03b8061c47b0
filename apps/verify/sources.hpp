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
  std::string model_path;
  std::string model_hash;
  /// Flags that only the explanation has, as a command line would spell them: what was taken from
  /// there, or, if the user named the dataset, what was not.
  std::vector<std::string> flags;
  bool flags_taken = false;
  /// What the dataset would be with the flags if they were not taken, and without them if they
  /// were, compared with what it is; empty: the same.
  std::vector<std::string> otherwise;
  /// Why that could not be found out; unset: it could.
  std::optional<std::string> unknown;
};

Sources find_sources(const Explanation& explanation, const std::string& file,
                     const cli::DatasetArguments& dataset, const std::string& model);

}  // namespace fewedits::verify
