// SPDX-License-Identifier: Apache-2.0
#include "kernel_text.hpp"

namespace systole::network {
namespace {

constexpr int kNewtonSteps = 3;

}  // namespace

void append_word_step(KernelText& text, const std::string& operand) {
  text.line("add {0}_word, {0}_plane, {0}_plane", operand);
  text.line("add {0}_word, {0}_word, {0}_word", operand);
}

void append_near_exponential(KernelText& text, const std::string& x) {
  text.line("set value, -87.5");
  text.line("fmax {0}, {0}, value", x);
  text.line("set value, 1.44269504088896341");
  text.line("fmul {0}, {0}, value", x);
  text.line("to_int whole, {}", x);
  text.line("to_float steps, whole");
  text.line("fsub {0}, {0}, steps", x);
  text.line("set value, 9.58285294e-3");
  text.line("fmul sum, {}, value", x);
  for (const char* factor : {"5.59064262e-2", "2.40240991e-1", "6.93124175e-1"}) {
    text.line("set value, {}", factor);
    text.line("fadd sum, sum, value");
    text.line("fmul sum, sum, {}", x);
  }
  text.line("set value, 1.0");
  text.line("fadd sum, sum, value");
  text.line("shift_left whole, whole, 23");
  text.line("iadd {}, sum, whole", x);
}

void append_near_reciprocal(KernelText& text, const std::string& x) {
  text.line("set value, 0x7ef311c7");
  text.line("isub sum, value, {}", x);
  text.line("set value, 2.0");
  for (int step = 0; step < kNewtonSteps; ++step) {
    text.line("fmul part, {}, sum", x);
    text.line("fsub part, value, part");
    text.line("fmul {}, sum, part", step + 1 < kNewtonSteps ? std::string("sum") : x);
  }
}

void append_near_reciprocal_root(KernelText& text, const std::string& x) {
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

void append_near_sigmoid(KernelText& text, const std::string& x) {
  text.line("set value, 0x80000000");
  text.line("xor {0}, {0}, value", x);
  text.line("set value, 80.0");
  text.line("fmin {0}, {0}, value", x);
  append_near_exponential(text, x);
  text.line("set value, 1.0");
  text.line("fadd {0}, {0}, value", x);
  append_near_reciprocal(text, x);
}

}  // namespace systole::network
