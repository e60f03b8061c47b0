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
constexpr std::uint64_t kAskWork = 10;  ///< and one per node

/// How much likelier one is than the other.
double log_ratio(double p, double q) {
  constexpr double kTiny = 1e-12;
  return std::log(std::max(p, kTiny)) - std::log(std::max(q, kTiny));
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

double least_probability(const SearchSpace& space) { return space.goal.acceptance.min_probability; }

}  // namespace

Climber::Climber(const SearchSpace& space)
    : space_(space),
      keeper_(space.inputs, {space.classifier.num_labels(), space.num_edge_labels, space.costs},
              space.stop),
      needed_(log_ratio(least_probability(space), 1 - least_probability(space))),
      rng_(0) {}

void Climber::begin(Plan plan) {
  rng_ = plan.rng;
  found_.clear();
  seen_.clear();
  outcome_ = {};
  origin_ = plan.start.origin;
  penalty_ = 0.1;
  steps_ = idle_ = next_deepening_ = 0;
  most_ = 0;
  const double width = 0.15 + 0.15 * rng_.uniform();
  keeper_.reset(plan.start.graph, {space_.options.theta, width}, std::move(plan.counts), rng_,
                plan.known.get());
  outcome_.start = std::make_shared<KnownMaps>(keeper_.known());
  perturb_start();
  step_.reset();
  asked_.assign(1, keeper_.graph());
  work_ += kAskWork + keeper_.graph().num_nodes();
}

void Climber::tell(std::span<const Judgement> answers) {
  if (!step_) {
    remember_here(answers.front());
    begin_step();
    return;
  }
  Step& step = *step_;
  for (std::size_t a = 0; a < answers.size(); ++a) {
    const double value = penalised(step.values[step.which[a]], answers[a]);
    if (step.judged && value <= step.value) continue;
    step.value = value;
    step.move = step.which[a];
    step.graph = std::move(asked_[a]);
    step.judged = answers[a];
  }
  ask();
}

/// Every other time a few random edits away, for the sake of variety.
void Climber::perturb_start() {
  if (rng_.chance(0.5)) return;
  for (std::uint64_t left = 1 + rng_.below(4); left > 0; --left) {
    const Moves moves = space_.moves_of(keeper_.graph());
    if (moves.empty()) break;
    const auto step = moves[rng_.below(moves.size())];
    keeper_.move(step, apply_step(keeper_.graph(), step), rng_);
  }
}

/// Remembers where the climb stands, if it may be chosen and is among the best.
void Climber::remember_here(const Judgement& judged) {
  const Graph& graph = keeper_.graph();
  seen_.insert(shape_hash(graph));
  penalty_ = std::clamp(penalty_ * (judged.accepted ? 0.8 : 1.25), 1e-3, 10.0);
  if (!judged.accepted) return;
  const std::size_t marginal = keeper_.num_covered();
  const bool full = found_.size() == kRemembered;
  if (marginal == 0 || (full && found_.back().marginal >= marginal)) return;
  if (!satisfies(graph, space_.constraints)) return;
  Found here;
  here.candidate = {graph, static_cast<float>(judged.probability), {}, 0, origin_};
  here.marginal = marginal;
  here.known = std::make_shared<KnownMaps>(keeper_.known());
  here.candidate.maps = PackedMaps(graph.num_nodes());
  for (std::uint32_t i = 0; i < space_.inputs.size(); ++i) {
    if (!keeper_.covers(i)) continue;
    here.candidate.covers.push_back(i);
    here.candidate.maps.set(i, keeper_.map(i));
  }
  if (full) found_.pop_back();
  found_.insert(std::find_if(found_.begin(), found_.end(),
                             [&](const Found& f) { return f.marginal < marginal; }),
                std::move(here));
}

void Climber::begin_step() {
  if (steps_ >= kLongestClimb || idle_ >= kPatience) return end();
  step_ = Step{};  // clang takes emplace() for impossible: the members have initialisers
  step_->moves = space_.moves_of(keeper_.graph());
  step_->values = keeper_.values(step_->moves);
  work_ += kStepWork + step_->moves.size() / 8;
  step_->order = best_first(step_->values);
  ask();
}

/// About the best neighbours not seen yet, until no later one can win.
void Climber::ask() {
  Step& step = *step_;
  asked_.clear();
  step.which.clear();
  while (step.next < step.order.size() && asked_.empty()) {
    if (step.judged && step.value > step.values[step.order[step.next]]) break;
    for (; step.next < step.order.size() && asked_.size() < kAskedAtOnce; ++step.next) {
      const std::uint32_t e = step.order[step.next];
      Graph graph = apply_step(keeper_.graph(), step.moves[e]);
      const std::uint64_t shape = shape_hash(graph);
      if (seen_.contains(shape) || !step.met.insert(shape).second) continue;
      work_ += kAskWork + graph.num_nodes();
      asked_.push_back(std::move(graph));
      step.which.push_back(e);
    }
  }
  if (asked_.empty()) move_on();
}

/// To the best neighbour; nowhere, and the climb is over, if there is none.
void Climber::move_on() {
  if (!step_->judged) return end();
  const Judgement judged = *step_->judged;
  keeper_.move(step_->moves[step_->move], std::move(step_->graph), rng_);
  remember_here(judged);
  if (!found_.empty() && found_.front().marginal > most_) {
    if (steps_ >= next_deepening_) {
      keeper_.deepen(rng_);
      remember_here(judged);
      next_deepening_ = steps_ + kBetweenDeepenings;
    }
    most_ = found_.front().marginal;
    idle_ = 0;
  }
  ++steps_;
  ++idle_;
  begin_step();
}

void Climber::end() {
  asked_.clear();
  outcome_.found = std::move(found_);
  found_.clear();
}

/// What is lacking is the larger of two: the class must beat the best of the others, however little
/// of the whole it has, and it must be as probable as asked. With two classes both are log-odds.
/// The least lead is so small that a slope towards equality leads there.
double Climber::penalised(double value, const Judgement& judged) const {
  const double p = judged.probability;
  const double behind = -log_ratio(p, judged.runner_up);
  const double too_unlikely = needed_ - log_ratio(p, 1 - p);
  const double lacks = std::clamp(std::max(behind, too_unlikely), 0.0, 8.0);
  return value - penalty_ * lacks * std::sqrt(1 + value);
}

}  // namespace fewedits
