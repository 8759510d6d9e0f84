// SPDX-License-Identifier: Apache-2.0
// A machine with memory and random contents, and the layout of golden tensors in it.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "model_machine.hpp"
#include "systole/requantize.hpp"
#include "tensor.hpp"

namespace systole::test {

inline constexpr std::uint64_t kMemoryBytes = std::uint64_t{1} << 20;

/// Prints the parameter of a test by the configuration's name.
struct ConfigurationName {
  std::string operator()(const testing::TestParamInfo<Configuration>& info) const {
    return std::string(info.param.name);
  }
};

class Bench {
 public:
  explicit Bench(const Configuration& c, std::uint64_t seed = 1)
      : random(seed), memory(kMemoryBytes), machine(c, memory) {
    for (auto& window : machine.state().windows()) {
      window = {0, static_cast<std::uint32_t>(kMemoryBytes), isa::kPermissionRead | isa::kPermissionWrite};
    }
  }

  int dim() const { return machine.state().dim(); }
  model::State& state() { return machine.state(); }
  const Configuration& configuration() const { return machine.state().configuration(); }

  int uniform(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }
  std::int8_t byte() { return static_cast<std::int8_t>(uniform(-128, 127)); }
  std::int32_t word() { return static_cast<std::int32_t>(random()); }

  void randomize() {
    const Configuration& c = configuration();
    for (int r = 0; r < c.scratch_end(); ++r) fill(state().scratch(static_cast<std::uint16_t>(r)), 1);
    for (int r = 0; r < c.weight_rows; ++r) fill(state().weight(r), 1);
    for (int r = 0; r < c.param_rows; ++r) fill(state().param(static_cast<std::uint16_t>(r)), 1);
    for (int r = 0; r < c.acc_rows; ++r) fill(state().accumulator(r), 4);
    fill(state().table().data(), 256 / dim());
    std::vector<std::int8_t> page(kMemoryBytes);
    for (auto& b : page) b = static_cast<std::int8_t>(random());
    memory.write(0, page.data(), page.size());
  }

  template <typename Op>
  void execute(const Op& op) {
    ASSERT_EQ(machine.execute(op.encode()), model::Machine::Outcome::kDone) << machine.error().text;
  }

  /// Writes words to the kernel memory from `entry` on; they must fit.
  void put_kernel(std::uint32_t entry, const std::vector<kernel::Word>& words) {
    std::copy(words.begin(), words.end(), state().kernels().begin() + entry);
  }

  /// Writes a tensor of one image as planes [block][y][x][DIM]; channels past the last are zero. Returns the number of
  /// rows.
  int put_planes(int row, const golden::Tensor8& t) {
    const int blocks = (t.shape.channels + dim() - 1) / dim();
    for (int kb = 0; kb < blocks; ++kb)
      for (int y = 0; y < t.shape.height; ++y)
        for (int x = 0; x < t.shape.width; ++x, ++row)
          for (int n = 0; n < dim(); ++n) {
            const int channel = kb * dim() + n;
            state().scratch(static_cast<std::uint16_t>(row))[n] =
                channel < t.shape.channels ? t.at(0, y, x, channel) : std::int8_t{0};
          }
    return blocks * t.shape.height * t.shape.width;
  }

  golden::Tensor8 get_plane(int row, int height, int width) {
    golden::Tensor8 t(golden::NhwcShape{1, height, width, dim()});
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x, ++row)
        std::memcpy(&t.at(0, y, x, 0), state().scratch(static_cast<std::uint16_t>(row)),
                    static_cast<std::size_t>(dim()));
    return t;
  }

  golden::Tensor8 random_tensor(int height, int width, int channels) {
    golden::Tensor8 t(golden::NhwcShape{1, height, width, channels});
    for (auto& v : t.data) v = byte();
    return t;
  }

  QuantParam random_scale(int min_shift = -8, int max_shift = 0) {
    return {uniform(1 << 30, 0x7fffffff), uniform(min_shift, max_shift)};
  }

  void put_scale(int row, const QuantParam& scale) {
    std::memcpy(state().param(static_cast<std::uint16_t>(row)), &scale.multiplier, 4);
    state().param(static_cast<std::uint16_t>(row + 1))[0] = static_cast<std::int8_t>(scale.shift);
  }

  std::mt19937_64 random;
  model::SparseMemory memory;
  model::Machine machine;

 private:
  void fill(void* row, int times) {
    auto* bytes = static_cast<std::int8_t*>(row);
    for (int i = 0; i < times * dim(); ++i) bytes[i] = static_cast<std::int8_t>(random());
  }
};

/// Whether two machines hold the same on-chip contents; names the first difference.
testing::AssertionResult same_contents(Bench& a, Bench& b);

}  // namespace systole::test
