// SPDX-License-Identifier: MIT
// What of a checkpoint's tensors is the model's.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/formats/checkpoint_reader.hpp"

namespace fewedits {
namespace {

/// Strips one wrapper after the other as long as all tensors carry it.
StateDict unwrapped(StateDict weights) {
  static constexpr std::array kWrappers{"state_dict.", "model_state_dict.", "model.", "module."};
  for (bool again = true; again;) {
    again = false;
    for (const std::string prefix : kWrappers) {
      const bool all = std::all_of(weights.begin(), weights.end(), [&](const auto& entry) {
        return entry.first.starts_with(prefix);
      });
      if (!all || weights.empty()) continue;
      StateDict shorter;
      for (auto& [name, tensor] : weights) shorter[name.substr(prefix.size())] = std::move(tensor);
      weights = std::move(shorter);
      again = true;
    }
  }
  return weights;
}

/// Is it what a training keeps beside the model? Only what surely is: what optimisers, schedules
/// and scalers of gradients remember, and averages of the weights. A bare "scaler" may be the
/// model's.
bool is_training_state(const std::string& name) {
  static constexpr std::array kWords{"optim",       "optimizer",  "optimizers",   "optimiser",
                                     "scheduler",   "schedulers", "lr_scheduler", "lr_schedulers",
                                     "grad_scaler", "amp_scaler", "ema",          "swa"};
  const std::string part = ascii_lower(name.substr(0, name.find('.')));
  return std::ranges::any_of(kWords, [&](const std::string& word) {
    return part == word || part.starts_with(word + "_");
  });
}

/// A training checkpoint has the model under a key, and other things beside it. What is neither the
/// model's nor surely the training's stays: it may well be a part of the model.
CheckpointWeights sorted_out(StateDict weights) {
  for (const std::string key : {"model_state_dict.", "state_dict."}) {
    const auto in_part = [&](const auto& entry) { return entry.first.starts_with(key); };
    if (std::ranges::none_of(weights, in_part)) continue;
    CheckpointWeights out;
    StateDict part;
    StateDict beside;
    for (auto& entry : weights) {
      StateDict& to = in_part(entry)                   ? part
                      : is_training_state(entry.first) ? out.training
                                                       : beside;
      to[entry.first] = entry.second;
    }
    out.model = unwrapped(part);
    const std::size_t all = part.size() + beside.size();
    out.model.insert(beside.begin(), beside.end());
    // Two of one name: with their wrappers they are told apart.
    if (out.model.size() < all) {
      out.model = std::move(part);
      out.model.merge(beside);
    }
    return out;
  }
  return {unwrapped(std::move(weights)), {}};
}

}  // namespace

CheckpointWeights load_weights(const std::filesystem::path& path) {
  if (path.extension() == ".json") {
    throw Error({path.string()}, "is a model file", "name the checkpoint that it describes");
  }
  return sorted_out(read_checkpoint(path));
}

}  // namespace fewedits
