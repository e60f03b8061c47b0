// SPDX-License-Identifier: MIT
// Runs the built fewedits program as a user would and collects what it said.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "fewedits/base/file.hpp"
#include "support/shared.hpp"

namespace fewedits::test {

struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

/// A started command; wait() collects it.
class Command {
 public:
  explicit Command(const std::vector<std::string>& arguments,
                   const std::string& program = FEWEDITS_CLI) {
    out_ = folder_.path() / "out";
    err_ = folder_.path() / "err";
    pid_ = ::fork();
    if (pid_ != 0) return;
    redirect(out_, STDOUT_FILENO);
    redirect(err_, STDERR_FILENO);
    become(arguments, program);
  }

  void signal(int number) const { ::kill(pid_, number); }

  Outcome wait() const {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status), read_file(out_),
            read_file(err_)};
  }

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

 private:
  static void redirect(const std::filesystem::path& file, int to) {
    const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || ::dup2(fd, to) < 0) ::_exit(126);
  }

  TemporaryFolder folder_;
  std::filesystem::path out_;
  std::filesystem::path err_;
  pid_t pid_;
};

/// Ctrl-C once the command is at work, also on a busy machine, on what would take it hours.
inline Outcome interrupted(const Command& command) {
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  const auto asked = std::chrono::steady_clock::now();
  command.signal(SIGINT);
  Outcome outcome = command.wait();
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::seconds(20));
  return outcome;
}

inline Outcome fewedits(const std::vector<std::string>& arguments) {
  return Command(arguments).wait();
}

/// All that a command shows to someone who sits at a terminal.
inline std::string on_a_terminal(const std::vector<std::string>& arguments) {
  int terminal = -1;
  const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (pid == 0) Command::become(arguments);
  EXPECT_GT(pid, 0);
  if (pid < 0) return "";
  std::string shown;
  std::array<char, 4096> part{};
  // An error says that nobody writes there any more.
  for (ssize_t got = 1; got > 0;) {
    got = ::read(terminal, part.data(), part.size());
    if (got > 0) shown.append(part.data(), static_cast<std::size_t>(got));
  }
  ::close(terminal);
  ::waitpid(pid, nullptr, 0);
  return shown;
}

}  // namespace fewedits::test
