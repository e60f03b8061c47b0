// SPDX-License-Identifier: MIT
// What is searched for the page: the ways to come by ten counterfactuals, by key.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fewedits/distance/distance_options.hpp"
#include "fewedits/search/options.hpp"
#include "paper.hpp"
#include "record.hpp"
#include "support/local_explainers.hpp"

namespace fewedits::bench {

struct Settings {
  std::vector<std::uint64_t> seeds{1, 2, 3};
  std::uint64_t steps = kPaperSteps;
  std::uint64_t longer_steps = 200 * kPaperSteps;
  /// Under each of kMetrics; nspd takes a third of a second for a step.
  std::uint64_t kernel_steps = 5000;
  std::optional<std::uint64_t> refine_work = {};     ///< under GREED; unset: the default
  std::optional<std::uint64_t> certified_work = {};  ///< unset: the default
  std::uint64_t prove_work = kProveWork;
  /// Where GREED models trained here are, as AIDS.safetensors.
  std::filesystem::path own_models = "build/release/distances";
  /// How the local explainers were tuned.
  std::filesystem::path tuning = kTuning;
  bool quick = false;
};

/// The distances that are compared on AIDS.
inline constexpr std::array<const char*, 5> kMetrics{"certified", "greed", "wl", "rw", "nspd"};

/// A row of some table.
struct Method {
  std::string key;   ///< as the page asks for it
  std::string part;  ///< as --parts spells it
  ExplainOptions options;
  bool random = true;    ///< else one seed is enough
  bool alike = false;    ///< its graphs are to be measured under proven distances, too
  bool curves = false;   ///< its curves are shown
  bool summary = false;  ///< so is how long its summary takes
  /// What it needs and is not there (a method of the library, a model): it is shown from the record
  /// at most. Empty: nothing.
  std::string lacks = {};
};

/// All methods of a dataset.
std::vector<Method> methods_for(const std::string& dataset, const Settings& settings);

/// The names of all parts, in the order in which they are searched: what is quick comes first, and
/// before all, "sizes", in which nothing is searched.
const std::vector<std::string>& part_names();

}  // namespace fewedits::bench
