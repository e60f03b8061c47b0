// SPDX-License-Identifier: MIT
#include "console.hpp"

#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <string_view>

#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/terminal_text.hpp"

namespace fewedits::cli {
namespace {

const std::chrono::steady_clock::time_point kStart = std::chrono::steady_clock::now();

StopSign g_interrupted;

void on_signal(int signal) {
  g_interrupted.set();
  (void)std::signal(signal, SIG_DFL);
}

// Code points, not bytes: continuation bytes take no column.
std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

/// Writes what a signal handler may, and ends without ado.
void on_alarm(int) {
  constexpr std::string_view kMessage =
      "fewedits: the time limit was over before all files were read; allow more time\n";
  (void)!::write(STDERR_FILENO, kMessage.data(), kMessage.size());
  ::_exit(kFailed);
}

void set_alarm(double seconds) {
  const double whole = std::floor(seconds);
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(whole);
  timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - whole) * 1e6);
  (void)::setitimer(ITIMER_REAL, &timer, nullptr);
}

std::string duration(double seconds) {
  const auto s = static_cast<std::uint64_t>(std::llround(std::clamp(seconds, 0.0, 1e9)));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02} h", s / 3600, s / 60 % 60);
}

}  // namespace

int run_program(const char* name, const std::function<int()>& program) {
  // A file that may not grow any further is an error to report, not a reason to die in a save.
  (void)std::signal(SIGXFSZ, SIG_IGN);
  try {
    const int code = program();
    // Output still in the buffer may find a full disk only now.
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    fmt::print(stderr, "{}: cannot write to standard output\n", name);
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "{}: out of memory\n", name);
  } catch (const std::filesystem::filesystem_error& error) {
    fmt::print(stderr, "{}: {}: {}\n", name, printable(error.path1().string()),
               error.code().message());
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", name, printable_lines(error.what()));
  }
  return kFailed;
}

std::string table(std::vector<std::vector<std::string>> rows) {
  // Names of labels and classes come from files.
  for (auto& row : rows) {
    for (std::string& cell : row) cell = printable(cell);
  }
  std::vector<std::size_t> width;
  for (const auto& row : rows) {
    width.resize(std::max(width.size(), row.size()), 0);
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], columns_of(row[c]));
  }
  std::string out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      const std::string fill(width[c] - columns_of(rows[r][c]), ' ');
      line += c == 0 ? rows[r][c] + fill : "  " + fill + rows[r][c];
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

void print_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) fmt::print(stderr, "note: {}\n", printable_lines(note));
}

void Pace::look(std::uint64_t done, double seconds) {
  if (!begun_) {
    begun_ = true;
    first_done_ = done;
    first_seconds_ = seconds;
  }
  const double elapsed = seconds - first_seconds_;
  rate_ = elapsed > 0 && done > first_done_ ? static_cast<double>(done - first_done_) / elapsed : 0;
}

std::optional<double> Pace::time_for(std::uint64_t more) const {
  if (rate_ <= 0) return std::nullopt;
  return static_cast<double>(more) / rate_;
}

ProgressLine::ProgressLine() : terminal_(::isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
}

void ProgressLine::update(std::uint64_t done, std::uint64_t total, const std::string& detail,
                          double most_seconds) {
  const auto now = Clock::now();
  if (!terminal_ || (drawn_ && done < total && now - last_ < std::chrono::milliseconds(100)))
    return;
  last_ = now;
  drawn_ = true;
  pace_.look(done, std::chrono::duration<double>(now.time_since_epoch()).count());
  std::string left;
  if (const auto time = pace_.time_for(total - std::min(done, total))) {
    left = fmt::format("{} left, ", duration(std::min(*time, most_seconds)));
  }
  constexpr std::uint64_t kWidth = 24;
  const double share =
      total == 0 ? 1 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto filled = static_cast<std::uint64_t>(kWidth * share);
  std::string bar;
  for (std::uint64_t i = 0; i < kWidth; ++i) bar += i < filled ? "█" : "░";
  fmt::print(stderr, "\r\x1b[K{} {:.0f} %, {}{}", bar, std::floor(100 * share), left, detail);
  (void)std::fflush(stderr);
}

InterruptGuard::InterruptGuard() {
  g_interrupted.clear();
  (void)std::signal(SIGINT, on_signal);
  (void)std::signal(SIGTERM, on_signal);
  // Whoever started it with nohup wants it to go on when the terminal is closed.
  if (std::signal(SIGHUP, on_signal) == SIG_IGN) (void)std::signal(SIGHUP, SIG_IGN);
}

ReadingLimit::ReadingLimit(double seconds) {
  if (seconds <= 0) return;
  (void)std::signal(SIGALRM, on_alarm);
  const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - kStart;
  set_alarm(std::clamp(seconds - gone.count(), 1e-6, 1e9));
}

ReadingLimit::~ReadingLimit() {
  set_alarm(0);
  (void)std::signal(SIGALRM, SIG_DFL);
}

InterruptGuard::~InterruptGuard() {
  (void)std::signal(SIGINT, SIG_DFL);
  (void)std::signal(SIGTERM, SIG_DFL);
  if (std::signal(SIGHUP, SIG_DFL) == SIG_IGN) (void)std::signal(SIGHUP, SIG_IGN);
}

std::chrono::steady_clock::time_point program_start() { return kStart; }

const StopSign& InterruptGuard::sign() { return g_interrupted; }

void write_output(const std::string& path, const std::string& text) {
  if (!is_stdout(path)) {
    write_file_atomically(path, text);
    return;
  }
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw Error("cannot write to standard output");
  }
}

}  // namespace fewedits::cli
