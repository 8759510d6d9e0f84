// SPDX-License-Identifier: Apache-2.0
#include "model_bench.hpp"

namespace systole::test {

testing::AssertionResult same_contents(Bench& a, Bench& b) {
  const Configuration& c = a.configuration();
  const auto bytes = static_cast<std::size_t>(c.dim);
  const auto differ = [](const char* memory, int row) {
    return testing::AssertionFailure() << memory << " row " << row << " differs";
  };
  for (int r = 0; r < c.scratch_end(); ++r)
    if (std::memcmp(a.state().scratch(static_cast<std::uint16_t>(r)), b.state().scratch(static_cast<std::uint16_t>(r)),
                    bytes) != 0)
      return differ("scratchpad", r);
  for (int r = 0; r < c.weight_rows; ++r)
    if (std::memcmp(a.state().weight(r), b.state().weight(r), bytes) != 0) return differ("weight", r);
  for (int r = 0; r < c.param_rows; ++r)
    if (std::memcmp(a.state().param(static_cast<std::uint16_t>(r)), b.state().param(static_cast<std::uint16_t>(r)),
                    bytes) != 0)
      return differ("parameter", r);
  for (int r = 0; r < c.acc_rows; ++r)
    if (std::memcmp(a.state().accumulator(r), b.state().accumulator(r), 4 * bytes) != 0)
      return differ("accumulator", r);
  std::vector<std::int8_t> left(kMemoryBytes), right(kMemoryBytes);
  a.memory.read(0, left.data(), left.size());
  b.memory.read(0, right.data(), right.size());
  if (left != right) return testing::AssertionFailure() << "device memory differs";
  return testing::AssertionSuccess();
}

}  // namespace systole::test
