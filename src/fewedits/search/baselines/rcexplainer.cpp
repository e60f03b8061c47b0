// SPDX-License-Identifier: MIT
#include "fewedits/search/baselines/rcexplainer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/search/baselines/edge_explainer.hpp"
#include "fewedits/search/baselines/mask_network.hpp"

namespace fewedits {
namespace {

constexpr std::size_t kBatch = 32;
constexpr double kHot = 5;
constexpr double kCold = 0.5;
/// Of a class and the desired one, for boundaries.
constexpr std::size_t kPairs = 200;
/// Streams of random numbers: those below are the graphs'.
constexpr std::uint64_t kWeightStream = std::uint64_t{1} << 40;
constexpr std::uint64_t kBoundaryStream = std::uint64_t{2} << 40;
constexpr std::uint64_t kOrderStream = std::uint64_t{3} << 40;
constexpr std::uint64_t kNoiseStream = std::uint64_t{4} << 40;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// scale · boundary's normal
void add_normal(const Boundary& boundary, double scale, std::span<float> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] += static_cast<float>(scale * boundary.normal[i]);
  }
}

/// Keeping the class by the mask: λ·mean_b σ(−p_b(G)·p_b(m)), and its derivative by pooled
/// features.
double keeping(const GraphSides& of, double weight, std::span<const float> pooled,
               std::span<float> by_pooled) {
  double loss = 0;
  const double share = weight / static_cast<double>(of.boundaries.size());
  for (std::size_t b = 0; b < of.boundaries.size(); ++b) {
    const double s = sigmoid(-double{of.sides[b]} * of.boundaries[b]->at(pooled));
    loss += share * s;
    add_normal(*of.boundaries[b], -share * s * (1 - s) * of.sides[b], by_pooled);
  }
  return loss;
}

/// Losing it by the rest: (1−λ)·min_b σ(p_b(G)·p_b(1−m)).
double losing(const GraphSides& of, double weight, std::span<const float> pooled,
              std::span<float> by_pooled) {
  std::size_t best = 0;
  double least = 2;
  for (std::size_t b = 0; b < of.boundaries.size(); ++b) {
    const double s = sigmoid(double{of.sides[b]} * of.boundaries[b]->at(pooled));
    if (s >= least) continue;
    least = s;
    best = b;
  }
  add_normal(*of.boundaries[best], weight * least * (1 - least) * of.sides[best], by_pooled);
  return weight * least;
}

/// Size and entropy.
double smallness(const RcOptions& options, std::span<const float> mask, std::span<float> by_mask) {
  constexpr double kEdge = 1e-6;
  double size = 0;
  double entropy = 0;
  const double each = options.entropy / static_cast<double>(mask.size());
  for (std::size_t e = 0; e < mask.size(); ++e) {
    const double m = std::clamp<double>(mask[e], kEdge, 1 - kEdge);
    size += mask[e];
    entropy -= m * std::log(m) + (1 - m) * std::log(1 - m);
    by_mask[e] += static_cast<float>(options.size + each * std::log((1 - m) / m));
  }
  return options.size * size + each * entropy;
}

}  // namespace

GraphSides sides_of(const std::vector<Boundary>& boundaries, std::span<const float> pooled) {
  GraphSides out;
  for (const Boundary& b : boundaries) {
    const float side = b.at(pooled);
    if (side <= 0) continue;
    out.boundaries.push_back(&b);
    out.sides.push_back(side);
  }
  return out;
}

double rc_loss(WeightedModel& model, const Graph& graph, const GraphSides& of,
               const RcOptions& options, std::span<const float> mask, std::span<float> by_mask) {
  std::fill(by_mask.begin(), by_mask.end(), 0.0F);
  if (mask.empty() || of.boundaries.empty()) return 0;
  double loss = smallness(options, mask, by_mask);
  std::vector<float> by_pooled(model.pooled_size());
  std::vector<float> by_weights(mask.size());
  if (options.lambda > 0) {
    model.evaluate(graph, mask);
    loss += keeping(of, options.lambda, model.pooled(), by_pooled);
    model.pooled_gradient(by_pooled, by_weights);
    for (std::size_t e = 0; e < mask.size(); ++e) by_mask[e] += by_weights[e];
  }
  if (options.lambda < 1) {
    std::vector<float> left(mask.size());
    for (std::size_t e = 0; e < mask.size(); ++e) left[e] = 1 - mask[e];
    std::fill(by_pooled.begin(), by_pooled.end(), 0.0F);
    model.evaluate(graph, left);
    loss += losing(of, 1 - options.lambda, model.pooled(), by_pooled);
    model.pooled_gradient(by_pooled, by_weights);
    for (std::size_t e = 0; e < mask.size(); ++e) by_mask[e] -= by_weights[e];
  }
  return loss;
}

namespace {

/// A graph as the frozen model sees it.
struct SeenGraph {
  std::vector<Edge> edges;
  std::vector<float> nodes;
  std::vector<float> pooled;
  std::size_t predicted = 0;
};

SeenGraph seen_by(WeightedModel& model, const Graph& graph) {
  SeenGraph out;
  out.edges = graph.edges();
  const std::vector<float> ones(out.edges.size(), 1);
  model.evaluate(graph, ones);
  for (Node v = 0; v < graph.num_nodes(); ++v) {
    const auto row = model.node(v);
    out.nodes.insert(out.nodes.end(), row.begin(), row.end());
  }
  out.pooled.assign(model.pooled().begin(), model.pooled().end());
  out.predicted = predicted_class(model.logits());
  return out;
}

std::vector<SeenGraph> seen(std::span<const Graph> graphs, WeightedModels& models,
                            ThreadPool& pool) {
  std::vector<SeenGraph> out(graphs.size());
  pool.for_chunks(graphs.size(), 16, [&](std::size_t begin, std::size_t end, int worker) {
    for (std::size_t i = begin; i < end; ++i) out[i] = seen_by(models[worker], graphs[i]);
  });
  return out;
}

PooledRows pooled_of(const std::vector<SeenGraph>& graphs, std::size_t predicted) {
  PooledRows out;
  for (const SeenGraph& g : graphs) {
    if (g.predicted == predicted) out.push_back(g.pooled);
  }
  return out;
}

/// A hyperplane has no scale of its own. With the head's, sure models leave the loss flat: σ of the
/// product of two margins of 20 has no slope. So graphs of the class are 1 away on average.
void scale_to(const PooledRows& rejected, Boundary& boundary) {
  double sum = 0;
  std::size_t count = 0;
  for (const auto& row : rejected) {
    const float side = boundary.at(row);
    if (side <= 0) continue;
    sum += side;
    ++count;
  }
  if (count == 0) return;
  const auto scale = static_cast<float>(static_cast<double>(count) / sum);
  for (float& x : boundary.normal) x *= scale;
  boundary.offset *= scale;
}

class RcExplainer final : public EdgeExplainer {
 public:
  RcExplainer(const EdgeTask& task, const RcOptions& options, ThreadPool& pool)
      : task_(task),
        options_(options),
        models_(task.classifier, pool),
        inputs_(seen(task.inputs, models_, pool)),
        network_(models_[0].node_size(), Rng(task.seed, kWeightStream)),
        memories_(static_cast<std::size_t>(pool.size())),
        gradients_(kBatch * network_.parameters().size()) {
    find_boundaries(seen(task.accepted, models_, pool));
    for (const SeenGraph& g : inputs_)
      sides_.push_back(sides_of(boundaries_[g.predicted], g.pooled));
    const auto parameters = network_.parameters();
    state_ = {0, {parameters.begin(), parameters.end()}, Adam(parameters.size())};
  }

  [[nodiscard]] std::uint64_t rounds() const override { return options_.epochs; }
  [[nodiscard]] const TrainingState& training() const override { return state_; }

  void restore(const TrainingState& training) override {
    const std::size_t size = network_.parameters().size();
    if (training.parameters.size() != size || training.adam.first.size() != size ||
        training.adam.second.size() != size || training.rounds > options_.epochs) {
      throw Error("the training of the saved run is that of another network",
                  "begin a new run in another folder");
    }
    state_ = training;
    std::ranges::copy(state_.parameters, network_.parameters().begin());
  }

  void train(ThreadPool& pool) override {
    Adam adam = state_.adam;
    try {
      epoch(adam, pool);
    } catch (...) {
      std::ranges::copy(state_.parameters, network_.parameters().begin());
      throw;
    }
    const auto parameters = network_.parameters();
    state_ = {state_.rounds + 1, {parameters.begin(), parameters.end()}, std::move(adam)};
  }

  std::vector<std::optional<EdgeCut>> explain(std::span<const Graph> graphs,
                                              std::span<const std::uint32_t> /*numbers*/,
                                              ThreadPool& pool) override {
    std::vector<std::vector<std::uint32_t>> orders(graphs.size());
    pool.for_chunks(graphs.size(), 4, [&](std::size_t begin, std::size_t end, int worker) {
      for (std::size_t i = begin; i < end; ++i) orders[i] = order_of(graphs[i], worker);
    });
    std::vector<std::optional<EdgeCut>> out;
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      pool.check_stop();
      out.push_back(first_cut(graphs[i], orders[i], task_.rules, task_.classifier, pool));
    }
    return out;
  }

 private:
  /// What a thread needs for a graph.
  struct Memory {
    MaskNetwork::Memory network;
    std::vector<float> logits;
    std::vector<float> mask;
    std::vector<float> slopes;
    std::vector<float> by_mask;
  };

  void find_boundaries(const std::vector<SeenGraph>& others) {
    const std::size_t desired = task_.rules.goal.desired_class;
    const PooledRows accepted = pooled_of(others, desired);
    boundaries_.resize(models_[0].num_classes());
    bool any = false;
    for (std::size_t c = 0; c < boundaries_.size(); ++c) {
      if (c == desired) continue;
      const PooledRows rejected = pooled_of(inputs_, c);
      const Rng rng(task_.seed, kBoundaryStream + c);
      boundaries_[c] = separating_boundaries(
          boundaries_between(models_[0], desired, rejected, accepted, kPairs, rng), rejected,
          accepted);
      for (Boundary& b : boundaries_[c]) scale_to(rejected, b);
      any = any || !boundaries_[c].empty();
    }
    if (any) return;
    throw Error(
        "the method finds no decision boundary of the model between graphs that are "
        "accepted and others",
        "use a dataset with graphs of both kinds, or another method");
  }

  [[nodiscard]] double temperature() const {
    const double way = static_cast<double>(state_.rounds) / static_cast<double>(options_.epochs);
    return kHot * std::pow(kCold / kHot, way);
  }

  void epoch(Adam& adam, ThreadPool& pool) {
    std::vector<std::uint32_t> order(inputs_.size());
    std::iota(order.begin(), order.end(), 0U);
    Rng(task_.seed, kOrderStream + state_.rounds).shuffle(std::span(order));
    const double heat = temperature();
    const std::size_t size = network_.parameters().size();
    std::vector<float> sum(size);
    for (std::size_t at = 0; at < order.size(); at += kBatch) {
      const auto batch = std::span(order).subspan(at, std::min(kBatch, order.size() - at));
      pool.for_chunks(batch.size(), 1, [&](std::size_t i, std::size_t, int worker) {
        gradient_of(batch[i], heat, worker, std::span(gradients_).subspan(i * size, size));
      });
      // In the order of the batch, whoever computed what.
      std::fill(sum.begin(), sum.end(), 0.0F);
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const float* const row = gradients_.data() + i * size;
        for (std::size_t p = 0; p < size; ++p) sum[p] += row[p];
      }
      for (float& value : sum) value /= static_cast<float>(batch.size());
      adam.update(network_.parameters(), sum, options_.rate);
    }
  }

  void gradient_of(std::uint32_t input, double heat, int worker, std::span<float> out) {
    std::fill(out.begin(), out.end(), 0.0F);
    const SeenGraph& g = inputs_[input];
    if (g.edges.empty() || sides_[input].boundaries.empty()) return;
    Memory& m = memories_[static_cast<std::size_t>(worker)];
    resize(m, g.edges.size());
    network_.forward(g.nodes, g.edges, m.network, m.logits);
    Rng rng(task_.seed, kNoiseStream + (state_.rounds << 24) + task_.numbers[input]);
    draw_mask(m.logits, heat, rng, m.mask, m.slopes);
    (void)rc_loss(models_[worker], task_.inputs[input], sides_[input], options_, m.mask, m.by_mask);
    for (std::size_t at = 0; at < m.slopes.size(); ++at) m.slopes[at] *= m.by_mask[at / 2];
    network_.backward(g.nodes, g.edges, m.slopes, m.network, out);
  }

  static void resize(Memory& m, std::size_t edges) {
    m.logits.resize(2 * edges);
    m.slopes.resize(2 * edges);
    m.mask.resize(edges);
    m.by_mask.resize(edges);
  }

  /// Edges with the highest mask first; where that is 1 but for rounding, by what it is made from.
  std::vector<std::uint32_t> order_of(const Graph& graph, int worker) {
    const SeenGraph g = seen_by(models_[worker], graph);
    Memory& m = memories_[static_cast<std::size_t>(worker)];
    resize(m, g.edges.size());
    network_.forward(g.nodes, g.edges, m.network, m.logits);
    using Ranked = std::tuple<double, double, std::uint32_t>;
    std::vector<Ranked> ranked;
    for (std::uint32_t e = 0; e < g.edges.size(); ++e) {
      const double there = m.logits[std::size_t{2} * e];
      const double back = m.logits[std::size_t{2} * e + 1];
      ranked.emplace_back(-(sigmoid(there) + sigmoid(back)), -(there + back), e);
    }
    std::ranges::sort(ranked);
    std::vector<std::uint32_t> order;
    order.reserve(ranked.size());
    for (const Ranked& r : ranked) order.push_back(std::get<2>(r));
    return order;
  }

  EdgeTask task_;
  RcOptions options_;
  WeightedModels models_;
  std::vector<SeenGraph> inputs_;
  std::vector<std::vector<Boundary>> boundaries_;  ///< by class of the graph
  std::vector<GraphSides> sides_;                  ///< by input
  MaskNetwork network_;
  std::vector<Memory> memories_;  ///< by thread
  std::vector<float> gradients_;  ///< of a batch
  TrainingState state_;
};

}  // namespace

EdgeExplainerKind rc_explainer() {
  return {.about = "RCExplainer: masks over edges by a network trained on all inputs",
          .make =
              [](const EdgeTask& task, const LocalSettings& settings, ThreadPool& pool) {
                return std::make_unique<RcExplainer>(task, settings.rc, pool);
              },
          .needs_gradients = true};
}

}  // namespace fewedits
