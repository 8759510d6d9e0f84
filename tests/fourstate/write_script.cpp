// SPDX-License-Identifier: Apache-2.0
// Writes the script of some conformance cases (script_backend.hpp): every engine, every kind of vector command, borders
// and tails. Fails when the functional model is wrong about one of them.
//
//   write_fourstate_script FILE           on configuration tiny; SYSTOLE_SEED=n for other operands
#include <fmt/core.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include "cases.hpp"
#include "model_backend.hpp"
#include "script_backend.hpp"
#include "seed.hpp"

namespace {

constexpr std::uint64_t kMemoryBytes = std::uint64_t{1} << 20;  // as in bench.sv

// Small cases that together use all engines and all kinds of vector commands.
constexpr const char* kCases[] = {
    "matmul_1x1x1", "matmul_9x8x11",    "matmul_raw_9x11x11", "dense_1x17x10",   "conv_k3s2c3",
    "conv_k2s1c5",  "conv_one_pixel",   "conv_raw_packed",    "max_pool_uneven", "average_pool_3x3_padding_counted",
    "add_1x4x4x4",  "multiply_1x1x1x3", "lookup_1x4x4x4",
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: write_fourstate_script FILE\n");
    return 2;
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> script(std::fopen(argv[1], "w"), &std::fclose);
  if (!script) {
    fmt::print(stderr, "write_fourstate_script: cannot write {}\n", argv[1]);
    return 2;
  }
  systole::BackendOptions options;
  options.configuration = "tiny";
  options.memory_bytes = kMemoryBytes;
  systole::Device device(
      std::make_unique<systole::fourstate::ScriptBackend>(systole::model::open_model(options), script.get()));
  const std::uint64_t base = systole::test::seed();
  for (const char* name : kCases) {
    const systole::cosim::Case test = systole::cosim::operator_case(device.configuration().dim, name);
    const std::uint64_t seed = base ^ std::hash<std::string>{}(test.name);
    if (const auto difference = test.run(device, {}, seed)) {
      fmt::print(stderr, "write_fourstate_script: {}: {}\n", test.name, *difference);
      return 1;
    }
    device.reset();  // the reset by register, from a used state
  }
  return 0;
}
