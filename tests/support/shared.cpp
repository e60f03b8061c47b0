// SPDX-License-Identifier: MIT
#include "support/shared.hpp"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <numeric>
#include <set>

namespace fewedits::test {

std::filesystem::path shared_root() {
  const char* configured = std::getenv("FEWEDITS_SHARED");
  return configured != nullptr ? configured : FEWEDITS_SHARED_FALLBACK;
}

Graph random_graph(Rng& rng, Node nodes, std::size_t extra_edges, Label labels, Label edge_labels) {
  std::vector<Label> label(nodes);
  for (Label& l : label) l = static_cast<Label>(rng.below(labels));
  std::vector<Edge> edges;
  std::set<std::pair<Node, Node>> taken;
  const auto add = [&](Node u, Node v) {
    if (u == v || !taken.insert(std::minmax(u, v)).second) return;
    edges.push_back({u, v, edge_labels > 0 ? static_cast<Label>(rng.below(edge_labels)) : 0});
  };
  for (Node v = 1; v < nodes; ++v) add(v, static_cast<Node>(rng.below(v)));
  for (std::size_t i = 0; i < extra_edges && nodes > 1; ++i) {
    add(static_cast<Node>(rng.below(nodes)), static_cast<Node>(rng.below(nodes)));
  }
  return {label, edges, edge_labels > 0 ? Graph::EdgeLabels::kPresent : Graph::EdgeLabels::kAbsent};
}

std::vector<Node> random_permutation(Rng& rng, Node nodes) {
  std::vector<Node> order(nodes);
  std::iota(order.begin(), order.end(), Node{0});
  rng.shuffle(std::span(order));
  return order;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "fewedits-test-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path TemporaryFolder::write(const std::string& name,
                                             const std::string& content) const {
  const auto file = path_ / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << content;
  return file;
}

}  // namespace fewedits::test
