// SPDX-License-Identifier: MIT
// A solver per thread: what parallel loops over pairs ask.
#pragma once

#include <cstdint>
#include <vector>

#include "fewedits/base/parallel.hpp"
#include "fewedits/ged/solver.hpp"

namespace fewedits {

class SolverPool {
 public:
  SolverPool(const GedOptions& options, const ThreadPool& threads) : options_(options) {
    fit(threads);
  }

  /// Before a loop over other threads than those of the constructor.
  void fit(const ThreadPool& threads) {
    while (solvers_.size() < static_cast<std::size_t>(threads.size())) {
      solvers_.emplace_back(options_);
    }
  }
  GedSolver& operator[](int worker) { return solvers_[static_cast<std::size_t>(worker)]; }

  /// Done so far by all of them.
  [[nodiscard]] std::uint64_t work() const {
    std::uint64_t sum = 0;
    for (const GedSolver& solver : solvers_) sum += solver.work();
    return sum;
  }

 private:
  GedOptions options_;
  std::vector<GedSolver> solvers_;
};

}  // namespace fewedits
