// SPDX-License-Identifier: MIT
// One climb on the edit map: from a graph along neighbours that are worth most to the inputs that
// nobody else covers, remembering the accepted graphs it comes across. A climber is used again and
// again; what it returns depends on the plan alone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_set>
#include <vector>

#include "fewedits/base/parallel.hpp"
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

  /// `go_on`, asked at every step: false ends it.
  Outcome climb(const Plan& plan, const std::function<bool()>& go_on);

  /// Work done so far, in the units of GedBudget.
  [[nodiscard]] std::uint64_t work() const { return keeper_.work() + work_; }

 private:
  std::vector<Judgement> judged(std::span<const Graph> graphs);
  void perturb_start(Rng& rng);
  void remember_here(double probability);
  std::optional<double> step_on(Rng& rng);
  [[nodiscard]] double penalised(double value, double probability) const;

  const SearchSpace& space_;
  MapKeeper keeper_;
  ThreadPool alone_;
  double needed_;  ///< log-odds
  double penalty_ = 0;
  std::uint32_t origin_ = 0;
  std::vector<Found> found_;
  std::unordered_set<std::uint64_t> seen_;  ///< shapes
  std::uint64_t work_ = 0;
};

}  // namespace fewedits
