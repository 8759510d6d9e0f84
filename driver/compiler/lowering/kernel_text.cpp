// SPDX-License-Identifier: Apache-2.0
#include "kernel_text.hpp"

namespace systole::network {
namespace {

constexpr int kNewtonSteps = 3;

}  // namespace

void append_exponential(KernelText& text, const std::string& x) {
  text.line("set value, -88.0");
  text.line("fmax {0}, {0}, value", x);
  text.line("set value, 89.0");
  text.line("fmin {0}, {0}, value", x);
  text.line("set value, 1.44269504088896341");
  text.line("fmul steps, {}, value", x);
  text.line("to_int whole, steps");
  text.line("to_float steps, whole");
  for (const char* log2 : {"0.693359375", "-2.12194440e-4"}) {
    text.line("set value, {}", log2);
    text.line("fmul part, steps, value");
    text.line("fsub {0}, {0}, part", x);
  }
  text.line("set value, 1.9875691500e-4");
  text.line("fmul sum, {}, value", x);
  for (const char* factor : {"1.3981999507e-3", "8.3334519073e-3", "4.1665795894e-2", "1.6666665459e-1"}) {
    text.line("set value, {}", factor);
    text.line("fadd sum, sum, value");
    text.line("fmul sum, sum, {}", x);
  }
  text.line("set value, 5.0000001201e-1");
  text.line("fadd sum, sum, value");
  text.line("fmul part, {0}, {0}", x);
  text.line("fmul sum, sum, part");
  text.line("fadd sum, sum, {}", x);
  text.line("set value, 1.0");
  text.line("fadd sum, sum, value");
  text.line("shift_right part, whole, 1");
  text.line("isub whole, whole, part");
  text.line("iadd part, part, 127");
  text.line("shift_left part, part, 23");
  text.line("fmul sum, sum, part");
  text.line("iadd whole, whole, 127");
  text.line("shift_left whole, whole, 23");
  text.line("fmul {}, sum, whole", x);
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
    text.line("fmul part, sum, sum");
    text.line("fmul part, part, steps");
    text.line("fsub part, value, part");
    text.line("fmul {}, sum, part", step + 1 < kNewtonSteps ? std::string("sum") : x);
  }
}

void append_near_sigmoid(KernelText& text, const std::string& x) {
  text.line("set value, 0x80000000");
  text.line("xor {0}, {0}, value", x);
  text.line("set value, 80.0");
  text.line("fmin {0}, {0}, value", x);
  append_exponential(text, x);
  text.line("set value, 1.0");
  text.line("fadd {0}, {0}, value", x);
  append_near_reciprocal(text, x);
}

}  // namespace systole::network
