// SPDX-License-Identifier: Apache-2.0
#include "kernel_text.hpp"

namespace systole::network {

void append_word_step(KernelText& text, const std::string& operand) {
  text.line("add {0}_word, {0}_plane, {0}_plane", operand);
  text.line("add {0}_word, {0}_word, {0}_word", operand);
}

void append_near_reciprocal_root(KernelText& text, const std::string& x) {
  constexpr int kNewtonSteps = 3;
  text.line("shift_logical sum, {}, 1", x);
  text.line("set value, 0x5f3759df");
  text.line("isub sum, value, sum");
  text.line("set value, 0.5");
  text.line("fmul steps, {}, value", x);
  text.line("set value, 1.5");
  for (int step = 0; step < kNewtonSteps; ++step) {
    text.line("fmul part, sum, steps");
    text.line("fmul part, sum, part");
    text.line("fsub part, value, part");
    text.line("fmul {}, sum, part", step + 1 < kNewtonSteps ? std::string("sum") : x);
  }
}

}  // namespace systole::network
