// SPDX-License-Identifier: Apache-2.0
// Included first in each source file of a Verilated model (SystoleVerilate.cmake). The functions of the model's clock
// edges are compiled twice: for any x86-64 processor, and for those with AVX2 and BMI2. The loader selects the version
// that the processor supports.
#pragma once

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define VL_INLINE_OPT __attribute__((target_clones("arch=x86-64-v3", "default")))
#endif
