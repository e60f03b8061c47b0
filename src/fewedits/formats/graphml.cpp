// SPDX-License-Identifier: MIT
#include "fewedits/formats/graphml.hpp"

#include <fmt/format.h>

#include <cassert>
#include <iterator>
#include <string_view>

#include "fewedits/base/xml_text.hpp"

namespace fewedits {
namespace {

constexpr std::string_view kHead = R"(<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
  <key id="label" for="node" attr.name="label" attr.type="string"/>
)";
constexpr std::string_view kEdgeKey =
    R"(  <key id="bond" for="edge" attr.name="label" attr.type="string"/>
)";
constexpr std::string_view kFactKeys =
    R"(  <key id="probability" for="graph" attr.name="probability" attr.type="double"/>
  <key id="covers" for="graph" attr.name="covers" attr.type="long"/>
)";

}  // namespace

std::string to_graphml(std::span<const Graph> graphs, const std::vector<std::string>& label_names,
                       std::span<const GraphFacts> facts,
                       const std::vector<std::string>& edge_label_names) {
  assert(facts.empty() || facts.size() == graphs.size());
  const auto name_of = [](const std::vector<std::string>& names, Label label) {
    return label < names.size() ? xml_text(names[label]) : std::to_string(label);
  };
  std::string out(kHead);
  if (!edge_label_names.empty()) out += kEdgeKey;
  if (!facts.empty()) out += kFactKeys;
  const auto to = std::back_inserter(out);
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    fmt::format_to(to, "  <graph id=\"c{}\" edgedefault=\"undirected\">\n", g);
    if (!facts.empty()) {
      fmt::format_to(to, "    <data key=\"probability\">{}</data>\n", facts[g].probability);
      fmt::format_to(to, "    <data key=\"covers\">{}</data>\n", facts[g].covers);
    }
    for (Node v = 0; v < graphs[g].num_nodes(); ++v) {
      fmt::format_to(to, "    <node id=\"c{}n{}\"><data key=\"label\">{}</data></node>\n", g, v,
                     name_of(label_names, graphs[g].label(v)));
    }
    for (const Edge& e : graphs[g].edges()) {
      fmt::format_to(to, "    <edge source=\"c{}n{}\" target=\"c{}n{}\"", g, e.u, g, e.v);
      if (edge_label_names.empty()) {
        out += "/>\n";
      } else {
        fmt::format_to(to, "><data key=\"bond\">{}</data></edge>\n",
                       name_of(edge_label_names, e.label));
      }
    }
    out += "  </graph>\n";
  }
  return out + "</graphml>\n";
}

}  // namespace fewedits
