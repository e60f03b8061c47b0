// SPDX-License-Identifier: MIT
// What the programs ask of their arguments.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fewedits/explanation/explanation.hpp"
#include "fewedits/formats/open_dataset.hpp"
#include "fewedits/graph/dataset.hpp"

namespace fewedits::cli {

/// What the arguments ask for; returns the exit code.
using Action = std::function<int()>;

/// Reads the command line, which chooses the action, and carries that out; returns the exit code.
int run_app(CLI::App& app, int argc, char** argv, const Action& action);

/// The flags that say what a dataset is, shared by all commands that read one.
struct DatasetArguments {
  std::string path;
  std::string metadata;
  std::string desired_class;  ///< as it was said; empty: not
  std::optional<std::int64_t> rare_label_threshold;
  std::string label_column;
  bool hydrogens = false;
  bool no_charges = false;
  /// There is a model, which may know a desired class that the dataset does not.
  bool has_model = false;
  int threads = 0;  ///< that read; 0: one per core

  std::vector<CLI::Option*> add_to(CLI::App& command);
  [[nodiscard]] DatasetOptions options() const;
  /// `description`, unless null, is filled.
  [[nodiscard]] Dataset open(DatasetDescription* description = nullptr) const;
  /// The same for commands that have a model and cannot do without a desired class. Throws Error
  /// if there is none.
  [[nodiscard]] Dataset open_with_desired() const;
  /// The files that open() reads, for protect_inputs.
  [[nodiscard]] std::vector<std::filesystem::path> files() const;
  /// Those that were given, by name, as an explanation records its options.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> flags() const;
  /// What the command line does not say becomes what the explanation `file` has recorded. Throws
  /// Error if that is not to be found.
  void take_recorded(const Provenance& recorded, const std::string& file);
};

/// A non-negative whole number: CLI11 itself would wrap "-1" around to 2^64 - 1.
std::string check_unsigned(const std::string& text);

/// A finite number, 0 or more: CLI11's own check lets "nan" pass.
std::string check_not_negative(const std::string& text);
/// A number between 0 and 1, both excluded.
std::string check_share(const std::string& text);
/// A number from `low` to `high`; unlike CLI::Range, not "nan".
CLI::Validator number_from(double low, double high);
/// What `read` throws an Error for is a mistake in the command line.
CLI::Validator readable_by(std::function<void(const std::string&)> read);

/// Where an explanation's dataset or model is: what the command line says, else what the
/// explanation `file` says, as seen from the current folder, from the file's, or from one above
/// that; hashes tell whether it is the right one. Throws Error if neither says, if there is
/// nothing where the explanation says, or if that has control characters in it.
std::string recorded_path(const char* what, const std::string& given, const std::string& recorded,
                          const std::filesystem::path& file);

/// Options that name files to write, and the files.
using NamedOutputs = std::vector<std::pair<std::string, std::string>>;
/// Nothing that is written may take the place of something else that is, or mix with it on standard
/// output. Throws CLI::ValidationError: it is the command line that is wrong.
void check_outputs_differ(const NamedOutputs& outputs);

/// Do they name one file, over whatever links, or would they if they were there?
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Throws Error if writing `output` would destroy one of the inputs: it is one, has a link to one,
/// or is another name of one. Every command that reads and writes asks this before it begins; those
/// that were not given are empty.
void protect_inputs(const std::string& output, const std::vector<std::filesystem::path>& inputs);

/// All of them in one list.
std::vector<std::filesystem::path> joined(
    std::initializer_list<std::vector<std::filesystem::path>> lists);

/// Throws Error if the file could not be written, so that this is found before the work
/// begins.
void check_writable(const std::filesystem::path& file);

/// Adds --threads N (0: one per core), which also says how many read the dataset, unless null.
CLI::Option* add_threads(CLI::App& command, int& threads, DatasetArguments* dataset = nullptr);

}  // namespace fewedits::cli
