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

}  // namespace

Sources find_sources(const Explanation& explanation, const std::string& file,
                     const cli::DatasetArguments& dataset, const std::string& model) {
  const Provenance& p = explanation.provenance;
  Sources out;
  const bool given = !dataset.path.empty();
  cli::DatasetArguments plain = dataset;
  plain.path = cli::recorded_path("dataset", dataset.path, p.dataset_path, file);
  cli::DatasetArguments recorded = plain;
  try {
    recorded.take_recorded(p, file);
  } catch (const Error& error) {
    // Where only the user is listened to, it does not matter yet.
    if (!given) throw;
    out.unknown = error.what();
  }
  out.data_path = plain.path;
  out.flags = additional(recorded.flags(), dataset.flags());
  out.flags_taken = !given && !out.flags.empty();
  out.data = (given ? plain : recorded).open();
  out.data_hash = dataset_fingerprint(out.data);
  if (!out.flags.empty() && !out.unknown) {
    try {
      out.otherwise = differences(out.data, (given ? recorded : plain).open());
    } catch (const Error& error) {
      out.unknown = error.what();
    }
  }
  out.model_path = cli::recorded_path("model", model, p.model_path, file);
  out.model_hash = model_hash(out.model_path);
  return out;
}

}  // namespace fewedits::verify
