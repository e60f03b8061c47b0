// SPDX-License-Identifier: MIT
// libtorch as a competitor: what it is and how it can be run.
#pragma once

#include <array>
#include <string>

namespace fewedits::bench {

/// What this libtorch is, in words (version, instruction set).
std::string libtorch_description();
void set_libtorch_threads(int threads);

/// How rows are summed, over neighbours and over the nodes of a graph; all are common in practice.
enum class Aggregator { kScatter, kSparseMatrix, kEmbeddingBag };
inline constexpr std::array kAggregators{Aggregator::kScatter, Aggregator::kSparseMatrix,
                                         Aggregator::kEmbeddingBag};
/// "scatter", "sparse", "embedding bag".
const char* name_of(Aggregator aggregator);

}  // namespace fewedits::bench
