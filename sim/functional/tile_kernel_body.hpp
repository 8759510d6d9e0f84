// SPDX-License-Identifier: Apache-2.0
// Body of the CONV kernel, written for the vector extension that the including translation unit is compiled for. Pairs
// of int8 products are added by the multiply-add instruction on int16: |a*b + c*d| <= 2^15, so nothing is lost.
// Everything here has internal linkage on purpose.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace {

struct Vector128 {
  using Type = __m128i;
  static Type load(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
  static void store(void* p, Type v) { _mm_storeu_si128(static_cast<__m128i*>(p), v); }
  static Type pair(std::int32_t v) { return _mm_set1_epi32(v); }
  static Type multiply_add(Type sum, Type a, Type b) { return _mm_add_epi32(sum, _mm_madd_epi16(a, b)); }
};

#ifdef __AVX2__
struct Vector256 {
  using Type = __m256i;
  static Type load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
  static void store(void* p, Type v) { _mm256_storeu_si256(static_cast<__m256i*>(p), v); }
  static Type pair(std::int32_t v) { return _mm256_set1_epi32(v); }
  static Type multiply_add(Type sum, Type a, Type b) { return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b)); }
};
#endif

#ifdef __AVX512BW__
struct Vector512 {
  using Type = __m512i;
  static Type load(const void* p) { return _mm512_loadu_si512(p); }
  static void store(void* p, Type v) { _mm512_storeu_si512(p, v); }
  static Type pair(std::int32_t v) { return _mm512_set1_epi32(v); }
  static Type multiply_add(Type sum, Type a, Type b) { return _mm512_add_epi32(sum, _mm512_madd_epi16(a, b)); }
};
#endif

template <int Dim, typename Vector>
void multiply_tile(std::int32_t* sums, const std::int8_t* const* rows, std::size_t positions,
                   const std::int8_t* weights) {
  constexpr int kLanes = static_cast<int>(sizeof(typename Vector::Type) / 4);
  constexpr int kVectors = Dim / kLanes;
  constexpr std::size_t kChunk = 32;
  alignas(64) std::int16_t pairs[Dim / 2][2 * Dim];  // [k/2][2n + k%2]
  for (int k = 0; k < Dim; ++k) {
    for (int n = 0; n < Dim; ++n) {
      pairs[k / 2][2 * n + k % 2] = weights[k * Dim + n];
    }
  }
  alignas(64) std::int16_t wide[kChunk][Dim];
  while (positions > 0) {
    const std::size_t chunk = positions < kChunk ? positions : kChunk;
    for (std::size_t p = 0; p < chunk; ++p) {
      for (int k = 0; k < Dim; ++k) {
        wide[p][k] = rows[p][k];
      }
    }
    for (std::size_t p = 0; p < chunk; ++p) {
      typename Vector::Type sum[kVectors];
      for (int v = 0; v < kVectors; ++v) {
        sum[v] = Vector::load(sums + v * kLanes);
      }
#pragma GCC unroll 16
      for (int k = 0; k < Dim / 2; ++k) {
        std::int32_t both;
        __builtin_memcpy(&both, &wide[p][2 * k], sizeof both);
        const auto activation = Vector::pair(both);
        for (int v = 0; v < kVectors; ++v) {
          sum[v] = Vector::multiply_add(sum[v], activation, Vector::load(&pairs[k][2 * v * kLanes]));
        }
      }
      for (int v = 0; v < kVectors; ++v) {
        Vector::store(sums + v * kLanes, sum[v]);
      }
      sums += Dim;
    }
    rows += chunk;
    positions -= chunk;
  }
}

}  // namespace
