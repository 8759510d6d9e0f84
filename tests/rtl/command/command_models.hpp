// SPDX-License-Identifier: Apache-2.0
// The widths under test.
#pragma once

#include "Vcommand_dim16.h"
#include "Vcommand_dim32.h"
#include "Vcommand_dim4.h"
#include "Vcommand_dim8.h"
#include "command_bench.hpp"

namespace systole::test {

using Benches = ::testing::Types<Bench<Vcommand_dim4, 4>, Bench<Vcommand_dim8, 8>, Bench<Vcommand_dim16, 16>,
                                 Bench<Vcommand_dim32, 32>>;

struct BenchNames {
  template <class T>
  static std::string GetName(int) {
    return "dim" + std::to_string(T::kDimension);
  }
};

}  // namespace systole::test
