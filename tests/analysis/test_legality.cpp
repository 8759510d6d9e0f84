// SPDX-License-Identifier: Apache-2.0
// Each rule on whole programs refuses a violation, with index, text and remedy, and accepts the repaired program.
#include "systole/legality.hpp"

#include <gtest/gtest.h>

#include "handwritten_program.hpp"

namespace systole {
namespace {

using namespace test;

const Configuration& kConfiguration = kConfigurations[0];  // tiny

void expect_legal(const Program& p, const AddressWindows& windows = open_windows()) {
  const auto refusal = check_program(p.commands, kConfiguration, windows);
  EXPECT_FALSE(refusal) << refusal->text();
}

void expect_refused(const Program& p, std::size_t index, const std::string& part,
                    const AddressWindows& windows = open_windows()) {
  const auto refusal = check_program(p.commands, kConfiguration, windows);
  ASSERT_TRUE(refusal) << part;
  EXPECT_EQ(refusal->index, index) << refusal->text();
  EXPECT_NE(refusal->problem.find(part), std::string::npos) << refusal->text();
  EXPECT_FALSE(refusal->remedy.empty());
  EXPECT_NE(refusal->text().find(refusal->command), std::string::npos);
}

TEST(Legality, GoodPrograms) {
  expect_legal({});
  expect_legal(pipeline(1));
  expect_legal(pipeline(2));
  expect_legal(pipeline(50));
}

TEST(Legality, Fields) {
  auto map = map_row(0, 1);
  map.clamp_min = 1;
  expect_refused(Program() << isa::SyncMxu{} << map, 1, "clamp_min exceeds clamp_max");
}

TEST(Legality, Rows) {
  expect_legal(Program() << load_row(isa::Space::kScratch, 959));
  expect_refused(Program() << load_row(isa::Space::kScratch, 960), 0, "scratchpad row 960; there are 960");
  expect_refused(Program() << load_row(isa::Space::kParam, 256), 0, "parameter row 256");
  expect_legal(Program() << load_row(isa::Space::kWeight, 65535));
  expect_refused(Program() << store_row(960), 0, "reads scratchpad row 960");
  expect_refused(Program() << conv_row(0, 64), 0, "writes accumulator row 64");
  expect_refused(Program() << conv_row(960, 0), 0, "reads scratchpad row 960");
  auto padded = conv_row(960, 0);
  padded.x0 = -1;
  expect_legal(Program() << padded);
  auto deep = conv_row(0, 0);
  deep.blocks = 64;
  deep.plane_stride = 1;
  expect_legal(Program() << deep);
  deep.blocks = 65;
  expect_refused(Program() << deep, 0, "needs 260 weight rows; the ring has 256");
  isa::Depthwise lanes;
  lanes.blocks = 256;
  lanes.acc_row = 0;
  expect_refused(Program() << lanes, 0, "writes accumulator row 64");
  lanes.blocks = 257;
  expect_refused(Program() << lanes, 0, "needs 257 weight rows; the ring has 256");
  auto drain = drain_row(0, 0);
  drain.params = 248;
  expect_refused(Program() << drain, 0, "reads parameter row 256");
  expect_refused(Program() << drain_row(64, 0), 0, "reads accumulator row 64");
  expect_refused(Program() << preload_row(0, 64), 0, "writes accumulator row 64");
  expect_refused(Program() << map_row(0, 960), 0, "writes scratchpad row 960");
}

TEST(Legality, Coordinates) {
  auto conv = conv_row(0, 0);
  conv.in_width = conv.stride_w = conv.out_width = 60;
  expect_legal(Program() << conv);
  conv.x0 = 32767;  // all padding
  conv.kernel_w = 64;
  conv.dilation_w = 255;
  expect_legal(Program() << conv);
  auto far = conv_row(0, 0);
  far.y0 = 32767;
  far.out_height = 64;
  far.stride_h = 255;
  far.kernel_h = 64;
  far.dilation_h = 255;
  expect_legal(Program() << far);
}

TEST(Legality, Windows) {
  auto windows = open_windows();
  windows[1] = {0, 100, isa::kPermissionRead};
  auto load = load_row(isa::Space::kScratch, 0, 96);
  load.window = 1;
  expect_legal(Program() << load, windows);
  load.count0 = 2;
  load.src_stride0 = 1;
  expect_legal(Program() << load, windows);  // the second run is all fill
  load.valid_to = 2;
  expect_refused(Program() << load, 0, "4 bytes at offset 0x61 leave window 1 of 100 bytes", windows);
  auto store = store_row(0);
  store.window = 1;
  expect_refused(Program() << store, 0, "has no write permission", windows);
  isa::Jump jump;
  jump.window = 1;
  expect_refused(Program() << jump, 0, "has no execute permission", windows);
  windows[1] = {64, 128, isa::kPermissionExecute};
  jump.count = 2;
  expect_legal(Program() << jump, windows);
  jump.count = 3;
  expect_refused(Program() << jump, 0, "leave window 1", windows);
  jump.count = 1;
  windows[1].base = 32;
  expect_refused(Program() << jump, 0, "multiple of 64", windows);
  windows[1] = {0xfffffff0, 0x100, isa::kPermissionRead};
  load.valid_to = 1;
  load.src = 14;
  expect_refused(Program() << load, 0, "address space", windows);
}

TEST(Legality, BlocksInOrder) {
  expect_refused(Program() << waiting(isa::SyncVpu{}, 3) << signalling(isa::SyncMxu{}, 3), 0,
                 "waits for 1 of semaphore 3, which holds 0");
  expect_refused(Program() << signalling(isa::SyncMxu{}, 3) << waiting(isa::SyncVpu{}, 3, 2), 1, "holds 1");
  expect_legal(Program() << signalling(isa::SyncMxu{}, 3) << waiting(isa::SyncVpu{}, 3));
}

TEST(Legality, ZeroAtEnd) {
  expect_refused(Program() << signalling(isa::SyncMxu{}, 3) << isa::End{} << waiting(isa::SyncVpu{}, 3), 1,
                 "semaphore 3 holds 1 at the end");
  expect_refused(Program() << signalling(isa::SyncMxu{}, 3), 0, "semaphore 3 holds 1 at the end");
}

TEST(Legality, OverflowInOrder) {
  Program p;
  p << signalling(isa::SyncMxu{}, 3, 200) << signalling(isa::SyncMxu{}, 3, 56);
  expect_refused(p, 1, "raises semaphore 3 to 256");
}

TEST(Legality, OverflowByRunningAhead) {
  const auto program = [](bool held_back) {
    Program p;  // in order the semaphore never passes 1; LOAD alone can give 300
    for (int t = 0; t < 300; ++t) {
      isa::SyncLoad load;
      if (held_back && t > 0) load = waiting(load, 1);
      p << signalling(load, 0);
      isa::SyncMxu mxu;
      if (held_back) mxu = signalling(mxu, 1);
      p << waiting(mxu, 0);
    }
    if (held_back) p << waiting(isa::SyncLoad{}, 1);
    return p;
  };
  expect_refused(program(false), 510, "can raise semaphore 0 to 256");
  expect_legal(program(true));
}

TEST(Legality, TwoWaitersNeedAnOrder) {
  Program p;
  p << signalling(isa::SyncLoad{}, 0) << waiting(isa::SyncMxu{}, 0) << signalling(isa::SyncLoad{}, 0)
    << waiting(isa::SyncVpu{}, 0);
  expect_refused(p, 3, "another engine waits for");
  Program ordered;  // the MXU tells the VPU that it has taken its unit
  ordered << signalling(isa::SyncLoad{}, 0) << signalling(waiting(isa::SyncMxu{}, 0), 1)
          << signalling(isa::SyncLoad{}, 0) << waiting(isa::SyncVpu{}, 1) << waiting(isa::SyncVpu{}, 0);
  expect_legal(ordered);
  Program separated;
  separated << signalling(isa::SyncLoad{}, 0) << waiting(isa::SyncMxu{}, 0) << isa::End{}
            << signalling(isa::SyncLoad{}, 0) << waiting(isa::SyncVpu{}, 0);
  expect_legal(separated);
}

}  // namespace
}  // namespace systole
