// SPDX-License-Identifier: MIT
#include "fewedits/search/climb/climber.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "fewedits/graph/shape_hash.hpp"

namespace fewedits {
namespace {

constexpr int kLongestClimb = 200;
constexpr int kPatience = 25;            ///< steps without a better graph
constexpr int kBetweenDeepenings = 5;    ///< steps
constexpr std::size_t kRemembered = 8;   ///< graphs of a climb
constexpr std::size_t kLookedAt = 256;   ///< best neighbours that are considered at all
constexpr std::size_t kAskedAtOnce = 8;  ///< neighbours the classifier is asked about

// Units of GedBudget, roughly as long as they take.
constexpr std::uint64_t kStepWork = 200;
constexpr std::uint64_t kAskWork = 10;  ///< and one a node

double log_odds(double p) {
  constexpr double kTiny = 1e-12;
  return std::log(std::max(p, kTiny)) - std::log(std::max(1 - p, kTiny));
}

/// The best of them, best first.
std::vector<std::uint32_t> best_first(const std::vector<float>& values) {
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  const std::size_t most = std::min(order.size(), kLookedAt);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(),
                    [&](std::uint32_t a, std::uint32_t b) {
                      return values[a] != values[b] ? values[a] > values[b] : a < b;
                    });
  order.resize(most);
  return order;
}

}  // namespace

Climber::Climber(const SearchSpace& space)
    : space_(space),
      keeper_(space.inputs, space.classifier.num_labels()),
      alone_(1),
      needed_(log_odds(space.options.min_probability)) {}

Climber::Outcome Climber::climb(const Plan& plan, const std::function<bool()>& go_on) {
  Rng rng = plan.rng;
  found_.clear();
  seen_.clear();
  origin_ = plan.start.origin;
  penalty_ = 0.1;
  const double width = 0.15 + 0.15 * rng.uniform();
  Outcome out;
  keeper_.reset(plan.start.graph, {space_.options.theta, width}, plan.counts, rng,
                plan.known.get());
  out.start = std::make_shared<KnownMaps>(keeper_.known());
  perturb_start(rng);
  remember_here(judged(std::span(&keeper_.graph(), 1))[0].probability);
  std::size_t most = 0;
  int next_deepening = 0;
  for (int step = 0, idle = 0; step < kLongestClimb && idle < kPatience; ++step, ++idle) {
    if (!go_on()) break;
    const auto probability = step_on(rng);
    if (!probability) break;
    if (found_.empty() || found_.front().marginal <= most) continue;
    if (step >= next_deepening) {
      keeper_.deepen(rng);
      remember_here(*probability);
      next_deepening = step + kBetweenDeepenings;
    }
    most = found_.front().marginal;
    idle = 0;
  }
  out.found = std::move(found_);
  return out;
}

std::vector<Judgement> Climber::judged(std::span<const Graph> graphs) {
  for (const Graph& graph : graphs) work_ += kAskWork + graph.num_nodes();
  return judge(graphs, space_.classifier, space_.desired_class, alone_);
}

/// Every other time a few random edits away, for the sake of variety.
void Climber::perturb_start(Rng& rng) {
  if (rng.chance(0.5)) return;
  for (std::uint64_t left = 1 + rng.below(4); left > 0; --left) {
    const auto edits = space_.neighbours_of(keeper_.graph());
    if (edits.empty()) break;
    keeper_.move(edits[rng.below(edits.size())], rng);
  }
}

/// Remembers where the climb stands, if it may be chosen and is among the best.
void Climber::remember_here(double probability) {
  const Graph& graph = keeper_.graph();
  seen_.insert(shape_hash(graph));
  const bool accepted = probability >= space_.options.min_probability;
  penalty_ = std::clamp(penalty_ * (accepted ? 0.8 : 1.25), 1e-3, 10.0);
  if (!accepted) return;
  const std::size_t marginal = keeper_.num_covered();
  const bool full = found_.size() == kRemembered;
  if (marginal == 0 || (full && found_.back().marginal >= marginal)) return;
  if (!satisfies(graph, space_.constraints)) return;
  Found here;
  here.candidate = {graph, static_cast<float>(probability), {}, 0, origin_};
  here.marginal = marginal;
  here.known = std::make_shared<KnownMaps>(keeper_.known());
  for (std::uint32_t i = 0; i < space_.inputs.size(); ++i) {
    if (keeper_.covers(i)) here.candidate.covers.push_back(i);
  }
  if (full) found_.pop_back();
  found_.insert(std::find_if(found_.begin(), found_.end(),
                             [&](const Found& f) { return f.marginal < marginal; }),
                std::move(here));
}

/// To the best neighbour not seen yet; what the classifier says of it, none if there is none.
std::optional<double> Climber::step_on(Rng& rng) {
  const std::vector<Edit> edits = space_.neighbours_of(keeper_.graph());
  const std::vector<float> values = keeper_.values(edits);
  work_ += kStepWork + edits.size() / 8;
  const std::vector<std::uint32_t> order = best_first(values);
  struct {
    double value = 0;
    std::uint32_t edit = 0;
    std::optional<double> probability;
  } best;
  std::vector<Graph> asked;
  std::vector<std::uint32_t> which;
  std::unordered_set<std::uint64_t> met;
  for (std::size_t next = 0; next < order.size();) {
    if (best.probability && best.value > values[order[next]]) break;
    asked.clear();
    which.clear();
    for (; next < order.size() && asked.size() < kAskedAtOnce; ++next) {
      Graph graph = apply(keeper_.graph(), edits[order[next]]);
      const std::uint64_t shape = shape_hash(graph);
      if (seen_.contains(shape) || !met.insert(shape).second) continue;
      asked.push_back(std::move(graph));
      which.push_back(order[next]);
    }
    const auto answers = judged(asked);
    for (std::size_t a = 0; a < asked.size(); ++a) {
      const double value = penalised(values[which[a]], answers[a].probability);
      if (best.probability && value <= best.value) continue;
      best = {value, which[a], answers[a].probability};
    }
  }
  if (!best.probability) return std::nullopt;
  keeper_.move(edits[best.edit], rng);
  remember_here(*best.probability);
  return best.probability;
}

double Climber::penalised(double value, double probability) const {
  const double lacks = std::clamp(needed_ - log_odds(probability), 0.0, 8.0);
  return value - penalty_ * lacks * std::sqrt(1 + value);
}

}  // namespace fewedits
