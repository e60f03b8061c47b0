// SPDX-License-Identifier: MIT
// What several commands do with distances: make them by name, and tell the edits behind them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fewedits/distance/distance.hpp"
#include "fewedits/distance/kernel_distance.hpp"
#include "fewedits/proof/edit_script.hpp"

namespace fewedits::cli {

/// The distances that are estimates or kernels rather than edits.
struct EstimateOptions {
  std::string greed_model;
  WlOptions wl;
  RwOptions rw;
  NspdOptions nspd;
};

/// Throws Error if the distance of that name is greed, which needs a model, and there is none.
void check_greed_model(const std::string& distance, const std::string& model);

/// `name` is greed, wl, rw or nspd. Throws Error if greed has no model, or one that does not fit
/// the dataset the graphs are of.
std::unique_ptr<const Distance> make_estimate(const std::string& name,
                                              const EstimateOptions& options, const Dataset& data,
                                              std::span<const Graph> graphs, ThreadPool& pool);

/// Normalised, [c][i]: of counterfactual c and input i.
std::vector<std::vector<double>> estimates(const std::string& name, const EstimateOptions& options,
                                           const Dataset& data,
                                           const std::vector<Graph>& counterfactuals,
                                           const std::vector<Graph>& inputs, ThreadPool& pool);

}  // namespace fewedits::cli
