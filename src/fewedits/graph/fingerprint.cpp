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

}  // namespace

std::string dataset_fingerprint(const Dataset& dataset) {
  Sha256 hash;
  const auto add = [&](const std::string& text) {
    hash.update(fmt::format("{}:{}\n", text.size(), text));
  };
  for (const NamedValue& label : dataset.node_labels) add(label.name);
  // The order of the classes says which of them is desired.
  for (const NamedValue& c : dataset.class_labels) add(fmt::format("{} {}", c.value, c.name));
  add(std::to_string(dataset.desired_class));
  for (const Graph& g : dataset.graphs) {
    std::string bytes;
    append(g.labels(), bytes);
    append(g.offsets(), bytes);
    append(g.targets(), bytes);
    hash.update(bytes);
  }
  return hash.hex();
}

}  // namespace fewedits
