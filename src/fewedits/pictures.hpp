// SPDX-License-Identifier: MIT
// An explanation as still pictures for papers: its counterfactuals, and inputs beside those that
// they are near to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fewedits/base/parallel.hpp"
#include "fewedits/explanation/explanation.hpp"
#include "fewedits/graph/dataset.hpp"

namespace fewedits {

struct Picture {
  std::string name;  ///< of a file, without its extension
  std::string svg;
};

struct PictureOptions {
  /// Nearest inputs to draw beside each counterfactual that covers them.
  std::size_t recourses = 3;
  /// These inputs beside their nearest counterfactual instead, by index into the dataset.
  std::vector<std::uint32_t> graphs = {};
};

/// Takes one after the other. `file` is for messages. Throws Error if the explanation does not fit
/// the dataset, or a graph is none of the inputs.
struct PictureCounts {
  std::size_t counterfactuals = 0;
  std::size_t recourses = 0;
};
PictureCounts draw_pictures(const Explanation& explanation, const Dataset& dataset,
                            const PictureOptions& options, const std::string& file,
                            ThreadPool& pool, const std::function<void(Picture)>& take);

}  // namespace fewedits
