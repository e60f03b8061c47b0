// SPDX-License-Identifier: MIT
// An evaluator (and the distance behind it) whose answers are made up, but the same for isomorphic
// graphs: small edit maps with every kind of probability and coverage, of which a test can know
// everything.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "fewedits/base/rng.hpp"
#include "fewedits/edit/edit.hpp"
#include "fewedits/graph/identity.hpp"
#include "fewedits/graph/shape_hash.hpp"
#include "fewedits/search/evaluator.hpp"

namespace fewedits::test {

class FakeEvaluator final : public Evaluator, public Distance {
 public:
  /// Probabilities are anything from 0 to 1, distances from 0 to 0.2, as the seed decides.
  explicit FakeEvaluator(std::vector<Graph> inputs, std::uint64_t seed = 1)
      : probability([=](const Graph& g) { return static_cast<float>(random_of(g, 0, seed)); }),
        how_far(
            [=](const Graph& g, std::size_t input) { return 0.2 * random_of(g, 1 + input, seed); }),
        inputs_(std::move(inputs)) {}

  /// Replaceable; both see the canonical graph.
  std::function<float(const Graph&)> probability;
  std::function<double(const Graph&, std::size_t input)> how_far;
  /// Let all graphs share one shape.
  bool one_shape = false;
  /// Let a neighbour seem to cover less than it does, how much less depending on the graph from
  /// which it is seen, as with distances that are but bounds.
  bool forgetful = false;
  bool quick = true;           ///< within_is_quick()
  double accepted_from = 0.5;  ///< probability
  std::size_t evaluated = 0;

  /// From 0 to 1, the same for isomorphic graphs.
  static double random_of(const Graph& g, std::uint64_t which, std::uint64_t seed) {
    // Mostly the same graph as before, with another `which`.
    static std::pair<Graph, Hash128> last{Graph(), Identity(Graph()).hash()};
    if (!(g == last.first)) last = {g, Identity(g).hash()};
    return Rng(last.second.low ^ seed, last.second.high + which).uniform();
  }

  [[nodiscard]] std::span<const Graph> inputs() const { return inputs_; }
  [[nodiscard]] Distance& distance() override { return *this; }
  [[nodiscard]] std::span<const Graph> graphs() const override { return inputs_; }
  [[nodiscard]] bool within_is_quick() const override { return quick; }
  void measure(std::span<const GraphPair> pairs, std::span<Measure> out, ThreadPool& /*pool*/,
               const DistanceWatch& /*watch*/) override {
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      const double d = how_far(Identity(inputs_[pairs[p].a]).canonical(), pairs[p].b);
      out[p] = {.distance = d, .normalized = d, .lower = d, .upper = d};
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> inputs_within(const Graph& canonical,
                                                         double theta) const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < inputs_.size(); ++i) {
      if (how_far(canonical, i) <= theta) out.push_back(i);
    }
    return out;
  }

  Neighbourhood evaluate(const Graph& graph, std::span<const Edit> edits, double theta,
                         ThreadPool& /*pool*/) override {
    Neighbourhood out(graph, edits);
    evaluated += out.size();
    std::vector<std::vector<std::uint32_t>> lists;
    for (const Edit& edit : out.edits) {
      const Graph built = apply(graph, edit);
      const Graph canonical = Identity(built).canonical();
      out.probability.push_back(probability(canonical));
      out.accepted.push_back(accepts(out.probability.back()) ? 1 : 0);
      out.shape.push_back(one_shape ? 7 : shape_hash(built));
      lists.push_back(inputs_within(canonical, theta));
      if (forgetful && out.probability.size() > 1) forget_some(graph, lists.back());
    }
    out.near = near_rows(lists, inputs_.size());
    return out;
  }

  std::vector<Judgement> judge(std::span<const Graph> graphs, ThreadPool& /*pool*/) override {
    std::vector<Judgement> out;
    for (const Graph& g : graphs) {
      const double p = probability(Identity(g).canonical());
      out.push_back({p, 1 - p, p >= 0.5, accepts(static_cast<float>(p))});
    }
    return out;
  }
  [[nodiscard]] bool accepts(float p) const { return p >= static_cast<float>(accepted_from); }

  std::vector<std::vector<double>> rows(std::span<const Graph> queries,
                                        ThreadPool& /*pool*/) override {
    std::vector<std::vector<double>> out;
    for (const Graph& g : queries) {
      out.emplace_back();
      for (std::size_t i = 0; i < inputs_.size(); ++i) {
        out.back().push_back(how_far(Identity(g).canonical(), i));
      }
    }
    return out;
  }

 private:
  static void forget_some(const Graph& seen_from, std::vector<std::uint32_t>& covers) {
    std::erase_if(covers, [&](std::uint32_t i) { return random_of(seen_from, i, 99) < 0.4; });
  }

  std::vector<Graph> inputs_;
};

/// Every connected graph of at most `nodes` nodes with labels below `labels`, canonical, once.
inline std::vector<Graph> all_connected_graphs(Node nodes, Label labels) {
  std::vector<Graph> out;
  std::set<Hash128> known;
  for (Node n = 1; n <= nodes; ++n) {
    std::vector<Edge> pairs;
    for (Node u = 0; u < n; ++u) {
      for (Node v = u + 1; v < n; ++v) pairs.push_back({u, v});
    }
    std::vector<Label> label(n, 0);
    for (bool more = true; more;) {
      for (std::uint32_t set = 0; set < (1U << pairs.size()); ++set) {
        std::vector<Edge> edges;
        for (std::size_t p = 0; p < pairs.size(); ++p) {
          if ((set >> p & 1U) != 0) edges.push_back(pairs[p]);
        }
        const Graph graph(label, edges);
        if (!graph.is_connected()) continue;
        const Identity identity(graph);
        if (known.insert(identity.hash()).second) out.push_back(identity.canonical());
      }
      // The next labels, as a number to the base `labels`.
      more = false;
      for (Label& l : label) {
        if (++l < labels) {
          more = true;
          break;
        }
        l = 0;
      }
    }
  }
  return out;
}

}  // namespace fewedits::test
