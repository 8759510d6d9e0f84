// SPDX-License-Identifier: Apache-2.0
// SYSTOLE_WIDE compiles a function twice: for any machine, and for those with wider registers, without fused
// multiply-adds, which would round differently.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define SYSTOLE_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define SYSTOLE_WIDE
#endif
