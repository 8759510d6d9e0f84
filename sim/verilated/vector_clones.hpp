// SPDX-License-Identifier: Apache-2.0
// Included before everything else in each file of a Verilated model (SystoleVerilate.cmake). Compiles the functions of
// a model's clock edges twice: for any x86-64, and for those with AVX2 and BMI2, which a processor of the last ten
// years has. The loader takes the one that the processor can run.
#pragma once

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define VL_INLINE_OPT __attribute__((target_clones("arch=x86-64-v3", "default")))
#endif
