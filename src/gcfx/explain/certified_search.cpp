// SPDX-License-Identifier: MIT
#include "gcfx/explain/certified_search.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <unordered_set>
#include <utility>

#include "gcfx/edit/neighbours.hpp"
#include "gcfx/explain/cover_archive.hpp"
#include "gcfx/explain/map_keeper.hpp"
#include "gcfx/ged/lower_bound.hpp"
#include "gcfx/ged/solver.hpp"
#include "gcfx/graph/shape_hash.hpp"

namespace gcfx {
namespace {

// A search of its own for each of kParts shares of the work, then one that goes on with what all of
// them found.
constexpr std::uint64_t kParts = 3;
constexpr double kPartShare = 0.15;

constexpr std::size_t kClimbs = 8;  ///< in a round
constexpr std::size_t kTries = 32;  ///< to shake the set after a round
constexpr std::size_t kArchive = 10'000;
constexpr std::uint64_t kEarlyClimbs = 40;

constexpr int kLongestClimb = 200;
constexpr int kPatience = 25;            ///< steps without a better graph
constexpr int kBetweenDeepenings = 5;    ///< steps
constexpr std::size_t kRemembered = 8;   ///< graphs of a climb
constexpr std::size_t kLookedAt = 256;   ///< best neighbours that are considered at all
constexpr std::size_t kAskedAtOnce = 8;  ///< neighbours the classifier is asked about

// Units of GedBudget, roughly as long as they take.
constexpr std::uint64_t kStepWork = 200;
constexpr std::uint64_t kAskWork = 100;

/// For graphs that may enter the set, and for those that did.
constexpr MapEffort kCandidateEffort{3, 20};
constexpr std::int64_t kCandidateHopeless = 8;
constexpr MapEffort kMemberEffort{4, 40};
constexpr std::int64_t kMemberHopeless = 10;

/// What all climbs share.
struct Terrain {
  std::span<const PreparedGraph> inputs;
  const Classifier& classifier;
  std::size_t desired_class;
  const Constraints& constraints;
  const RefineOptions& options;

  [[nodiscard]] std::vector<Edit> neighbours_of(const Graph& graph) const {
    // Symmetric edits lead to one graph, but not by one map.
    return neighbours(graph, {classifier.num_labels(), {}, false}, constraints);
  }
};

/// A place in the set for which nothing was found yet.
bool is_vacant(const Choice& choice) { return choice.graph.num_nodes() == 0; }

double log_odds(double p) {
  constexpr double kTiny = 1e-12;
  return std::log(std::max(p, kTiny)) - std::log(std::max(1 - p, kTiny));
}

class Climber {
 public:
  explicit Climber(const Terrain& terrain)
      : terrain_(terrain),
        keeper_(terrain.inputs, terrain.classifier.num_labels()),
        alone_(1),
        needed_(log_odds(terrain.options.min_probability)) {}

  /// Accepted graphs on the way, best first. `counts`: inputs that nobody else covers.
  std::vector<Choice> climb(const Choice& start, const std::vector<std::uint8_t>& counts, Rng rng) {
    found_.clear();
    seen_.clear();
    origin_ = start.origin;
    penalty_ = 0.1;
    const double width = 0.15 + 0.15 * rng.uniform();
    const Graph from = shaken(start.graph, rng);
    keeper_.reset(from, {terrain_.options.theta, width}, counts, rng);
    look_around(judged(std::span(&from, 1))[0].probability);
    std::size_t most = 0;
    int next_deepening = 0;
    for (int step = 0, idle = 0; step < kLongestClimb && idle < kPatience; ++step, ++idle) {
      const auto probability = step_on(rng);
      if (!probability) break;
      if (found_.empty() || found_.front().marginal <= most) continue;
      if (step >= next_deepening) {
        keeper_.deepen(rng);
        look_around(*probability);
        next_deepening = step + kBetweenDeepenings;
      }
      most = found_.front().marginal;
      idle = 0;
    }
    std::vector<Choice> out;
    for (Found& f : found_) out.push_back(std::move(f.choice));
    return out;
  }

  [[nodiscard]] std::uint64_t work() const { return keeper_.work() + work_; }

 private:
  struct Found {
    Choice choice;
    std::size_t marginal = 0;
  };

  std::vector<Judgement> judged(std::span<const Graph> graphs) {
    work_ += kAskWork * graphs.size();
    return judge(graphs, terrain_.classifier, terrain_.desired_class, alone_);
  }

  /// Every other time a few random edits away, for the sake of variety.
  Graph shaken(Graph graph, Rng& rng) const {
    if (rng.chance(0.5)) return graph;
    for (std::uint64_t left = 1 + rng.below(4); left > 0; --left) {
      const auto edits = terrain_.neighbours_of(graph);
      if (edits.empty()) break;
      graph = apply(graph, edits[rng.below(edits.size())]);
    }
    return graph;
  }

  /// Remembers where the climb stands, if it may be chosen and is among the best.
  void look_around(double probability) {
    const Graph& graph = keeper_.graph();
    seen_.insert(shape_hash(graph));
    const bool accepted = probability >= terrain_.options.min_probability;
    penalty_ = std::clamp(penalty_ * (accepted ? 0.8 : 1.25), 1e-3, 10.0);
    if (!accepted) return;
    const std::size_t marginal = keeper_.num_covered();
    const bool full = found_.size() == kRemembered;
    if (marginal == 0 || (full && found_.back().marginal >= marginal)) return;
    if (!satisfies(graph, terrain_.constraints)) return;
    Found here{{graph, static_cast<float>(probability), {}, 0, origin_}, marginal};
    for (std::uint32_t i = 0; i < terrain_.inputs.size(); ++i) {
      if (keeper_.covers(i)) here.choice.covers.push_back(i);
    }
    if (full) found_.pop_back();
    found_.insert(std::find_if(found_.begin(), found_.end(),
                               [&](const Found& f) { return f.marginal < marginal; }),
                  std::move(here));
  }

  /// To the best neighbour not seen yet; what the classifier says of it, none if there is none.
  std::optional<double> step_on(Rng& rng) {
    const std::vector<Edit> edits = terrain_.neighbours_of(keeper_.graph());
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
    look_around(*best.probability);
    return best.probability;
  }

  [[nodiscard]] double penalised(double value, double probability) const {
    const double lacks = std::clamp(needed_ - log_odds(probability), 0.0, 8.0);
    return value - penalty_ * lacks * std::sqrt(1 + value);
  }

  static std::vector<std::uint32_t> best_first(const std::vector<float>& values) {
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

  const Terrain& terrain_;
  MapKeeper keeper_;
  ThreadPool alone_;
  double needed_;  ///< log-odds
  double penalty_ = 0;
  std::uint32_t origin_ = 0;
  std::vector<Found> found_;
  std::unordered_set<std::uint64_t> seen_;
  std::uint64_t work_ = 0;
};

/// Looks for maps of whole graphs from scratch, on all threads.
class Measurer {
 public:
  Measurer(const Terrain& terrain, const MapEffort& effort, std::int64_t hopeless,
           ThreadPool& threads)
      : terrain_(terrain), hopeless_(hopeless), threads_(threads) {
    GedOptions options;
    options.effort = effort;
    options.seed = terrain.options.seed;
    for (int t = 0; t < threads.size(); ++t) solvers_.emplace_back(options);
  }

  /// Inputs that the graph covers, beside those that are known to be.
  void extend(Choice& choice) {
    const PreparedGraph graph(choice.graph);
    std::vector<std::uint8_t> covered(terrain_.inputs.size(), 0);
    for (const std::uint32_t i : choice.covers) covered[i] = 1;
    threads_.for_chunks(covered.size(), 32, [&](std::size_t begin, std::size_t end, int worker) {
      GedSolver& solver = solvers_[static_cast<std::size_t>(worker)];
      for (std::size_t i = begin; i < end; ++i) {
        if (covered[i] != 0) continue;
        const PreparedGraph& input = terrain_.inputs[i];
        const std::int64_t limit =
            distance_limit(terrain_.options.theta, graph.graph(), input.graph());
        covered[i] = solver.look_for(graph, input, limit, hopeless_).upper <= limit ? 1 : 0;
      }
    });
    choice.covers.clear();
    for (std::uint32_t i = 0; i < covered.size(); ++i) {
      if (covered[i] != 0) choice.covers.push_back(i);
    }
    // About what the pairs that are not excluded cost.
    work_ += covered.size() * static_cast<std::size_t>(solvers_[0].options().effort.kicks) * 10;
  }

  [[nodiscard]] std::uint64_t work() const { return work_; }

 private:
  const Terrain& terrain_;
  std::int64_t hopeless_;
  ThreadPool& threads_;
  std::vector<GedSolver> solvers_;
  std::uint64_t work_ = 0;
};

/// What a climb sets out from, and which inputs count.
struct Plan {
  Choice start;
  std::vector<std::uint8_t> counts;
  Rng rng;
};

class Search {
 public:
  Search(std::vector<Choice> chosen, std::span<const Choice> pool, const Terrain& terrain,
         ThreadPool& threads, std::uint64_t stream)
      : terrain_(terrain),
        threads_(threads),
        candidates_(terrain, kCandidateEffort, kCandidateHopeless, threads),
        members_(terrain, kMemberEffort, kMemberHopeless, threads),
        set_(std::move(chosen), terrain.inputs.size()),
        archive_(terrain.inputs.size()),
        stream_(stream << 40),
        rng_(terrain.options.seed, stream_) {
    for (std::size_t c = 0; c < kClimbs; ++c) {
      climbers_.push_back(std::make_unique<Climber>(terrain));
    }
    for (const Choice& c : pool) remember(c);
    for (const Choice& c : set_.members()) remember(c);
  }

  /// Climbs for each of several members of the set at a time.
  void round() {
    std::vector<Plan> plans;
    for (std::size_t c = 0; c < kClimbs; ++c) plans.push_back(next_plan());
    std::vector<std::vector<Choice>> found(kClimbs);
    threads_.for_chunks(kClimbs, 1, [&](std::size_t c, std::size_t, int) {
      found[c] = climbers_[c]->climb(plans[c].start, plans[c].counts, plans[c].rng);
    });
    for (auto& choices : found) take(choices);
    shake(kTries);
  }

  /// Wanders among the sets of remembered graphs.
  void shake(std::size_t tries) {
    std::vector<std::size_t> team = as_team();
    archive_.shrink(kArchive, team);
    team = archive_.shaken(team, tries, rng_.next(), threads_);
    std::vector<Choice> members;
    for (const std::size_t c : team) members.push_back(archive_.choices()[c]);
    set_ = ChosenSet(std::move(members), terrain_.inputs.size());
    measure_members();
  }

  [[nodiscard]] const ChosenSet& set() const { return set_; }
  [[nodiscard]] const CoverArchive& archive() const { return archive_; }
  [[nodiscard]] std::uint64_t work() const {
    std::uint64_t sum = candidates_.work() + members_.work();
    for (const auto& c : climbers_) sum += c->work();
    return sum;
  }

 private:
  void remember(const Choice& choice) {
    if (known_.insert(shape_hash(choice.graph)).second) archive_.add(choice);
  }

  /// What a climb found; the best of it is measured, if it could enter the set.
  void take(std::vector<Choice>& choices) {
    for (std::size_t rank = 0; rank < choices.size(); ++rank) {
      Choice& c = choices[rank];
      if (known_.contains(shape_hash(c.graph))) continue;
      if (rank == 0 && is_promising(c)) candidates_.extend(c);
      remember(c);
    }
    set_.swap_in(choices);
  }

  /// Nearly as good as the member it could replace.
  bool is_promising(const Choice& choice) {
    for (std::size_t s = 0; s < set_.size(); ++s) {
      set_.take_out(s);
      const std::size_t adds = set_.marginal(choice);
      const std::size_t own = set_.marginal(set_.members()[s]);
      set_.put_back(s);
      if (10 * adds >= 8 * own) return true;
    }
    return false;
  }

  /// Members of the set are measured with care, once each: what they cover need not be climbed for.
  void measure_members() {
    for (std::size_t s = 0; s < set_.size(); ++s) {
      Choice member = set_.members()[s];
      if (is_vacant(member)) continue;
      if (!measured_.insert(shape_hash(member.graph)).second) continue;
      members_.extend(member);
      archive_.extend(index_of(member.graph), member.covers);
      set_.take_out(s);
      set_.put_back(s, std::move(member));
    }
  }

  [[nodiscard]] std::size_t index_of(const Graph& graph) const {
    const auto& choices = archive_.choices();
    const auto at = std::find_if(choices.rbegin(), choices.rend(),
                                 [&](const Choice& c) { return c.graph == graph; });
    return choices.size() - 1 - static_cast<std::size_t>(at - choices.rbegin());
  }

  std::vector<std::size_t> as_team() {
    std::vector<std::size_t> team;
    for (const Choice& member : set_.members()) {
      std::size_t at = index_of(member.graph);
      if (at >= archive_.size()) {  // another graph of the same shape is known
        archive_.add(member);
        at = archive_.size() - 1;
      }
      team.push_back(at);
    }
    return team;
  }

  Plan next_plan() {
    const std::size_t s = number_ % set_.size();
    Plan plan{set_.members()[s], {}, Rng(terrain_.options.seed, stream_ + 1 + number_)};
    const std::vector<std::size_t> out = members_left_out(s);
    for (const std::size_t o : out) set_.take_out(o);
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = 0; i < terrain_.inputs.size(); ++i) {
      plan.counts.push_back(set_.covers(i) ? 0 : 1);
      if (!set_.covers(i)) open.push_back(i);
    }
    // Half of the climbs start from the member itself, others from graphs of the archive or inputs.
    const double die = rng_.uniform();
    const double from_input = number_ < kEarlyClimbs ? 0.5 : 0.85;
    if (die >= 0.5 && die < from_input) plan.start = good_choice();
    if (!open.empty() && (die >= from_input || is_vacant(plan.start))) {
      plan.start = crowded_input(open);
    }
    for (const std::size_t o : out) set_.put_back(o);
    ++number_;
    return plan;
  }

  /// The member to be replaced, and now and then others: what is found may go with another set.
  std::vector<std::size_t> members_left_out(std::size_t s) {
    std::vector<std::size_t> out{s};
    if (!rng_.chance(0.3)) return out;
    for (std::uint64_t left = 1 + rng_.below(3); left > 0; --left) {
      const std::size_t o = rng_.below(set_.size());
      if (std::find(out.begin(), out.end(), o) == out.end()) out.push_back(o);
    }
    return out;
  }

  /// One of the twenty that add most to the set as it is.
  const Choice& good_choice() {
    const auto& choices = archive_.choices();
    std::vector<std::pair<std::size_t, std::size_t>> best;
    for (std::size_t c = 0; c < choices.size(); ++c) best.push_back({set_.marginal(choices[c]), c});
    const std::size_t top = std::min<std::size_t>(best.size(), 20);
    std::partial_sort(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(top), best.end(),
                      [](const auto& a, const auto& b) {
                        return a.first != b.first ? a.first > b.first : a.second < b.second;
                      });
    return choices[best[rng_.below(top)].second];
  }

  /// Of a few open inputs, the one that could have most open ones within theta.
  Choice crowded_input(const std::vector<std::uint32_t>& open) {
    constexpr int kDrawn = 6;
    std::uint32_t best = open[0];
    std::int64_t most = -1;
    for (int t = 0; t < kDrawn; ++t) {
      const std::uint32_t i = open[rng_.below(open.size())];
      const PreparedGraph& a = terrain_.inputs[i];
      const auto near = std::count_if(open.begin(), open.end(), [&](std::uint32_t j) {
        const PreparedGraph& b = terrain_.inputs[j];
        return degree_bound(a.profile(), b.profile(), {}) <=
               distance_limit(terrain_.options.theta, a.graph(), b.graph());
      });
      if (near <= most) continue;
      most = near;
      best = i;
    }
    return {terrain_.inputs[best].graph(), 0, {}, 0, best};
  }

  const Terrain& terrain_;
  ThreadPool& threads_;
  Measurer candidates_;
  Measurer members_;
  ChosenSet set_;
  CoverArchive archive_;
  std::unordered_set<std::uint64_t> known_;     ///< shapes in the archive
  std::unordered_set<std::uint64_t> measured_;  ///< shapes of members
  std::vector<std::unique_ptr<Climber>> climbers_;
  std::uint64_t stream_;
  Rng rng_;
  std::uint64_t number_ = 0;  ///< of climbs planned
};

}  // namespace

std::vector<Choice> certified_search(std::vector<Choice> chosen, std::span<const Choice> pool,
                                     std::size_t k, std::span<const PreparedGraph> inputs,
                                     const Classifier& classifier, std::size_t desired_class,
                                     const Constraints& constraints, const RefineOptions& options,
                                     ThreadPool& threads,
                                     const std::function<bool(const RefineProgress&)>& go_on) {
  chosen.resize(std::max(chosen.size(), k));
  const Terrain terrain{inputs, classifier, desired_class, constraints, options};
  ChosenSet best(chosen, inputs.size());
  std::vector<Choice> found(pool.begin(), pool.end());
  std::uint64_t spent = 0;
  bool stopped = false;
  for (std::uint64_t part = 0; part <= kParts && !stopped; ++part) {
    const bool last = part == kParts;
    Search search(last ? best.members() : chosen, last ? found : pool, terrain, threads, part);
    if (last) search.shake(kTries * kTries);
    const auto share = static_cast<std::uint64_t>(kPartShare * static_cast<double>(options.work));
    const std::uint64_t end = last ? options.work : (part + 1) * share;
    while (spent + search.work() < end && !stopped) {
      stopped = go_on && !go_on({spent + search.work(), options.work,
                                 std::max(best.covered(), search.set().covered())});
      if (!stopped) search.round();
    }
    spent += search.work();
    if (search.set().covered() > best.covered()) best = search.set();
    const auto& archive = search.archive().choices();
    if (!last) found.insert(found.end(), archive.begin(), archive.end());
  }
  std::vector<Choice> out = best.members();
  std::erase_if(out, is_vacant);
  return out;
}

}  // namespace gcfx
