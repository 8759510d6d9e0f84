// SPDX-License-Identifier: Apache-2.0
// The queue of registers.
#include "Vfifo_bit.h"
#include "Vfifo_deep.h"
#include "Vfifo_slice.h"
#include "Vfifo_synthesis.h"
#include "Vfifo_wide.h"
#include "Vfifo_word.h"
#include "fifo_bench.hpp"

namespace systole::test {

using Benches = testing::Types<Bench<Vfifo_bit, 1, 2, 1>, Bench<Vfifo_word, 32, 4, 1>, Bench<Vfifo_slice, 41, 2, 1>,
                               Bench<Vfifo_wide, 145, 16, 1>, Bench<Vfifo_deep, 517, 64, 1>,
                               Bench<Vfifo_synthesis, 145, 16, 1>>;  // as synthesis reads the file
INSTANTIATE_TYPED_TEST_SUITE_P(Registers, Fifo, Benches);

}  // namespace systole::test
