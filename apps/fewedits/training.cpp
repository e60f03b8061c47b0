// SPDX-License-Identifier: MIT
#include "training.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>

#include "console.hpp"
#include "fewedits/base/error.hpp"

namespace fewedits::cli {
namespace {

constexpr int kNotStarted = 127;

std::string reason() { return std::generic_category().message(errno); }

[[noreturn]] void become_training_program(char** argv) {
  const std::string program = training_program().string();
  ::execv(program.c_str(), argv);
  throw Error({program}, "cannot be started: " + reason());
}

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) throw Error("cannot make a pipe: " + reason());
  }
  ~Pipe() {
    ::close(ends_[0]);
    close_writing_end();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  [[nodiscard]] int reading_end() const { return ends_[0]; }
  [[nodiscard]] int writing_end() const { return ends_[1]; }
  void close_writing_end() {
    if (const int end = std::exchange(ends_[1], -1); end >= 0) ::close(end);
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

/// All that the child writes until it ends.
std::string output_of(pid_t child, int pipe) {
  std::string out;
  std::array<char, 4096> part{};
  for (bool told = false;;) {
    // After Ctrl-C the terminal has sent it SIGINT already; a second one of those would end it
    // before it has saved its best.
    if (InterruptGuard::interrupted() && !std::exchange(told, true)) ::kill(child, SIGTERM);
    pollfd ready{pipe, POLLIN, 0};
    if (::poll(&ready, 1, 100) <= 0) continue;
    const ssize_t got = ::read(pipe, part.data(), part.size());
    if (got > 0) {
      out.append(part.data(), static_cast<std::size_t>(got));
    } else if (got == 0 || errno != EINTR) {
      return out;
    }
  }
}

}  // namespace

std::filesystem::path training_program() {
  if (!kHasTraining) {
    throw Error("training needs libtorch, which this build leaves out",
                "install libtorch-dev and build with -DFEWEDITS_WITH_TORCH=ON");
  }
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  auto program = folder / kTrainingProgram;
  if (::access(program.c_str(), X_OK) != 0) {
    throw Error({program.string()},
                fmt::format("training is a program of its own, which cannot be run: {}", reason()),
                "build or install fewedits as a whole: the two programs belong in one folder");
  }
  return program;
}

void add_training_command(CLI::App& app, Action& action, const TrainingCommand& command,
                          char** argv) {
  CLI::App* listed = app.add_subcommand(command.name, command.description);
  listed->footer(fmt::format("`fewedits {} --help` lists its options.", command.name));
  // Help and all other arguments are the program's.
  listed->set_help_flag();
  listed->prefix_command();
  listed->callback(
      [argv, &action] { action = [argv]() -> int { become_training_program(argv); }; });
}

TrainingOutcome run_training(std::vector<std::string> arguments) {
  const std::string program = training_program().string();
  arguments.insert(arguments.begin(), program);
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  Pipe pipe;
  const pid_t self = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw Error("cannot start the training: " + reason());
  if (child == 0) {
    (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() == self && ::dup2(pipe.writing_end(), STDOUT_FILENO) >= 0) {
      ::execv(program.c_str(), argv.data());
    }
    ::_exit(kNotStarted);
  }
  // Not before fork(): until it is another program, the child must not catch signals.
  const InterruptGuard guard;
  pipe.close_writing_end();
  TrainingOutcome outcome;
  outcome.output = output_of(child, pipe.reading_end());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const bool ended = WIFEXITED(status);
  const bool interrupted = InterruptGuard::interrupted();
  if (!ended && !interrupted) {
    throw Error(fmt::format("the training was ended by signal {} ({})", WTERMSIG(status),
                            ::strsignal(WTERMSIG(status))));
  }
  outcome.code = ended ? WEXITSTATUS(status) : kInterrupted;
  if (outcome.code == kNotStarted) throw Error({program}, "cannot be started");
  if (outcome.code == kFine && interrupted) outcome.code = kInterrupted;
  return outcome;
}

}  // namespace fewedits::cli
