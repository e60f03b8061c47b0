// SPDX-License-Identifier: MIT
#include "fewedits/graph/fingerprint.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <span>

#include "fewedits/base/sha256.hpp"

namespace fewedits {
namespace {

void append(std::span<const std::uint32_t> words, std::string& bytes) {
  for (const std::uint32_t word : words) {
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(word >> shift);
  }
}

void add_text(const std::string& text, Sha256& hash) {
  hash.update(fmt::format("{}:{}\n", text.size(), text));
}

void add_graphs(const Dataset& dataset, Sha256& hash) {
  for (const Graph& g : dataset.graphs) {
    std::string bytes;
    append(g.labels(), bytes);
    append(g.offsets(), bytes);
    append(g.targets(), bytes);
    hash.update(bytes);
  }
}

/// By the names of those that occur.
void add_edge_labels(const Dataset& dataset, Sha256& hash) {
  std::vector<bool> occurs(dataset.edge_labels.size(), false);
  for (const Graph& g : dataset.graphs) {
    std::string bytes;
    for (Node v = 0; v < g.num_nodes(); ++v) {
      append(g.edge_labels(v), bytes);
      for (const Label label : g.edge_labels(v)) occurs[label] = true;
    }
    hash.update(bytes);
  }
  for (std::size_t l = 0; l < occurs.size(); ++l) {
    if (occurs[l]) add_text(fmt::format("{} {}", l, dataset.edge_labels[l].name), hash);
  }
}

std::string desired_in_words(const Dataset& dataset) {
  if (dataset.desired_class) return std::to_string(*dataset.desired_class);
  if (dataset.desired_name) return "named:" + *dataset.desired_name;
  return dataset.desired_column ? fmt::format("model:{}", *dataset.desired_column) : "none";
}

}  // namespace

std::string dataset_fingerprint(const Dataset& dataset, bool bonds) {
  Sha256 hash;
  const auto add = [&](const std::string& text) { add_text(text, hash); };
  for (const NamedValue& label : dataset.node_labels) add(label.name);
  // The order of the classes says which of them is desired.
  for (const NamedValue& c : dataset.class_labels) add(fmt::format("{} {}", c.value, c.name));
  add(desired_in_words(dataset));
  add_graphs(dataset, hash);
  if (bonds) add_edge_labels(dataset, hash);
  return hash.hex();
}

std::string graphs_fingerprint(const Dataset& dataset) {
  Sha256 hash;
  add_graphs(dataset, hash);
  return hash.hex();
}

}  // namespace fewedits
