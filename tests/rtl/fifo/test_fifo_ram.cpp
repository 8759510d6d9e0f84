// SPDX-License-Identifier: Apache-2.0
// The queue in a RAM.
#include "Vfifo_ram_bit.h"
#include "Vfifo_ram_synthesis.h"
#include "Vfifo_ram_table.h"
#include "Vfifo_ram_wide.h"
#include "fifo_bench.hpp"

namespace systole::test {

using Benches =
    testing::Types<Bench<Vfifo_ram_bit, 1, 4, 2>, Bench<Vfifo_ram_table, 31, 128, 2>, Bench<Vfifo_ram_wide, 338, 8, 2>,
                   Bench<Vfifo_ram_synthesis, 145, 16, 2>>;  // as synthesis reads the file
INSTANTIATE_TYPED_TEST_SUITE_P(Ram, Fifo, Benches);

}  // namespace systole::test
