// SPDX-License-Identifier: MIT
#include "fewedits/graph/fingerprint.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <span>

#include "fewedits/base/sha256.hpp"

namespace fewedits {
namespace {

/// Little-endian.
void add_words(std::span<const std::uint32_t> words, Sha256& hash) {
  static_assert(std::endian::native == std::endian::little);
  hash.update({reinterpret_cast<const char*>(words.data()), words.size_bytes()});
}

void add_text(const std::string& text, Sha256& hash) {
  hash.update(fmt::format("{}:{}\n", text.size(), text));
}

void add_graphs(const Dataset& dataset, Sha256& hash) {
  for (const Graph& g : dataset.graphs) {
    add_words(g.labels(), hash);
    add_words(g.offsets(), hash);
    add_words(g.targets(), hash);
  }
}

/// By the names of those that occur.
void add_edge_labels(const Dataset& dataset, Sha256& hash) {
  std::vector<bool> occurs(dataset.edge_labels.size(), false);
  for (const Graph& g : dataset.graphs) {
    add_words(g.edge_labels(), hash);
    for (const Label label : g.edge_labels()) occurs[label] = true;
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
