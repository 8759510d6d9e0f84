// SPDX-License-Identifier: Apache-2.0
#include "builder.hpp"

#include <gtest/gtest.h>

#include "kernels.hpp"
#include "systole/errors.hpp"
#include "systole/kernel_sequencer.hpp"

namespace systole::compiler {
namespace {

/// A builder of a program with bindings that load_rows() reads.
struct TestBuilder : Builder {
  TestBuilder() : Builder(kConfigurations[2]) { EXPECT_EQ(binding(1024), kBindings); }
  static constexpr std::uint32_t kBindings = kRangeAlignment;
};

isa::Load load_rows(int row, int count) {
  isa::Load load;
  load.src = TestBuilder::kBindings;
  load.run_bytes = static_cast<std::uint32_t>(16 * count);
  load.pieces = static_cast<std::uint16_t>(count);
  load.piece_step = load.piece_bytes = load.slot_bytes = 16;
  load.dst = static_cast<std::uint16_t>(row);
  load.dst_piece = 1;
  load.valid_to = 1;
  return load;
}

isa::Map map_rows(int src, int dst, int count) {
  isa::Map map;
  map.src = static_cast<std::uint16_t>(src);
  map.dst = static_cast<std::uint16_t>(dst);
  map.out_width = static_cast<std::uint16_t>(count);
  map.clamp_min = -128;
  map.clamp_max = 127;
  return map;
}

int waits(const isa::Instruction& instruction) {
  const auto sem = isa::decode_semaphores(instruction);
  return (sem.wait0_amount != 0 ? 1 : 0) + (sem.wait1_amount != 0 ? 1 : 0);
}

TEST(Builder, WaitsForReadsAfterWritesOnly) {
  TestBuilder builder;
  builder.begin_operator("test", 0);
  builder.append(load_rows(0, 8));
  builder.append(load_rows(8, 8));
  builder.append(map_rows(100, 200, 8));  // accesses nothing that is loaded
  builder.append(map_rows(8, 300, 8));    // needs the second load
  const Program program = builder.finish();
  ASSERT_EQ(program.instructions.size(), 4u);
  int waiting = 0;
  for (const auto& instruction : program.instructions) {
    if (engine_of(instruction) == isa::Engine::kVpu && waits(instruction) != 0) {
      ++waiting;
      EXPECT_EQ(isa::Map::decode(instruction).src, 8);
    }
  }
  EXPECT_EQ(waiting, 1);
  EXPECT_EQ(program.label(0), "test");
}

TEST(Builder, WaitsForWritesAfterReads) {
  TestBuilder builder;
  builder.append(load_rows(0, 8));
  builder.append(map_rows(0, 300, 8));
  builder.append(load_rows(0, 8));
  const Program program = builder.finish();
  ASSERT_EQ(program.instructions.size(), 3u);
  EXPECT_EQ(waits(program.instructions[2]), 1);
}

TEST(Builder, DispatchesPrefetchesBeforeTheWorkTheyOverlap) {
  TestBuilder builder;
  builder.append(load_rows(0, 64));
  builder.append(map_rows(0, 300, 64));
  builder.append(load_rows(64, 64));  // ready long before the first MAP is
  builder.append(map_rows(64, 400, 64));
  const Program program = builder.finish();
  ASSERT_EQ(program.instructions.size(), 4u);
  EXPECT_EQ(engine_of(program.instructions[1]), isa::Engine::kLoad);
}

/// Number of the LOAD to these rows among the instructions.
std::size_t place_of_load(const Program& program, int row) {
  std::size_t place = 0;
  for (const auto& instruction : program.instructions) {
    if (engine_of(instruction) == isa::Engine::kLoad && isa::Load::decode(instruction).dst == row) {
      return place;
    }
    ++place;
  }
  return place;
}

TEST(Builder, LanesDoNotWaitForEachOther) {
  for (const int lane : {0, 1}) {
    TestBuilder builder;
    builder.append(load_rows(0, 64));
    builder.append(map_rows(0, 1000, 64));
    builder.append(load_rows(8, 56));  // when the MAP has read the rows
    builder.set_lane(lane);
    builder.append(load_rows(300, 8));  // at once, unless it is behind the others
    builder.append(map_rows(300, 2000, 8));
    const Program program = builder.finish();
    EXPECT_EQ(place_of_load(program, 300) < place_of_load(program, 8), lane == 1);
  }
}

TEST(Builder, LanesWaitForWhatTheyRead) {
  TestBuilder builder;
  builder.append(load_rows(0, 64));
  builder.append(map_rows(0, 1000, 64));
  builder.set_lane(1);
  builder.append(load_rows(32, 8));         // the same engine writes the rows first, another one reads them
  builder.append(map_rows(1000, 2000, 8));  // the same engine writes them first
  const Program program = builder.finish();
  EXPECT_LT(place_of_load(program, 0), place_of_load(program, 32));
  EXPECT_EQ(waits(program.instructions[place_of_load(program, 32)]), 1);
  std::vector<int> sources;
  for (const auto& instruction : program.instructions) {
    if (engine_of(instruction) == isa::Engine::kVpu) {
      sources.push_back(isa::Map::decode(instruction).src);
    }
  }
  EXPECT_EQ(sources, (std::vector<int>{0, 1000}));
}

TEST(Builder, RejectsIllegalInstructions) {
  TestBuilder builder;
  isa::Load load = load_rows(0, 8);
  load.lane = 16;
  EXPECT_THROW(builder.append(load), std::logic_error);
  EXPECT_THROW(builder.append(load_rows(kConfigurations[2].scratch_end() - 1, 2)), std::logic_error);
}

TEST(Builder, RejectsAccessesBesideTheProgramsMemory) {
  TestBuilder builder;
  EXPECT_NO_THROW(builder.append(load_rows(0, 64)));
  EXPECT_THROW(builder.append(load_rows(0, 65)), InternalError);  // one row more than was reserved
  isa::Store store;
  store.piece_bytes = 16;
  EXPECT_THROW(builder.append(store), InternalError);  // address 0 was never reserved
  store.dst = builder.temporary(64);
  EXPECT_NO_THROW(builder.append(store));
  store.dst += 64;
  EXPECT_THROW(builder.append(store), InternalError);
}

TEST(Builder, LinksAddressesToWindows) {
  TestBuilder builder;
  const std::uint32_t second = builder.binding(100);
  builder.constant(std::vector<std::uint8_t>(100));
  isa::Load load = load_rows(0, 1);
  load.src = builder.constant(std::vector<std::uint8_t>(16)) - 32;
  load.count0 = 3;
  load.src_stride0 = 32;
  load.valid_from = 1;  // so the first byte that is read is the constant's
  load.valid_to = 2;
  builder.append(load);
  isa::Store store;
  store.piece_bytes = 16;
  store.dst = second;
  builder.append(store);
  store.dst = builder.temporary(4096) + 64;
  builder.append(store);
  const Program program = builder.finish();
  EXPECT_EQ(program.binding_bytes, 1024u + 128);
  EXPECT_EQ(program.constant_bytes, 128u + 64);
  EXPECT_EQ(program.scratch_bytes, 4096u);
  ASSERT_EQ(program.constants.size(), 2u);
  EXPECT_EQ(program.constants[1].offset, 128u);
  ASSERT_EQ(program.instructions.size(), 3u);
  for (const isa::Instruction& instruction : program.instructions) {
    if (engine_of(instruction) == isa::Engine::kLoad) {
      const isa::Load linked = isa::Load::decode(instruction);
      EXPECT_EQ(linked.window, kConstantsWindow);
      EXPECT_EQ(linked.src + 32, 128u);
    } else {
      const isa::Store linked = isa::Store::decode(instruction);
      EXPECT_EQ(linked.window == kBindingsWindow ? 1024u : 64u, linked.dst);
      EXPECT_TRUE(linked.window == kBindingsWindow || linked.window == kScratchWindow);
    }
  }
}

TEST(Builder, IsReusableAfterFinish) {
  TestBuilder builder;
  builder.append(load_rows(0, 8));
  builder.finish();
  builder.append(map_rows(0, 300, 8));
  const Program program = builder.finish();
  ASSERT_EQ(program.instructions.size(), 1u);
  EXPECT_EQ(waits(program.instructions[0]), 0);
}

isa::Vector copy_rows(std::uint16_t entry, std::uint32_t src, std::uint32_t dst) {
  isa::Vector op;
  op.entry = entry;
  kernel::set_arguments(op, {src, dst});
  return op;
}

TEST(Builder, KeepsTheLookUpTableUntilDrainsHaveReadIt) {
  TestBuilder builder;
  builder.set_kernels_apart(true);
  isa::Table table;
  builder.append(table);
  isa::Conv conv;  // the DRAIN waits for it, what follows need not
  conv.in_width = conv.out_width = 512;
  conv.blocks = 4;
  conv.plane_stride = 512;
  builder.append(conv);
  isa::Drain drain;
  drain.table = 1;
  drain.dst = 4096;
  drain.out_height = 1;
  drain.out_width = 512;
  drain.params = 32;
  drain.clamp_min = -128;
  drain.clamp_max = 127;
  builder.append(drain);
  table.params = 16;
  builder.append(table);
  isa::Map map = map_rows(8192, 9000, 8);
  map.table = 1;
  builder.append(map);
  const Program program = builder.finish();
  std::vector<isa::Opcode> vector_unit;
  for (const auto& instruction : program.instructions) {
    if (engine_of(instruction) == isa::Engine::kVpu) {
      vector_unit.push_back(static_cast<isa::Opcode>(instruction.words[0] & 0xFF));
    }
  }
  EXPECT_EQ(vector_unit, (std::vector<isa::Opcode>{isa::Opcode::kTable, isa::Opcode::kDrain, isa::Opcode::kTable,
                                                   isa::Opcode::kMap}));
}

TEST(Builder, KeepsTheTableOfWordsUntilKernelsHaveReadIt) {
  const kernel::Kernel reads =
      kernel::assemble("kernel k(src, dst)\nvector x\nmove x, i8[src]\ntable x, x\nmove i8[dst], x\nend\n");
  const kernel::Kernel copies =
      kernel::assemble("kernel k(src, dst)\nvector x\nmove x, i8[src]\nmove i8[dst], x\nend\n");
  for (const kernel::Kernel* kernel : {&reads, &copies}) {
    TestBuilder builder;
    const std::uint16_t entry = builder.place_kernel(*kernel);
    isa::Table table;
    table.words = 1;
    builder.append(table);
    builder.append(load_rows(0, 64));
    builder.append(copy_rows(entry, 0, 300));  // waits for the rows
    builder.set_lane(1);
    table.params = 64;
    builder.append(table);
    std::vector<isa::Opcode> vector_unit;
    for (const auto& instruction : builder.finish().instructions) {
      if (engine_of(instruction) == isa::Engine::kVpu) {
        vector_unit.push_back(static_cast<isa::Opcode>(instruction.words[0] & 0xFF));
      }
    }
    EXPECT_EQ(vector_unit.back() == isa::Opcode::kTable, kernel == &reads);
  }
}

TEST(Builder, RunsNoOtherKernelBetweenThoseThatShareRegisters) {
  const kernel::Kernel writes = kernel::assemble("kernel k(src, dst)\nvector x\nmove x, i8[src]\nend\n");
  const kernel::Kernel reads = kernel::assemble("kernel k(src, dst)\nvector x\nmove i8[dst], x\nend\n");
  const kernel::Kernel other = kernel::assemble("kernel k(src, dst)\nvector x\nmove x, 1\nmove i8[dst], x\nend\n");
  TestBuilder builder;
  const std::uint16_t first = builder.place_kernel(writes), second = builder.place_kernel(reads),
                      third = builder.place_kernel(other);
  {
    const KeptRegisters registers(builder);
    builder.append(copy_rows(first, 100, 0));
    builder.append(load_rows(0, 64));
    builder.append(copy_rows(second, 0, 0));  // waits for the rows that it replaces
  }
  builder.set_lane(1);
  builder.append(copy_rows(third, 0, 400));  // would wait for nothing
  EXPECT_THROW(builder.append(copy_rows(second, 0, 500)), InternalError);
  std::vector<std::uint16_t> entries;
  for (const auto& instruction : builder.finish().instructions) {
    if (engine_of(instruction) == isa::Engine::kVpu) {
      entries.push_back(isa::Vector::decode(instruction).entry);
    }
  }
  EXPECT_EQ(entries, (std::vector<std::uint16_t>{first, second, third}));
}

TEST(Builder, FollowsTheAccessesOfKernels) {
  const kernel::Kernel copy = kernel::assemble("kernel k(src, dst)\nvector x\nmove x, i8[src]\nmove i8[dst], x\nend\n");
  TestBuilder builder;
  const std::uint16_t entry = builder.place_kernel(copy);
  EXPECT_EQ(builder.place_kernel(copy), entry) << "is in the memory already";
  builder.append(load_rows(0, 8));
  builder.append(copy_rows(entry, 100, 200));  // waits for the kernel alone
  builder.append(copy_rows(entry, 0, 300));    // and this for what it reads
  const Program program = builder.finish();
  ASSERT_EQ(program.instructions.size(), 4u);
  std::vector<int> waiting;
  for (const auto& instruction : program.instructions) {
    if (engine_of(instruction) == isa::Engine::kVpu) {
      waiting.push_back(waits(instruction));
    }
  }
  EXPECT_EQ(waiting, (std::vector<int>{1, 1}));
}

TEST(Builder, ReplacesKernelsWhenTheirMemoryIsFull) {
  std::vector<kernel::Kernel> kernels;
  for (int i = 0; i < 3; ++i) {
    kernels.push_back(kernel::assemble("kernel k(src, dst)\nend\n"));
    kernels.back().words.insert(kernels.back().words.begin(), 499, kernels.back().words.front());
  }
  TestBuilder builder;
  EXPECT_EQ(builder.place_kernel(kernels[0]), 0);
  EXPECT_EQ(builder.place_kernel(kernels[1]), 500);
  builder.append(copy_rows(500, 0, 0));
  EXPECT_EQ(builder.place_kernel(kernels[0]), 0);
  EXPECT_EQ(builder.place_kernel(kernels[2]), 0) << "in place of the others";
  builder.append(copy_rows(0, 0, 0));
  EXPECT_EQ(builder.place_kernel(kernels[1]), 500);  // whose words the first VECTOR still reads
  const Program program = builder.finish();
  ASSERT_EQ(program.instructions.size(), 6u);
  int waiting = 0;
  for (const auto& instruction : program.instructions) {
    waiting += engine_of(instruction) == isa::Engine::kLoad ? waits(instruction) : 0;
  }
  EXPECT_EQ(waiting, 1);
  kernels[0].words.resize(1025, 0);
  TestBuilder other;
  EXPECT_THROW(other.place_kernel(kernels[0]), InternalError);
}

TEST(Builder, OrdersStoresBeforeLoadsOfTheSameTensor) {
  // Two matrix products, the second on the result of the first.
  TestBuilder builder;
  const MatrixView a{builder.temporary(4096), 64, 64, 0};
  const MatrixView b{builder.temporary(4096), 64, 64, 0};
  const MatrixView c{builder.temporary(4096), 64, 64, 0};
  const MatrixView d{builder.temporary(4096), 64, 64, 0};
  matmul(builder, a, b, {}, {}, c);
  matmul(builder, c, b, {}, {}, d);
  const Program program = builder.finish();
  int load_waits_for_store = 0;
  for (const auto& instruction : program.instructions) {
    const auto sem = isa::decode_semaphores(instruction);
    if (engine_of(instruction) == isa::Engine::kLoad) {
      load_waits_for_store +=
          (sem.wait0_amount != 0 && sem.wait0_sem == 12) || (sem.wait1_amount != 0 && sem.wait1_sem == 12);
    }
  }
  EXPECT_GT(load_waits_for_store, 0);
  EXPECT_EQ(program.useful_macs, 2u * 64 * 64 * 64);
}

}  // namespace
}  // namespace systole::compiler
