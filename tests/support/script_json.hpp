// SPDX-License-Identifier: MIT
// Reads back the edits that commands write as JSON ("script" and "map", docs/formats.md).
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "fewedits/proof/edit_script.hpp"

namespace fewedits::test {

inline EditScript read_script(const nlohmann::json& row) {
  using Kind = EditOp::Kind;
  const std::map<std::string, Kind> kinds{
      {"relabel_node", Kind::kRelabelNode}, {"relabel_edge", Kind::kRelabelEdge},
      {"delete_edge", Kind::kDeleteEdge},   {"delete_node", Kind::kDeleteNode},
      {"insert_node", Kind::kInsertNode},   {"insert_edge", Kind::kInsertEdge}};
  EditScript script;
  for (const auto& op : row["script"]) {
    EditOp edit{kinds.at(op["op"]), 0, 0, op.value("label", 0U)};
    edit.u = op.contains("node") ? op["node"].get<Node>() : op["u"].get<Node>();
    edit.v = op.value("v", 0U);
    script.ops.push_back(edit);
  }
  for (const auto& to : row["map"]) {
    script.map.push_back(to.is_null() ? kUnmatched : to.get<Node>());
  }
  return script;
}

}  // namespace fewedits::test
