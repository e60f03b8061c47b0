// SPDX-License-Identifier: MIT
#include "fewedits/classifier/tensor_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "fewedits/base/error.hpp"

namespace fewedits {
namespace {

constexpr std::size_t kListed = 24;

/// What precedes the ending; nothing if the name has another.
std::optional<std::string> before(const std::string& name, std::string_view ending) {
  if (!name.ends_with(ending)) return std::nullopt;
  return name.substr(0, name.size() - ending.size());
}

/// Endings that tell what their module is.
constexpr std::pair<std::string_view, std::string_view> kTelling[] = {
    {".mean_scale", "a GraphNorm, which a model file cannot describe"},
    {".running_mean", "a batch norm that no layer names"},
    {".lin_edge.weight", "a layer that reads edge features: a gat with \"edges\": true"},
    {".att_edge", "a layer that reads edge features: a gat with \"edges\": true"},
    {".res.weight", "a layer with a residual connection, which a model file cannot describe"},
    {".att", "a GATv2, which a model file cannot describe"},
    {".lin_rel.weight", "a GraphConv, which a model file cannot describe"},
    {".lin_key.weight", "a transformer layer, which a model file cannot describe"},
    {".weight_ih_l0", "a recurrent network, which a model file cannot describe"},
};

std::optional<std::string> by_ending(const std::string& name) {
  for (const auto& [ending, what] : kTelling) {
    if (const auto module = before(name, ending)) {
      return fmt::format("{} is {}", in_quotes(*module), what);
    }
  }
  return std::nullopt;
}

/// A map of edge features beside the MLP.
std::optional<std::string> as_gine(const std::string& name, const StateDict& weights) {
  const auto module = before(name, ".lin.weight");
  const bool mlp = module && std::ranges::any_of(weights, [&](const auto& entry) {
                     return entry.first.starts_with(*module + ".nn.");
                   });
  if (!mlp) return std::nullopt;
  return fmt::format("{} is a GINE, not a GIN: it reads edge features (\"conv\": \"gine\")",
                     in_quotes(*module));
}

/// A matrix for each number of hops, and one bias for all.
std::optional<std::string> as_hops(const std::string& name, const StateDict& weights) {
  const std::size_t at = name.rfind(".lins.");
  if (at == std::string::npos || !name.ends_with(".weight")) return std::nullopt;
  if (weights.contains(*before(name, ".weight") + ".bias")) return std::nullopt;
  return fmt::format("{} is a ChebConv or a TAGConv, which a model file cannot describe",
                     in_quotes(name.substr(0, at)));
}

/// Scale and shift, but no statistics that were kept.
std::optional<std::string> as_other_norm(const std::string& name, const StateDict& weights) {
  const auto module = before(name, ".weight");
  if (!module || weights.at(name).shape.size() != 1) return std::nullopt;
  if (weights.contains(*module + ".running_mean") || weights.contains(*module + ".mean_scale")) {
    return std::nullopt;
  }
  return fmt::format("{} is a norm without running statistics (LayerNorm, InstanceNorm …)",
                     in_quotes(*module));
}

/// A matrix whose result the first layer could take.
std::optional<std::string> as_embedding(const std::string& name, const StateDict& weights,
                                        const ModelSpec& spec, std::size_t inputs) {
  const auto& shape = weights.at(name).shape;
  if (spec.layers.empty() || shape.size() != 2 || !name.ends_with(".weight")) return std::nullopt;
  const auto wanted = static_cast<std::int64_t>(inputs);
  const auto module = before(name, ".weight");
  // An embedding is stored labels × features, a linear map features × labels, with a bias.
  const bool linear = weights.contains(*module + ".bias");
  if ((linear ? shape[0] : shape[1]) != wanted) return std::nullopt;
  // What is inside a layer stands before none.
  const auto holds = [&](const LayerSpec& layer) {
    return *module == layer.weights || module->starts_with(layer.weights + ".");
  };
  if (std::ranges::any_of(spec.layers, holds)) return std::nullopt;
  return fmt::format("{} may stand before {}, which expects {} inputs{}", in_quotes(*module),
                     in_quotes(spec.layers.front().weights), inputs,
                     linear ? "" : " (\"node_embedding\")");
}

}  // namespace

std::string shape_in_words(const Tensor& tensor) {
  return fmt::format("[{}]", fmt::join(tensor.shape, ", "));
}

std::string listed_tensors(const std::vector<std::string>& names, const StateDict& weights) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == kListed) return out + fmt::format(" … and {} more", names.size() - i);
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", in_quotes(names[i]),
                       shape_in_words(weights.at(names[i])));
  }
  return out;
}

std::vector<std::string> hints_about(const std::vector<std::string>& unused,
                                     const StateDict& weights, const ModelSpec& spec,
                                     std::size_t inputs) {
  std::vector<std::string> out;
  for (const std::string& name : unused) {
    if (out.size() == kListed) break;
    auto hint = by_ending(name);
    if (!hint) hint = as_gine(name, weights);
    if (!hint) hint = as_hops(name, weights);
    if (!hint) hint = as_other_norm(name, weights);
    if (!hint) hint = as_embedding(name, weights, spec, inputs);
    if (hint && std::ranges::find(out, *hint) == out.end()) out.push_back(std::move(*hint));
  }
  return out;
}

}  // namespace fewedits
