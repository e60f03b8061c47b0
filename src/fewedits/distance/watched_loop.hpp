// SPDX-License-Identifier: MIT
// Loops over pairs for distances that search rather than compute. Internal to distance.
#pragma once

#include <atomic>
#include <cstddef>

#include "fewedits/base/parallel.hpp"
#include "fewedits/distance/distance.hpp"

namespace fewedits {

/// Asks on all threads, until the watch, or `stop` if there is one, says stop. Keeps all three.
class WatchedLoop {
 public:
  WatchedLoop(ThreadPool& pool, const DistanceWatch& watch, const StopSign* stop = nullptr)
      : pool_(pool), watch_(watch), stop_(stop) {}

  /// Calls body(i, worker) for each i < count that is reached. The watch hears of what all runs
  /// have done and were asked to do so far.
  template <typename Body>
  void run(std::size_t count, const Body& body) {
    total_ += count;
    // Pairs differ by orders of magnitude in effort: hand them out one by one.
    pool_.for_chunks(count, 1, [&](std::size_t i, std::size_t, int worker) {
      if (stopped()) return;
      body(i, worker);
      const std::size_t done = ++done_;
      // Worker 0 is the calling thread.
      if (worker == 0 && watch_ && !watch_(done, total_)) stopped_ = true;
    });
  }
  [[nodiscard]] bool stopped() const { return stopped_ || (stop_ != nullptr && stop_->is_set()); }

 private:
  ThreadPool& pool_;
  const DistanceWatch& watch_;
  const StopSign* stop_;
  std::size_t total_ = 0;
  std::atomic<std::size_t> done_{0};
  std::atomic<bool> stopped_{false};
};

}  // namespace fewedits
