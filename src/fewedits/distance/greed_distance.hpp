// SPDX-License-Identifier: MIT
// GREED, the paper's neural estimate, behind the common interface. It proves nothing: `lower` is
// the cheap bound of label counts and edge counts, `upper` the cost of deleting one graph and
// building the other, status kBounds.
//
// A stored graph is within theta of a neighbour only if the graph itself is not much further away:
// the estimate is a Euclidean distance, so it changes by no more than the neighbour's embedding
// moved (triangle inequality). Distances to all stored graphs are computed once per neighbourhood;
// a neighbour is compared only with those in its reach.
#pragma once

#include <memory>
#include <vector>

#include "fewedits/classifier/native/gin_embedder.hpp"
#include "fewedits/distance/distance.hpp"

namespace fewedits {

/// Embeds all graphs. Keeps the embedder.
std::unique_ptr<Distance> make_greed_distance(std::vector<Graph> graphs,
                                              std::shared_ptr<const GinEmbedder> embedder,
                                              ThreadPool& pool);

}  // namespace fewedits
