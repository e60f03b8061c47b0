// SPDX-License-Identifier: MIT
// The label-matching random-walk kernel (Gärtner, Flach & Wrobel, COLT 2003; Vishwanathan,
// Borgwardt & Schraudolph, "Fast computation of graph kernels", NIPS 2006): the walks of the two
// graphs' product, whose nodes are the pairs (u,v) of equal label.
//
// PERF NOTES. The product is never built, and both factors are folded first:
//  - Nodes with equal stable colours (the coarsest equitable partition) start equally many walks
//    of every kind, so a class of them needs one row. In molecules this joins the hydrogens of a
//    carbon and whatever symmetry moves.
//  - A step goes first along a's edges and then along b's: O(m_a·n_b + n_a·m_b) instead of the
//    O(m_a·m_b) of the product's edges; with classes sorted by label, only within equal labels.
//  - Horner's rule, walks ← 1 + decay · step(walks), gives the weighted sum without powers.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "fewedits/distance/kernel_distance.hpp"
#include "fewedits/distance/kernel_features.hpp"
#include "fewedits/distance/kernel_options.hpp"

namespace fewedits {
namespace {

/// value · 2^exponent: walks grow like the product of the degrees to the length, beyond doubles.
struct WalkSum {
  double value = 0;
  int exponent = 0;
};

/// Values are kept under 2^kHeadroom before a step. A step and the final sum each add at most 64
/// bits, so the product of two sums still fits a double.
constexpr int kHeadroom = 300;

/// The classes of one label: [begin, end).
struct LabelBlock {
  Label label = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// From a node of one class to `count` nodes of class `target`.
struct Arc {
  std::uint32_t target = 0;
  std::uint32_t count = 0;
};

/// A graph folded along its stable colouring. Classes are in the order of label and colour, so
/// that isomorphic graphs give the same bits.
struct FoldedGraph {
  std::vector<std::uint32_t> size;  ///< nodes in a class
  std::vector<std::uint32_t> offset;
  std::vector<Arc> arcs;  ///< of class c: offset[c] … offset[c+1]
  std::vector<LabelBlock> blocks;
  Hash128 key;  ///< of all the above
  WalkSum self;

  [[nodiscard]] std::size_t num_classes() const { return size.size(); }
  [[nodiscard]] std::span<const Arc> arcs_of(std::size_t c) const {
    return std::span(arcs).subspan(offset[c], offset[c + 1] - offset[c]);
  }
};

std::size_t count_distinct(std::vector<Hash128> colours) {
  std::sort(colours.begin(), colours.end());
  return static_cast<std::size_t>(std::unique(colours.begin(), colours.end()) - colours.begin());
}

/// Refines until no class splits: at most n rounds. The number of rounds is the same for
/// isomorphic graphs, and so are the colours.
std::vector<Hash128> stable_colours(const Graph& graph) {
  std::vector<Hash128> colours = label_colours(graph);
  std::size_t classes = count_distinct(colours);
  for (;;) {
    std::vector<Hash128> next = refined_colours(graph, colours);
    const std::size_t refined = count_distinct(next);
    if (refined <= classes) return colours;
    classes = refined;
    colours = std::move(next);
  }
}

/// The class of each node; classes are numbered in the order of label and colour.
struct Partition {
  std::vector<std::uint32_t> class_of;
  std::vector<Node> first;  ///< a node of each class
};

Partition stable_partition(const Graph& graph) {
  const std::vector<Hash128> colours = stable_colours(graph);
  const auto rank = [&](Node v) { return std::pair(graph.label(v), colours[v]); };
  std::vector<Node> order(graph.num_nodes());
  std::iota(order.begin(), order.end(), Node{0});
  std::sort(order.begin(), order.end(), [&](Node u, Node v) { return rank(u) < rank(v); });
  Partition partition{std::vector<std::uint32_t>(order.size()), {}};
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || rank(order[i - 1]) != rank(order[i])) partition.first.push_back(order[i]);
    partition.class_of[order[i]] = static_cast<std::uint32_t>(partition.first.size() - 1);
  }
  return partition;
}

void append_arcs(const Graph& graph, const Partition& partition, Node v, std::vector<Arc>& arcs) {
  std::vector<std::uint32_t> targets;
  for (const Node w : graph.neighbours(v)) targets.push_back(partition.class_of[w]);
  std::sort(targets.begin(), targets.end());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (i == 0 || targets[i - 1] != targets[i]) arcs.push_back({targets[i], 0});
    ++arcs.back().count;
  }
}

Hash128 content_hash(const FoldedGraph& folded) {
  HashInput input;
  input.add(static_cast<std::uint32_t>(folded.blocks.size()));
  for (const LabelBlock& block : folded.blocks) {
    input.add(block.label);
    input.add(block.end);
  }
  for (const std::uint32_t size : folded.size) input.add(size);
  for (const std::uint32_t offset : folded.offset) input.add(offset);
  for (const Arc& arc : folded.arcs) {
    input.add(arc.target);
    input.add(arc.count);
  }
  return input.hash();
}

FoldedGraph fold(const Graph& graph) {
  const Partition partition = stable_partition(graph);
  FoldedGraph folded;
  folded.size.assign(partition.first.size(), 0);
  for (const std::uint32_t c : partition.class_of) ++folded.size[c];
  folded.offset.push_back(0);
  for (std::uint32_t c = 0; c < folded.num_classes(); ++c) {
    const Label label = graph.label(partition.first[c]);
    if (c == 0 || folded.blocks.back().label != label) folded.blocks.push_back({label, c, c});
    folded.blocks.back().end = c + 1;
    append_arcs(graph, partition, partition.first[c], folded.arcs);
    folded.offset.push_back(static_cast<std::uint32_t>(folded.arcs.size()));
  }
  folded.key = content_hash(folded);
  return folded;
}

/// Sums walks over one pair of graphs after the other; keeps its work space.
class WalkCounter {
 public:
  explicit WalkCounter(const RwOptions& options) : options_(options) {}

  WalkSum count(const FoldedGraph& a, const FoldedGraph& b) {
    start(a, b);
    for (int step = 0; step < options_.length; ++step) {
      if (lengthen(a, b) > std::ldexp(1, kHeadroom)) rescale();
    }
    return {total(a, b), exponent_};
  }

 private:
  /// The classes of b that have the label of a class of a.
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  void start(const FoldedGraph& a, const FoldedGraph& b) {
    match_.assign(a.num_classes(), {});
    auto other = b.blocks.begin();
    for (const LabelBlock& block : a.blocks) {
      while (other != b.blocks.end() && other->label < block.label) ++other;
      if (other == b.blocks.end()) break;
      if (other->label != block.label) continue;
      for (std::uint32_t c = block.begin; c < block.end; ++c)
        match_[c] = {other->begin, other->end};
    }
    unit_ = 1;
    exponent_ = 0;
    walks_.assign(a.num_classes() * b.num_classes(), unit_);
    longer_.resize(walks_.size());
    half_.resize(b.num_classes());
  }

  /// walks ← 1 + decay · step(walks); returns the largest.
  double lengthen(const FoldedGraph& a, const FoldedGraph& b) {
    double largest = 0;
    for (std::size_t c = 0; c < a.num_classes(); ++c) {
      if (match_[c].begin == match_[c].end) continue;
      step_in_a(a, c);
      double* row = longer_.data() + c * half_.size();
      for (std::size_t d = match_[c].begin; d < match_[c].end; ++d) {
        double sum = 0;
        for (const Arc& arc : b.arcs_of(d)) sum += arc.count * half_[arc.target];
        row[d] = unit_ + options_.decay * sum;
        largest = std::max(largest, row[d]);
      }
    }
    walks_.swap(longer_);
    return largest;
  }

  /// half[d] = the walks from (c',d), summed over the neighbours c' of c with the label of d.
  void step_in_a(const FoldedGraph& a, std::size_t c) {
    std::fill(half_.begin(), half_.end(), 0.0);
    for (const Arc& arc : a.arcs_of(c)) {
      const double* row = walks_.data() + arc.target * half_.size();
      const double count = arc.count;
      for (std::size_t d = match_[arc.target].begin; d < match_[arc.target].end; ++d) {
        half_[d] += count * row[d];
      }
    }
  }

  void rescale() {
    const double factor = std::ldexp(1, -kHeadroom);
    for (double& value : walks_) value *= factor;
    unit_ *= factor;
    exponent_ += kHeadroom;
  }

  [[nodiscard]] double total(const FoldedGraph& a, const FoldedGraph& b) const {
    double sum = 0;
    for (std::size_t c = 0; c < a.num_classes(); ++c) {
      const double* row = walks_.data() + c * half_.size();
      double row_sum = 0;
      for (std::size_t d = match_[c].begin; d < match_[c].end; ++d) row_sum += b.size[d] * row[d];
      sum += a.size[c] * row_sum;
    }
    return sum;
  }

  RwOptions options_;
  std::vector<Range> match_;   ///< by class of a
  std::vector<double> walks_;  ///< from (c,d) at c·(classes of b) + d, where the labels match
  std::vector<double> longer_;
  std::vector<double> half_;
  double unit_ = 1;  ///< one walk on the current scale
  int exponent_ = 0;
};

struct RandomWalk {
  using Features = FoldedGraph;
  struct Scratch {
    explicit Scratch(const RandomWalk& kernel) : counter(kernel.options) {}
    WalkCounter counter;
  };

  [[nodiscard]] Features features(const Graph& graph) const {
    FoldedGraph out = fold(graph);
    out.self = WalkCounter(options).count(out, out);
    return out;
  }
  double similarity(Scratch& scratch, const Features& a, const Features& b) const {
    if (a.key == b.key) return 1;
    // Sums over (a,b) and (b,a) may round differently; the contents decide which is taken.
    const WalkSum both = a.key < b.key ? scratch.counter.count(a, b) : scratch.counter.count(b, a);
    const int exponent = both.exponent - (a.self.exponent + b.self.exponent) / 2;
    return cosine(std::ldexp(both.value, exponent), a.self.value, b.self.value);
  }

  RwOptions options;
};

}  // namespace

std::unique_ptr<Distance> make_rw_distance(std::vector<Graph> graphs, const RwOptions& options,
                                           ThreadPool& pool) {
  check_kernel(options);
  return std::make_unique<KernelDistance<RandomWalk>>(std::move(graphs), RandomWalk{options}, pool);
}

}  // namespace fewedits
