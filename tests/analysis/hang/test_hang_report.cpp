// SPDX-License-Identifier: Apache-2.0
// Hang reports for each kind of suspect; format of text and JSON.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "stuck_programs.hpp"
#include "systole/hang.hpp"

namespace systole::test {
namespace {

using Culprit = HangReport::Culprit;
using Wait = HangReport::Wait;

/// A device that has dispatched everything.
HangState device(const Program& program) {
  HangState state;
  state.dispatched = program.instructions.size();
  state.cycle = 5000;
  state.quiet_cycles = 2000;
  return state;
}

HangState::Engine queue_of(std::size_t oldest, unsigned queued, bool waiting) {
  HangState::Engine e;
  e.oldest = oldest;
  e.queued = queued;
  e.waiting = waiting;
  e.cause = waiting ? isa::Cause::kSemaphore : isa::Cause::kIdle;
  e.since = 417;
  return e;
}

HangState::Engine in_flight(std::size_t oldest, isa::Cause cause, std::uint64_t since) {
  HangState::Engine e;
  e.oldest = oldest;
  e.in_flight = 1;
  e.waiting = false;
  e.cause = cause;
  e.since = since;
  return e;
}

constexpr std::size_t kLoad = 0, kMxu = 1, kVpu = 2, kStore = 3;

HangReport explain(const Program& program, const HangState& state) {
  return explain_hang(program, state, HangReport::Origin::kDevice);
}

TEST(HangReport, TextOfAMissingSignal) {
  const Program program = program_of(
      {load({}, {{5, 1}}), mxu({{5, 1}}, {{6, 1}}), mxu({{5, 1}}, {{7, 1}}), vpu({{6, 1}}, {}), store({{7, 1}}, {})});
  HangState state = device(program);
  state.engines[kMxu] = queue_of(2, 1, true);
  state.engines[kStore] = queue_of(4, 1, true);
  const HangReport report = explain(program, state);
  EXPECT_EQ(report.culprit, Culprit::kMissingSignal);
  EXPECT_EQ(report.to_text(),
            "no progress for 2000 cycles, in cycle 5000 of the run; 5 of 6 commands dispatched, 3 committed\n"
            "  suspect: MXU #2 waits for semaphore 5 (holds 0, needs 1), but no remaining instruction signals it; "
            "the last one was LOAD #0, and in the whole program its signals add up to 1, its waits to 2\n"
            "  what to do: signal the semaphore in an earlier command, or remove the wait\n"
            "  who waits for whom:\n"
            "    MXU     #2 of 'first': SYNC_MXU wait(5,1) signal(7,1)\n"
            "            waits for semaphore 5, which holds 0 of the 1 it needs; SEMAPHORE since cycle 417\n"
            "            no remaining command signals it\n"
            "    STORE   #4 of 'second': SYNC_STORE wait(7,1)\n"
            "            waits for semaphore 7, which holds 0 of the 1 it needs; SEMAPHORE since cycle 417\n"
            "            could be signalled (+1) by MXU #2 of 'first', which waits with #2 for semaphore 5\n"
            "    COMMAND #5: END\n"
            "            waits for the engines, first for MXU\n"
            "  last 5 commands dispatched:\n"
            "    #0     LOAD    committed SYNC_LOAD signal(5,1)  'first'\n"
            "    #1     MXU     committed SYNC_MXU wait(5,1) signal(6,1)  'first'\n"
            "    #2     MXU     queued    SYNC_MXU wait(5,1) signal(7,1)  'first'\n"
            "    #3     VPU     committed SYNC_VPU wait(6,1)  'second'\n"
            "    #4     STORE   queued    SYNC_STORE wait(7,1)  'second'");
}

TEST(HangReport, JsonHoldsWhatTheTextSays) {
  const Program program = program_of({mxu({{1, 2}}, {{2, 1}}), vpu({{2, 1}}, {{1, 1}})});
  HangState state = device(program);
  state.engines[kMxu] = queue_of(0, 1, true);
  state.engines[kVpu] = queue_of(1, 1, true);
  const auto json = explain(program, state).to_json();
  EXPECT_EQ(json["origin"], "device");
  EXPECT_EQ(json["culprit"], "circular wait");
  EXPECT_EQ(json["cycle"], 5000);
  EXPECT_EQ(json["commands"], 3);
  EXPECT_EQ(json["dispatched"], 2);
  EXPECT_EQ(json["committed"], 0);
  EXPECT_EQ(json["semaphores"].size(), 32u);
  EXPECT_EQ(json["chain"], (nlohmann::json{"MXU", "VPU"}));
  EXPECT_EQ(json["loop"], 0);
  ASSERT_EQ(json["waits"].size(), 3u);
  const auto& mxu_waits = json["waits"][0];
  EXPECT_EQ(mxu_waits["engine"], "MXU");
  EXPECT_EQ(mxu_waits["waits_for"], "semaphore");
  EXPECT_EQ(mxu_waits["semaphore"], 1);
  EXPECT_EQ(mxu_waits["holds"], 0);
  EXPECT_EQ(mxu_waits["needs"], 2);
  EXPECT_EQ(mxu_waits["since_cycle"], 417);
  EXPECT_EQ(mxu_waits["cause"], "SEMAPHORE");
  EXPECT_EQ(mxu_waits["command"]["text"], "SYNC_MXU wait(1,2) signal(2,1)");
  EXPECT_EQ(mxu_waits["command"]["layer"], "first");
  EXPECT_EQ(mxu_waits["signallers"][0]["engine"], "VPU");
  EXPECT_EQ(mxu_waits["signallers"][0]["amount"], 1);
  EXPECT_EQ(mxu_waits["upstream"], "VPU");
  EXPECT_EQ(json["recent"][1]["state"], "queued");
  EXPECT_EQ(json["suspect"].get<std::string>().find("two engines wait for each other"), 0u);
}

TEST(HangReport, StolenToken) {
  const Program program = program_of(
      {load({}, {{3, 1}}), load({}, {}), mxu({{3, 1}}, {{4, 1}}), load({{4, 1}}, {{3, 1}}), vpu({{3, 1}}, {})});
  HangState state = device(program);
  state.engines[kMxu] = queue_of(2, 1, true);
  state.engines[kLoad] = queue_of(3, 1, true);
  const HangReport report = explain(program, state);
  EXPECT_EQ(report.culprit, Culprit::kStolenToken);
  EXPECT_EQ(report.suspect, "VPU #4 consumed the token of semaphore 3 that MXU #2, earlier in the program, needs");
}

TEST(HangReport, LostAndMadeUpTokens) {
  const Program program = program_of({load({}, {{3, 1}}), mxu({{3, 1}}, {})});
  HangState state = device(program);
  state.engines[kMxu] = queue_of(1, 1, true);
  EXPECT_EQ(explain(program, state).suspect,
            "semaphore 3 holds 0, but the commands that ran leave 1 in it: the hardware lost signals; the last of them "
            "that touched it is "
            "LOAD #0");
  state.engines[kMxu].waiting = false;  // granted, but the engine does not start it: no token is lost
  EXPECT_EQ(explain(program, state).suspect,
            "MXU #1 has all tokens that it waits for, but its engine does not take it");
  state.semaphores[9] = 2;
  EXPECT_EQ(explain(program, state).suspect,
            "semaphore 9 holds 2, but the commands that ran leave 0 in it: the hardware made up signals");
}

TEST(HangReport, MemoryThatDoesNotAnswer) {
  const Program program = program_of({load({}, {{3, 1}}), mxu({{3, 1}}, {{4, 1}}), store({{4, 1}}, {})});
  HangState state = device(program);
  state.engines[kLoad] = in_flight(0, isa::Cause::kMemoryLatency, 33);
  state.engines[kMxu] = queue_of(1, 1, true);
  state.engines[kStore] = queue_of(2, 1, true);
  HangReport report = explain(program, state);
  EXPECT_EQ(report.culprit, Culprit::kMemory);
  EXPECT_EQ(report.suspect, "memory does not answer a read of LOAD #0, its cause is MEMORY_LATENCY since cycle 33");
  state.owed = std::vector<OwedBurst>{{false, 0x40, 8, 0}, {false, 0x1040, 16, 1}};
  report = explain(program, state);
  EXPECT_EQ(report.suspect, "memory never answered the read burst at 0x1040 (16 beats) of LOAD #0");
  EXPECT_NE(report.to_text().find(
                "waits for memory, which owes 16 beats of the read at 0x1040; MEMORY_LATENCY since cycle 33"),
            std::string::npos);
  EXPECT_EQ(report.to_json()["waits"][0]["burst"]["address"], 0x1040);
  state.owed->clear();
  EXPECT_EQ(
      explain(program, state).suspect,
      "LOAD has not finished #0 and waits for no semaphore, and no memory transaction is outstanding, its cause is "
      "MEMORY_LATENCY since cycle 33");
}

TEST(HangReport, WriteThatIsNotAnswered) {
  const Program program = program_of({store({}, {})});
  HangState state = device(program);
  state.engines[kStore] = in_flight(0, isa::Cause::kMemoryLatency, 7);
  state.owed = std::vector<OwedBurst>{{true, 0x200, 4, 0}};
  EXPECT_EQ(explain(program, state).suspect, "memory never answered the write burst at 0x200 (4 beats) of STORE #0");
}

TEST(HangReport, EngineThatDoesNotFinish) {
  const Program program = program_of({load({}, {{3, 1}}), mxu({{3, 1}}, {{4, 1}}), vpu({{4, 1}}, {})});
  HangState state = device(program);
  state.engines[kMxu] = in_flight(1, isa::Cause::kOperandWait, 99);
  state.engines[kVpu] = queue_of(2, 1, true);
  const HangReport report = explain(program, state);
  EXPECT_EQ(report.culprit, Culprit::kUnfinished);
  EXPECT_EQ(report.suspect,
            "MXU has not finished #1 and waits for no semaphore, its cause is OPERAND_WAIT since cycle 99");
  EXPECT_EQ(report.chain, (std::vector<isa::Engine>{isa::Engine::kMxu}));
}

TEST(HangReport, InstructionThatDoesNotArrive) {
  const Program program = program_of({load({}, {}), mxu({}, {})});
  HangState state = device(program);
  state.dispatched = 1;
  EXPECT_EQ(explain(program, state).suspect,
            "instruction #1 has not arrived at the dispatcher: its fetch was not answered, or not made");
  state.owed = std::vector<OwedBurst>{{false, 0x400, 8, 0}};
  const HangReport report = explain(program, state);
  EXPECT_EQ(report.culprit, Culprit::kFetch);
  EXPECT_EQ(report.suspect,
            "memory never answered the read burst at 0x400 (8 beats) of the instruction fetch; #1 has not arrived");
}

TEST(HangReport, EndThatIsNotExecuted) {
  const Program program = program_of({load({}, {})});
  HangState state = device(program);
  EXPECT_EQ(explain(program, state).suspect, "END (#1) is not executed although every engine is done");
  state.dispatched = 2;
  EXPECT_EQ(explain(program, state).suspect, "every command has committed, but the interrupt does not come");
}

TEST(HangReport, TheModelStopsAtTheFirstWait) {
  const Program program = program_of({load({{8, 1}}, {}), vpu({}, {{8, 1}})});
  HangState state;
  state.one_at_a_time = true;
  state.engines[kLoad] = queue_of(0, 1, true);
  const HangReport report = explain(program, state);
  EXPECT_EQ(report.culprit, Culprit::kLateSignal);
  EXPECT_EQ(report.suspect,
            "LOAD #0 waits for semaphore 8 (holds 0, needs 1), which only VPU #1, later in the program, signals");
  EXPECT_EQ(report.to_text().find("nothing moves; 1 of 3 commands dispatched, 0 committed"), 0u);
}

TEST(HangReport, ListsTheLastSixtyFour) {
  std::vector<isa::Instruction> instructions(100, load({}, {}));
  instructions.push_back(mxu({{1, 1}}, {}));
  const Program program = program_of(instructions);
  HangState state = device(program);
  state.engines[kMxu] = queue_of(100, 1, true);
  const HangReport report = explain(program, state);
  ASSERT_EQ(report.recent.size(), 64u);
  EXPECT_EQ(report.recent.front().index, 37u);
  EXPECT_EQ(report.recent.back().index, 100u);
  EXPECT_EQ(report.recent.back().state, HangReport::State::kQueued);
}

/// An inconsistent state (a faulty device) gives some report, without a crash.
TEST(HangReport, AnyStateIsExplained) {
  const Program program = program_of(
      {load({}, {{3, 1}}), mxu({{3, 1}}, {{4, 1}}), vpu({{4, 1}}, {}), isa::End{}.encode(), store({{9, 1}}, {})});
  for (unsigned code = 0; code < 6 * 6 * 6 * 6 * 7; ++code) {
    HangState state;
    unsigned rest = code;
    for (HangState::Engine& e : state.engines) {
      e.oldest = rest % 3 * 2;
      e.in_flight = rest % 2;
      e.queued = rest / 2 % 3;
      if (rest % 5 == 0) e.waiting = rest % 10 == 0;
      rest /= 6;
    }
    state.dispatched = rest;
    state.one_at_a_time = code % 11 == 0;
    const HangReport report = explain(program, state);
    EXPECT_FALSE(report.suspect.empty());
    EXPECT_FALSE(report.remedy.empty());
    EXPECT_FALSE(report.to_text().empty());
    EXPECT_FALSE(report.to_json().empty());
  }
}

}  // namespace
}  // namespace systole::test
