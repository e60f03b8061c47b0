// SPDX-License-Identifier: MIT
// Molecule-like graphs with a planted rule: the built-in dataset and the scale test.
//
// Hydrogens are explicit, valences are respected, sizes and element frequencies are like
// Mutagenicity's. A graph is undesired (file class 0) exactly when it contains a planted
// motif: a nitro group (N with a carbon and two terminal oxygens) or an aromatic amine (NH2
// on a carbon of a six-ring of carbons with alternating double bonds). Harmless groups that
// share their atoms (amides, aliphatic amines, nitriles, carboxyls, …) occur in both classes,
// so that counting elements does not solve the task.
//
// Labels are Mutagenicity's (0 C, 1 O, 2 Cl, 3 H, …; bonds 0 single, 1 double, 2 triple), and
// aromatic rings are written in Kekulé form. The nitro group is N(=O)=O, the old way without
// charges: nitrogen has five bonds there and three everywhere else.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fewedits/graph/dataset.hpp"

namespace fewedits {

struct GeneratorOptions {
  std::size_t graphs = 1000;
  std::uint64_t seed = 1;
  double undesired_share = 0.55;
  int threads = 0;
};

/// Graph i depends on the seed and i alone: a longer dataset starts with the shorter one, and
/// the number of threads does not matter.
RawDataset generate(const GeneratorOptions& options);

/// Metadata of generated datasets: element and bond names, class names, desired class.
DatasetMetadata generated_metadata();

enum class Motif { kNone, kNitro, kAromaticAmine, kBoth };

/// Finds the planted motif in any graph over the generated dataset's labels, by structure
/// alone. The aromatic ring is a six-ring of carbons whose members all have three neighbours;
/// where the graph has edge labels, its bonds must alternate too. On generated graphs the two
/// agree.
Motif find_motif(const Graph& graph);

}  // namespace fewedits
