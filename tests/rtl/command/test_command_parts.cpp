// SPDX-License-Identifier: Apache-2.0
// A core that lacks a part refuses the instructions that need it, and no others.
#include "Vcommand_parts1.h"
#include "Vcommand_parts2.h"
#include "Vcommand_parts4.h"
#include "command_models.hpp"
#include "parts_needed.hpp"
#include "seed.hpp"
#include "systole/disassemble.hpp"

namespace systole::test {
namespace {

/// A command processor of a core with these parts alone.
template <class Model, PartSet parts>
struct With {
  using CommandBench = Bench<Model, 4>;
  static constexpr PartSet kParts = parts;
};

template <class T>
class CommandParts : public ::testing::Test {};
using Cores = ::testing::Types<With<Vcommand_dim4, kAllParts>, With<Vcommand_parts1, 1>, With<Vcommand_parts2, 2>,
                               With<Vcommand_parts4, 4>>;
struct CoreNames {
  template <class T>
  static std::string GetName(int) {
    return "parts" + std::to_string(T::kParts);
  }
};
TYPED_TEST_SUITE(CommandParts, Cores, CoreNames);

TYPED_TEST(CommandParts, AreNeeded) {
  for (const auto& [part, instruction] : instructions_of_parts(4)) {
    const bool there = (TypeParam::kParts & bit(part)) != 0;
    SCOPED_TRACE(isa::disassemble(instruction));
    typename TypeParam::CommandBench bench(seed(), Timing{});
    bench.window(0, 0x10000, 0x1000, isa::kPermissionExecute);
    bench.ring(0, 6, 0);
    bench.put(plain(2, false, {}));
    bench.put(instruction, there);
    bench.put(end_with(1), there);
    bench.ring_bell();
    bench.run_until([&] { return bench.error.has_value() || bench.ends == 1; });
    ASSERT_EQ(bench.error.has_value(), !there);
    if (bench.error) {
      EXPECT_EQ(bench.error->engine, static_cast<unsigned>(isa::Engine::kCommand));
      EXPECT_EQ(bench.error->code, static_cast<unsigned>(isa::ErrorCode::kIllegalInstruction));
      EXPECT_EQ(bench.error->index, 1u);
      EXPECT_EQ(bench.error->address, instruction.words[0]);
    }
  }
}

}  // namespace
}  // namespace systole::test
