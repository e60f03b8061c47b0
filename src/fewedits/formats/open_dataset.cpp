// SPDX-License-Identifier: MIT
#include "fewedits/formats/open_dataset.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/parallel.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/formats/dataset_file.hpp"
#include "fewedits/formats/metadata.hpp"
#include "fewedits/formats/molecule_file.hpp"
#include "fewedits/formats/molecule_records.hpp"
#include "fewedits/formats/tu_reader.hpp"

namespace fewedits {
namespace {

/// What was read, and how it is to be understood.
struct Described {
  RawDataset raw;
  DatasetDescription by = {};
  std::optional<std::size_t> desired_column = std::nullopt;
  std::optional<std::string> desired_name = std::nullopt;
  ReadingOfSource reading = {};
  bool numbers_are_ours = false;  ///< of classes that are words in the source
};

/// The classes are words, numbered by us: the next file of the same kind may number them otherwise.
void refuse_number(const std::string& desired, const DatasetMetadata& metadata) {
  if (!number_in<std::int64_t>(desired)) return;
  std::vector<std::string_view> names;
  for (const auto& [value, name] : metadata.class_names) names.push_back(name);
  throw Error(fmt::format("the classes of the file are words, and {} is none of them", desired),
              fmt::format("they are: {}", fmt::join(names, ", ")));
}

/// What a person says goes before the metadata.
void choose_desired(const std::string& text, bool may_be_the_models, Described& to) {
  DatasetMetadata& metadata = to.by.metadata;
  metadata.desired_class.reset();
  to.desired_column = model_column(text);
  if (to.desired_column) return;
  if (const auto value = number_in<std::int64_t>(text)) {
    metadata.desired_class = value;
    return;
  }
  auto& names = metadata.class_names;
  // Of data without classes the name is one that the model knows.
  if (to.raw.graph_labels.empty() && names.empty()) names[0] = text;
  std::vector<NamedValue> classes;
  for (const auto& [value, name] : names) classes.push_back({value, name});
  const auto found = find_class(classes, text);
  if (!found && may_be_the_models) {
    to.desired_name = text;
    return;
  }
  if (!found) {
    throw Error(fmt::format("the dataset has no class {}", in_quotes(text)),
                classes.empty() ? "its classes have no names: give the value in the file, or name "
                                  "them in the metadata (\"classes\")"
                                : "its classes are: " + in_words(classes));
  }
  metadata.desired_class = classes[static_cast<std::size_t>(*found)].value;
}

std::optional<DatasetMetadata> find_builtin(const std::filesystem::path& path,
                                            const std::string& file_prefix) {
  // "data/AIDS/" has an empty file name; the folder's name is what counts.
  const auto clean = std::filesystem::absolute(path).lexically_normal();
  const auto last = clean.has_filename() ? clean : clean.parent_path();
  const auto name = std::filesystem::is_directory(path) ? last.filename() : last.stem();
  auto known = builtin_metadata(name.string());
  return known ? known : builtin_metadata(file_prefix);
}

/// The metadata that was given goes before fewedits.json, which is then not even read.
Described read_described_tu(const std::filesystem::path& path, const DatasetOptions& options) {
  const auto refuse = [&](const char* what) { throw Error({path.string()}, what); };
  if (options.explicit_hydrogens) {
    refuse("hydrogens are made nodes of molecule files only, not of TU data");
  }
  if (options.ignore_charges) refuse("only molecule files have charges to ignore, not TU data");
  if (!options.label_column.empty()) {
    refuse("only molecule files have a column of classes to choose, not TU data");
  }
  using From = DatasetDescription::From;
  const TuSource source(path);
  Described out{source.read()};
  out.by.builtin = find_builtin(path, out.raw.name);
  if (options.metadata) return out;
  if (auto beside = source.read_metadata()) {
    out.by.metadata = *std::move(beside);
    out.by.from = From::kBeside;
    out.by.file = source.metadata_file();
  } else if (out.by.builtin) {
    out.by.metadata = *out.by.builtin;
    out.by.from = From::kBuiltin;
  }
  return out;
}

/// How it was read was decided when it was saved; to say the same again does no harm.
void check_reading(const ReadingOfSource& is, const DatasetOptions& asked,
                   const std::string& file) {
  const auto refuse = [&](const char* what) {
    throw Error({file}, what, "read the molecule file itself, or save it again so");
  };
  if (asked.explicit_hydrogens && !is.explicit_hydrogens) {
    refuse("was saved without hydrogens as nodes");
  }
  if (asked.ignore_charges && !is.ignore_charges) refuse("was saved with charges");
  if (!asked.label_column.empty() && asked.label_column != is.label_column) {
    refuse("was saved with another column of classes");
  }
}

Described read_saved(const std::filesystem::path& path, const DatasetOptions& options) {
  ThreadPool pool(options.threads);
  StoredDataset stored = read_dataset_file(path, pool);
  check_reading(stored.reading, options, path.string());
  Described out{std::move(stored.raw)};
  out.reading = std::move(stored.reading);
  out.by.builtin = find_builtin(path, out.raw.name);
  if (options.metadata) return out;
  out.numbers_are_ours = stored.numbers_are_ours;
  out.by.metadata = std::move(stored.metadata);
  out.by.from = DatasetDescription::From::kInside;
  out.by.file = path.string();
  return out;
}

Described read_molecule_file(const std::filesystem::path& path, const DatasetOptions& options) {
  Described out{read_molecules(path, {options.explicit_hydrogens, !options.ignore_charges},
                               options.label_column)};
  out.reading = {true, options.label_column, options.explicit_hydrogens, options.ignore_charges};
  return out;
}

Described read_any(const std::filesystem::path& path, const DatasetOptions& options) {
  refuse_nul(path);
  if (!std::filesystem::exists(path)) {
    throw Error({path.string()}, "there is no such file or folder",
                "a dataset is a TU folder, a TU .zip, a .smi, .csv or .sdf file, or a .few file");
  }
  if (has_molecule_extension(path)) return read_molecule_file(path, options);
  if (has_dataset_extension(path)) return read_saved(path, options);
  return read_described_tu(path, options);
}

/// What was read, with all that is said of it but the meaning of words and single options.
Described read_described(const std::filesystem::path& path, const DatasetOptions& options) {
  Described out = read_any(path, options);
  if (options.metadata) {
    out.by.file = options.metadata->string();
    out.by.metadata = parse_metadata(read_file(*options.metadata, kMaxMetadataBytes), out.by.file);
    out.by.from = DatasetDescription::From::kGiven;
  }
  if (out.reading.molecules) out.by.metadata.domain = "molecule";
  return out;
}

/// Gives words their values, and takes what single options say.
void understand(Described& found, const DatasetOptions& options) {
  found.numbers_are_ours = found.numbers_are_ours || (!found.raw.class_names.empty() &&
                                                      found.by.metadata.class_names.empty());
  number_class_words(found.raw, found.by.metadata);
  if (options.desired_class) {
    if (found.numbers_are_ours) refuse_number(*options.desired_class, found.by.metadata);
    choose_desired(*options.desired_class, options.desired_may_be_the_models, found);
  }
  if (options.rare_label_threshold) {
    found.by.metadata.rare_label_threshold = options.rare_label_threshold;
  }
}

Dataset prepared(Described found) {
  Dataset out = prepare(std::move(found.raw), found.by.metadata);
  out.desired_column = found.desired_column;
  out.desired_name = std::move(found.desired_name);
  return out;
}

}  // namespace

Dataset open_dataset(const std::filesystem::path& path, const DatasetOptions& options,
                     DatasetDescription* description) {
  Described found = read_described(path, options);
  understand(found, options);
  if (description != nullptr) *description = found.by;
  return prepared(std::move(found));
}

Dataset open_and_save_dataset(const std::filesystem::path& path, const DatasetOptions& options,
                              const std::filesystem::path& to) {
  check_dataset_extension(to);
  Described found = read_described(path, options);
  RawDataset as_read = found.raw;  // before words get values; the graphs are shared
  understand(found, options);
  if (found.desired_column || found.desired_name) {
    throw Error(fmt::format("the desired class {} is a model's, and no part of a dataset",
                            in_quotes(*options.desired_class)),
                "save without it, and give it when the file is used");
  }
  const StoredDataset stored{std::move(as_read), found.by.metadata, found.numbers_are_ours,
                             found.reading};
  // What cannot be opened is not saved.
  Dataset out = prepared(std::move(found));
  ThreadPool pool(options.threads);
  write_dataset_file(to, stored, pool);
  return out;
}

Dataset described_dataset(RawDataset raw, DatasetMetadata metadata,
                          const std::optional<std::string>& desired_class) {
  Described found{std::move(raw)};
  found.by.metadata = std::move(metadata);
  number_class_words(found.raw, found.by.metadata);
  if (desired_class) choose_desired(*desired_class, /*may_be_the_models=*/true, found);
  return prepared(std::move(found));
}

std::vector<std::filesystem::path> dataset_files(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) ? tu_files(path) : std::vector{path};
}

}  // namespace fewedits
