// SPDX-License-Identifier: MIT
#include "fewedits/graph/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>

#include "fewedits/base/error.hpp"
#include "fewedits/base/rng.hpp"
#include "fewedits/base/terminal_text.hpp"
#include "fewedits/base/text.hpp"

namespace fewedits {
namespace {

constexpr Label kDropped = ~Label{0};

// New index of each old node label, kDropped for those the filter removes.
std::vector<Label> keep_labels(const RawDataset& raw, std::optional<std::int64_t> threshold) {
  std::vector<std::int64_t> count(raw.node_labels.size(), 0);
  for (const Graph& g : raw.graphs) {
    for (const Label l : g.labels()) ++count[l];
  }
  std::vector<Label> kept(count.size(), kDropped);
  Label next = 0;
  for (std::size_t i = 0; i < count.size(); ++i) {
    if (!threshold || count[i] > *threshold) kept[i] = next++;
  }
  return kept;
}

std::string name_or_value(const std::map<std::int64_t, std::string>& names, const NamedValue& v) {
  const auto it = names.find(v.value);
  if (it != names.end()) return it->second;
  return v.name.empty() ? std::to_string(v.value) : v.name;
}

/// Models match labels and classes by name, so a name may stand for one value only.
void refuse_duplicates(const std::vector<NamedValue>& values, const char* what,
                       const std::string& dataset) {
  std::map<std::string, std::int64_t> seen;
  for (const NamedValue& v : values) {
    const auto [it, fresh] = seen.emplace(v.name, v.value);
    if (fresh) continue;
    throw Error(fmt::format("dataset {}: the {} {} and {} have the same name {}", dataset, what,
                            it->second, v.value, in_quotes(v.name)),
                "give each a name of its own in the metadata file");
  }
}

[[noreturn]] void refuse_desired(std::int64_t desired, const std::set<std::int64_t>& known,
                                 const std::string& dataset) {
  if (known.empty()) {
    throw Error(
        fmt::format("dataset {}: its graphs have no classes, so none is {}", dataset, desired),
        "give the name of one of the model's classes, or its output (model:0, model:1, …)");
  }
  throw Error(fmt::format("dataset {}: no graph has the desired class {}", dataset, desired),
              fmt::format("classes in the file: {}", fmt::join(known, ", ")));
}

void map_classes(const std::vector<std::int64_t>& graph_labels, const DatasetMetadata& metadata,
                 Dataset& out) {
  // Classes the metadata names count although no graph may have them: a part of a dataset keeps
  // the meaning of its classes.
  std::set<std::int64_t> distinct(graph_labels.begin(), graph_labels.end());
  for (const auto& [value, name] : metadata.class_names) distinct.insert(value);
  distinct.insert(metadata.model_columns.begin(), metadata.model_columns.end());
  const auto& desired = metadata.desired_class;
  if (desired && !distinct.contains(*desired)) refuse_desired(*desired, distinct, out.name);
  std::vector<std::int64_t> values(distinct.begin(), distinct.end());
  if (values.size() == 2 && values[0] == desired) std::swap(values[0], values[1]);
  std::map<std::int64_t, int> index;
  for (std::size_t c = 0; c < values.size(); ++c) {
    index[values[c]] = static_cast<int>(c);
    out.class_labels.push_back({values[c], name_or_value(metadata.class_names, {values[c], {}})});
  }
  if (desired) out.desired_class = index[*desired];
  for (const std::int64_t label : graph_labels) out.classes.push_back(index[label]);
  for (const std::int64_t label : metadata.model_columns) {
    if (std::ranges::find(out.model_columns, index[label]) != out.model_columns.end()) {
      throw Error(fmt::format("dataset {}: the class {} has two model columns", out.name, label),
                  "each class is one output of a model");
    }
    out.model_columns.push_back(index[label]);
  }
}

/// Puts the graphs that have nodes, and no label that the filter removes, into `out`, and says how
/// many others there were. Returns the classes of those that stay.
std::vector<std::int64_t> keep_graphs(const RawDataset& raw, const std::vector<Label>& kept,
                                      std::optional<std::int64_t> threshold, Dataset& out) {
  const bool all_kept = std::ranges::find(kept, kDropped) == kept.end();
  std::vector<std::int64_t> graph_labels;
  std::size_t empty = 0;
  for (std::size_t i = 0; i < raw.graphs.size(); ++i) {
    const Graph& g = raw.graphs[i];
    if (g.num_nodes() == 0) {
      ++empty;
      continue;
    }
    if (std::ranges::any_of(g.labels(), [&](Label l) { return kept[l] == kDropped; })) continue;
    out.graphs.push_back(all_kept ? g : g.relabelled(kept));
    out.source_index.push_back(raw.source_index.empty() ? static_cast<std::int64_t>(i)
                                                        : raw.source_index[i]);
    if (!raw.names.empty()) out.names.push_back(raw.names[i]);
    if (!raw.graph_labels.empty()) graph_labels.push_back(raw.graph_labels[i]);
  }
  if (empty == raw.graphs.size()) {
    throw Error(fmt::format("dataset {}: no graph has nodes", out.name));
  }
  if (out.graphs.empty()) {
    throw Error(fmt::format("dataset {}: the rare-label filter leaves no graph", out.name),
                "lower the rare-label threshold (\"rare_label_threshold\" in the metadata file)");
  }
  const std::size_t filtered = raw.graphs.size() - out.graphs.size();
  out.dropped = filtered + raw.left_out;
  if (empty > 0) {
    out.notes.push_back(
        fmt::format("skipped {} of {} graphs, which have no nodes", empty, raw.graphs.size()));
  }
  const std::size_t rare = filtered - empty;
  if (rare > 0) {
    out.notes.push_back(
        fmt::format("dropped {} of {} graphs with a node label that occurs at most {} times", rare,
                    raw.graphs.size(), threshold.value_or(0)));
  }
  return graph_labels;
}

}  // namespace

std::uint64_t Dataset::total_nodes() const {
  return std::accumulate(graphs.begin(), graphs.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Graph& g) { return sum + g.num_nodes(); });
}

std::uint64_t Dataset::total_edges() const {
  return std::accumulate(graphs.begin(), graphs.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Graph& g) { return sum + g.num_edges(); });
}

std::string in_words(const std::vector<NamedValue>& classes) {
  std::vector<std::string> words;
  for (const NamedValue& c : classes) {
    const std::string value = std::to_string(c.value);
    words.push_back(c.name == value ? value : fmt::format("{} ({})", value, c.name));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::optional<int> find_class(const std::vector<NamedValue>& classes, const std::string& text) {
  const auto value = number_in<std::int64_t>(text);
  const auto it = std::ranges::find_if(
      classes, [&](const NamedValue& c) { return value ? c.value == *value : c.name == text; });
  if (it == classes.end()) return std::nullopt;
  return static_cast<int>(it - classes.begin());
}

std::optional<std::size_t> model_column(const std::string& text) {
  constexpr std::string_view kPrefix = "model:";
  if (!text.starts_with(kPrefix)) return std::nullopt;
  const auto column = number_in<std::uint32_t>(text.substr(kPrefix.size()));
  if (!column) {
    throw Error(fmt::format("{} names no output of a model", in_quotes(text)),
                "outputs are counted from 0: model:0, model:1, …");
  }
  return *column;
}

void number_class_words(RawDataset& raw, DatasetMetadata& metadata) {
  if (raw.class_names.empty()) return;
  auto& names = metadata.class_names;
  const auto refuse = [&](const std::string& what, const char* remedy) {
    throw Error(
        fmt::format("dataset {}: {}", metadata.name.empty() ? raw.name : metadata.name, what),
        remedy);
  };
  if (names.empty()) {
    if (metadata.desired_class || !metadata.model_columns.empty()) {
      refuse("the metadata speaks of classes by number, but they are words",
             "give each word a number under \"classes\"");
    }
    for (const NamedValue& word : raw.class_names) names[word.value] = word.name;
  }
  std::map<std::int64_t, std::int64_t> value;
  for (const NamedValue& word : raw.class_names) {
    const auto named =
        std::ranges::find_if(names, [&](const auto& entry) { return entry.second == word.name; });
    if (named == names.end()) {
      refuse(fmt::format("the metadata has no class {}", in_quotes(word.name)),
             "give it a number under \"classes\"");
    }
    value[word.value] = named->first;
  }
  for (std::int64_t& label : raw.graph_labels) label = value.at(label);
  raw.class_names.clear();
}

Dataset prepare(RawDataset raw, DatasetMetadata metadata) {
  number_class_words(raw, metadata);
  Dataset out;
  // Of files, which may be called anything, and shown by every command.
  out.name = printable(metadata.name.empty() ? raw.name : metadata.name);
  out.domain = metadata.domain;
  out.notes = std::move(raw.notes);
  if (raw.graphs.empty()) throw Error(fmt::format("dataset {}: has no graphs", out.name));

  const auto kept = keep_labels(raw, metadata.rare_label_threshold);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i] == kDropped) continue;
    const NamedValue& v = raw.node_labels[i];
    out.node_labels.push_back({v.value, name_or_value(metadata.node_label_names, v)});
  }
  for (const NamedValue& v : raw.edge_labels) {
    out.edge_labels.push_back({v.value, name_or_value(metadata.edge_label_names, v)});
  }

  map_classes(keep_graphs(raw, kept, metadata.rare_label_threshold, out), metadata, out);
  refuse_duplicates(out.node_labels, "node labels", out.name);
  refuse_duplicates(out.class_labels, "classes", out.name);
  return out;
}

Split split_dataset(std::size_t count, double train, double validation, std::uint64_t seed) {
  if (!(train >= 0 && validation >= 0 && train + validation <= 1.0 + 1e-12)) {
    throw Error(fmt::format("split {}/{} is not possible", train, validation),
                "shares are between 0 and 1 and sum to at most 1, the rest is for testing");
  }
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Rng rng(seed, /*stream=*/0x5b11);
  rng.shuffle(std::span(order));
  const auto cut = [&](double share) {
    return static_cast<std::size_t>(share * static_cast<double>(count) + 1e-9);
  };
  const std::size_t a = std::min(cut(train), count);
  const std::size_t b = std::min(a + cut(validation), count);
  const auto part = [&](std::size_t from, std::size_t to) {
    std::vector<std::size_t> indices(order.begin() + static_cast<std::ptrdiff_t>(from),
                                     order.begin() + static_cast<std::ptrdiff_t>(to));
    std::sort(indices.begin(), indices.end());
    return indices;
  };
  return {part(0, a), part(a, b), part(b, count)};
}

}  // namespace fewedits
