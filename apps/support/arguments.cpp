// SPDX-License-Identifier: MIT
#include "arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "console.hpp"
#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/text.hpp"

namespace fewedits::cli {
namespace {

/// What JSON has in the place of bytes that are no UTF-8.
constexpr const char* kReplacement = "\xef\xbf\xbd";

std::optional<std::int64_t> recorded_number(const Provenance& recorded, const char* option,
                                            const std::string& file) {
  const std::vector<std::string> values = recorded.values_of(option);
  if (values.empty()) return std::nullopt;
  const auto value = number_in<std::int64_t>(values.front());
  if (value) return value;
  throw Error({file}, fmt::format("options: {} is {}, which is no whole number", option,
                                  in_quotes(values.front())));
}

/// A path of an explanation is somebody's text.
void check_recorded_path(const char* what, const std::string& recorded, const std::string& file) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::ranges::none_of(recorded, is_control)) return;
  throw Error({file},
              fmt::format("names the {} {}, which has control characters in it", what,
                          in_quotes(recorded, 200)),
              fmt::format("say where it is: --{} PATH", what));
}

std::optional<double> finite_number(const std::string& text) {
  double value = 0;
  const bool fine = CLI::detail::lexical_cast(text, value) && std::isfinite(value);
  return fine ? std::optional(value) : std::nullopt;
}

}  // namespace

int run_app(CLI::App& app, int argc, char** argv, const Action& action) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kFine : kUsage;
  }
  return action();
}

std::vector<CLI::Option*> DatasetArguments::add_to(CLI::App& command) {
  return {
      command.add_option("--metadata", metadata,
                         "JSON file that describes the dataset (see docs/formats.md)"),
      command.add_option("--desired-class", desired_class,
                         "class that is desired: its value in the file, its name, or model:N for "
                         "output N of the model, from 0"),
      command
          .add_option("--rare-label-threshold", rare_label_threshold,
                      "drop graphs with a node label that occurs at most this often")
          ->check(check_unsigned),
      command.add_option("--label-column", label_column,
                         "molecule files: where the classes are, a CSV column, an SD field, or the "
                         "number of a column of SMILES; molecules without a class are left out"),
      command.add_flag("--hydrogens", hydrogens,
                       "molecule files: make hydrogens nodes of their own"),
      command.add_flag("--no-charges", no_charges,
                       "molecule files: one label for an element, whatever its charge")};
}

DatasetOptions DatasetArguments::options() const {
  DatasetOptions options;
  if (!metadata.empty()) options.metadata = metadata;
  if (!desired_class.empty()) options.desired_class = desired_class;
  options.rare_label_threshold = rare_label_threshold;
  options.label_column = label_column;
  options.explicit_hydrogens = hydrogens;
  options.ignore_charges = no_charges;
  options.desired_may_be_the_models = has_model;
  options.threads = threads;
  return options;
}

Dataset DatasetArguments::open(DatasetDescription* description) const {
  return open_dataset(path, options(), description);
}

Dataset DatasetArguments::open_with_desired() const {
  DatasetArguments with_model = *this;
  with_model.has_model = true;
  Dataset data = with_model.open();
  if (data.has_desired()) return data;
  throw Error({path}, "which class is desired is not known",
              data.class_labels.empty()
                  ? "the graphs have no classes: give the model's, by name or as its output "
                    "(--desired-class model:1)"
                  : fmt::format("give --desired-class, one of {}, or \"desired_class\" in the "
                                "metadata",
                                in_words(data.class_labels)));
}

std::vector<std::filesystem::path> DatasetArguments::files() const {
  return joined({dataset_files(path), {metadata}});
}

std::vector<std::pair<std::string, std::string>> DatasetArguments::flags() const {
  std::vector<std::pair<std::string, std::string>> out;
  if (!metadata.empty()) out.emplace_back("metadata", metadata);
  if (!desired_class.empty()) out.emplace_back("desired-class", desired_class);
  if (rare_label_threshold) {
    out.emplace_back("rare-label-threshold", std::to_string(*rare_label_threshold));
  }
  if (!label_column.empty()) out.emplace_back("label-column", label_column);
  if (hydrogens) out.emplace_back("hydrogens", "");
  if (no_charges) out.emplace_back("no-charges", "");
  return out;
}

void DatasetArguments::take_recorded(const Provenance& recorded, const std::string& file) {
  path = recorded_path("dataset", path, recorded.dataset_path, file);
  if (const auto values = recorded.values_of("metadata"); !values.empty()) {
    metadata = recorded_path("metadata", metadata, values.front(), file);
  }
  if (const auto values = recorded.values_of("desired-class"); !values.empty()) {
    if (desired_class.empty()) desired_class = values.front();
  }
  if (!rare_label_threshold) {
    rare_label_threshold = recorded_number(recorded, "rare-label-threshold", file);
  }
  if (const auto values = recorded.values_of("label-column"); !values.empty()) {
    if (label_column.empty()) label_column = values.front();
  }
  hydrogens = hydrogens || !recorded.values_of("hydrogens").empty();
  no_charges = no_charges || !recorded.values_of("no-charges").empty();
  has_model = true;  // no explanation is made without one
}

std::string check_unsigned(const std::string& text) {
  // CLI11 itself would take a number that is too large for the largest there is.
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, trouble] = std::from_chars(text.data(), end, value);
  if (trouble == std::errc::result_out_of_range) return in_quotes(text) + " is too large";
  const bool fine = trouble == std::errc() && stopped == end;
  return fine ? std::string() : "must be a whole number, 0 or more, not " + in_quotes(text);
}

std::string check_not_negative(const std::string& text) {
  const auto value = finite_number(text);
  return value && *value >= 0 ? std::string()
                              : "must be a number, 0 or more, not " + in_quotes(text);
}

std::string check_share(const std::string& text) {
  const auto value = finite_number(text);
  return value && *value > 0 && *value < 1
             ? std::string()
             : "must be between 0 and 1, both excluded, not " + in_quotes(text);
}

CLI::Validator number_from(double low, double high) {
  const std::string range = fmt::format("a number from {} to {}", low, high);
  return {[=](const std::string& text) {
            const auto value = finite_number(text);
            return value && *value >= low && *value <= high
                       ? std::string()
                       : fmt::format("must be {}, not {}", range, in_quotes(text));
          },
          fmt::format("[{} - {}]", low, high)};
}

CLI::Validator readable_by(std::function<void(const std::string&)> read) {
  return {[read = std::move(read)](const std::string& text) {
            try {
              read(text);
              return std::string();
            } catch (const Error& error) {
              return std::string(error.what());
            }
          },
          ""};
}

std::string recorded_path(const char* what, const std::string& given, const std::string& recorded,
                          const std::filesystem::path& file) {
  if (!given.empty()) return given;
  if (recorded.empty()) {
    throw Error({file.string()}, fmt::format("does not say where the {} is", what),
                fmt::format("give --{} PATH", what));
  }
  check_recorded_path(what, recorded, file.string());
  std::error_code absent;
  if (std::filesystem::exists(recorded, absent)) return recorded;
  // The folder from which the file was made is mostly one of those above it.
  auto folder = std::filesystem::absolute(file).parent_path();
  for (;; folder = folder.parent_path()) {
    const auto path = folder / recorded;
    if (std::filesystem::exists(path, absent)) return path.string();
    if (folder == folder.root_path()) break;
  }
  throw Error({file.string()},
              fmt::format("names the {} {}, which is not there{}", what, in_quotes(recorded, 200),
                          recorded.find(kReplacement) == recorded.npos
                              ? ""
                              : " (bytes of it were no UTF-8, and could not be recorded)"),
              fmt::format("say where it is: --{} PATH", what));
}

void check_outputs_differ(const NamedOutputs& outputs) {
  for (std::size_t i = 1; i < outputs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto& [name, file] = outputs[i];
      const auto& [other, other_file] = outputs[j];
      if (is_stdout(file) && is_stdout(other_file)) {
        throw CLI::ValidationError(
            name, fmt::format("goes to standard output, as {} does: give one a file", other));
      }
      if (!same_file(file, other_file)) continue;
      throw CLI::ValidationError(name, fmt::format("names the same file as {}: {}", other, file));
    }
  }
}

bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code absent;
  // By what they are, since a file may have several names; by where they lead if they are not
  // there.
  return std::filesystem::equivalent(a, b, absent) || end_of_links(a) == end_of_links(b);
}

void protect_inputs(const std::string& output, const std::vector<std::filesystem::path>& inputs) {
  if (is_stdout(output)) return;
  for (const std::filesystem::path& input : inputs) {
    if (input.empty() || !same_file(output, input)) continue;
    throw Error(
        {output},
        fmt::format("would overwrite what is being read, {}", in_quotes(input.string(), 200)),
        "choose another output file");
  }
}

std::vector<std::filesystem::path> joined(
    std::initializer_list<std::vector<std::filesystem::path>> lists) {
  std::vector<std::filesystem::path> out;
  for (const auto& list : lists) out.insert(out.end(), list.begin(), list.end());
  return out;
}

void check_writable(const std::filesystem::path& file) {
  const auto parent = file.parent_path();
  const auto folder = parent.empty() ? std::filesystem::path(".") : parent;
  if (!std::filesystem::is_directory(folder)) {
    throw Error({folder.string()}, "there is no such folder", "create it first");
  }
  if (std::filesystem::is_directory(file)) throw Error({file.string()}, "is a folder");
  probe_writable(file);
}

CLI::Option* add_threads(CLI::App& command, int& threads, DatasetArguments* dataset) {
  CLI::Option* option = command.add_option("--threads", threads, "threads to use; 0: one per core")
                            ->check(CLI::Range(0, 4096))
                            ->capture_default_str();
  if (dataset == nullptr) return option;
  return option->each(
      [dataset](const std::string& text) { dataset->threads = number_in<int>(text).value_or(0); });
}

}  // namespace fewedits::cli
