// SPDX-License-Identifier: Apache-2.0
// The vector unit alone: the cost model is exact, cycle for cycle.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <random>

#include "../../rtl/processor/random_vector_kernels.hpp"
#include "command_times.hpp"
#include "cores.hpp"
#include "library_calls.hpp"
#include "seed.hpp"

namespace systole::test {

namespace {

class VectorUnit : public ::testing::TestWithParam<std::string> {
 protected:
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  std::uint16_t u16(int low, int high) { return static_cast<std::uint16_t>(low + below(high - low + 1)); }

  isa::Instruction library_call(const kernel::Kernel& kernel) {
    isa::Vector vector;
    kernel::set_arguments(vector, random_arguments(kernel, core_.configuration(), random_));
    return vector.encode();
  }

  template <class Op>
  isa::Instruction on_image(Op op) {
    op.src = u16(0, 20);
    op.dst = u16(0, 20);
    op.out_height = u16(1, 2);
    op.out_width = u16(1, 14);
    return op.encode();
  }

  template <class Op>
  isa::Instruction of_two() {
    Op op;
    op.src2 = u16(0, 50);
    op.clamp_min = -128;
    op.clamp_max = 127;
    return on_image(op);
  }

  template <class Op>
  isa::Instruction pool() {
    Op op;
    op.in_height = u16(1, 8);
    op.in_width = u16(1, 8);
    op.src_stride = op.in_width;
    op.kernel_h = static_cast<std::uint8_t>(1 + below(3));
    op.kernel_w = static_cast<std::uint8_t>(1 + below(3));
    op.x0 = static_cast<std::int16_t>(-below(op.kernel_w));
    op.y0 = static_cast<std::int16_t>(-below(op.kernel_h));
    op.clamp_min = -128;
    op.clamp_max = 127;
    return on_image(op);
  }

  /// A command other than VECTOR.
  isa::Instruction random_command() {
    switch (below(11)) {
      case 0: {
        isa::Drain residual;
        residual.residual = 1;
        residual.src2 = u16(0, 50);
        return on_image(residual);
      }
      case 1: {
        isa::Drain32 drain32;
        drain32.plane_stride = u16(1, 60);
        return on_image(drain32);
      }
      case 2: {
        isa::Preload preload;
        preload.plane_stride = u16(1, 60);
        preload.src = u16(0, 20);
        preload.dst = u16(0, 20);
        preload.out_height = u16(1, 2);
        preload.out_width = u16(1, 14);
        return preload.encode();
      }
      case 3: return pool<isa::Maxpool>();
      case 4: return pool<isa::Avgpool>();
      case 5: return of_two<isa::Add>();
      case 6: return of_two<isa::Multiply>();
      case 7:
      case 8: {
        isa::Table table;
        table.words = static_cast<std::uint8_t>(below(2));
        return table.encode();
      }
      case 9: return on_image(isa::Map{});
      default: return on_image(isa::Drain{});
    }
  }

  std::mt19937_64 random_{seed()};
  CommandTimes core_{GetParam().c_str()};
};

TEST_P(VectorUnit, TakesThePredictedCyclesForLibraryKernels) {
  for (const std::string& name : library_names()) {
    for (int i = 0; i < 6 && !HasFailure(); ++i) {
      const kernel::Kernel& kernel = random_formats(name, random_);
      SCOPED_TRACE(kernel.name);
      core_.load(kernel.words);
      expect_predicted(core_, {library_call(kernel)});
    }
  }
}

TEST_P(VectorUnit, TakesThePredictedCyclesForRandomKernels) {
  RandomVectorKernels generate(core_.configuration().scratch_rows, core_.configuration().acc_rows, random_());
  constexpr int kLongest = 3000;
  for (int i = 0; i < 200 && !HasFailure(); ++i) {
    const RandomKernel kernel = generate.make();
    std::vector<kernel::Word> words(kernel.entry);
    words.insert(words.end(), kernel.words.begin(), kernel.words.end());
    if (steps_of(words, kernel.entry, kernel.arguments, kLongest) < kLongest) {
      SCOPED_TRACE(text_of(kernel));
      core_.load(words);
      isa::Vector vector;
      vector.entry = static_cast<std::uint16_t>(kernel.entry);
      kernel::set_arguments(vector, kernel.arguments);
      expect_predicted(core_, {vector.encode()});
    }
  }
}

TEST_P(VectorUnit, TakesThePredictedCyclesForEachCommand) {
  for (int i = 0; i < 200 && !HasFailure(); ++i) {
    expect_predicted(core_, {random_command()});
  }
}

/// Each is taken while the rows of the one before it are in the pipeline.
TEST_P(VectorUnit, TakesThePredictedCyclesForCommandsInSequence) {
  const std::vector<std::string> names = library_names();
  for (int i = 0; i < 100 && !HasFailure(); ++i) {
    const kernel::Kernel& kernel =
        random_formats(names[static_cast<std::size_t>(below(static_cast<int>(names.size())))], random_);
    SCOPED_TRACE(kernel.name);
    core_.load(kernel.words);
    std::vector<isa::Instruction> commands;
    for (int k = 0; k < 6; ++k) {
      commands.push_back(below(3) == 0 ? library_call(kernel) : random_command());
    }
    expect_predicted(core_, commands);
  }
}

/// Its sequencer runs ahead meanwhile.
TEST_P(VectorUnit, TakesThePredictedCyclesForAKernelThatWaits) {
  const kernel::Kernel kernel = kernel::assemble(
      "kernel k(a)\nvector x\nmove x, 1\nadd a, a, 1\nadd a, a, 1\nadd a, a, 1\nadd a, a, 1\nadd a, a, 1\n"
      "add a, a, 1\nmove x, 2\nend\n");
  core_.load(kernel.words);
  for (int rows = 1; rows < 4; ++rows) {
    isa::Add add;
    add.out_width = static_cast<std::uint16_t>(rows);
    expect_predicted(core_, {add.encode(), isa::Vector{}.encode(), isa::Vector{}.encode()});
  }
}

INSTANTIATE_TEST_SUITE_P(Cores, VectorUnit, ::testing::ValuesIn(built_among({"tiny", "default"})),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace systole::test
