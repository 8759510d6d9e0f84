// SPDX-License-Identifier: Apache-2.0
//
// The two containers of the golden model: a dense NHWC tensor and a dense row-major matrix.
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "systole/errors.hpp"

namespace systole::golden {

struct NhwcShape {
  int batch = 1;
  int height = 1;
  int width = 1;
  int channels = 1;

  std::size_t size() const {
    return std::size_t(batch) * std::size_t(height) * std::size_t(width) * std::size_t(channels);
  }
  std::size_t index(int n, int y, int x, int c) const {
    return ((std::size_t(n) * std::size_t(height) + std::size_t(y)) * std::size_t(width) + std::size_t(x)) *
               std::size_t(channels) +
           std::size_t(c);
  }
};

inline bool operator==(const NhwcShape& a, const NhwcShape& b) {
  return a.batch == b.batch && a.height == b.height && a.width == b.width && a.channels == b.channels;
}
inline bool operator!=(const NhwcShape& a, const NhwcShape& b) { return !(a == b); }

template <class Element>
struct Tensor {
  NhwcShape shape;
  std::vector<Element> data;

  Tensor() : data(shape.size()) {}
  explicit Tensor(const NhwcShape& of) : shape(of), data(of.size()) {}
  Tensor(const NhwcShape& of, std::vector<Element> values) : shape(of), data(std::move(values)) {
    if (data.size() != shape.size()) {
      throw InvalidArgument(fmt::format("tensor of {}x{}x{}x{} given {} elements", shape.batch, shape.height,
                                        shape.width, shape.channels, data.size()));
    }
  }

  Element& at(int n, int y, int x, int c) { return data[shape.index(n, y, x, c)]; }
  const Element& at(int n, int y, int x, int c) const { return data[shape.index(n, y, x, c)]; }
};

template <class Element>
struct Matrix {
  int rows = 0;
  int columns = 0;
  std::vector<Element> data;

  Matrix() = default;
  Matrix(int row_count, int column_count)
      : rows(row_count), columns(column_count), data(std::size_t(row_count) * std::size_t(column_count)) {}
  Matrix(int row_count, int column_count, std::vector<Element> values)
      : rows(row_count), columns(column_count), data(std::move(values)) {
    if (data.size() != std::size_t(rows) * std::size_t(columns)) {
      throw InvalidArgument(fmt::format("matrix of {}x{} given {} elements", rows, columns, data.size()));
    }
  }

  Element& at(int row, int column) { return data[std::size_t(row) * std::size_t(columns) + std::size_t(column)]; }
  const Element& at(int row, int column) const {
    return data[std::size_t(row) * std::size_t(columns) + std::size_t(column)];
  }
};

using Tensor8 = Tensor<std::int8_t>;
using Tensor16 = Tensor<std::int16_t>;
using Tensor32 = Tensor<std::int32_t>;
using Tensor64 = Tensor<std::int64_t>;
using Matrix8 = Matrix<std::int8_t>;
using Matrix32 = Matrix<std::int32_t>;

// int32 bias per output channel; empty means none.
using Bias = std::vector<std::int32_t>;

// Accumulators are 32 bits wide and wrap. Sums here are computed in 64 bits and wrapped once at the end, which gives
// the same result in any order of addition.
inline std::int32_t wrap_to_int32(std::int64_t value) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(value)));
}

}  // namespace systole::golden
