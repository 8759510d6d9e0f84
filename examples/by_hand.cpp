// SPDX-License-Identifier: Apache-2.0
// A program written by hand: by_hand [BACKEND]
//
// Multiplies two int8 matrices of DIM x DIM, the size of the array, with five instructions for the core's four
// engines:
//
//   LOAD a -> scratchpad    LOAD b -> weights    CONV -> accumulators    DRAIN32 -> scratchpad    STORE -> device
//   memory
//
// (isa/spec/pages has a page for each). The engines run in parallel and are ordered by semaphores only. An instruction
// waits for semaphores before it begins, and signals semaphores when it is complete. The instructions of one engine
// execute in program order.
#include <fmt/core.h>

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "systole/backends.hpp"
#include "systole/device.hpp"
#include "systole/disassemble.hpp"
#include "systole/golden.hpp"

using namespace systole;

enum : std::uint8_t { kLoaded, kSummed, kDrained };  // semaphores, of 32

int run(const std::string& backend) {
  Device device = Device::open({}, backend);
  const auto dim = static_cast<std::uint16_t>(device.configuration().dim);
  const std::size_t count = std::size_t{dim} * dim;
  std::vector<std::int8_t> a, b;
  for (std::size_t i = 0; i < count; ++i) {
    a.push_back(static_cast<std::int8_t>(i * 7 % 251 - 125));
    b.push_back(static_cast<std::int8_t>(i * 11 % 253 - 126));
  }
  // The matrices are the program's bindings, one after the other: a, b, and the sums.
  const auto b_at = static_cast<std::uint32_t>(count), sums_at = 2 * b_at;

  // One run of bytes, divided into DIM pieces, each of which fills a row of the scratchpad. Addresses are offsets in a
  // window of device memory; the driver opens a window for the bindings, and nothing else can be reached through it.
  isa::Load load;
  load.window = kBindingsWindow;
  load.run_bytes = static_cast<std::uint32_t>(count);
  load.pieces = load.piece_step = load.piece_bytes = load.slot_bytes = dim;
  load.dst_piece = 1;  // distance in rows from one piece to the next
  load.valid_to = 1;   // the first and only run is read from memory, not filled with a constant
  isa::Load load_weights = load;
  load_weights.src = b_at;
  load_weights.space = static_cast<std::uint8_t>(isa::Space::kWeight);
  load_weights.sem = {0, 0, 0, 0, kLoaded, 1, 0, 0};  // no waits; one signal for both loads, which execute in order

  isa::Conv conv;  // a matrix product is a convolution of an image with one row and DIM columns, with a 1x1 kernel
  conv.in_width = conv.out_width = dim;
  conv.sem = {kLoaded, 1, 0, 0, kSummed, 1, 0, 0};
  isa::Drain32 drain;  // a row of int32 sums has 4 * DIM bytes and is written to four rows of the scratchpad, each in
                       // its own plane
  drain.dst = drain.plane_stride = drain.out_width = dim;
  drain.sem = {kSummed, 1, 0, 0, kDrained, 1, 0, 0};
  isa::Store store;  // joins the four rows again
  store.window = kBindingsWindow;
  store.dst = sums_at;
  store.src = store.src_block = store.pieces = dim;
  store.piece_bytes = static_cast<std::uint16_t>(4 * dim);
  store.src_piece = 1;
  store.sem = {kDrained, 1, 0, 0, 0, 0, 0, 0};

  Program program;
  program.binding_bytes = sums_at + 4 * count;
  program.instructions = {load.encode(), load_weights.encode(), conv.encode(), drain.encode(), store.encode()};
  for (const isa::Instruction& instruction : program.instructions) {
    fmt::print("{}\n", isa::disassemble(instruction));
  }

  // With `check`, the driver refuses programs that are illegal, exceed a memory, could hang, or have races: a missing
  // wait above is found before the program runs. The driver appends END, which raises the interrupt.
  RunOptions options;
  options.check = true;
  device.place(program);  // reserves memory for the bindings
  device.write(program.bindings(), a.data(), count);
  device.write(program.bindings(), b.data(), count, b_at);
  const RunStats stats = device.run(program, options);
  std::vector<std::int32_t> sums(count);
  device.read(program.bindings(), sums.data(), 4 * count, sums_at);

  const bool exact = sums == golden::matmul_raw(a, b, dim, dim, dim).data;
  fmt::print("{} commands in {} cycles on {}; {} sums, {}\n", stats.commands, stats.cycles, backend, count,
             exact ? "exact" : "WRONG");
  return exact ? 0 : 1;
}

int main(int argument_count, char** arguments) {
  try {
    return run(argument_count > 1 ? arguments[1] : has_backend("rtl") ? "rtl" : "model");
  } catch (const std::exception& error) {
    fmt::print(stderr, "by_hand: {}\n", error.what());
    return 2;
  }
}
