// SPDX-License-Identifier: MIT
// GREED behind the common interface. The estimate proves nothing: `lower` is the cheap bound of
// label counts and edge counts, `upper` the cost of deleting one graph and building the other,
// status kBounds.
#pragma once

#include <memory>

#include "fewedits/classifier/native/gin_embedder.hpp"
#include "fewedits/distance/distance.hpp"

namespace fewedits {

/// Embeds all graphs. The embedder is not kept; the graphs' sizes and label counts are copied.
std::unique_ptr<const Distance> make_greed_distance(std::span<const Graph> graphs,
                                                    const GinEmbedder& embedder, ThreadPool& pool);

}  // namespace fewedits
