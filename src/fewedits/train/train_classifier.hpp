// SPDX-License-Identifier: MIT
// Trains a graph classifier with libtorch; the result is a ModelSpec and a state dict that the
// native engine (and PyTorch Geometric, by the same tensor names) reads. No torch type appears
// here, so that users of this header need none of its headers.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "fewedits/base/tensor.hpp"
#include "fewedits/classifier/model_spec.hpp"
#include "fewedits/graph/dataset.hpp"

namespace fewedits {

/// The defaults are the paper's (§5, "Graph classifier"; SPEC §3).
struct TrainOptions {
  Conv conv = Conv::kGcn;
  int layers = 3;
  int width = 20;
  bool batch_norm = true;
  Aggregation pooling = Aggregation::kMax;
  bool jumping = false;
  int heads = 1;                 ///< kGat: heads of width/heads features each
  int embedding = 0;             ///< features of an embedding of node labels; 0: one-hot
  std::vector<int> head_widths;  ///< hidden widths of the MLP head; empty: one linear layer

  double learning_rate = 1e-3;
  double weight_decay = 0;
  int epochs = 1000;
  int batch_size = 128;
  double train_share = 0.8;
  double validation_share = 0.1;
  std::uint64_t seed = 1;
};

struct EpochReport {
  int epoch = 0;  ///< from 1
  int epochs = 0;
  double train_loss = 0;
  double validation_loss = 0;
  double validation_accuracy = 0;
  bool best = false;  ///< lowest validation loss so far
};

struct TrainResult {
  ModelSpec spec;
  StateDict weights;  ///< of the epoch with the lowest validation loss, see below
  int best_epoch = 0;
  int epochs_run = 0;
  bool diverged = false;  ///< stopped because the loss was no finite number
  double validation_loss = 0;
  double train_accuracy = 0;
  double validation_accuracy = 0;
  double test_accuracy = 0;
  Split split;
};

/// Called after every epoch; false stops the training, which then returns the best so far.
using TrainProgress = std::function<bool(const EpochReport&)>;

/// Layers that look at edges see the graphs as explanations do (chem/graph_view): molecules have
/// aromatic bonds. The model then names the labels of edges that it knows.
///
/// Deterministic for a seed: initial weights and shuffles come from our Rng, and torch and
/// OpenBLAS run on one thread meanwhile (process-wide settings, put back afterwards).
/// Accuracies are those of the returned weights in inference form, 0 for an empty part. With
/// no graphs to validate on, the training loss takes the place of the validation loss.
/// Throws Error for options or a dataset that cannot work (fewer than two classes, empty
/// training part, …) and if the loss is not finite from the first epoch on.
TrainResult train_classifier(const Dataset& dataset, const TrainOptions& options,
                             const TrainProgress& progress = {});

}  // namespace fewedits
