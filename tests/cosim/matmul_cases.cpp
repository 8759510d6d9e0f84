// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "cases.hpp"
#include "compare.hpp"
#include "matmul.hpp"

namespace systole::cosim {
namespace {

Requantize random_stage(Source& source, int depth, int columns) {
  Requantize r;
  r.scale = source.scales(depth, columns);
  r.zero_point = source.range(-30, 30);
  r.rounding = static_cast<Rounding>(source.range(0, 2));
  if (source.range(0, 1) == 1) {
    r.clamp_min = static_cast<std::int8_t>(source.range(-128, 0));
    r.clamp_max = static_cast<std::int8_t>(source.range(1, 127));
  }
  return r;
}

Case matmul_case(int m, int k, int n) {
  return {fmt::format("matmul_{}x{}x{}", m, k, n),
          "matmul",
          {m, k, n},
          [=](Device& device, const RunOptions& options, std::uint64_t seed) {
            Source source(seed);
            const auto a = source.bytes(static_cast<std::size_t>(m) * static_cast<std::size_t>(k));
            const auto b = source.bytes(static_cast<std::size_t>(k) * static_cast<std::size_t>(n));
            const auto bias = source.words(static_cast<std::size_t>(n), 20000);
            const int zero_point = source.range(-5, 5);
            const Requantize stage = random_stage(source, k, n);
            const auto result = matmul(device, a, b, m, k, n, bias, stage, zero_point, options);
            return golden::difference(golden::matmul({m, k, a}, {k, n, b}, bias, stage, zero_point),
                                      golden::Matrix8{m, n, result.tensor.data});
          }};
}

Case raw_case(int m, int k, int n) {
  return {
      fmt::format("matmul_raw_{}x{}x{}", m, k, n),
      "matmul_raw",
      {m, k, n},
      [=](Device& device, const RunOptions& options, std::uint64_t seed) {
        Source source(seed);
        const auto a = source.bytes(static_cast<std::size_t>(m) * static_cast<std::size_t>(k));
        const auto b = source.bytes(static_cast<std::size_t>(k) * static_cast<std::size_t>(n));
        const auto result = matmul_raw(device, a, b, m, k, n, options);
        return golden::difference(golden::matmul_raw({m, k, a}, {k, n, b}), golden::Matrix32{m, n, result.tensor.data});
      }};
}

Case dense_case(int m, int k, int n) {
  return {fmt::format("dense_{}x{}x{}", m, k, n),
          "dense",
          {m, k, n},
          [=](Device& device, const RunOptions& options, std::uint64_t seed) {
            Source source(seed);
            const auto input = source.bytes(static_cast<std::size_t>(m) * static_cast<std::size_t>(k));
            const auto weights = source.bytes(static_cast<std::size_t>(k) * static_cast<std::size_t>(n));
            const auto bias = source.words(static_cast<std::size_t>(n), 20000);
            const int zero_point = source.range(-128, 127);
            const Requantize stage = random_stage(source, k, n);
            const auto result = dense(device, input, weights, m, k, n, bias, zero_point, stage, options);
            return golden::difference(golden::dense({m, k, input}, {n, k, weights}, bias, stage, zero_point),
                                      golden::Matrix8{m, n, result.tensor.data});
          }};
}

}  // namespace

std::vector<Case> matmul_cases(int dim) {
  std::vector<Case> list;
  // Each size at 0, 1 and dim-1 modulo the array side.
  const int sizes[] = {2 * dim, 2 * dim + 1, 3 * dim - 1};
  for (const int m : sizes) {
    for (const int k : sizes) {
      for (const int n : sizes) {
        list.push_back(matmul_case(m, k, n));
      }
    }
  }
  for (const int edge : {1, 2, dim - 1, dim, dim + 1}) {
    list.push_back(matmul_case(edge, edge, edge));
  }
  list.push_back(matmul_case(1, 5 * dim + 3, 3 * dim + 1));
  list.push_back(matmul_case(4 * dim, 4 * dim, 4 * dim));
  list.push_back(matmul_case(37, 1, 29));
  list.push_back(matmul_case(16 * dim + 5, 3 * dim, 2 * dim));
  list.push_back(matmul_case(3 * dim, 70 * dim + 1, 2 * dim));  // more blocks than rings hold
  list.push_back(matmul_case(9 * dim, 40 * dim, 9 * dim + 2));  // activations do not stay
  list.push_back(matmul_case(2 * dim, 2 * dim, 40 * dim + 3));  // more columns than parameter rows
  list.push_back(raw_case(2 * dim + 1, 3 * dim - 1, 2 * dim + 3));
  list.push_back(raw_case(1, dim, 1));
  list.push_back(raw_case(20 * dim, 2 * dim, dim));
  list.push_back(dense_case(1, 4 * dim + 1, 10));
  list.push_back(dense_case(5, 64, 3 * dim));
  list.push_back(dense_case(2, 90 * dim, dim + 1));
  list.push_back(raw_case(2 * dim, 3 * dim, dim));
  list.push_back(dense_case(dim, 3 * dim, 2 * dim));
  list.push_back(dense_case(3, 2 * dim + 1, dim + 2));
  return list;
}

}  // namespace systole::cosim
