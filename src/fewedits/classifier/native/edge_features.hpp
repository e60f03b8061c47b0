// SPDX-License-Identifier: MIT
// What a layer sees of an edge: its label as one-hot, as an embedding, or a linear map of either;
// all of them are one row per label. Internal to classifier/native.
#pragma once

#include <cstddef>
#include <string>

#include "fewedits/classifier/native/packed.hpp"

namespace fewedits {

/// PREFIX.weight of the embedding, mapped by `linear` (with its bias, if it has one). An empty
/// embedding means one-hot labels, as many as the map has inputs. Throws Error if they do not fit.
LabelTable mapped_edges(const WeightReader& weights, const std::string& embedding,
                        const std::string& linear);

/// The same without a map: rows must have as many features as the nodes that they are added to.
LabelTable plain_edges(const WeightReader& weights, const std::string& embedding,
                       std::size_t features, const std::string& layer);

}  // namespace fewedits
