// SPDX-License-Identifier: MIT
#include "fewedits/rules/fragility_list.hpp"

#include <algorithm>

#include "fewedits/rules/json_parts.hpp"

namespace fewedits {
namespace {

Json side_json(const std::vector<FragileGraph>& graphs) {
  Json each = Json::array();
  for (const FragileGraph& one : graphs) {
    Json row{{"graph", one.graph}, {"steps", one.steps}, {"enough", one.enough}};
    row["fewest_known"] = one.fewest_known == 0 ? Json() : Json(one.fewest_known);
    each.push_back(std::move(row));
  }
  return {{"graphs", graphs.size()},
          {"one_step", num_with_fewest(graphs, 1)},
          {"two_steps", num_with_fewest(graphs, 2)},
          {"each", std::move(each)}};
}

FragileGraph read_graph(const JsonValue& value) {
  FragileGraph out;
  out.graph = value["graph"].index();
  out.steps = value["steps"].count();
  out.enough = value["enough"].count();
  constexpr std::uint64_t kMost = 2;
  const JsonValue fewest = value["fewest_known"];
  if (!fewest.is_null()) out.fewest_known = static_cast<std::uint32_t>(fewest.whole(kMost));
  if (out.enough > out.steps) value["enough"].fail("is more than there are steps");
  if ((out.fewest_known == 1) != (out.enough > 0)) {
    fewest.fail("does not go with the steps that are enough");
  }
  return out;
}

std::vector<FragileGraph> read_side(const JsonValue& value) {
  std::vector<FragileGraph> out;
  for (const JsonValue& one : value["each"].items()) {
    out.push_back(read_graph(one));
    if (out.size() > 1 && out.back().graph <= out[out.size() - 2].graph) {
      one["graph"].fail("does not come after the one before");
    }
  }
  const auto claims = [&](const char* key, std::size_t is) {
    if (value[key].count() != is) value[key].fail(fmt::format("is not {}, as `each` says", is));
  };
  claims("graphs", out.size());
  claims("one_step", num_with_fewest(out, 1));
  claims("two_steps", num_with_fewest(out, 2));
  return out;
}

}  // namespace

std::size_t num_with_fewest(const std::vector<FragileGraph>& graphs, std::uint32_t fewest) {
  return static_cast<std::size_t>(
      std::count_if(graphs.begin(), graphs.end(),
                    [&](const FragileGraph& one) { return one.fewest_known == fewest; }));
}

double mean_share_enough(const std::vector<FragileGraph>& graphs) {
  double sum = 0;
  for (const FragileGraph& one : graphs) {
    if (one.steps > 0) sum += static_cast<double>(one.enough) / static_cast<double>(one.steps);
  }
  return graphs.empty() ? 0 : sum / static_cast<double>(graphs.size());
}

std::string fragility_json(const FragilityList& list) {
  const Provenance& p = list.provenance;
  const Json json{
      {"format", kFragilityFormat},
      {"software", p.software},
      {"dataset", {{"name", p.dataset_name}, {"path", p.dataset_path}, {"hash", p.dataset_hash}}},
      {"model", {{"path", p.model_path}, {"hash", p.model_hash}}},
      {"desired_class", list.desired},
      {"theta", list.theta},
      {"bonds", list.bonds},
      {"plausible", list.plausible},
      {"seed", p.seed},
      {"options", options_json(p.options)},
      {"rejected", side_json(list.rejected)},
      {"accepted", side_json(list.accepted)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

FragilityList parse_fragility(const std::string& text, const std::string& file) {
  const auto json = parse_json<Json>(text, file, kFormatRemedy, kRuleJsonLimits);
  const JsonValue value(json, "", file);
  const std::string format = value["format"].text();
  if (format != kFragilityFormat) {
    value["format"].fail(fmt::format("is {}, not {}", in_quotes(format), kFragilityFormat));
  }
  FragilityList out;
  out.provenance = read_provenance(value);
  out.desired = value["desired_class"].text();
  out.theta = value["theta"].number();
  out.bonds = value["bonds"].flag();
  out.plausible = value["plausible"].flag();
  out.rejected = read_side(value["rejected"]);
  out.accepted = read_side(value["accepted"]);
  return out;
}

bool is_fragility_json(const std::string& text) {
  constexpr std::size_t kBeginning = 200;
  return text.substr(0, kBeginning).find("\"fewedits.fragility/") != std::string::npos;
}

}  // namespace fewedits
