// SPDX-License-Identifier: MIT
// What the command line says to a person: tables, progress, and Ctrl-C turned into a flag.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gcfx::cli {

/// Exit codes; part of the command contract.
inline constexpr int kFine = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;
inline constexpr int kInterrupted = 130;

/// What main() does: runs the program, and says what went wrong; returns the exit code.
int run_program(const char* name, const std::function<int()>& program);

/// Left-aligned first column, right-aligned others; the first row is the heading.
std::string table(const std::vector<std::vector<std::string>>& rows);

/// 1234567 → "1,234,567".
std::string grouped(std::uint64_t number);

/// Notes of a reader, one a line, to stderr.
void print_notes(const std::vector<std::string>& notes);

/// One line on stderr that rewrites itself, with rate and time left; silent unless stderr is
/// a terminal.
class ProgressLine {
 public:
  explicit ProgressLine(std::string unit);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void update(std::uint64_t done, std::uint64_t total, const std::string& detail);

 private:
  using Clock = std::chrono::steady_clock;
  std::string unit_;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point start_;
  Clock::time_point last_{};
};

/// While alive, SIGINT and SIGTERM set a flag instead of ending the program; a second one ends it.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  [[nodiscard]] static const std::atomic<bool>& flag();
  [[nodiscard]] static bool interrupted() { return flag(); }
};

/// Writes to the file, atomically, or to stdout when `path` is empty or "-".
void write_output(const std::string& path, const std::string& text);

}  // namespace gcfx::cli
