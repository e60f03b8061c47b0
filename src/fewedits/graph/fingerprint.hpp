// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "fewedits/graph/dataset.hpp"

namespace fewedits {

/// SHA-256 of the filtered graphs, label names and desired class, wherever they were read from.
/// With `bonds`, of the labels of edges, too.
std::string dataset_fingerprint(const Dataset& dataset, bool bonds = false);

/// Of the filtered graphs alone, whatever their labels and classes are called.
std::string graphs_fingerprint(const Dataset& dataset);

}  // namespace fewedits
