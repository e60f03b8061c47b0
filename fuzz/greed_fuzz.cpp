// SPDX-License-Identifier: MIT
// Any tensors as the weights of a GREED model: an Error, or a model that embeds a graph, its
// renumbered copy alike, and its neighbours.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/classifier/native/gin_embedder.hpp"
#include "fewedits/edit/edit.hpp"

namespace {

using fewedits::Edge;
using fewedits::Graph;
using fewedits::Label;

const std::vector<std::string>& names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> out = {"embed_model", "embed_model.pre.extra"};
    std::vector<std::string> parts = {"pre", "post.0", "post.2"};
    for (const char* layer : {"convs.0", "convs.1"}) {
      out.push_back(std::string("embed_model.") + layer + ".eps");
      for (const char* linear : {".nn.0", ".nn.2"}) parts.push_back(std::string(layer) + linear);
    }
    for (const std::string& part : parts) {
      out.push_back("embed_model." + part + ".weight");
      out.push_back("embed_model." + part + ".bias");
    }
    return out;
  }();
  return all;
}

/// Five bytes a tensor: its name, its rank, two extents, its value.
fewedits::StateDict tensors_of(std::span<const std::uint8_t> data) {
  fewedits::StateDict out;
  for (std::size_t at = 0; at + 4 < data.size(); at += 5) {
    std::vector<std::int64_t> shape = {data[at + 2] % 24, data[at + 3] % 24};
    shape.resize(data[at + 1] % 4, 1);
    std::size_t count = 1;
    for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
    const float value = (static_cast<float>(data[at + 4]) - 128) / 64;
    out[names()[data[at] % names().size()]] =
        fewedits::Tensor::from_floats(std::move(shape), std::vector<float>(count, value));
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 500) return 0;
  try {
    const fewedits::GinEmbedder embedder(tensors_of({data, size}), "fuzz");
    fewedits::ThreadPool pool(1);
    const std::array<Graph, 2> graphs = {
        Graph(std::vector<Label>{0, 1, 0}, std::vector<Edge>{{0, 1}, {1, 2}}),
        Graph(std::vector<Label>{1, 0, 0}, std::vector<Edge>{{0, 1}, {0, 2}})};
    const std::size_t floats = embedder.dimension();
    std::vector<float> out(graphs.size() * floats);
    embedder.embed(graphs, out, pool);
    if (std::memcmp(out.data(), out.data() + floats, floats * sizeof(float)) != 0) std::abort();

    using Kind = fewedits::Edit::Kind;
    const std::array<fewedits::Edit, 3> edits = {{{.kind = Kind::kRelabel, .u = 0, .label = 1},
                                                  {.kind = Kind::kRemoveLeaf, .u = 2},
                                                  {.kind = Kind::kAddEdge, .u = 0, .v = 2}}};
    out.resize(edits.size() * floats);
    embedder.embed_neighbours(graphs[0], edits, out, pool);
  } catch (const fewedits::Error&) {
    // The expected answer to nonsense.
  }
  return 0;
}
