// SPDX-License-Identifier: MIT
// Where a classifier's architecture comes from: a model file ("fewedits.model/2", JSON beside the
// weights, documented in docs/formats.md) or, for the paper's layout, the state dict itself.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fewedits/base/tensor.hpp"
#include "fewedits/classifier/model_spec.hpp"
#include "fewedits/graph/dataset.hpp"

namespace fewedits {

/// The names a model file (and the command line) uses.
std::map<std::string, Conv> conv_names();
std::map<std::string, Aggregation> aggregation_names();

/// Which graphs a model was trained on, which chose its epoch, and which it has never seen: indices
/// into the filtered dataset, ascending.
struct RecordedSplit {
  std::string graphs;  ///< graphs_fingerprint of the dataset; empty: nobody noted it
  std::vector<std::uint32_t> train;
  std::vector<std::uint32_t> validation;
  std::vector<std::uint32_t> test;
};
RecordedSplit recorded_split(const Split& split, const Dataset& dataset);

struct ModelFile {
  ModelSpec spec;
  std::string weights;  ///< file name, relative to the model file
  std::optional<RecordedSplit> split = {};
};

/// Throws Error naming the key for anything unknown, missing or of the wrong type.
ModelFile parse_model_file(const std::string& json, const std::string& origin);
std::string to_json(const ModelFile& model);

/// A state dict in the paper's layout: convs.0…, bns.0…, fc, i.e. GCN layers with batch norm,
/// max pooling, one linear layer. Nothing if a tensor is missing or left over.
std::optional<ModelSpec> paper_model(const StateDict& weights);
/// The same. Throws Error saying what the state dict holds instead.
ModelSpec infer_model(const StateDict& weights, const std::string& origin);

struct LoadedModel {
  ModelSpec spec;
  StateDict weights;
  std::vector<std::string> notes;  ///< what was left out, for people
};

/// `path` is a model file (.json) or a checkpoint; a checkpoint takes the model file of the
/// same stem beside it if there is one. Of a training checkpoint, one with tensors under
/// "model_state_dict." or "state_dict.", what surely is no part of the model ("optimizer…",
/// "scheduler…", "grad_scaler…", "ema…") is left out with a note; all else counts as the model's.
/// Wrappers ("model.", "module." and those two) are stripped when every tensor has them, so a model
/// file names tensors without them; what lies beside a wrapper keeps its whole name.
LoadedModel load_model(const std::filesystem::path& path);

/// What a checkpoint holds.
struct CheckpointWeights {
  StateDict model;     ///< as load_model hands it out
  StateDict training;  ///< what load_model leaves out
};
/// Throws Error if `path` is a model file.
CheckpointWeights load_weights(const std::filesystem::path& path);

/// The files that load_model reads, or would read if they were there: the checkpoint and the model
/// file that describes it, whichever of them `path` is.
std::vector<std::filesystem::path> model_files(const std::filesystem::path& path);

/// SHA-256 of the files that load_model reads: of the checkpoint or, if there is a model file, of
/// both, whichever of them `path` is.
std::string model_hash(const std::filesystem::path& path);

}  // namespace fewedits
