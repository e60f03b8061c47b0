// SPDX-License-Identifier: MIT
#include "fewedits/synthetic/generator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/base/parallel.hpp"
#include "fewedits/base/rng.hpp"
#include "fewedits/synthetic/generator_fragments.hpp"

namespace fewedits {
namespace {

using namespace generator;

constexpr std::int64_t kUndesired = 0;
constexpr std::int64_t kDesired = 1;

constexpr std::array<std::string_view, kElementCount> kElementNames = {"C", "O",  "Cl", "H", "N",
                                                                       "F", "Br", "S",  "P", "I"};
constexpr std::array<std::string_view, kBondCount> kBondNames = {"single", "double", "triple"};

// Every 5 % quantile of the number of atoms in Mutagenicity's connected graphs; the ends are cut
// so that the smallest holds a motif and the largest is not an outlier.
constexpr std::array<double, 21> kSizeQuantiles = {8,  11, 14, 16, 18, 19, 21, 22, 24, 26, 27,
                                                   28, 30, 31, 33, 35, 37, 41, 46, 60, 100};

// Inverse of the piecewise linear distribution through the quantiles.
std::size_t draw_size(Rng& rng) {
  const double x = rng.uniform() * static_cast<double>(kSizeQuantiles.size() - 1);
  const auto i = static_cast<std::size_t>(x);
  const double share = x - static_cast<double>(i);
  return static_cast<std::size_t>(kSizeQuantiles[i] +
                                  share * (kSizeQuantiles[i + 1] - kSizeQuantiles[i]));
}

// A molecule under construction, and the space it needs: one per thread, used again and again.
class Draft {
 public:
  /// Starts anew from a scaffold.
  void start(const Fragment& scaffold) {
    atoms_.clear();
    bonds_.clear();
    size_ = 0;
    append(scaffold);
  }

  /// Number of atoms once the free valences carry hydrogens.
  [[nodiscard]] std::size_t size() const { return size_; }

  /// Joins the fragment by its atom `root` to a random anchor; false if there is none.
  bool attach(const Fragment& fragment, Node root, Rng& rng) {
    find_sites(fragment, fragment.atoms[root]);
    if (sites_.empty()) return false;
    const Node anchor = sites_[rng.below(sites_.size())];
    const Node joined = append(fragment) + root;
    bonds_.push_back({anchor, joined, kSingle});
    for (const auto& [a, b] : {std::pair{anchor, joined}, std::pair{joined, anchor}}) {
      --atoms_[a].open;
      atoms_[a].polar = atoms_[a].polar || atoms_[b].element != kC;
    }
    size_ -= 2;
    return true;
  }

  /// Hydrogens come after the other atoms, as in Mutagenicity.
  Graph finish() {
    labels_.clear();
    for (const FragmentAtom& atom : atoms_) labels_.push_back(atom.element);
    for (Node v = 0; v < atoms_.size(); ++v) {
      for (int i = 0; i < atoms_[v].open; ++i) {
        bonds_.push_back({v, static_cast<Node>(labels_.size()), kSingle});
        labels_.push_back(kH);
      }
    }
    return {labels_, bonds_, Graph::EdgeLabels::kPresent};
  }

 private:
  Node append(const Fragment& fragment) {
    const auto first = static_cast<Node>(atoms_.size());
    atoms_.insert(atoms_.end(), fragment.atoms.begin(), fragment.atoms.end());
    for (const Edge& bond : fragment.bonds) {
      bonds_.push_back({first + bond.u, first + bond.v, bond.label});
    }
    size_ += fragment.size;
    return first;
  }

  // One heteroatom a carbon, groups of the tables apart: no geminal diols and the like, and no
  // amine beside a hydroxyl that would turn it into a group of its own.
  void find_sites(const Fragment& fragment, const FragmentAtom& root) {
    sites_.clear();
    for (Node v = 0; v < atoms_.size(); ++v) {
      const FragmentAtom& atom = atoms_[v];
      if (atom.element != kC || atom.open == 0) continue;
      if (fragment.anchor == Anchor::kBenzene && !atom.benzene) continue;
      if (fragment.anchor == Anchor::kSaturated && !atom.saturated) continue;
      if (atom.polar && root.element != kC) continue;
      sites_.push_back(v);
    }
  }

  std::vector<FragmentAtom> atoms_;
  std::vector<Edge> bonds_;
  std::vector<Label> labels_;
  std::vector<Node> sites_;
  std::size_t size_ = 0;
};

// Rings may be joined by any open carbon, the other fragments by their first atom.
Node draw_ring_root(const Fragment& ring, Rng& rng) {
  for (;;) {
    const auto v = static_cast<Node>(rng.below(ring.atoms.size()));
    if (ring.atoms[v].element == kC && ring.atoms[v].open > 0) return v;
  }
}

// Leaves room for a group. The loop ends: methane (5 atoms) fits the smallest target (8).
void start_scaffold(Draft& draft, std::size_t target, Rng& rng) {
  constexpr std::size_t kRoom = 3;
  for (;;) {
    const Fragment& scaffold = scaffolds().pick(rng);
    if (scaffold.size + kRoom <= target) return draft.start(scaffold);
  }
}

// Every scaffold has a carbon without heteroatoms, so the first nitro group finds a place.
void plant_motif(Draft& draft, Rng& rng) {
  constexpr double kAmineShare = 0.65;
  if (rng.chance(kAmineShare) && draft.attach(aromatic_amine_group(), 0, rng)) return;
  draft.attach(nitro_group(), 0, rng);
}

// As many groups with nitrogen in either class, the motif in one, its look-alikes in the other;
// a count of nitrogens then says little.
void add_nitrogen_groups(Draft& draft, bool planted, Rng& rng) {
  constexpr double kSecondGroup = 0.25;
  constexpr double kNoDecoy = 0.2;
  if (!planted && rng.chance(kNoDecoy)) return;
  const int groups = rng.chance(kSecondGroup) ? 2 : 1;
  for (int i = 0; i < groups; ++i) {
    if (planted) {
      plant_motif(draft, rng);
    } else {
      draft.attach(nitrogen_decoys().pick(rng), 0, rng);
    }
  }
}

struct DecorationKind {
  const FragmentTable& (*table)();
  std::uint64_t weight;
};

// What fills a molecule up to its size, in both classes alike.
constexpr auto kDecorations = std::to_array<DecorationKind>({
    {chains, 40},
    {oxygen_groups, 22},
    {rings, 26},
    {rare_groups, 13},
    {nitrogen_decoys, 5},
});
constexpr std::uint64_t kDecorationWeight = [] {
  std::uint64_t sum = 0;
  for (const DecorationKind& kind : kDecorations) sum += kind.weight;
  return sum;
}();

const DecorationKind& draw_decoration_kind(Rng& rng) {
  std::uint64_t at = rng.below(kDecorationWeight);
  std::size_t i = 0;
  while (at >= kDecorations[i].weight) at -= kDecorations[i++].weight;
  return kDecorations[i];
}

// Ends near the target: a fragment that overshoots by more than an atom is drawn again, a few
// times.
void decorate(Draft& draft, std::size_t target, Rng& rng) {
  constexpr int kMaxFailures = 6;
  for (int failures = 0; draft.size() < target && failures < kMaxFailures;) {
    const auto table = draw_decoration_kind(rng).table;
    const Fragment& fragment = table().pick(rng);
    const Node root = table == rings ? draw_ring_root(fragment, rng) : 0;
    const bool fits = draft.size() + fragment.size - 2 <= target + 1;
    if (!fits || !draft.attach(fragment, root, rng)) ++failures;
  }
}

// find_motif is the definition of the class; the tables are made to agree with it, and a table
// that one day does not costs a second draw instead of a wrong class.
Graph generate_molecule(Draft& draft, bool planted, Rng& rng) {
  const std::size_t target = draw_size(rng);
  for (;;) {
    start_scaffold(draft, target, rng);
    add_nitrogen_groups(draft, planted, rng);
    decorate(draft, target, rng);
    Graph graph = draft.finish();
    if ((find_motif(graph) != Motif::kNone) == planted) return graph;
  }
}

void check(const GeneratorOptions& options) {
  if (options.graphs == 0) {
    throw Error("cannot generate a dataset of 0 graphs", "ask for at least one graph");
  }
  if (!(options.undesired_share >= 0 && options.undesired_share <= 1)) {
    throw Error(fmt::format("the share of undesired graphs is {}", options.undesired_share),
                "give a number from 0 to 1");
  }
}

template <std::size_t N>
std::vector<NamedValue> value_table(const std::array<std::string_view, N>& names) {
  std::vector<NamedValue> table;
  for (std::size_t i = 0; i < N; ++i) {
    table.push_back({static_cast<std::int64_t>(i), std::string(names[i])});
  }
  return table;
}

template <std::size_t N>
std::map<std::int64_t, std::string> name_map(const std::array<std::string_view, N>& names) {
  std::map<std::int64_t, std::string> map;
  for (std::size_t i = 0; i < N; ++i) map.emplace(static_cast<std::int64_t>(i), names[i]);
  return map;
}

}  // namespace

RawDataset generate(const GeneratorOptions& options) {
  check(options);
  RawDataset raw;
  raw.name = generated_metadata().name;
  raw.node_labels = value_table(kElementNames);
  raw.edge_labels = value_table(kBondNames);
  raw.graphs.resize(options.graphs);
  raw.graph_labels.resize(options.graphs);
  ThreadPool pool(options.threads);
  std::vector<Draft> drafts(static_cast<std::size_t>(pool.size()));
  constexpr std::size_t kChunk = 256;
  pool.for_chunks(options.graphs, kChunk, [&](std::size_t begin, std::size_t end, int worker) {
    Draft& draft = drafts[static_cast<std::size_t>(worker)];
    for (std::size_t i = begin; i < end; ++i) {
      Rng rng(options.seed, i);
      const bool planted = rng.chance(options.undesired_share);
      raw.graphs[i] = generate_molecule(draft, planted, rng);
      raw.graph_labels[i] = planted ? kUndesired : kDesired;
    }
  });
  return raw;
}

DatasetMetadata generated_metadata() {
  DatasetMetadata metadata;
  metadata.name = "generated";
  metadata.domain = "molecule";
  metadata.node_label_names = name_map(kElementNames);
  metadata.edge_label_names = name_map(kBondNames);
  metadata.class_names = {{kUndesired, "mutagen"}, {kDesired, "nonmutagen"}};
  metadata.desired_class = kDesired;
  metadata.model_columns = {kUndesired, kDesired};
  return metadata;
}

}  // namespace fewedits
