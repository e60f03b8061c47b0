// SPDX-License-Identifier: MIT
#include "gcfx/graph/identity.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

extern "C" {
#include <nauty/nausparse.h>
}

namespace gcfx {
namespace {

// The colour-refined graph handed to nauty: vertices 0…n-1 are the nodes; with edge labels,
// vertex n+i stands in the middle of edge i.
struct NautyInput {
  std::vector<std::size_t> offset;
  std::vector<int> degree;
  std::vector<int> target;
  std::vector<std::uint64_t> colour;
};

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
  constexpr std::uint64_t kEdgeColour = std::uint64_t{1} << 32;
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

}  // namespace

std::vector<Node> canonical_positions(const Graph& g) {
  const std::size_t n = g.num_nodes();
  if (n == 0) return {};
  NautyInput in = g.has_edge_labels() ? subdivided_input(g) : plain_input(g);
  const std::size_t total = in.colour.size();

  // nauty's colouring: vertices sorted by colour; ptn is 0 at the end of each cell.
  std::vector<int> lab(total);
  std::vector<int> ptn(total);
  std::vector<int> orbits(total);
  std::iota(lab.begin(), lab.end(), 0);
  std::stable_sort(lab.begin(), lab.end(), [&](int a, int b) {
    return in.colour[static_cast<std::size_t>(a)] < in.colour[static_cast<std::size_t>(b)];
  });
  for (std::size_t i = 0; i < total; ++i) {
    const bool last = i + 1 == total || in.colour[static_cast<std::size_t>(lab[i])] !=
                                            in.colour[static_cast<std::size_t>(lab[i + 1])];
    ptn[i] = last ? 0 : 1;
  }

  // A fresh options value per call; nauty's own work space is thread-local in Debian's build.
  thread_local const NautyWorkspace workspace;
  (void)workspace;
  DEFAULTOPTIONS_SPARSEGRAPH(options);
  options.getcanon = TRUE;
  options.defaultptn = FALSE;
  statsblk stats;
  sparsegraph input;
  SG_INIT(input);
  input.nv = static_cast<int>(total);
  input.nde = in.target.size();
  input.v = in.offset.data();
  input.d = in.degree.data();
  input.e = in.target.data();
  input.vlen = in.offset.size();
  input.dlen = in.degree.size();
  input.elen = in.target.size();
  sparsegraph canonical;
  SG_INIT(canonical);
  sparsenauty(&input, lab.data(), ptn.data(), orbits.data(), &options, &stats, &canonical);
  SG_FREE(canonical);
  assert(stats.errstatus == 0);

  // Node colours sort before edge colours, so the first n places are the nodes.
  std::vector<Node> position(n);
  for (std::size_t i = 0; i < n; ++i)
    position[static_cast<std::size_t>(lab[i])] = static_cast<Node>(i);
  return position;
}

Identity::Identity(const Graph& original)
    : canonical_(original.permuted(canonical_positions(original))) {
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

}  // namespace gcfx
