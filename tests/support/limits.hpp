// SPDX-License-Identifier: MIT
// Commands that are given a limit, or Ctrl-C.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "support/command.hpp"
#include "support/stop_watch.hpp"

namespace fewedits::test {

/// Sends the signal and waits. Seconds to the end: of the clock, or of the processor if other
/// programs kept it busy meanwhile. Commands with one thread only.
inline double seconds_to_end(Command& command, int signal, Outcome& outcome) {
  const double others = computed_by_commands();
  const double before = command.computed();
  const StopWatch watch;
  command.signal(signal);
  EXPECT_TRUE(command.ends_within(kPatience)) << "deaf";
  const double gone = watch.seconds();
  outcome = command.wait();
  return std::min(gone, computed_by_commands() - others - before);
}

/// An explanation, or why there is none; in any case in time.
inline void expect_in_time(std::vector<std::string> arguments, double limit) {
  const std::string text = std::to_string(limit);
  arguments.insert(arguments.end(), {"--time-limit", text});
  const StopWatch watch;
  const Outcome outcome = Command(arguments).wait();
  EXPECT_LE(watch.seconds(), end_of_limit(limit)) << outcome.err;
  if (outcome.code == 0) return;
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_THAT(outcome.err, testing::AnyOf(testing::HasSubstr("time was up"),
                                          testing::HasSubstr("was over before"),
                                          testing::HasSubstr("no time to measure")));
}

/// Ctrl-C so many seconds after the search began.
inline void expect_prompt_end(const std::vector<std::string>& arguments, double delay) {
  SCOPED_TRACE(testing::Message() << "Ctrl-C after " << delay << " s");
  Command command(arguments);
  ASSERT_TRUE(is_at_work(command)) << command.wait().err;
  std::this_thread::sleep_for(std::chrono::duration<double>(delay));
  Outcome outcome;
  EXPECT_LE(seconds_to_end(command, SIGINT, outcome), kEndOfCtrlC) << outcome.err;
  EXPECT_EQ(outcome.code, 130) << outcome.err;
}

}  // namespace fewedits::test
