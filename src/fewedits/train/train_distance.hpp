// SPDX-License-Identifier: MIT
// Trains GREED, the paper's neural distance (SPEC §4), on pairs that our own GED engine labels.
// The result is a state dict that GinEmbedder reads. No torch type appears here, so that users of
// this header need none of its headers.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "fewedits/base/tensor.hpp"
#include "fewedits/graph/dataset.hpp"
#include "fewedits/train/distance_pairs.hpp"

namespace fewedits {

/// The network's defaults are the paper's; the others give a usable model of the paper's
/// datasets in some minutes on two cores.
struct DistanceTrainOptions {
  int layers = 8;
  int width = 64;  ///< also the embedding's dimension

  /// To train on. A tenth of it, 4,000 at most, to validate and as many to test on.
  int pairs = 120000;
  int max_edits = 15;                 ///< PairOptions
  std::uint64_t budget_work = 50000;  ///< GedBudget::work for each pair

  int epochs = 15;
  int batch_size = 192;  ///< pairs
  double learning_rate = 1e-3;
  double train_share = 0.8;  ///< of the graphs
  double validation_share = 0.1;
  std::uint64_t seed = 1;
  int threads = 0;  ///< 0: one per core
};

struct LabelReport {
  std::size_t done = 0;  ///< pairs
  std::size_t total = 0;
};

struct DistanceStep {
  std::size_t step = 0;  ///< from 1
  std::size_t steps = 0;
  int epoch = 0;  ///< from 1
  int epochs = 0;
  double train_loss = 0;       ///< mean over the epoch's pairs so far
  double validation_loss = 0;  ///< of the last epoch that ended; 0 before
  double best_loss = 0;        ///< lowest validation loss so far; 0 before
  bool epoch_ended = false;
};

/// Each returns false to stop; what is unset never stops.
struct DistanceProgress {
  std::function<bool(const LabelReport&)> labelled;
  std::function<bool(const DistanceStep&)> trained;
  /// Once set, stops as well, and within a pair, which can take long. Not owned.
  const StopSign* stop = nullptr;
};

struct DistanceTrainResult {
  StateDict weights;  ///< of the lowest validation loss; empty if stopped before the first step
  int best_epoch = 0;
  int epochs_run = 0;          ///< begun, the last may have been stopped in the middle
  bool diverged = false;       ///< stopped because the loss was no finite number
  double validation_loss = 0;  ///< mean squared distance to the proven interval
  double constant_loss = 0;    ///< the same for the best constant estimate, for comparison
  std::size_t train_pairs = 0;
  std::size_t train_exact = 0;
  std::size_t validation_pairs = 0;
  PairSet held_out;  ///< pairs of graphs that were neither trained on nor validated on
  Split split;       ///< graphs of the dataset, one of each isomorphism class
};

/// Deterministic for a seed, whatever the number of threads: pairs and shuffles come from our Rng,
/// a batch is cut into the same shards for any number of threads, and torch and OpenBLAS run on
/// one thread each meanwhile (process-wide settings, put back afterwards).
/// The loss is the squared distance of the estimate to the proven interval [lower, upper].
/// Labels of edges are ignored, as in the paper. Graphs are split so that no held-out graph is
/// isomorphic to one of the others.
/// Throws Error for options or a dataset that cannot work, if the loss is not finite from the
/// first epoch on, and if the native engine does not agree with libtorch on the result.
DistanceTrainResult train_distance(const Dataset& dataset, const DistanceTrainOptions& options,
                                   const DistanceProgress& progress = {});

}  // namespace fewedits
