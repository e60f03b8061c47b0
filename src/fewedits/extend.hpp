// SPDX-License-Identifier: MIT
// For distances, models, methods and explainers of one's own: each is one class and one line of
// registration.
//
//   fewedits::Parts parts = fewedits::builtin_parts();
//   parts.distances.add("mine", {.about = "my distance", .make = make_mine});
//   options.distance = "mine";
//   fewedits::explain(data, *model, graphs, options, pool, {}, parts);
#pragma once

#include "fewedits/fewedits.hpp"
#include "fewedits/search/parts.hpp"

namespace fewedits {

std::unique_ptr<Classifier> open_classifier(const std::filesystem::path& file,
                                            const Dataset& dataset, const Parts& parts);

Explanation explain(const Dataset& dataset, const Classifier& classifier,
                    const RejectedGraphs& graphs, const ExplainOptions& options, ThreadPool& pool,
                    const ExplainHooks& hooks, const Parts& parts);

}  // namespace fewedits
