// SPDX-License-Identifier: MIT
#include "sources.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fewedits/base/error.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/graph/fingerprint.hpp"

namespace fewedits::verify {
namespace {

using Flags = std::vector<std::pair<std::string, std::string>>;

/// "--desired-class '1'"
std::string spelt(const std::pair<std::string, std::string>& flag) {
  const std::string name = "--" + flag.first;
  return flag.second.empty() ? name : name + " " + in_quotes(flag.second, 200);
}

std::vector<std::string> additional(const Flags& flags, const Flags& given) {
  std::vector<std::string> out;
  for (const auto& flag : flags) {
    if (std::find(given.begin(), given.end(), flag) == given.end()) out.push_back(spelt(flag));
  }
  return out;
}

std::string desired_class(const Dataset& data) {
  if (data.desired_class) {
    return in_quotes(data.class_labels[static_cast<std::size_t>(*data.desired_class)].name);
  }
  if (data.desired_name) return in_quotes(*data.desired_name);
  return data.desired_column ? fmt::format("the model's output {}", *data.desired_column)
                             : "unknown";
}

/// By value, since filters and orders may differ.
void compare_names(const char* what, const std::vector<NamedValue>& is,
                   const std::vector<NamedValue>& would_be, std::vector<std::string>& out) {
  for (const NamedValue& entry : would_be) {
    const auto same_value = [&](const NamedValue& other) { return other.value == entry.value; };
    const auto at = std::find_if(is.begin(), is.end(), same_value);
    if (at == is.end()) {
      out.push_back(fmt::format("there would be the {} {}", what, in_quotes(entry.name)));
    } else if (at->name != entry.name) {
      out.push_back(fmt::format("the {} {} would be called {}", what, in_quotes(at->name),
                                in_quotes(entry.name)));
    }
  }
}

std::vector<std::string> differences(const Dataset& is, const Dataset& would_be) {
  std::vector<std::string> out;
  if (dataset_fingerprint(is) == dataset_fingerprint(would_be)) return out;
  if (is.size() != would_be.size()) {
    out.push_back(fmt::format("there would be {} graphs, not {}", would_be.size(), is.size()));
  }
  if (desired_class(is) != desired_class(would_be)) {
    out.push_back(fmt::format("the desired class would be {}, not {}", desired_class(would_be),
                              desired_class(is)));
  }
  compare_names("node label", is.node_labels, would_be.node_labels, out);
  compare_names("class", is.class_labels, would_be.class_labels, out);
  if (out.empty()) out.emplace_back("the graphs would be other ones");
  constexpr std::size_t kMost = 12;
  if (out.size() > kMost) {
    const std::size_t more = out.size() - kMost;
    out.resize(kMost);
    out.push_back(fmt::format("and {} more differences", more));
  }
  return out;
}

/// Of the names of one kind, by value.
void compare_names(const char* what, const std::map<std::int64_t, std::string>& is,
                   const std::map<std::int64_t, std::string>& builtin,
                   std::vector<std::string>& out) {
  for (const auto& [value, name] : builtin) {
    const auto at = is.find(value);
    if (at == is.end()) {
      out.push_back(fmt::format("the {} {} has no name, not {}", what, value, in_quotes(name)));
    } else if (at->second != name) {
      out.push_back(fmt::format("the {} {} is called {}, not {}", what, value,
                                in_quotes(at->second), in_quotes(name)));
    }
  }
}

std::string number_or_none(const std::optional<std::int64_t>& number) {
  return number ? std::to_string(*number) : "none";
}

std::vector<std::string> unlike_builtin(const DatasetDescription& by) {
  std::vector<std::string> out;
  if (!by.builtin) return out;
  const DatasetMetadata& is = by.metadata;
  compare_names("node label", is.node_label_names, by.builtin->node_label_names, out);
  compare_names("class", is.class_names, by.builtin->class_names, out);
  // Of some sets nobody says which class is desired; then it is the user's to say.
  if (by.builtin->desired_class && is.desired_class != by.builtin->desired_class) {
    out.push_back(fmt::format("the desired class is {}, not {}", number_or_none(is.desired_class),
                              number_or_none(by.builtin->desired_class)));
  }
  if (is.rare_label_threshold != by.builtin->rare_label_threshold) {
    out.push_back(fmt::format("the threshold of rare labels is {}, not {}",
                              number_or_none(is.rare_label_threshold),
                              number_or_none(by.builtin->rare_label_threshold)));
  }
  return out;
}

std::string in_words(const DatasetDescription& by, const cli::DatasetArguments& read) {
  using From = DatasetDescription::From;
  std::string out;
  switch (by.from) {
    case From::kNothing: out = "the values in the files, since there is no metadata"; break;
    case From::kBuiltin: out = "the built-in metadata of " + by.metadata.name; break;
    case From::kBeside: out = by.file + ", which lies beside the data"; break;
    case From::kGiven: out = by.file + " (--metadata)"; break;
    case From::kInside: out = "what " + by.file + " has inside"; break;
  }
  if (!read.desired_class.empty()) out += "; the desired class from --desired-class";
  if (read.rare_label_threshold) out += "; the filter from --rare-label-threshold";
  return out;
}

/// The dataset as the flags say, compared with what it is; the reason, if it cannot be read.
std::vector<std::string> compared(const Dataset& is, const cli::DatasetArguments& otherwise,
                                  std::optional<std::string>& unknown) {
  try {
    return differences(is, otherwise.open());
  } catch (const Error& error) {
    unknown = error.what();
    return {};
  }
}

/// Only a desired class gives the rest a meaning.
void require_desired(const Dataset& data, const cli::DatasetArguments& read,
                     const Provenance& recorded) {
  if (data.has_desired()) return;
  const auto said = recorded.values_of("desired-class");
  if (said.empty()) (void)read.open_with_desired();
  throw Error({read.path}, "which class is desired is not known",
              fmt::format("the explanation says that it was made with --desired-class {}: give "
                          "that, too, if it is meant",
                          in_quotes(said.empty() ? "" : said.front())));
}

}  // namespace

Sources find_sources(const Provenance& p, bool bonds, const std::string& file,
                     const cli::DatasetArguments& dataset, const std::string& model) {
  Sources out;
  out.data_path_taken = dataset.path.empty();
  out.model_path_taken = model.empty();
  cli::DatasetArguments plain = dataset;
  plain.path = cli::recorded_path("dataset", dataset.path, p.dataset_path, file);
  plain.has_model = true;
  // A file with metadata may have been moved: whoever gives one says where it is now.
  cli::DatasetArguments recorded;
  recorded.path = plain.path;
  if (!p.values_of("metadata").empty()) recorded.metadata = dataset.metadata;
  cli::DatasetArguments both = plain;
  try {
    recorded.take_recorded(p, file);
    both.take_recorded(p, file);
  } catch (const Error& error) {
    // Where only the user is listened to, it does not matter yet.
    if (out.data_path_taken) throw;
    out.recorded_unknown = error.what();
  }
  const cli::DatasetArguments& read = out.data_path_taken ? both : plain;
  DatasetDescription by;
  out.data = read.open(&by);
  out.data_path = read.path;
  out.data_hash = dataset_fingerprint(out.data, bonds);
  out.described_by = in_words(by, read);
  out.unlike_builtin = unlike_builtin(by);
  require_desired(out.data, read, p);
  if (out.data_path_taken) out.taken = additional(both.flags(), dataset.flags());
  if (!out.taken.empty()) {
    out.without_taken = compared(out.data, plain, out.without_unknown);
  }
  out.recorded = additional(recorded.flags(), {});
  if (!out.recorded_unknown && read.flags() != recorded.flags()) {
    out.as_recorded = compared(out.data, recorded, out.recorded_unknown);
  }
  if (model.empty() && !p.black_box.empty()) {
    out.model_path_taken = false;
    return out;
  }
  out.model_path = cli::recorded_path("model", model, p.model_path, file);
  out.model_hash = model_hash(out.model_path);
  return out;
}

}  // namespace fewedits::verify
