// SPDX-License-Identifier: MIT
#include "fewedits/glance/pattern_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "fewedits/proof/edit_script.hpp"
#include "fewedits/rules/rule_words.hpp"

namespace fewedits {
namespace {

using Kind = PatternShare::Kind;

std::string capitalised(std::string text) {
  if (!text.empty()) {
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  }
  return text;
}

}  // namespace

PatternReader::PatternReader(const Dataset& dataset, const GraphView& view)
    : dataset_(dataset), view_(view), molecules_(dataset.is_molecular()) {
  names_ = {label_names(dataset).nodes, view.edge_label_names()};
  has_names_ = std::any_of(
      dataset.node_labels.begin(), dataset.node_labels.end(), [](const NamedValue& label) {
        return !label.name.empty() && label.name != std::to_string(label.value);
      });
  if (GraphView::knows_bonds(dataset)) {
    full_view_.emplace(dataset, true);
    finder_ = std::make_unique<GroupFinder>(full_view_->rules(), GroupFinder::Bonds::kKnown);
  } else if (molecules_) {
    const std::vector<std::string> bonds(kBondNames.begin(), kBondNames.end());
    if (auto rules = MoleculeRules::of(names_.nodes, bonds)) {
      finder_ = std::make_unique<GroupFinder>(
          std::make_shared<const MoleculeRules>(std::move(*rules)), GroupFinder::Bonds::kUnknown);
    }
  }
  longest_ = longest_path(dataset.graphs);
}

bool PatternReader::sees_groups_in_view() const {
  return finder_ && (!full_view_ || view_.rules() != nullptr);
}

void PatternReader::add_groups(const Graph& graph, std::vector<SeenPattern>& out) const {
  for (GroupMatch& match : finder_->find(graph)) {
    const PatternKey key{Kind::kGroup, {static_cast<std::uint32_t>(match.group)}};
    if (!out.empty() && out.back().key == key) {
      ++out.back().places;
    } else {
      out.push_back({key, 1, std::move(match.nodes)});
    }
  }
}

std::vector<SeenPattern> PatternReader::in_dataset(std::uint32_t graph) const {
  const Graph& is = dataset_.graphs[graph];
  std::vector<SeenPattern> out;
  const Graph seen = view_(is);
  if (finder_) add_groups(full_view_ ? (*full_view_)(is) : seen, out);
  auto small = small_patterns(seen, longest_, !molecules_);
  std::move(small.begin(), small.end(), std::back_inserter(out));
  return out;
}

std::vector<SeenPattern> PatternReader::in_view(const Graph& graph) const {
  std::vector<SeenPattern> out;
  if (sees_groups_in_view()) add_groups(graph, out);
  auto small = small_patterns(graph, longest_, !molecules_);
  std::move(small.begin(), small.end(), std::back_inserter(out));
  return out;
}

std::string PatternReader::text(const PatternKey& key) const {
  if (key.kind == Kind::kGroup) return std::string(group(key).pattern);
  if (key.kind == Kind::kRingSize || key.kind == Kind::kDegree) return "";
  const Graph graph = graph_of(key, edge_labels());
  std::vector<RuleNode> nodes;
  for (const Label label : graph.labels()) nodes.push_back({label, label});
  std::vector<RuleEdge> edges;
  for (const Edge& e : graph.edges()) edges.push_back({e.u, e.v, e.label, e.label});
  return pattern_text(nodes, edges, names_);
}

std::optional<Graph> PatternReader::pattern(const PatternKey& key) const {
  if (key.kind == Kind::kGroup || key.kind == Kind::kRingSize || key.kind == Kind::kDegree) {
    return std::nullopt;
  }
  return graph_of(key, edge_labels());
}

std::string PatternReader::name(const PatternKey& key) const {
  switch (key.kind) {
    case Kind::kGroup: return std::string(group(key).one);
    case Kind::kLabel:
      return molecules_ ? element_words(names_.nodes[key.words[0]])
                        : fmt::format("node {}", names_.nodes[key.words[0]]);
    case Kind::kRingSize:
      return fmt::format("ring of {} {}", key.words[0], molecules_ ? "atoms" : "nodes");
    case Kind::kDegree: return fmt::format("node with {} neighbours or more", key.words[0]);
    case Kind::kRing: return fmt::format("ring {}", text(key));
    default: return text(key);
  }
}

std::string PatternReader::subject(const PatternKey& key) const {
  switch (key.kind) {
    case Kind::kGroup: return capitalised(std::string(group(key).many));
    case Kind::kLabel:
      return molecules_ ? capitalised(element_words(names_.nodes[key.words[0]]))
                        : fmt::format("Nodes {}", names_.nodes[key.words[0]]);
    case Kind::kRingSize:
      return fmt::format("Rings of {} {}", key.words[0], molecules_ ? "atoms" : "nodes");
    case Kind::kDegree: return fmt::format("Nodes with {} neighbours or more", key.words[0]);
    case Kind::kRing: return fmt::format("The ring {}", text(key));
    default: return fmt::format("The pattern {}", text(key));
  }
}

}  // namespace fewedits
