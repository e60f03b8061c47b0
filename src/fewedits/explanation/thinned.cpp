// SPDX-License-Identifier: MIT
#include "fewedits/explanation/thinned.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace fewedits {
namespace {

using Places = std::vector<std::uint32_t>;

void take_evenly(const Places& from, std::size_t count, Places& to) {
  for (std::size_t i = 0; i < count; ++i) to.push_back(from[i * from.size() / count]);
}

Places chosen_places(const Explanation& e, std::size_t most) {
  Places covered;
  Places others;
  for (std::uint32_t i = 0; i < e.recourse.size(); ++i) {
    (e.recourse[i].covered ? covered : others).push_back(i);
  }
  const std::size_t for_others = std::min(others.size(), most / 5);
  const std::size_t of_covered = std::min(covered.size(), most - for_others);
  Places out;
  take_evenly(covered, of_covered, out);
  take_evenly(others, std::min(others.size(), most - of_covered), out);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

std::optional<Explanation> thinned(const Explanation& e, std::size_t most) {
  if (e.inputs.size() <= most) return std::nullopt;
  Explanation out;
  out.provenance = e.provenance;
  out.classes = e.classes;
  out.method = e.method;
  out.from_dataset = e.from_dataset;
  out.distance = e.distance;
  out.meaning = e.meaning;
  out.theta = e.theta;
  out.searched = e.searched;
  out.costs_are_bounds = e.costs_are_bounds;
  out.label_names = e.label_names;
  out.edge_label_names = e.edge_label_names;
  out.metrics = e.metrics;
  out.complete = e.complete;
  out.ended = e.ended;
  for (const std::uint32_t place : chosen_places(e, most)) {
    out.inputs.push_back(e.inputs[place]);
    out.recourse.push_back(e.recourse[place]);
  }
  const auto stays = [&](std::uint32_t graph) {
    return std::binary_search(out.inputs.begin(), out.inputs.end(), graph);
  };
  for (const Counterfactual& c : e.counterfactuals) {
    Counterfactual& some = out.counterfactuals.emplace_back();
    some.graph = c.graph;
    some.probability = c.probability;
    some.lead = c.lead;
    some.visits = c.visits;
    some.origin = c.origin;
    some.gain = c.gain;
    for (const std::uint32_t graph : c.covers) {
      if (stays(graph)) some.covers.push_back(graph);
    }
    for (const ProvenPair& proof : c.proofs) {
      if (stays(proof.input)) some.proofs.push_back(proof);
    }
  }
  return out;
}

}  // namespace fewedits
