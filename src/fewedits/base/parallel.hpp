// SPDX-License-Identifier: MIT
// A fixed pool of threads that hands out chunks of an index range.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "fewedits/base/stop_sign.hpp"

namespace fewedits {

class ThreadPool {
 public:
  /// `threads` counts the caller too; 0 means one per hardware thread. Throws Error if the
  /// system does not give that many.
  explicit ThreadPool(int threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] int size() const;

  /// Calls body(begin, end, worker) over [0, count) in chunks; `worker` < size() tells
  /// which scratch space to use. Chunks run in any order, so results must be written by
  /// index; then they do not depend on the number of threads. If bodies throw, the
  /// exception of the lowest chunk is rethrown after all that were started have ended. Once the
  /// stop sign is set, no further chunk is begun, and it throws Stopped. Not reentrant.
  using Body = std::function<void(std::size_t begin, std::size_t end, int worker)>;
  void for_chunks(std::size_t count, std::size_t chunk, const Body& body);

  /// What ends loops early; null: nothing. Returns the one before. Keeps the pointer.
  const StopSign* obey(const StopSign* sign);
  [[nodiscard]] const StopSign* stop_sign() const;
  /// Throws Stopped if the sign is set: for long work between loops, and within a chunk.
  void check_stop() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// While alive, loops of the pool end with that sign, or with none.
class StopScope {
 public:
  StopScope(ThreadPool& pool, const StopSign* sign) : pool_(pool), before_(pool.obey(sign)) {}
  ~StopScope() { pool_.obey(before_); }
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  ThreadPool& pool_;
  const StopSign* before_;
};

}  // namespace fewedits
