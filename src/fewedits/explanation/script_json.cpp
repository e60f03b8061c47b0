// SPDX-License-Identifier: MIT
#include "fewedits/explanation/script_json.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fewedits {
namespace {

using Json = nlohmann::ordered_json;

struct Form {
  const char* name;
  EditOp::Kind kind;
  bool one_node;
  bool label;
};

constexpr Form kForms[] = {{"relabel_node", EditOp::Kind::kRelabelNode, true, true},
                           {"relabel_edge", EditOp::Kind::kRelabelEdge, false, true},
                           {"delete_edge", EditOp::Kind::kDeleteEdge, false, false},
                           {"delete_node", EditOp::Kind::kDeleteNode, true, false},
                           {"insert_node", EditOp::Kind::kInsertNode, true, true},
                           {"insert_edge", EditOp::Kind::kInsertEdge, false, true}};

const Form& form_of(EditOp::Kind kind) {
  return *std::find_if(std::begin(kForms), std::end(kForms),
                       [&](const Form& form) { return form.kind == kind; });
}

Json op_json(const EditOp& op) {
  const Form& form = form_of(op.kind);
  Json json{{"op", form.name}};
  if (form.one_node) {
    json["node"] = op.u;
  } else {
    json["u"] = op.u;
    json["v"] = op.v;
  }
  if (form.label) json["label"] = op.label;
  return json;
}

}  // namespace

void add_script(const EditScript& script, Json& row) {
  Json ops = Json::array();
  for (const EditOp& op : script.ops) ops.push_back(op_json(op));
  Json map = Json::array();
  for (const Node to : script.map) map.push_back(to == kUnmatched ? Json() : Json(to));
  row["script"] = std::move(ops);
  row["map"] = std::move(map);
}

std::string_view name_of(EditOp::Kind kind) { return form_of(kind).name; }

std::optional<EditOp::Kind> edit_kind(std::string_view name) {
  for (const Form& form : kForms) {
    if (form.name == name) return form.kind;
  }
  return std::nullopt;
}

bool names_one_node(EditOp::Kind kind) { return form_of(kind).one_node; }
bool has_label(EditOp::Kind kind) { return form_of(kind).label; }

}  // namespace fewedits
