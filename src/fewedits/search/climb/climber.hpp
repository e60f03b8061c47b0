// SPDX-License-Identifier: MIT
// One climb on the edit map: from a graph along neighbours that are worth most to the inputs that
// nobody else covers, remembering the accepted graphs it comes across. A climber is used again and
// again; what it returns depends on the plan alone.
//
// It never asks the classifier itself: it says what it wants to know and stands still until it is
// told, so that one batch answers all climbs of a round (SolutionSearch::round).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "fewedits/base/rng.hpp"
#include "fewedits/cover/cover_set.hpp"
#include "fewedits/search/climb/known_maps.hpp"
#include "fewedits/search/climb/map_keeper.hpp"
#include "fewedits/search/climb/search_space.hpp"

namespace fewedits {

class Climber {
 public:
  struct Plan {
    Candidate start;
    std::shared_ptr<const KnownMaps> known;  ///< of the start; may be null
    std::vector<std::uint8_t> counts;        ///< for each input: does nobody else cover it?
    Rng rng;
  };
  struct Found {
    Candidate candidate;
    std::size_t marginal = 0;          ///< inputs it covers that count
    std::shared_ptr<KnownMaps> known;  ///< of this graph
  };
  struct Outcome {
    std::vector<Found> found;          ///< accepted graphs on the way, best first
    std::shared_ptr<KnownMaps> start;  ///< what is known of the start now
  };

  /// Keeps the reference.
  explicit Climber(const SearchSpace& space);

  /// Sets out. Then, as long as it wants to know something, it is to be told.
  void begin(Plan plan);
  /// The graphs whose judgement it waits for; none: the climb is over.
  [[nodiscard]] std::span<const Graph> wanted() const { return asked_; }
  /// In the order of wanted(); goes on to the next question.
  void tell(std::span<const Judgement> answers);
  /// Ends the climb where it is, wherever that is: what it came across is its outcome.
  void end();
  /// What came of a climb that is over.
  Outcome take_outcome() { return std::move(outcome_); }

  /// Work done so far, in the units of GedBudget.
  [[nodiscard]] std::uint64_t work() const { return keeper_.work() + work_; }

 private:
  /// The neighbours of where it stands, best first, and the best that the classifier was asked
  /// about.
  struct Step {
    Moves moves;
    std::vector<float> values;
    std::vector<std::uint32_t> order;
    std::size_t next = 0;                   ///< in the order
    std::vector<std::uint32_t> which;       ///< of the moves was asked about
    std::unordered_set<std::uint64_t> met;  ///< shapes
    double value = 0;
    std::uint32_t move = 0;
    Graph graph;  ///< that it leads to
    std::optional<Judgement> judged;
  };

  void perturb_start();
  void remember_here(const Judgement& judged);
  void begin_step();
  void ask();
  void move_on();
  [[nodiscard]] double penalised(double value, const Judgement& judged) const;

  const SearchSpace& space_;
  MapKeeper keeper_;
  double needed_;  ///< log-odds of the least probability
  // Of the climb at hand:
  Rng rng_;
  int steps_ = 0;
  int idle_ = 0;  ///< steps without a better graph
  int next_deepening_ = 0;
  std::size_t most_ = 0;      ///< marginal of the best graph so far
  std::optional<Step> step_;  ///< none: it stands at its start
  std::vector<Graph> asked_;
  Outcome outcome_;
  double penalty_ = 0;
  std::uint32_t origin_ = 0;
  std::vector<Found> found_;
  std::unordered_set<std::uint64_t> seen_;  ///< shapes
  std::uint64_t work_ = 0;
};

}  // namespace fewedits
