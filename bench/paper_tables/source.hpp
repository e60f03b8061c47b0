// SPDX-License-Identifier: MIT
// Where the page looks its figures up: the records alone, so that it can be written again without
// any explanation.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiment.hpp"
#include "optimum.hpp"

namespace fewedits::bench {

struct Figure {
  double mean = 0;
  double deviation = 0;  ///< standard deviation over the seeds; 0 for one
  std::size_t seeds = 0;
};
/// None of no values.
std::optional<Figure> figure_of(const std::vector<double>& values);

/// What is looked up of a run.
enum class Part {
  kCoverage,
  kCost,
  kSeconds,
  kSummarySeconds,
  kGreed,
  kProven,
  kPossible,
  kProvenCost
};

class Source {
 public:
  /// Keeps references.
  Source(const Settings& settings, const Records& records, const Optima& optima);

  [[nodiscard]] const Settings& settings() const { return settings_; }
  /// Over the seeds that are on record; none if there is none.
  [[nodiscard]] std::optional<Figure> figure(const std::string& dataset, const std::string& method,
                                             Part part) const;
  [[nodiscard]] std::map<std::uint64_t, double> by_seed(const std::string& dataset,
                                                        const std::string& method, Part part) const;
  /// Two figures over the seeds that have both.
  struct Asked {
    std::string method;
    Part part;
  };
  [[nodiscard]] std::pair<std::optional<Figure>, std::optional<Figure>> same_seeds(
      const std::string& dataset, const Asked& a, const Asked& b) const;
  /// Coverage of full walks, or of those of -S where there are none on record.
  struct Walked {
    std::optional<Figure> figure;
    bool sampled = false;
  };
  [[nodiscard]] Walked walked(const std::string& dataset, const std::string& key) const;
  /// Of the first seed that is on record: walks of others shared their machine.
  [[nodiscard]] std::optional<double> seconds(const std::string& dataset,
                                              const std::string& method) const;
  /// What those seconds were measured on; empty: there are none.
  [[nodiscard]] std::string machine(const std::string& dataset, const std::string& method) const;
  [[nodiscard]] std::optional<Figure> fact(const std::string& dataset,
                                           const std::string& what) const;
  /// The mean over the seeds of all points that each of them has.
  [[nodiscard]] Points curve(const std::string& dataset, const std::string& method,
                             const std::string& name) const;
  /// Seeds that have it.
  [[nodiscard]] std::size_t curve_seeds(const std::string& dataset, const std::string& method,
                                        const std::string& name) const;
  [[nodiscard]] const Trials& trials() const { return records_.trials; }
  /// What the tuning says of a method as it is searched here.
  [[nodiscard]] std::optional<TunedTrial> tuned(const std::string& dataset,
                                                const std::string& method) const;
  /// Greedy choices of a method and the best ones.
  [[nodiscard]] Optima optima(const std::string& dataset, const std::string& method) const;
  [[nodiscard]] std::vector<std::string> notes() const;
  /// Is there any figure of the method?
  [[nodiscard]] bool knows(const std::string& method) const;

 private:
  [[nodiscard]] const Run* first_run(const std::string& dataset, const std::string& method) const;
  [[nodiscard]] std::vector<RunName> names(const std::string& dataset,
                                           const std::string& method) const;

  const Settings& settings_;
  const Records& records_;
  const Optima& optima_;
  std::map<std::string, std::vector<Method>> methods_;  ///< by dataset
};

}  // namespace fewedits::bench
