// SPDX-License-Identifier: MIT
// Any names and shapes of tensors, one a line ("convs.0.weight 7 16"): a draft that loads and can
// be written, or reasons why there is none.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/classifier/model_guess.hpp"
#include "fewedits/classifier/native/native_classifier.hpp"

namespace {

constexpr std::size_t kMaxTensors = 64;
constexpr std::int64_t kMaxExtent = 40;

fewedits::StateDict weights_of(const std::string& text) {
  fewedits::StateDict weights;
  std::istringstream lines(text);
  for (std::string line; weights.size() < kMaxTensors && std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    std::vector<std::int64_t> shape;
    std::size_t count = 1;
    for (std::int64_t extent = 0; shape.size() < 3 && words >> extent;) {
      shape.push_back(std::clamp<std::int64_t>(extent, 0, kMaxExtent));
      count *= static_cast<std::size_t>(shape.back());
    }
    weights[name] = fewedits::Tensor::from_floats(shape, std::vector<float>(count, 0.5F));
  }
  return weights;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto weights = weights_of({reinterpret_cast<const char*>(data), size});
  const fewedits::ModelGuess guess = fewedits::guess_model(weights);
  if (fewedits::summary_of(guess, weights).empty()) std::abort();
  if (!guess.problems.empty()) return 0;
  // An Error here would be a draft that does not keep its promise.
  const fewedits::NativeClassifier model(guess.spec, weights, "fuzz");
  if (model.num_classes() < 2) std::abort();
  (void)fewedits::to_json({guess.spec, "w.pt"});
  return 0;
}
