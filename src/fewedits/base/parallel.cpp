// SPDX-License-Identifier: MIT
#include "fewedits/base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "fewedits/base/error.hpp"

namespace fewedits {

struct ThreadPool::State {
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    {
      const std::lock_guard lock(mutex);
      stop = true;
    }
    wake.notify_all();
    for (auto& thread : threads) thread.join();
  }

  std::vector<std::thread> threads;
  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable done;
  std::uint64_t generation = 0;
  int running = 0;
  bool stop = false;

  // The job; written under the mutex before a generation starts.
  const Body* body = nullptr;
  std::size_t count = 0;
  std::size_t chunk = 1;
  std::atomic<std::size_t> next{0};
  std::exception_ptr error;
  std::size_t error_at = 0;
  const StopSign* sign = nullptr;

  void work(int worker) {
    for (;;) {
      const std::size_t begin = next.fetch_add(chunk);
      if (begin >= count) return;
      try {
        check_stop();
        (*body)(begin, std::min(begin + chunk, count), worker);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!error || begin < error_at) {
          error = std::current_exception();
          error_at = begin;
        }
      }
    }
  }

  void check_stop() const {
    if (sign != nullptr) sign->check();
  }

  void loop(int worker) {
    std::uint64_t seen = 0;
    for (;;) {
      {
        std::unique_lock lock(mutex);
        wake.wait(lock, [&] { return stop || generation != seen; });
        if (stop) return;
        seen = generation;
      }
      work(worker);
      const std::lock_guard lock(mutex);
      if (--running == 0) done.notify_one();
    }
  }
};

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>()) {
  if (threads <= 0) threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  try {
    for (int worker = 1; worker < threads; ++worker) {
      state_->threads.emplace_back([state = state_.get(), worker] { state->loop(worker); });
    }
  } catch (const std::system_error&) {
    throw Error("cannot start " + std::to_string(threads) + " threads", "ask for fewer");
  }
}

ThreadPool::~ThreadPool() = default;

const StopSign* ThreadPool::obey(const StopSign* sign) { return std::exchange(state_->sign, sign); }

const StopSign* ThreadPool::stop_sign() const { return state_->sign; }

void ThreadPool::check_stop() const { state_->check_stop(); }

int ThreadPool::size() const { return static_cast<int>(state_->threads.size()) + 1; }

void ThreadPool::for_chunks(std::size_t count, std::size_t chunk, const Body& body) {
  if (count == 0) return;
  State& s = *state_;
  if (count <= chunk || s.threads.empty()) {
    // One chunk, or nobody to share with: waking workers would cost more than it gains.
    const std::size_t step = std::max<std::size_t>(1, chunk);
    for (std::size_t at = 0; at < count; at += step) {
      s.check_stop();
      body(at, std::min(at + step, count), 0);
    }
    return;
  }
  {
    const std::lock_guard lock(s.mutex);
    s.body = &body;
    s.count = count;
    s.chunk = std::max<std::size_t>(1, chunk);
    s.next = 0;
    s.error = nullptr;
    s.running = static_cast<int>(s.threads.size());
    ++s.generation;
  }
  s.wake.notify_all();
  s.work(0);
  std::unique_lock lock(s.mutex);
  s.done.wait(lock, [&] { return s.running == 0; });
  if (s.error) std::rethrow_exception(s.error);
}

}  // namespace fewedits
