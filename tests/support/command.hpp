// SPDX-License-Identifier: MIT
// Runs the built fewedits program as a user would and collects what it said.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "fewedits/base/file.hpp"
#include "support/shared.hpp"

namespace fewedits::test {

/// How long to wait for what takes moments, also on a busy machine and under a sanitizer.
inline constexpr std::chrono::seconds kPatience{120};

/// Asks again and again until it holds; false if it does not in all that time.
inline bool eventually(const std::function<bool()>& holds,
                       std::chrono::seconds patience = kPatience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

/// A terminal, seen from the side where somebody looks at it.
class Terminal {
 public:
  Terminal() {
    if (::openpty(&seen_, &written_, nullptr, nullptr, nullptr) != 0) {
      throw std::runtime_error("openpty failed");
    }
    // The command has its copies under other numbers.
    for (const int end : {seen_, written_}) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  }
  ~Terminal() {
    leave();
    ::close(seen_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// Where a command writes.
  [[nodiscard]] int written() const { return written_; }
  /// To be called once the command has it: only the last one to leave ends what is shown.
  void leave() {
    if (written_ >= 0) ::close(written_);
    written_ = -1;
  }

  /// Waits until the text was shown; false if it is not.
  bool shows(const std::string& text) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (shown_.find(text) == std::string::npos) {
      if (std::chrono::steady_clock::now() > end || !read_more(kPatience)) return false;
    }
    return true;
  }
  /// What is there already: a terminal that nobody reads is full soon.
  void look() {
    while (read_more(std::chrono::seconds(0))) continue;
  }
  [[nodiscard]] const std::string& so_far() const { return shown_; }
  /// Everything, once nobody writes there any more.
  const std::string& everything() {
    while (read_more(kPatience)) continue;
    return shown_;
  }

 private:
  bool read_more(std::chrono::milliseconds patience) {
    pollfd ready{seen_, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(patience.count())) <= 0) return false;
    std::array<char, 4096> part{};
    // An error says that nobody writes there any more.
    const ssize_t got = ::read(seen_, part.data(), part.size());
    if (got > 0) shown_.append(part.data(), static_cast<std::size_t>(got));
    return got > 0;
  }

  int seen_ = -1;
  int written_ = -1;
  std::string shown_;
};

/// What the command takes for a terminal; the rest goes to files.
enum class OnTerminal { kNothing, kErrors, kAll };

/// A started command; wait() collects it.
class Command {
 public:
  explicit Command(const std::vector<std::string>& arguments,
                   OnTerminal on_terminal = OnTerminal::kNothing,
                   const std::string& program = FEWEDITS_CLI) {
    if (on_terminal != OnTerminal::kNothing) terminal_.emplace();
    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("fork failed");
    if (pid_ > 0) {
      if (terminal_) terminal_->leave();
      return;
    }
    if (on_terminal == OnTerminal::kAll) {
      redirect(terminal_->written(), STDOUT_FILENO);
    } else {
      redirect(opened(out_), STDOUT_FILENO);
    }
    redirect(terminal_ ? terminal_->written() : opened(err_), STDERR_FILENO);
    become(arguments, program);
  }
  ~Command() {
    if (collected_) return;
    signal(SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  void signal(int number) const { ::kill(pid_, number); }

  /// Waits until its terminal shows the text; false, and a failure, if it does not.
  bool shows(const std::string& text) {
    const bool shown = terminal_->shows(text);
    if (!shown) ADD_FAILURE() << "'" << text << "' is not in: " << terminal_->so_far();
    return shown;
  }

  [[nodiscard]] bool ended() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid != 0;
  }
  /// Waits for its end; false if it takes longer.
  bool ends_within(std::chrono::seconds patience) {
    const auto ends = [&] {
      if (terminal_) terminal_->look();
      return ended();
    };
    return eventually(ends, patience);
  }
  /// Has it a handler for the signal?
  [[nodiscard]] bool handles(int number) const {
    std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (!line.starts_with("SigCgt:")) continue;
      return (std::stoull(line.substr(7), nullptr, 16) >> (number - 1) & 1U) != 0;
    }
    return false;
  }
  /// Seconds of all its threads.
  [[nodiscard]] double computed() const {
    clockid_t clock{};
    timespec used{};
    if (::clock_getcpuclockid(pid_, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return 0;
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
  }

  Outcome wait() {
    Outcome outcome;
    if (terminal_) outcome.err = terminal_->everything();
    int status = 0;
    ::waitpid(pid_, &status, 0);
    collected_ = true;
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    if (std::filesystem::exists(out_)) outcome.out = read_file(out_);
    if (std::filesystem::exists(err_)) outcome.err = read_file(err_);
    return outcome;
  }

 private:
  /// The program in place of this process.
  [[noreturn]] static void become(std::vector<std::string> arguments,
                                  const std::string& program = FEWEDITS_CLI) {
    arguments.insert(arguments.begin(), program);
    std::vector<char*> argv;
    for (std::string& a : arguments) argv.push_back(a.data());
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  static int opened(const std::filesystem::path& file) {
    return ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  }
  static void redirect(int from, int to) {
    if (from < 0 || ::dup2(from, to) < 0) ::_exit(126);
  }

  TemporaryFolder folder_;
  std::filesystem::path out_ = folder_.path() / "out";
  std::filesystem::path err_ = folder_.path() / "err";
  std::optional<Terminal> terminal_;
  pid_t pid_ = -1;
  bool collected_ = false;
};

/// Ctrl-C; the command says within moments how far it came, on what would take it hours.
inline Outcome interrupted(Command& command) {
  command.signal(SIGINT);
  if (!command.ends_within(std::chrono::seconds(20))) command.signal(SIGKILL);
  Outcome outcome = command.wait();
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  return outcome;
}

/// Waits until Ctrl-C no longer just ends the command, and it has computed for a while since.
inline bool is_at_work(const Command& command) {
  if (!eventually([&] { return command.ended() || command.handles(SIGINT); })) return false;
  const double before = command.computed();
  return eventually([&] { return command.ended() || command.computed() > before + 0.2; }) &&
         !command.ended();
}

inline Outcome fewedits(const std::vector<std::string>& arguments) {
  return Command(arguments).wait();
}

/// Seconds that all commands collected so far computed, however busy the machine was.
inline double computed_by_commands() {
  rusage used{};
  ::getrusage(RUSAGE_CHILDREN, &used);
  return static_cast<double>(used.ru_utime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec);
}

/// All that a command shows to someone who sits at a terminal.
inline std::string on_a_terminal(const std::vector<std::string>& arguments) {
  return Command(arguments, OnTerminal::kAll).wait().err;
}

}  // namespace fewedits::test
