// SPDX-License-Identifier: MIT
#include "fewedits/explanation/proofs.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/proof/certificate.hpp"

namespace fewedits {
namespace {

/// The maps of all inputs that a counterfactual covers, or is nearer to than those before it.
void add_maps(const CertifiedDistances& proven, std::span<const Graph> inputs, Explanation& e) {
  std::vector<double> nearest(e.inputs.size(), std::numeric_limits<double>::infinity());
  for (std::size_t c = 0; c < e.counterfactuals.size(); ++c) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const CertifiedPair& pair = proven.pairs[c][i];
      const double distance = pair.normalized_upper();
      if (distance > e.theta && distance >= nearest[i]) continue;
      nearest[i] = std::min(nearest[i], distance);
      e.counterfactuals[c].proofs.push_back(
          {e.inputs[i], pair.upper, pair.map_from(inputs[i].num_nodes())});
    }
  }
}

}  // namespace

EditScript checked_script(const Graph& a, const Graph& b, std::span<const Node> map,
                          const EditCosts& costs, std::int64_t claimed) {
  EditScript script = edit_script(a, b, map, costs);
  const Verdict verdict = check_certificate(a, b, script, costs);
  constexpr const char* kRemedy = "this is a fault of the program: please report it";
  if (!verdict.holds) throw Error("edits do not replay: " + verdict.reason, kRemedy);
  if (verdict.cost != claimed) throw Error("edits do not cost what was claimed", kRemedy);
  return script;
}

void fill_proofs(const CertifiedDistances& proven, std::span<const Graph> inputs, Explanation& e,
                 const EditCosts& costs) {
  add_maps(proven, inputs, e);
  std::size_t possible = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Recourse& recourse = e.recourse[i];
    const CertifiedPair& pair = proven.pairs[recourse.counterfactual][i];
    RecourseProof proof{pair.upper, pair.lower, false, {}};
    if (recourse.covered) {
      proof.script = checked_script(inputs[i], e.counterfactuals[recourse.counterfactual].graph,
                                    pair.map_from(inputs[i].num_nodes()), costs, pair.upper);
    } else {
      proof.open = std::any_of(proven.pairs.begin(), proven.pairs.end(),
                               [&](const auto& row) { return row[i].within == Answer::kUnknown; });
    }
    possible += recourse.covered || proof.open ? 1U : 0U;
    recourse.proof = std::move(proof);
  }
  e.metrics.coverage_upper = static_cast<double>(possible) / static_cast<double>(inputs.size());
}

ProvenPairs by_place(const ProvenPairs& proofs, std::span<const std::uint32_t> inputs) {
  std::unordered_map<std::uint32_t, std::uint32_t> places;
  for (std::uint32_t i = 0; i < inputs.size(); ++i) places[inputs[i]] = i;
  ProvenPairs out;
  for (const auto& list : proofs) {
    auto& pairs = out.emplace_back();
    for (const ProvenPair& proof : list) {
      const auto it = places.find(proof.input);
      if (it != places.end()) pairs.push_back({it->second, proof.edits, proof.map});
    }
  }
  return out;
}

}  // namespace fewedits
