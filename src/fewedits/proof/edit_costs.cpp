// SPDX-License-Identifier: MIT
#include "fewedits/proof/edit_costs.hpp"

#include <fmt/format.h>

#include "fewedits/base/error.hpp"

namespace fewedits {
namespace {

void check_one(const char* name, std::int32_t cost) {
  if (cost >= 0 && cost <= EditCosts::kLargest) return;
  throw Error(fmt::format("edit cost {} is {}, outside 0…{}", name, cost, EditCosts::kLargest),
              "only ratios of costs matter: scale all of them");
}

std::int64_t weigh(const Graph& g, std::int64_t node, std::int64_t edge) {
  return node * std::int64_t{g.num_nodes()} + edge * static_cast<std::int64_t>(g.num_edges());
}

}  // namespace

void EditCosts::check() const {
  check_one("insert_node", insert_node);
  check_one("delete_node", delete_node);
  check_one("relabel_node", relabel_node);
  check_one("insert_edge", insert_edge);
  check_one("delete_edge", delete_edge);
  check_one("relabel_edge", relabel_edge);
}

std::int64_t EditCosts::to_delete(const Graph& g) const {
  return weigh(g, delete_node, delete_edge);
}

std::int64_t EditCosts::to_insert(const Graph& g) const {
  return weigh(g, insert_node, insert_edge);
}

std::int64_t largest_distance(const Graph& a, const Graph& b, const EditCosts& costs) {
  return costs.to_delete(a) + costs.to_insert(b);
}

double normalized_distance(std::int64_t distance, const Graph& a, const Graph& b,
                           const EditCosts& costs) {
  return normalized_distance(static_cast<double>(distance), largest_distance(a, b, costs));
}

std::int64_t distance_limit(double theta, const Graph& a, const Graph& b, const EditCosts& costs) {
  return distance_limit(theta, largest_distance(a, b, costs));
}

std::int64_t distance_limit(double theta, std::int64_t largest) {
  // Written so that a NaN is refused too.
  if (!(theta >= 0.0 && theta <= 1.0)) {
    throw Error(fmt::format("theta is {}, outside 0…1", theta),
                "give the largest normalised distance, e.g. 0.1");
  }
  // The product may be rounded either way; what counts is the quotient, as normalized_distance()
  // has it.
  const auto total = static_cast<double>(largest);
  const auto is_within = [&](std::int64_t distance) {
    return static_cast<double>(distance) / total <= theta;
  };
  auto limit = static_cast<std::int64_t>(theta * total);
  while (limit < largest && is_within(limit + 1)) ++limit;
  while (limit > 0 && !is_within(limit)) --limit;
  return limit;
}

}  // namespace fewedits
