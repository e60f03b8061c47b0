// SPDX-License-Identifier: MIT
// What the command line says to a person: tables, progress, and Ctrl-C turned into a flag.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "fewedits/base/stop_sign.hpp"
#include "fewedits/base/text.hpp"

namespace fewedits::cli {

/// Exit codes; part of the command contract.
inline constexpr int kFine = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;
inline constexpr int kInterrupted = 130;

/// What main() does: runs the program, and says what went wrong; returns the exit code.
int run_program(const char* name, const std::function<int()>& program);

/// Left-aligned first column, right-aligned others; the first row is the heading. Cells are made
/// printable.
std::string table(std::vector<std::vector<std::string>> rows);

using fewedits::grouped;

/// Notes of a reader, one a line, to stderr.
void print_notes(const std::vector<std::string>& notes);

/// How fast work goes on that may have been begun earlier: what was done when it was first looked
/// at counts for nothing.
class Pace {
 public:
  /// `seconds` by any clock.
  void look(std::uint64_t done, double seconds);
  /// A second; 0 until there is something to go by.
  [[nodiscard]] double rate() const { return rate_; }
  /// Seconds that so much takes; unset until there is something to go by.
  [[nodiscard]] std::optional<double> time_for(std::uint64_t more) const;

 private:
  bool begun_ = false;
  std::uint64_t first_done_ = 0;
  double first_seconds_ = 0;
  double rate_ = 0;
};

/// One line on stderr that rewrites itself, with percent and time left; silent unless stderr is a
/// terminal.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  /// The work ends after `most_seconds` in any case.
  void update(std::uint64_t done, std::uint64_t total, const std::string& detail,
              double most_seconds = std::numeric_limits<double>::infinity());

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_;
  bool drawn_ = false;
  Pace pace_;
  Clock::time_point last_{};
};

/// When the program was loaded.
std::chrono::steady_clock::time_point program_start();

/// While alive, SIGINT, SIGTERM and SIGHUP (unless that is ignored) set a sign instead of ending
/// the program; a second one ends it.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  [[nodiscard]] static const StopSign& sign();
  [[nodiscard]] static bool interrupted() { return sign().is_set(); }
};

/// Ends the program with a message if it still is alive when the program has run for so many
/// seconds (0: never): while files are read there is nobody to tell, and nothing to show yet.
class ReadingLimit {
 public:
  explicit ReadingLimit(double seconds);
  ~ReadingLimit();
  ReadingLimit(const ReadingLimit&) = delete;
  ReadingLimit& operator=(const ReadingLimit&) = delete;
};

/// Is an output of that name standard output? Empty or "-".
inline bool is_stdout(const std::string& path) { return path.empty() || path == "-"; }

/// Writes to the file, atomically, or to standard output.
void write_output(const std::string& path, const std::string& text);

}  // namespace fewedits::cli
