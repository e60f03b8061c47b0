// SPDX-License-Identifier: MIT
#include "fewedits/graph/identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <csetjmp>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/graph/shape_hash.hpp"

extern "C" {
#include <nauty/nausparse.h>
}

namespace fewedits {
namespace {

// Colours: those of nodes, in ascending order of their labels, sort before those of edges.
constexpr std::uint64_t kFrozenColour = std::uint64_t{1} << 32;
constexpr std::uint64_t kTwinColour = std::uint64_t{1} << 33;  ///< times the twins left out
constexpr std::uint64_t kEdgeColour = std::uint64_t{1} << 63;

/// Leaves of one label at one node can be exchanged at will. nauty finds that out pair by pair, in
/// time that grows with the cube of their number: minutes for a star of 2,000 nodes. So where there
/// are many, it sees only the first, coloured by how many there are.
class TwinLeaves {
 public:
  /// From how many on. A molecule has none: an atom has no more than a dozen neighbours.
  static constexpr std::size_t kMany = 16;

  TwinLeaves(const Graph& g, std::span<const bool> frozen) : kept_(g.num_nodes()) {
    std::iota(kept_.begin(), kept_.end(), Node{0});
    std::map<Kind, std::vector<Node>> groups;
    for (Node v = 0; v < g.num_nodes(); ++v) {
      if (g.degree(v) != 1) continue;
      const Node at = g.neighbours(v)[0];
      const bool is_frozen = !frozen.empty() && frozen[v];
      groups[{at, g.label(v), g.edge_label(v, at), is_frozen}].push_back(v);
    }
    for (auto& [kind, leaves] : groups) {
      if (leaves.size() < kMany) continue;
      for (std::size_t i = 1; i < leaves.size(); ++i) kept_[leaves[i]] = kLeftOut;
      groups_.emplace(leaves[0], std::move(leaves));
    }
    std::erase(kept_, kLeftOut);
  }

  /// The nodes that nauty sees, ascending.
  [[nodiscard]] const std::vector<Node>& kept() const { return kept_; }
  /// By the first of them, which is kept.
  [[nodiscard]] const std::map<Node, std::vector<Node>>& groups() const { return groups_; }

 private:
  using Kind = std::tuple<Node, Label, Label, bool>;
  static constexpr Node kLeftOut = std::numeric_limits<Node>::max();

  std::vector<Node> kept_;
  std::map<Node, std::vector<Node>> groups_;
};

Graph induced(const Graph& g, const std::vector<Node>& kept) {
  constexpr Node kNone = std::numeric_limits<Node>::max();
  std::vector<Node> place(g.num_nodes(), kNone);
  std::vector<Label> labels;
  for (const Node v : kept) {
    place[v] = static_cast<Node>(labels.size());
    labels.push_back(g.label(v));
  }
  std::vector<Edge> edges;
  for (const Edge& e : g.edges()) {
    if (place[e.u] == kNone || place[e.v] == kNone) continue;
    edges.push_back({place[e.u], place[e.v], e.label});
  }
  return {labels, edges,
          g.has_edge_labels() ? Graph::EdgeLabels::kPresent : Graph::EdgeLabels::kAbsent};
}

// The coloured graph handed to nauty: vertices 0…n-1 are the nodes; with edge labels, vertex n+i
// stands in the middle of edge i.
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

NautyInput input_of(const Graph& g) {
  return g.has_edge_labels() ? subdivided_input(g) : plain_input(g);
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

/// What nauty's hooks, which have no argument of ours, work on.
struct Asking {
  std::jmp_buf give_up;
  std::uint64_t nodes_left = 0;  ///< of nauty's search tree
  std::size_t room = 0;          ///< for entries of permutations
  Generators found;
};
thread_local Asking asking;

void keep_automorphism(int, int* image, int*, int, int, int vertices) {
  const auto entries = static_cast<std::size_t>(vertices);
  if (asking.room < entries) return;
  asking.room -= entries;
  asking.found.emplace_back(image, image + vertices);
}

void count_node(graph*, int*, int*, int, int, int, int, int, int) {
  if (asking.nodes_left == 0) std::longjmp(asking.give_up, 1);  // NOLINT(cert-err52-cpp): C frames
  --asking.nodes_left;
}

/// False: it gave up. nauty can be ended by a flag, but that is one for all threads; what is jumped
/// over here are C functions whose work space is static and set up anew by every call.
bool run_nauty(sparsegraph* input, Colouring* colouring, int* orbits, optionblk* options,
               sparsegraph* canonical) {
  statsblk stats;
  if (setjmp(asking.give_up) != 0) return false;  // NOLINT(cert-err52-cpp)
  sparsenauty(input, colouring->vertices.data(), colouring->more.data(), orbits, options, &stats,
              canonical);
  assert(stats.errstatus == 0);
  return true;
}

enum class Want { kOrder, kGenerators, kBoth };

/// What one call of nauty finds out; what was not wanted is empty.
struct NautyAnswer {
  bool complete = true;
  std::vector<Node> order;  ///< the nodes in canonical order; as they are, if it gave up
  Generators generators;    ///< perhaps not all, if it gave up
};

NautyAnswer ask_nauty(const Graph& g, NautyInput in, Want want) {
  const std::size_t n = g.num_nodes();
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
  options.usernodeproc = count_node;
  options.defaultptn = FALSE;
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
  asking.nodes_left = Identity::kWork / (in.colour.size() + in.target.size() / 2);
  asking.room = Identity::kRoom;
  asking.found.clear();
  NautyAnswer answer;
  answer.complete =
      run_nauty(&input, &colouring, orbits.data(), &options, want_order ? &canonical : nullptr);
  SG_FREE(canonical);
  // Node colours sort before edge colours, so the first n places are the nodes.
  if (want_order) {
    if (!answer.complete) std::iota(colouring.vertices.begin(), colouring.vertices.end(), 0);
    const auto nodes = std::span(colouring.vertices).first(n);
    answer.order.assign(nodes.begin(), nodes.end());
  }
  answer.generators = std::exchange(asking.found, {});
  // The vertices in the middle of edges follow their ends.
  for (auto& image : answer.generators) image.resize(n);
  return answer;
}

/// From the kept nodes to all: twins follow the first of them.
NautyAnswer with_twins(const NautyAnswer& of_kept, const TwinLeaves& twins, std::size_t n) {
  const std::vector<Node>& kept = twins.kept();
  NautyAnswer out{of_kept.complete, {}, {}};
  for (const Node k : of_kept.order) {
    const auto group = twins.groups().find(kept[k]);
    if (group == twins.groups().end()) {
      out.order.push_back(kept[k]);
    } else {
      out.order.insert(out.order.end(), group->second.begin(), group->second.end());
    }
  }
  std::vector<Node> same(n);
  std::iota(same.begin(), same.end(), Node{0});
  for (const std::vector<Node>& image : of_kept.generators) {
    std::vector<Node> all = same;
    for (std::size_t k = 0; k < kept.size(); ++k) all[kept[k]] = kept[image[k]];
    for (const auto& [first, leaves] : twins.groups()) {
      const std::vector<Node>& to = twins.groups().at(all[first]);
      for (std::size_t i = 0; i < leaves.size(); ++i) all[leaves[i]] = to[i];
    }
    out.generators.push_back(std::move(all));
  }
  // All permutations of a group are made by an exchange and a cycle.
  for (const auto& [first, leaves] : twins.groups()) {
    std::vector<Node> exchange = same;
    std::swap(exchange[leaves[0]], exchange[leaves[1]]);
    out.generators.push_back(std::move(exchange));
    std::vector<Node> cycle = same;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      cycle[leaves[i]] = leaves[(i + 1) % leaves.size()];
    }
    out.generators.push_back(std::move(cycle));
  }
  return out;
}

NautyAnswer ask_with_twins(const Graph& g, Want want, std::span<const bool> frozen) {
  const TwinLeaves twins(g, frozen);
  const std::vector<Node>& kept = twins.kept();
  const Graph seen = induced(g, kept);
  NautyInput in = input_of(seen);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    if (!frozen.empty() && frozen[kept[k]]) in.colour[k] += kFrozenColour;
    const auto group = twins.groups().find(kept[k]);
    if (group != twins.groups().end()) in.colour[k] += kTwinColour * group->second.size();
  }
  NautyAnswer answer = with_twins(ask_nauty(seen, std::move(in), want), twins, g.num_nodes());
  if (want == Want::kOrder) answer.generators.clear();
  if (!answer.complete) std::iota(answer.order.begin(), answer.order.end(), Node{0});
  return answer;
}

NautyAnswer ask_nauty(const Graph& g, Want want, std::span<const bool> frozen = {}) {
  const Node n = g.num_nodes();
  if (n == 0) return {};
  assert(frozen.empty() || frozen.size() == n);
  for (Node v = 0; v < n; ++v) {
    if (g.degree(v) >= TwinLeaves::kMany) return ask_with_twins(g, want, frozen);
  }
  NautyInput in = input_of(g);
  for (std::size_t v = 0; v < frozen.size(); ++v) in.colour[v] += frozen[v] ? kFrozenColour : 0;
  return ask_nauty(g, std::move(in), want);
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
  complete_ = answer.complete;
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
  const Identity one(a);
  const Identity other(b);
  if (one == other) return true;
  if (one.complete() && other.complete()) return false;
  if (shape_hash(a) != shape_hash(b)) return false;
  throw Error(
      fmt::format("two graphs of {} nodes are so symmetric that it takes too long to tell "
                  "whether they are the same",
                  a.num_nodes()));
}

}  // namespace fewedits
