// SPDX-License-Identifier: MIT
#include "fewedits/search/walk/walk.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "fewedits/edit/neighbours.hpp"
#include "fewedits/graph/shape_hash.hpp"

namespace fewedits {
namespace {

/// Index drawn with chances proportional to the weights; they are ≥ 0.
std::size_t draw(std::span<const double> weights, Rng& rng) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!(total > 0)) return rng.below(weights.size());
  double left = rng.uniform() * total;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    left -= weights[i];
    if (left < 0) return i;
  }
  // Rounding may leave a rest: the last one that can be chosen.
  const auto last = std::find_if(weights.rbegin(), weights.rend(), [](double w) { return w > 0; });
  return static_cast<std::size_t>(weights.rend() - last) - 1;
}

/// What a walk needs that finds all neighbours equally important.
Neighbourhood unevaluated(const Graph& graph, std::span<const Edit> edits, ThreadPool& pool) {
  Neighbourhood out(graph, edits);
  out.shape.resize(out.size());
  pool.for_chunks(out.size(), 64, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) out.shape[i] = shape_hash(apply(graph, out.edits[i]));
  });
  return out;
}

}  // namespace

std::size_t num_candidates(const WalkOptions& options, std::size_t num_inputs) {
  const std::size_t wanted = options.candidates == 0 ? num_inputs : options.candidates;
  return std::clamp<std::size_t>(wanted, 1, options.capacity);
}

Walk::Walk(Evaluator& evaluator, const Constraints& constraints, std::size_t num_labels,
           const WalkOptions& options)
    : evaluator_(evaluator),
      constraints_(constraints),
      num_labels_(num_labels),
      options_(options),
      rng_(options.seed),
      current_(Graph{}),
      visits_(options.capacity, num_candidates(options, evaluator.inputs().size()),
              evaluator.inputs().size()),
      cache_(options.cache_bytes) {
  jump();
}

Walk::Walk(Evaluator& evaluator, const Constraints& constraints, std::size_t num_labels,
           const WalkOptions& options, WalkState state)
    : Walk(evaluator, constraints, num_labels, options) {
  rng_ = Rng(state.rng);
  steps_ = state.steps;
  choices_ = state.choices;
  origin_ = state.origin;
  current_ = Identity(state.current);
  for (VisitedGraph& graph : state.visited) {
    const Identity identity(graph.graph);
    graph.graph = identity.canonical();
    graph.hash = identity.hash();
    graph.shape = shape_hash(graph.graph);
    visits_.restore(std::move(graph));
  }
}

WalkState Walk::state() const {
  return {steps_,       choices_,
          rng_.state(), current_.canonical(),
          origin_,      {visits_.graphs().begin(), visits_.graphs().end()}};
}

void Walk::step(ThreadPool& pool) {
  const Rng before = rng_;
  try {
    if (rng_.chance(options_.teleport)) {
      jump();
    } else {
      move(pool);
    }
  } catch (const Stopped&) {
    rng_ = before;
    throw;
  }
  ++steps_;
}

/// exp(−g) by rejection: inputs with the smallest g are always taken. PERF NOTE: nothing has to be
/// kept up to date but the counts themselves.
std::uint32_t Walk::draw_input() {
  const auto counts = visits_.cover_counts();
  for (;;) {
    const auto input = static_cast<std::uint32_t>(rng_.below(counts.size()));
    if (!options_.dynamic_teleport) return input;
    const std::uint32_t above = counts[input] - visits_.smallest_cover_count();
    if (rng_.chance(std::exp(-static_cast<double>(above)))) return input;
  }
}

/// Inputs are predicted undesired, so a jump is no visit.
void Walk::jump() {
  origin_ = draw_input();
  current_ = Identity(evaluator_.inputs()[origin_]);
}

void Walk::move(ThreadPool& pool) {
  KnownNeighbourhood& known = neighbourhood(pool);
  const Neighbourhood& entries = known.entries;
  const auto chosen = static_cast<std::uint32_t>(draw(weights(known, pool), rng_));
  cache_.forget_until_it_fits();  // weighing may have added identities
  Identity next = chosen == 0 ? current_ : Identity(apply(entries.graph, entries.edits[chosen]));
  std::optional<Neighbourhood> alone;
  if (!options_.importance) {
    alone = evaluator_.evaluate(next.canonical(), {}, options_.theta, pool);
    ++evaluated_;
  }
  // Nothing can stop it from here on: the step is made as a whole.
  choices_ += entries.size();
  current_ = std::move(next);
  visit(alone ? *alone : entries, alone ? 0 : chosen, entries.shape[chosen]);
}

/// `entry` is the graph the walk came to.
void Walk::visit(const Neighbourhood& entries, std::size_t entry, std::uint64_t shape) {
  const Graph& graph = current_.canonical();
  if (entries.accepted[entry] == 0) return;
  if (!satisfies(graph, constraints_)) return;
  visits_.visit(
      {graph, current_.hash(), shape, entries.probability[entry], entries.covers(entry), origin_});
}

KnownNeighbourhood& Walk::neighbourhood(ThreadPool& pool) {
  KnownNeighbourhood& known = cache_.at(current_.hash());
  if (!known.evaluated) {
    const auto edits =
        sampled_neighbours(current_, num_labels_, constraints_, options_.max_neighbours,
                           options_.seed, options_.num_edge_labels);
    if (options_.importance) {
      known.entries = evaluator_.evaluate(current_.canonical(), edits, options_.theta, pool);
      evaluated_ += known.entries.size();
    } else {
      known.entries = unevaluated(current_.canonical(), edits, pool);
    }
    known.evaluated = true;
  }
  return known;
}

std::vector<double> Walk::weights(KnownNeighbourhood& known, const ThreadPool& pool) {
  const Neighbourhood& entries = known.entries;
  const auto counts = visits_.cover_counts();
  const auto uncovered = entries.mask([&](std::uint32_t input) { return counts[input] == 0; });
  std::vector<double> out(entries.size(), 1.0);
  if (options_.importance) {
    bool any = false;
    for (std::size_t e = 0; e < entries.size(); ++e) {
      out[e] = options_.alpha * entries.num_covered(e) +
               (1 - options_.alpha) * entries.num_covered(e, uncovered);
      any = any || out[e] > 0;
    }
    for (std::size_t e = 0; e < entries.size(); ++e) {
      out[e] = (any ? out[e] : 1.0) * static_cast<double>(entries.probability[e]);
    }
  }
  if (!options_.reinforcement) return out;
  for (std::size_t e = 0; e < entries.size(); ++e) {
    if (out[e] > 0 && visits_.knows_shape(entries.shape[e])) {
      pool.check_stop();  // identities of large graphs take long
      out[e] *= static_cast<double>(
          std::max<std::uint64_t>(1, visits_of(known, static_cast<std::uint32_t>(e))));
    }
  }
  return out;
}

/// PERF NOTE: the canonical form costs as much as evaluating the neighbour. It is needed only where
/// a visited graph has the same shape, and then kept with the neighbourhood.
std::uint64_t Walk::visits_of(KnownNeighbourhood& known, std::uint32_t entry) {
  const auto [it, is_new] = known.identities.try_emplace(entry);
  if (is_new) {
    it->second = Identity(apply(known.entries.graph, known.entries.edits[entry])).hash();
  }
  return visits_.count(it->second);
}

std::vector<double> Walk::transition(ThreadPool& pool) {
  std::vector<double> out = weights(neighbourhood(pool), pool);
  const double total = std::accumulate(out.begin(), out.end(), 0.0);
  for (double& chance : out) {
    chance = total > 0 ? chance / total : 1.0 / static_cast<double>(out.size());
  }
  return out;
}

}  // namespace fewedits
