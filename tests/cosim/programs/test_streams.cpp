// SPDX-License-Identifier: Apache-2.0
// Commands that no compiler would put together: legal ones that race, random fields, flipped bits, kernels of rubbish,
// and a host that accesses registers meanwhile. What such a stream computes is open; but its bursts stay inside the
// windows, its errors are recorded well, and the core is exact after a reset.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "pair.hpp"
#include "random_vector.hpp"
#include "systole/errors.hpp"
#include "systole/isa_check.hpp"
#include "systole/kernel_sequencer.hpp"
#include "systole/observer.hpp"

namespace systole::programs {
namespace {

constexpr double kLong = 60'000;             // beats and rows that a command of a stream may move
constexpr std::uint64_t kQuiet = 6000;       // cycles after which a stream that waits is given up
constexpr std::uint32_t kKernelLoads = 200;  // commands that the loads of a JUMP can add to a stream

/// Expects that every burst lies in a window that permits it, and in one page.
class Guard final : public CoreObserver {
 public:
  Guard(const AddressWindows& windows, int beat) : windows_(windows), beat_(static_cast<std::uint64_t>(beat)) {}

  void burst(std::uint64_t, bool write, std::uint64_t address, unsigned beats, unsigned id) override {
    const std::uint32_t needed = write     ? isa::kPermissionWrite
                                 : id == 0 ? isa::kPermissionExecute
                                           : isa::kPermissionRead;
    const std::uint64_t end = address + beats * beat_;
    const auto holds = [&](const AddressWindow& window) {
      return (window.permission & needed) != 0 && address >= window.base &&
             end <= std::uint64_t{window.base} + window.size;
    };
    EXPECT_TRUE(std::any_of(windows_.begin(), windows_.end(), holds))
        << (write ? "write" : "read") << " of " << beats << " beats at " << address;
    EXPECT_EQ(address / 4096, (end - 1) / 4096) << beats << " beats at " << address;
    ++bursts;
  }

  int bursts = 0;

 private:
  AddressWindows windows_;
  std::uint64_t beat_;
};

/// Every field drawn from its range by itself, small values more often.
isa::Instruction random_fields(Source& source) {
  static const std::vector<isa::Opcode> opcodes = {
      isa::Opcode::kLoad,    isa::Opcode::kStore,   isa::Opcode::kConv,    isa::Opcode::kDepthwise,
      isa::Opcode::kDrain,   isa::Opcode::kDrain32, isa::Opcode::kPreload, isa::Opcode::kMaxpool,
      isa::Opcode::kAvgpool, isa::Opcode::kAdd,     isa::Opcode::kMap,     isa::Opcode::kMultiply,
      isa::Opcode::kTable,   isa::Opcode::kVector,  isa::Opcode::kJump};
  const isa::InstructionInfo& info = *isa::find_instruction(static_cast<std::uint32_t>(source.of(opcodes)));
  isa::Instruction instruction;
  instruction.words[0] = static_cast<std::uint32_t>(info.opcode);
  for (int i = 0; i < info.field_count; ++i) {
    const isa::FieldInfo& field = info.fields[i];
    const long long least = source.chance(20) ? field.min : std::max<long long>(field.min, 0);
    const long long most = source.chance(60) ? std::min<long long>(least + 12, field.max) : field.max;
    isa::set_field(field, instruction, source.range(least, most) / field.align * field.align);
  }
  return instruction;
}

/// A legal command, or one of random fields or with flipped bits.
isa::Instruction command(Commands& legal, Source& source) {
  const auto draw = source.range(0, 19);
  if (draw == 0) {
    isa::Instruction flipped = legal.any();
    for (auto flips = source.range(1, 3); flips > 0; --flips) {
      flipped.words[static_cast<std::size_t>(source.range(0, 15))] ^= 1u << source.range(0, 31);
    }
    return flipped;
  }
  return draw <= 3 ? random_fields(source) : legal.any();
}

void set_semaphores(isa::Instruction& instruction, Source& source) {
  const isa::InstructionInfo* info = isa::find_instruction(instruction);
  if (info == nullptr || !info->has_semaphores) return;
  isa::Semaphores semaphores;
  semaphores.wait0_sem = static_cast<std::uint8_t>(source.range(0, 5));
  semaphores.wait0_amount = source.chance(5) ? 1 : 0;
  semaphores.signal0_sem = static_cast<std::uint8_t>(source.range(0, 5));
  semaphores.signal0_amount = source.chance(30) ? source.chance(5) ? 255 : 1 : 0;
  isa::encode(semaphores, instruction);
}

std::vector<isa::Instruction> stream(const Configuration& configuration, const Setting& setting, Source& source) {
  Commands legal(configuration, setting.windows, source);
  const bool only_legal = source.chance(50);  // they race
  std::vector<isa::Instruction> commands;
  for (auto count = source.range(1, 40); count > 0; --count) {
    isa::Instruction one = only_legal ? legal.any() : command(legal, source);
    if (cost(one, configuration) > kLong) continue;
    if (source.chance(50)) set_semaphores(one, source);
    commands.push_back(one);
  }
  isa::End end;
  end.clear = source.chance(15) ? 1 : 0;
  commands.push_back(end.encode());
  commands.resize(std::min(commands.size(), std::size_t{1} << setting.ring_log2));
  return commands;
}

void expect_recorded(Session& session, const Outcome& outcome, std::size_t commands) {
  SCOPED_TRACE(outcome.text());
  if (outcome.error_code == 0) return;
  EXPECT_STRNE(to_string(static_cast<isa::ErrorCode>(outcome.error_code & 0xFF)), "?");
  EXPECT_TRUE(outcome.irq & reg::kIrqStatusError);
  EXPECT_TRUE(outcome.status & reg::kStatusHalted);
  EXPECT_LE(outcome.error_index, commands + kKernelLoads);
  EXPECT_GE(session.device().read_register(reg::kErrorCount), 1u);
}

/// Reads and writes registers while the stream runs. All but counters, interrupts and watchdog are refused while the
/// core is busy; when it is not, they would be taken and are left alone.
void access_registers(Session& session, Source& source) {
  static const std::vector<std::uint32_t> offsets = {reg::kRingBase,
                                                     reg::kRingConfig,
                                                     reg::kWindowBase,
                                                     reg::kWindowSize + reg::kWindowSizeStride,
                                                     reg::kWindowPermission,
                                                     reg::kIrqEnable,
                                                     reg::kHead,
                                                     reg::kWatchdog,
                                                     reg::kControl,
                                                     reg::kErrorCode,
                                                     0x0C4,
                                                     0x5FC,
                                                     0xFFC,
                                                     0x001};
  Backend& device = session.device();
  for (auto accesses = source.range(1, 12); accesses > 0; --accesses) {
    device.run(static_cast<std::uint64_t>(source.range(0, 200)));
    const std::uint32_t offset = source.of(offsets);
    const bool locked = offset == reg::kRingBase || offset == reg::kRingConfig || offset >= reg::kWindowBase;
    try {
      if (source.chance(50)) {
        device.read_register(offset);
      } else if (offset == reg::kControl) {
        device.write_register(offset, source.chance(20) ? reg::kControlReset : reg::kControlClearCounters);
      } else if (offset == reg::kIrqEnable) {
        device.write_register(offset, reg::kIrqEnableDone | reg::kIrqEnableError);
      } else if (offset == reg::kWatchdog) {
        device.write_register(offset, static_cast<std::uint32_t>(source.chance(50) ? 0 : source.range(500, 2000)));
      } else if (!locked || (session.status() & reg::kStatusBusy) != 0) {
        device.write_register(offset, static_cast<std::uint32_t>(source.word()) & 0xFFFC0);
      }
    } catch (const Failure&) {}  // SLVERR
  }
}

void run_streams(int rounds, bool with_registers) {
  int bursts = 0, errors = 0, good = 0;
  test::rounds(rounds, [&](std::uint64_t seed) {
    Source source(seed);
    const Setting setting = random_setting(source);
    Pair pair(random_timing("tiny", source), setting, source);
    pair.rtl.fill(source.word());
    Guard guard(setting.windows, pair.rtl.configuration().dim);
    for (int again = 0; again < (with_registers ? 1 : 3); ++again) {
      const std::vector<isa::Instruction> commands = stream(pair.rtl.configuration(), setting, source);
      pair.rtl.device().observe(&guard);
      pair.rtl.start({commands, {}, 1});
      if (with_registers) access_registers(pair.rtl, source);
      const Outcome outcome = pair.rtl.finish(kQuiet);
      expect_recorded(pair.rtl, outcome, commands.size());
      pair.rtl.device().observe(nullptr);
      (outcome.good() ? good : errors) += 1;
      ASSERT_TRUE(pair.rtl.reset()) << outcome.text();
      ASSERT_EQ(pair.rtl.status(), 0u);
    }
    bursts += guard.bursts;
    pair.rtl.device().write_register(reg::kWatchdog, reg::kWatchdogReset);
    pair.expect_sound();
  });
  EXPECT_GT(bursts, 5 * rounds);
  EXPECT_GT(errors, rounds / 10);
  if (!with_registers) {  // else nearly every one ends with a refused access
    EXPECT_GT(good, rounds / 10);
  }
}

TEST(Streams, StayInTheirWindows) { run_streams(40, false); }
TEST(Streams, WithRegisterAccesses) { run_streams(40, true); }

/// Rubbish in one or several words of a legal kernel, or in its arguments.
void spoil(std::vector<kernel::Word>& words, isa::Vector& op, std::size_t length, const Configuration& c,
           Source& source) {
  const auto kind = source.range(0, 3);
  for (auto changes = source.range(1, 4); changes > 0; --changes) {
    const auto at = static_cast<std::size_t>(op.entry + source.range(0, static_cast<long long>(length) - 1));
    kernel::Word& word = words.at(at);
    if (kind == 0) {
      word ^= kernel::Word{1} << source.range(0, 63);
    } else if (kind == 1) {
      word = source.word();
    } else if (kind == 2) {  // bases and strides, which lie in the middle
      word ^= source.word() & 0x0000'00FF'F800'0000;
    }
  }
  const auto row = [&] {
    return static_cast<std::uint32_t>(source.chance(70) ? source.range(0, c.scratch_end() + 8)
                                                        : static_cast<long long>(source.word() >> 32));
  };
  op.arg0 = source.chance(60) ? row() : op.arg0;
  op.arg4 = source.chance(30) ? row() : op.arg4;
  op.arg5 = source.chance(30) ? static_cast<std::uint32_t>(source.range(0, 40)) : op.arg5;
}

/// Whether a kernel ends, well or with an error, before it has executed so many words.
bool is_short(const std::vector<kernel::Word>& words, const isa::Vector& op) {
  try {
    kernel::Sequencer sequencer(words, op.entry, kernel::arguments_of(op));
    for (int steps = 0; sequencer.next() != nullptr; ++steps) {
      if (steps > 1000 || sequencer.executed() > 10'000) return false;
    }
  } catch (const kernel::KernelFault&) {}
  return true;
}

TEST(Streams, KernelsOfRubbishDoTheSameAsOnTheModel) {
  int good = 0, errors = 0;
  test::rounds(40, [&](std::uint64_t seed) {
    Source source(seed);
    Setting setting;
    setting.windows[0] = {0, static_cast<std::uint32_t>(kMemoryBytes), isa::kPermissionRead | isa::kPermissionWrite};
    setting.windows[3] = {kCode, kCodeBytes, isa::kPermissionExecute};
    Pair pair(random_timing("tiny", source), setting, source);
    pair.fill();
    const Configuration& c = pair.rtl.configuration();
    test::RandomVectors draw(c, source.word());
    for (int again = 0; again < 5; ++again) {
      const test::RandomVector legal = draw.next();
      std::vector<kernel::Word> words(kernel::kMemoryWords, 0);
      std::copy(legal.words.begin(), legal.words.end(), words.begin() + legal.op.entry);
      isa::Vector op = legal.op;
      spoil(words, op, legal.words.size(), c, source);
      if (!is_short(words, op)) continue;
      const std::size_t bytes = words.size() * sizeof words[0];
      isa::Load load;
      load.space = static_cast<std::uint8_t>(isa::Space::kKernel);
      load.src = kImage;
      load.run_bytes = static_cast<std::uint32_t>(bytes);
      load.pieces = static_cast<std::uint16_t>(kernel::memory_rows(c.dim));
      load.piece_step = load.piece_bytes = load.slot_bytes = static_cast<std::uint16_t>(load.run_bytes / load.pieces);
      load.dst_piece = load.valid_to = 1;
      load.sem.signal0_amount = op.sem.wait0_amount = 1;
      const Batch batch{{load.encode(), op.encode(), isa::End{}.encode()}, {}, 1};
      for (Session* side : {&pair.model, &pair.rtl}) {
        side->device().wait_copy(side->device().copy_to_device(kImage, words.data(), bytes));
      }
      const Outcome expected = pair.model.run(batch), actual = pair.rtl.run(batch);
      ASSERT_TRUE(Record(expected) == Record(actual)) << "model " << expected.text() << "\nrtl " << actual.text();
      (actual.good() ? good : errors) += 1;
      if (actual.good()) {
        ASSERT_EQ(difference(pair.model.dump(), pair.rtl.dump(), c), "");
      } else {
        ASSERT_TRUE(pair.model.reset() && pair.rtl.reset());
        pair.fill();
      }
    }
  });
  EXPECT_GT(good, 10);
  EXPECT_GT(errors, 10);
}

}  // namespace
}  // namespace systole::programs
