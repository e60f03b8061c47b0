// SPDX-License-Identifier: MIT
#include "fewedits/graph/identity.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

extern "C" {
#include <nauty/nausparse.h>
}

namespace fewedits {
namespace {

// The coloured graph handed to nauty: vertices 0…n-1 are the nodes; with edge labels, vertex n+i
// stands in the middle of edge i.
struct NautyInput {
  std::vector<std::size_t> offset;
  std::vector<int> degree;
  std::vector<int> target;
  std::vector<std::uint64_t> colour;
};

constexpr std::uint64_t kFrozenColour = std::uint64_t{1} << 32;
constexpr std::uint64_t kEdgeColour = std::uint64_t{1} << 33;

NautyInput plain_input(const Graph& g) {
  NautyInput in;
  in.offset.assign(g.offsets().begin(), g.offsets().end() - 1);
  in.target.assign(g.targets().begin(), g.targets().end());
  in.colour.assign(g.labels().begin(), g.labels().end());
  in.degree.resize(g.num_nodes());
  for (Node v = 0; v < g.num_nodes(); ++v) in.degree[v] = static_cast<int>(g.degree(v));
  return in;
}

NautyInput subdivided_input(const Graph& g) {
  const auto edges = g.edges();
  const std::size_t n = g.num_nodes();
  NautyInput in = plain_input(g);
  in.target.assign(4 * edges.size(), 0);
  std::vector<std::size_t> fill = in.offset;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const int middle = static_cast<int>(n + i);
    in.target[fill[edges[i].u]++] = middle;
    in.target[fill[edges[i].v]++] = middle;
    const std::size_t at = 2 * edges.size() + 2 * i;
    in.offset.push_back(at);
    in.degree.push_back(2);
    in.target[at] = static_cast<int>(edges[i].u);
    in.target[at + 1] = static_cast<int>(edges[i].v);
    in.colour.push_back(kEdgeColour + edges[i].label);
  }
  return in;
}

/// nauty keeps its work space in thread-local arrays that it never frees; this gives them back
/// when the thread ends.
struct NautyWorkspace {
  NautyWorkspace() = default;
  NautyWorkspace(const NautyWorkspace&) = delete;
  NautyWorkspace& operator=(const NautyWorkspace&) = delete;
  ~NautyWorkspace() {
    nausparse_freedyn();
    nauty_freedyn();
    nautil_freedyn();
  }
};

/// nauty's colouring: the vertices sorted by colour, and 0 at the end of each colour, else 1.
struct Colouring {
  explicit Colouring(const std::vector<std::uint64_t>& colour)
      : vertices(colour.size()), more(colour.size(), 1) {
    const auto colour_of = [&](int v) { return colour[static_cast<std::size_t>(v)]; };
    std::iota(vertices.begin(), vertices.end(), 0);
    std::stable_sort(vertices.begin(), vertices.end(),
                     [&](int a, int b) { return colour_of(a) < colour_of(b); });
    for (std::size_t i = 0; i < colour.size(); ++i) {
      const bool last =
          i + 1 == colour.size() || colour_of(vertices[i]) != colour_of(vertices[i + 1]);
      if (last) more[i] = 0;
    }
  }
  std::vector<int> vertices;
  std::vector<int> more;
};

/// Where nauty's hook, which has no argument of ours, leaves what it is called with.
thread_local Generators found_automorphisms;

void keep_automorphism(int, int* image, int*, int, int, int vertices) {
  found_automorphisms.emplace_back(image, image + vertices);
}

enum class Want { kOrder, kGenerators, kBoth };

/// What one call of nauty finds out; what was not wanted is empty.
struct NautyAnswer {
  std::vector<Node> order;  ///< the nodes in canonical order
  Generators generators;
};

NautyAnswer ask_nauty(const Graph& g, Want want, std::span<const bool> frozen = {}) {
  const std::size_t n = g.num_nodes();
  if (n == 0) return {};
  assert(frozen.empty() || frozen.size() == n);
  NautyInput in = g.has_edge_labels() ? subdivided_input(g) : plain_input(g);
  for (std::size_t v = 0; v < frozen.size(); ++v) in.colour[v] += frozen[v] ? kFrozenColour : 0;
  Colouring colouring(in.colour);
  std::vector<int> orbits(in.colour.size());
  // A fresh options value per call; nauty's own work space is thread-local in Debian's build.
  thread_local const NautyWorkspace workspace;
  (void)workspace;
  const bool want_order = want != Want::kGenerators;
  const bool want_generators = want != Want::kOrder;
  DEFAULTOPTIONS_SPARSEGRAPH(options);
  options.getcanon = want_order ? TRUE : FALSE;
  options.userautomproc = want_generators ? keep_automorphism : nullptr;
  options.defaultptn = FALSE;
  statsblk stats;
  sparsegraph input;
  SG_INIT(input);
  input.nv = static_cast<int>(in.colour.size());
  input.nde = in.target.size();
  input.v = in.offset.data();
  input.d = in.degree.data();
  input.e = in.target.data();
  input.vlen = in.offset.size();
  input.dlen = in.degree.size();
  input.elen = in.target.size();
  sparsegraph canonical;
  SG_INIT(canonical);
  found_automorphisms.clear();
  sparsenauty(&input, colouring.vertices.data(), colouring.more.data(), orbits.data(), &options,
              &stats, want_order ? &canonical : nullptr);
  SG_FREE(canonical);
  assert(stats.errstatus == 0);
  NautyAnswer answer;
  // Node colours sort before edge colours, so the first n places are the nodes.
  if (want_order) {
    const auto nodes = std::span(colouring.vertices).first(n);
    answer.order.assign(nodes.begin(), nodes.end());
  }
  answer.generators = std::exchange(found_automorphisms, {});
  // The vertices in the middle of edges follow their ends.
  for (auto& image : answer.generators) image.resize(n);
  return answer;
}

std::vector<Node> places_in(const std::vector<Node>& order) {
  std::vector<Node> position(order.size());
  for (Node i = 0; i < order.size(); ++i) position[order[i]] = i;
  return position;
}

}  // namespace

std::vector<Node> canonical_positions(const Graph& g) {
  return places_in(ask_nauty(g, Want::kOrder).order);
}

Generators automorphism_generators(const Graph& g, std::span<const bool> frozen) {
  return ask_nauty(g, Want::kGenerators, frozen).generators;
}

Identity::Identity(const Graph& original) {
  const NautyAnswer answer = ask_nauty(original, Want::kBoth);
  const std::vector<Node> position = places_in(answer.order);
  canonical_ = original.permuted(position);
  generators_.assign(answer.generators.size(), std::vector<Node>(position.size()));
  for (std::size_t i = 0; i < generators_.size(); ++i) {
    for (Node v = 0; v < position.size(); ++v) {
      generators_[i][position[v]] = position[answer.generators[i][v]];
    }
  }
  const Graph& g = canonical_;
  std::vector<std::uint32_t> words{g.num_nodes(), g.has_edge_labels() ? 1U : 0U};
  words.insert(words.end(), g.labels().begin(), g.labels().end());
  words.insert(words.end(), g.offsets().begin(), g.offsets().end());
  words.insert(words.end(), g.targets().begin(), g.targets().end());
  for (Node v = 0; v < g.num_nodes(); ++v) {
    const auto row = g.edge_labels(v);
    words.insert(words.end(), row.begin(), row.end());
  }
  hash_ = hash_words(words);
}

bool isomorphic(const Graph& a, const Graph& b) {
  if (a.num_nodes() != b.num_nodes() || a.num_edges() != b.num_edges()) return false;
  return Identity(a) == Identity(b);
}

}  // namespace fewedits
