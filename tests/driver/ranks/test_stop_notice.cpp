// SPDX-License-Identifier: Apache-2.0
// Signals to a process, each in a process of its own.
#include "stop_notice.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "stop_request.hpp"

namespace systole::ranks {
namespace {

/// Ends the process by itself after a while, in which the signal should have ended it.
[[noreturn]] void wait_for_the_end() {
  std::this_thread::sleep_for(std::chrono::seconds(60));
  std::_Exit(1);
}

[[noreturn]] void end_at_the_first(int signal) {
  StopNotice notice;
  notice.say("the last word");
  kill(getpid(), signal);
  wait_for_the_end();
}

void wait_for(const StopNotice& notice) {
  while (notice.signal() == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

[[noreturn]] void end_at_the_second(int first, int second) {
  StopNotice notice;
  notice.let_finish(true);
  notice.say("finishing");
  kill(getpid(), first);
  wait_for(notice);
  kill(getpid(), second);
  wait_for_the_end();
}

[[noreturn]] void finish() {
  int signal = 0;
  {
    StopNotice notice;
    notice.let_finish(true);
    kill(getpid(), SIGTERM);
    wait_for(notice);
    signal = notice.signal();
  }
  std::_Exit(signal == SIGTERM ? 7 : 1);
}

[[noreturn]] void go_on_without_a_terminal() {
  std::signal(SIGHUP, SIG_IGN);
  StopNotice notice;
  notice.let_finish(true);
  kill(getpid(), SIGHUP);
  kill(getpid(), SIGTERM);
  wait_for(notice);
  std::_Exit(notice.signal() == SIGTERM ? 7 : 1);
}

[[noreturn]] void end_after_a_request() {
  const auto ranks = alone();
  {
    const StopRequest request(*ranks);
    ranks->when_stopped("finishing");
    kill(getpid(), SIGHUP);
    while (request.signal() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    try {
      request.check();
      std::_Exit(1);
    } catch (const Stopped& stopped) {
      if (stopped.exit_code() != 129) {
        std::_Exit(1);
      }
    }
  }
  kill(getpid(), SIGINT);
  wait_for_the_end();
}

class StopNotices : public testing::Test {
 protected:
  StopNotices() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(StopNotices, EndTheProcessAfterTheLastWord) {
  EXPECT_EXIT(end_at_the_first(SIGTERM), testing::ExitedWithCode(143), "the last word");
  EXPECT_EXIT(end_at_the_first(SIGINT), testing::ExitedWithCode(130), "the last word");
  EXPECT_EXIT(end_at_the_first(SIGHUP), testing::ExitedWithCode(129), "the last word");
}

TEST_F(StopNotices, LetFinishOnce) {
  EXPECT_EXIT(finish(), testing::ExitedWithCode(7), "");
  EXPECT_EXIT(end_at_the_second(SIGINT, SIGINT), testing::ExitedWithCode(130), "finishing");
  EXPECT_EXIT(end_at_the_second(SIGINT, SIGTERM), testing::ExitedWithCode(143), "finishing");
}

TEST_F(StopNotices, LeaveIgnoredSignalsIgnored) {
  EXPECT_EXIT(go_on_without_a_terminal(), testing::ExitedWithCode(7), "");
}

TEST_F(StopNotices, ARequestEndsWithItsObject) {
  EXPECT_EXIT(end_after_a_request(), testing::KilledBySignal(SIGINT), "finishing");
}

}  // namespace
}  // namespace systole::ranks
