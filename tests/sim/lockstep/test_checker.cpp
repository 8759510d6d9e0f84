// SPDX-License-Identifier: Apache-2.0
// Errors that the lockstep checker detects, and differences that it must accept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "fake_core.hpp"

namespace systole::lockstep {
namespace {

using test::conv_row;
using test::drain_row;
using test::load_row;
using test::map_row;
using test::preload_row;
using test::store_row;
using testing::HasSubstr;

/// The divergence with which `action` ends.
Divergence divergence_in(const std::function<void()>& action) {
  try {
    action();
  } catch (const LockstepDivergence& found) {
    EXPECT_THAT(found.what(), HasSubstr(found.divergence().problem));
    return found.divergence();
  }
  ADD_FAILURE() << "no divergence";
  return {};
}

/// A CONV of several positions over one tile.
isa::Conv conv_rows(int act, int acc, int positions, bool accumulate = false, int weight = 0) {
  isa::Conv op = conv_row(act, acc, weight);
  op.in_width = op.out_width = static_cast<std::uint16_t>(positions);
  op.accumulate = accumulate;
  return op;
}

TEST(Lockstep, FollowsAProgramToItsEnd) {
  FakeCore core;
  core.submit(test::pipeline(6));
  for (std::uint32_t i = 0; i + 1 < core.commands.size(); ++i) core.whole(i);
  core.checker.finished(core.cycle);
  core.submit(test::pipeline(2));  // and the next
  for (std::uint32_t i = 28; i + 1 < core.commands.size(); ++i) core.whole(i);
  core.checker.finished(core.cycle);
}

TEST(Lockstep, NamesCommandCyclePlaceAndValues) {
  FakeCore core;
  test::Program program;
  program << load_row(isa::Space::kScratch, 5) << load_row(isa::Space::kScratch, 9, 64) << isa::End{};
  core.submit(program);
  core.whole(0);
  core.start(1);
  core.execute(1);
  const std::int8_t right = core.state().scratch(9)[2];
  core.state().scratch(9)[2] = static_cast<std::int8_t>(right ^ 1);
  core.cycle = 500;
  const Divergence d = divergence_in([&] { core.retire(1); });
  EXPECT_EQ(d.index, 1u);
  EXPECT_EQ(d.engine, isa::Engine::kLoad);
  EXPECT_EQ(d.started, 103u);
  EXPECT_EQ(d.cycle, 501u);
  EXPECT_EQ(d.place, "scratchpad row 9, lane 2");
  EXPECT_EQ(d.expected, byte_text(static_cast<std::uint8_t>(right)));
  EXPECT_EQ(d.actual, byte_text(static_cast<std::uint8_t>(right ^ 1)));
  EXPECT_EQ(d.differences, 1u);
  EXPECT_THAT(d.instruction, HasSubstr("LOAD src=0x40"));
  EXPECT_THAT(d.text(), HasSubstr("command 1: LOAD"));
}

TEST(Lockstep, ComparesEveryMemory) {
  struct Memory {
    test::Program program;
    std::function<void(model::State&)> spoil;
    const char* place;
  };
  const auto one = [](const auto& op) {
    test::Program program;
    program << op << isa::End{};
    return program;
  };
  isa::Drain32 drain32;
  drain32.dst = 40;
  drain32.plane_stride = 100;
  isa::Table table, words;
  words.words = 1;
  // The kernel memory is zeros: VECTOR ends at once.
  const std::vector<Memory> all = {
      {one(load_row(isa::Space::kKernel, 2047)), [](model::State& s) { s.kernel_row(2047)[1] ^= 1; },
       "kernel row 2047, lane 1"},
      {one(isa::Vector{}), [](model::State& s) { s.vector_row(15, 7)[3] ^= 1; }, "vector register 15 row 7, lane 3"},
      {one(words), [](model::State& s) { s.words()[255] ^= 1; }, "word 255 of the kernels' table"},
      {one(load_row(isa::Space::kWeight, 255)), [](model::State& s) { s.weight(255)[3] ^= 1; },
       "weight row 255, lane 3"},
      {one(load_row(isa::Space::kParam, 7)), [](model::State& s) { s.param(7)[0] ^= 1; }, "parameter row 7, lane 0"},
      {one(conv_row(0, 63)), [](model::State& s) { s.accumulator(63)[1] ^= 1 << 30; }, "accumulator row 63, lane 1"},
      {one(preload_row(0, 2)), [](model::State& s) { s.accumulator(2)[0] ^= 1; }, "accumulator row 2, lane 0"},
      {one(drain_row(0, 767)), [](model::State& s) { s.scratch(767)[3] ^= 1; }, "scratchpad row 767, lane 3"},
      {one(drain32), [](model::State& s) { s.scratch(340)[3] ^= 1; }, "scratchpad row 340, lane 3"},
      {one(map_row(0, 3)), [](model::State& s) { s.scratch(3)[1] ^= 1; }, "scratchpad row 3, lane 1"},
      {one(table), [](model::State& s) { s.table()[200] ^= 1; }, "look-up table of lane 0, entry for 72"},
  };
  for (const Memory& memory : all) {
    FakeCore core;
    core.submit(memory.program);
    core.start(0);
    core.execute(0);
    memory.spoil(core.state());
    EXPECT_EQ(divergence_in([&] { core.retire(0); }).place, memory.place);
  }
}

TEST(Lockstep, FollowsAKernel) {
  FakeCore core;
  const auto words = kernel::assemble("kernel k(src, dst)\nvector x\nmove x, i8[src]\nmove i8[dst], x\nend\n").words;
  core.memory.write(0x100, words.data(), words.size() * sizeof words[0]);
  isa::Load load = load_row(isa::Space::kKernel, 6, 0x100);
  load.run_bytes = load.piece_step = load.piece_bytes = load.slot_bytes = 24;
  load.dst_block = 1;
  isa::Vector vector;
  vector.entry = 3;
  vector.arg0 = 100;
  vector.arg1 = 200;
  const auto submit = [&](FakeCore& to) {
    test::Program program;
    program << test::signalling(load, 1) << test::waiting(vector, 1) << isa::End{};
    to.submit(program);
    to.whole(0);
    to.start(1);
    to.execute(1);
  };
  submit(core);
  core.state().scratch(207)[2] ^= 1;
  EXPECT_EQ(divergence_in([&] { core.retire(1); }).place, "scratchpad row 207, lane 2");

  FakeCore elsewhere;
  elsewhere.memory.write(0x100, words.data(), words.size() * sizeof words[0]);
  submit(elsewhere);
  elsewhere.state().scratch(208)[2] ^= 1;  // behind the strip
  const Divergence d = divergence_in([&] { elsewhere.retire(1); });
  EXPECT_EQ(d.place, "scratchpad row 208, lane 2");
  EXPECT_EQ(d.problem, "a row that it does not write has changed");
}

TEST(Lockstep, TakesRowsOfTheNextConvForItsOwn) {
  FakeCore core;
  test::Program program;
  for (std::uint16_t i = 0; i < 4; ++i) program << load_row(isa::Space::kWeight, i, 100u + 9u * i);
  program << conv_rows(0, 8, 6) << conv_rows(20, 8, 6, true) << isa::End{};
  core.submit(program);
  for (std::uint32_t i = 0; i < 4; ++i) core.whole(i);
  core.start(4);
  core.execute(4);
  core.start(5);
  core.core.operate(conv_rows(20, 8, 2, true).encode());  // the second has done its first two positions
  core.retire(4);
  core.core.operate(conv_rows(22, 10, 4, true).encode());
  core.retire(5);
  core.checker.finished(core.cycle);
}

TEST(Lockstep, SeesAWrongRowUnderTheNextConv) {
  FakeCore core;
  test::Program program;
  program << load_row(isa::Space::kWeight, 0) << conv_rows(0, 8, 6) << conv_rows(20, 8, 6, true) << isa::End{};
  core.submit(program);
  core.whole(0);
  core.start(1);
  core.execute(1);
  core.state().accumulator(8)[2] += 1;
  core.start(2);
  core.core.operate(conv_rows(20, 8, 1, true).encode());
  const Divergence d = divergence_in([&] { core.retire(1); });
  EXPECT_EQ(d.index, 1u);
  EXPECT_EQ(d.place, "accumulator row 8, lane 2");
  EXPECT_EQ(d.differences, 1u);
}

TEST(Lockstep, TakesTheNextConvTileByTile) {
  FakeCore core;
  isa::Conv next = conv_rows(20, 8, 6);
  next.blocks = 3;
  next.plane_stride = 50;
  next.weight_row = 8;
  next.kernel_w = 2;
  next.x0 = -1;
  next.pad_value = 3;
  test::Program program;
  program << conv_rows(0, 8, 6) << next << isa::End{};
  for (std::uint16_t i = 0; i < 64; ++i) core.state().weight(i)[i % 4] = static_cast<std::int8_t>(i);
  core.submit(program);
  core.start(0);
  core.execute(0);
  core.start(1);
  // Two of its six tiles at position 0: padding, then input column 0.
  const auto tile = [](int act, int weight, bool pad, bool accumulate) {
    isa::Conv op = conv_row(act, 8, weight);
    op.y0 = pad ? -1 : 0;
    op.pad_value = 3;
    op.accumulate = accumulate;
    return op.encode();
  };
  core.core.operate(tile(0, 8, true, false));
  core.core.operate(tile(20, 12, false, true));
  core.retire(0);
  core.execute(1);
  core.retire(1);
}

TEST(Lockstep, FindsARowThatNobodyWrites) {
  FakeCore core;
  test::Program program;
  program << load_row(isa::Space::kScratch, 5) << isa::End{};
  core.submit(program);
  core.start(0);
  core.execute(0);
  core.state().scratch(6)[1] ^= 0x40;
  const Divergence d = divergence_in([&] { core.retire(0); });
  EXPECT_EQ(d.problem, "a row that it does not write has changed");
  EXPECT_EQ(d.place, "scratchpad row 6, lane 1");
  EXPECT_EQ(d.note, "");
}

TEST(Lockstep, WaitsForTheSuspectsOfAStrayRow) {
  for (const bool guilty : {false, true}) {
    FakeCore core;
    test::Program program;
    program << load_row(isa::Space::kScratch, 5) << map_row(100, 50) << isa::End{};
    core.submit(program);
    core.start(1);  // MAP is in flight, and writes row 51 instead of 50
    core.start(0);
    core.execute(0);
    core.state().scratch(51)[0] ^= 1;
    EXPECT_NO_THROW(core.retire(0));
    core.execute(1);
    if (guilty) core.state().scratch(50)[3] ^= 1;
    const Divergence d = divergence_in([&] { core.retire(1); });
    EXPECT_EQ(d.index, guilty ? 1u : 0u);
    EXPECT_EQ(d.place, guilty ? "scratchpad row 50, lane 3" : "scratchpad row 51, lane 0");
    EXPECT_EQ(d.note, guilty ? "" : "it may also have been command 1");
  }
}

TEST(Lockstep, LeavesRowsAloneThatAreBeingWritten) {
  FakeCore core;
  test::Program program;
  program << load_row(isa::Space::kScratch, 5) << map_row(100, 50) << isa::End{};
  core.submit(program);
  core.start(1);
  core.state().scratch(50)[0] ^= 1;  // half of a row
  core.whole(0);
  core.execute(1);
  core.retire(1);
  core.checker.finished(core.cycle);
}

TEST(Lockstep, ComparesStoredBytesAndTheirNeighbours) {
  isa::Store op = store_row(30, 0x1001);
  op.piece_bytes = 2;
  struct Spoilt {
    std::uint64_t address;
    const char* problem;
  };
  for (const Spoilt& spoilt :
       {Spoilt{0x1002, "its result differs"}, Spoilt{0x1000, "it changed a byte that it must not write"},
        Spoilt{0x1003, "it changed a byte that it must not write"}}) {
    FakeCore core;
    test::Program program;
    program << op << isa::End{};
    core.submit(program);
    core.start(0);
    core.checker.write_burst(core.cycle, 0x1000, 4);
    core.execute(0);
    std::uint8_t byte = 0;
    core.memory.read(spoilt.address, &byte, 1);
    const std::uint8_t wrong = byte ^ 0x80;
    core.memory.write(spoilt.address, &wrong, 1);
    const Divergence d = divergence_in([&] { core.retire(0); });
    EXPECT_EQ(d.problem, spoilt.problem);
    EXPECT_EQ(d.place, fmt::format("device memory 0x{:x}", spoilt.address));
    EXPECT_EQ(d.expected, byte_text(byte));
    EXPECT_EQ(d.actual, byte_text(wrong));
  }
}

TEST(Lockstep, LetsALaterStoreWriteOn) {
  FakeCore core;
  test::Program program;
  program << store_row(30, 0x1000) << store_row(31, 0x1002) << isa::End{};
  core.submit(program);
  core.start(0);
  core.execute(0);
  core.start(1);
  core.execute(1);
  core.retire(0);  // its last response comes after the bytes of the second
  core.retire(1);
  core.checker.finished(core.cycle);
}

TEST(Lockstep, FindsABurstOutsideOfWhatIsStored) {
  FakeCore core;
  test::Program program;
  program << store_row(30, 0x1000) << store_row(31, 0x1008) << isa::End{};
  core.submit(program);
  core.checker.write_burst(core.cycle, 0x4000, 4);  // of a core that was reset: ignored
  core.start(0);
  core.start(1);
  core.checker.write_burst(core.cycle, 0x1000, 4);
  core.checker.write_burst(core.cycle, 0x1008, 4);
  const Divergence d = divergence_in([&] { core.checker.write_burst(core.cycle, 0x1004, 4); });
  EXPECT_EQ(d.index, 0u);
  EXPECT_EQ(d.actual, "a write from 0x1004 to 0x1007");
  EXPECT_EQ(d.note, "commands up to 1 were under way as well");
}

TEST(Lockstep, LoadsWhatTheModelStored) {
  FakeCore core;
  test::Program program;
  program << store_row(30, 0x1000) << load_row(isa::Space::kScratch, 50, 0x1000) << isa::End{};
  core.submit(program);
  core.whole(0);
  core.start(1);
  core.execute(1);
  std::uint8_t byte = 0;
  core.memory.read(0x1001, &byte, 1);
  byte ^= 1;
  core.memory.write(0x1001, &byte, 1);
  const Divergence d = divergence_in([&] { core.retire(1); });
  EXPECT_EQ(d.problem, "device memory that it reads was changed by something else than a STORE");
  EXPECT_EQ(d.place, "device memory 0x1001");
}

TEST(Lockstep, AcceptsWhatTheHostWrote) {
  FakeCore core;
  test::Program program;
  program << store_row(30, 0x1000) << load_row(isa::Space::kScratch, 50, 0x1800) << isa::End{};
  core.submit(program);
  core.whole(0);
  const std::uint32_t word = 0x12345678;
  core.memory.write(0x1800, &word, 4);
  core.checker.host_wrote(0x1800, 4);
  core.whole(1);
  core.checker.finished(core.cycle);
}

TEST(Lockstep, ExpectsTheFaultsOfTheModel) {
  FakeCore core;
  test::Program program;
  program << load_row(isa::Space::kScratch, 960) << isa::End{};
  core.submit(program);
  core.start(0);
  const Divergence d = divergence_in([&] { core.retire(0); });
  EXPECT_EQ(d.problem, "it should have failed");
  EXPECT_EQ(d.expected, "SCRATCH_RANGE at address 0x3c0");
}

TEST(Lockstep, KnowsTheOrderOfCommands) {
  FakeCore core;
  test::Program program;
  program << load_row(isa::Space::kScratch, 1) << load_row(isa::Space::kScratch, 2) << map_row(1, 3) << isa::End{};
  core.submit(program);
  const Divergence skipped = divergence_in([&] { core.start(1); });
  EXPECT_EQ(skipped.index, 0u);
  EXPECT_EQ(skipped.problem, "its engine takes a command out of order");
  EXPECT_THAT(skipped.actual, HasSubstr("command 1: LOAD"));
  core.start(0);
  core.start(1);
  EXPECT_EQ(divergence_in([&] { core.retire(1); }).problem, "its engine retires a command out of order");
  EXPECT_EQ(divergence_in([&] { core.retire(2); }).expected, "no command");
  EXPECT_EQ(divergence_in([&] { core.checker.started(core.cycle, 3, 7); }).actual,
            "command 7: none that was submitted");
}

TEST(Lockstep, WantsEveryCommandBeforeEnd) {
  FakeCore core;
  isa::End end;
  end.tag = 6;
  test::Program program;
  program << load_row(isa::Space::kScratch, 1) << map_row(1, 3) << end;
  core.submit(program);
  core.whole(0);
  core.checker.finished(core.cycle);  // an interrupt that came before
  core.checker.ended(core.cycle, 5);
  core.checker.ended(core.cycle, 0);
  const Divergence lost = divergence_in([&] { core.checker.ended(core.cycle, 6); });
  EXPECT_EQ(lost.problem, "END was reached before the engine took a command");
  EXPECT_EQ(lost.index, 1u);
  core.start(1);
  EXPECT_EQ(divergence_in([&] { core.checker.ended(core.cycle, 6); }).problem, "END was reached before it retired");
  core.execute(1);
  core.retire(1);
  core.checker.ended(core.cycle, 6);
  core.checker.finished(core.cycle);
}

TEST(Lockstep, ComparesEverythingAtEnd) {
  FakeCore core;
  test::Program program;
  program << load_row(isa::Space::kScratch, 1) << isa::End{};
  core.submit(program);
  core.whole(0);
  core.state().accumulator(40)[0] += 1;
  const Divergence d = divergence_in([&] { core.checker.finished(core.cycle); });
  EXPECT_EQ(d.place, "accumulator row 40, lane 0");
  EXPECT_EQ(d.index, 1u);
}

TEST(Lockstep, ComparesSemaphoresAtEndAndWhenNothingMoves) {
  FakeCore core;
  test::Program program;
  program << test::signalling(load_row(isa::Space::kScratch, 1), 5, 2) << test::waiting(map_row(1, 3), 5, 2)
          << isa::End{};
  core.submit(program);
  core.whole(0);
  Checker::Semaphores values{};
  core.checker.semaphores_changed(values);
  EXPECT_NO_THROW(core.checker.stuck(core.cycle)) << "MAP's wait may have been granted";
  values[5] = 1;  // the signal was given once
  core.checker.semaphores_changed(values);
  EXPECT_NO_THROW(core.checker.stuck(core.cycle));
  values[5] = 3;
  core.checker.semaphores_changed(values);
  const Divergence d = divergence_in([&] { core.checker.stuck(core.cycle); });
  EXPECT_EQ(d.place, "semaphore 5");
  EXPECT_EQ(d.index, 0u);
  EXPECT_EQ(d.expected, "2");
  EXPECT_EQ(d.actual, "3");
  core.whole(1);
  values[5] = 1;
  core.checker.semaphores_changed(values);
  EXPECT_EQ(divergence_in([&] { core.checker.finished(core.cycle); }).expected, "0");
  values[5] = 0;
  core.checker.semaphores_changed(values);
  EXPECT_NO_THROW(core.checker.finished(core.cycle));
}

TEST(Lockstep, BeginsAgainAfterAReset) {
  FakeCore core;
  core.submit(test::pipeline(3));
  core.start(0);
  core.state().scratch(0)[1] ^= 1;  // half done when the reset comes
  core.checker.was_reset();
  core.retire(0);  // shown while the reset arrives
  core.start(1);
  core.commands.clear();
  core.tail = 0;
  core.submit(test::pipeline(3));
  for (std::uint32_t i = 0; i + 1 < core.commands.size(); ++i) core.whole(i);
  core.checker.finished(core.cycle);
}

}  // namespace
}  // namespace systole::lockstep
