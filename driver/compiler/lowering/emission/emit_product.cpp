// SPDX-License-Identifier: Apache-2.0
#include "emit_product.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace systole::network {
namespace {

using compiler::Builder;
using compiler::ByteBox;
using compiler::ChipPlanes;
using compiler::MatrixView;
using compiler::TensorView;

constexpr int kSumBytes = 4;

/// int8 values whose sum is `value`, for -128 .. 128.
std::vector<int> parts(int value) {
  if (value == 0) {
    return {};
  }
  return value == 128 ? std::vector<int>{64, 64} : std::vector<int>{value};
}

/// One block of the reduction: a matrix, or a constant value for all elements.
struct Factor {
  bool matrix;
  int value;
};
struct Block {
  Factor a, b;
};

/// (a - za)(b - zb) as a sum of products of int8 factors.
std::vector<Block> blocks(int a_zero_point, int b_zero_point) {
  const Factor matrix{true, 0};
  std::vector<Block> result = {{matrix, matrix}};
  for (const int value : parts(-b_zero_point)) {
    result.push_back({matrix, {false, value}});
  }
  for (const int value : parts(-a_zero_point)) {
    result.push_back({{false, value}, matrix});
    for (const int other : parts(-b_zero_point)) {
      result.push_back({{false, value}, {false, other}});
    }
  }
  return result;
}

std::uint64_t bytes_of(int rows, int columns) {
  return static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(columns);
}

std::uint32_t at(std::uint32_t address, std::uint64_t offset) { return static_cast<std::uint32_t>(address + offset); }

/// Copies a stored matrix of rows x columns, or its transpose as it is stored, to rows `to_pitch` apart.
ByteBox laid_out(std::int64_t from, std::int64_t pitch, bool transposed, int rows, int columns, std::uint32_t to,
                 int to_pitch) {
  ByteBox box;
  box.from = from;
  box.to = to;
  if (transposed) {
    box.outer = rows;
    box.inner = columns;
    box.from_outer = 1;
    box.from_inner = pitch;
    box.to_outer = to_pitch;
    box.to_inner = 1;
  } else {
    box.inner = rows;
    box.bytes = columns;
    box.from_inner = pitch;
    box.to_inner = to_pitch;
  }
  return box;
}

/// One value in rows `to_pitch` apart.
ByteBox filled(int value, int rows, int columns, std::uint32_t to, int to_pitch) {
  ByteBox box;
  box.to = to;
  box.inner = rows;
  box.bytes = columns;
  box.to_inner = to_pitch;
  box.fill = static_cast<std::int8_t>(value);
  return box;
}

void emit_raw(Builder& builder, const ProductLayer& layer, const TensorView& a, const TensorView& b,
              const TensorView& result) {
  const auto view = [](std::uint32_t address, const MatrixStack& m, std::size_t i, int bytes) {
    return MatrixView{at(address, static_cast<std::uint64_t>(m.first[i] * bytes)), m.rows, m.columns, m.pitch * bytes};
  };
  for (std::size_t i = 0; i < layer.result.first.size(); ++i) {
    compiler::matmul_raw(builder, view(a.address, layer.a, i, 1), view(b.address, layer.b, i, 1),
                         view(result.address, layer.result, i, kSumBytes));
  }
}

}  // namespace

TensorView matrix_of(const TensorView& tensor, const MatrixStack& matrices, std::size_t i, int dim) {
  const std::int64_t position = matrices.first[i] / tensor.channels;
  const std::int64_t channel = matrices.first[i] % tensor.channels;
  TensorView matrix{0, 1, 1, matrices.rows, matrices.columns, matrices.pitch};
  if (tensor.chip) {
    const ChipPlanes& chip = *tensor.chip;
    matrix.chip = ChipPlanes{static_cast<int>(chip.row + position + channel / dim * chip.plane), chip.plane};
  } else if (matrices.pitch == tensor.channels) {
    matrix.address = at(tensor.address, static_cast<std::uint64_t>(position * tensor.pitch() + channel));
    matrix.pixel_pitch = tensor.pitch();
  } else {
    matrix.address = at(tensor.address, static_cast<std::uint64_t>(matrices.first[i]));
  }
  return matrix;
}

compiler::RightMatrix right_matrix(const ProductLayer& layer, const TensorView& b, std::size_t i) {
  return {{at(b.address, static_cast<std::uint64_t>(layer.b.first[i])), layer.b.rows, layer.b.columns, layer.b.pitch},
          layer.transpose_b};
}

void emit_product_rows(Builder& builder, const ProductLayer& layer, const TensorView& a, const compiler::RightMatrix& b,
                       const TensorView& result, compiler::ProductState& state) {
  compiler::matmul(builder, a, layer.a_zero_point, b, layer.bias, layer.requantize, result, &state);
}

void emit_product(Builder& builder, const ProductLayer& layer, const TensorView& a, const TensorView& b,
                  const TensorView& output) {
  if (is_in_place(layer) && layer.raw) {
    emit_raw(builder, layer, a, b, output);
    return;
  }
  if (is_in_place(layer)) {
    for (std::size_t i = 0; i < layer.result.first.size(); ++i) {
      compiler::ProductState state;
      emit_product_rows(builder, layer, matrix_of(a, layer.a, i, builder.dim()), right_matrix(layer, b, i),
                        matrix_of(output, layer.result, i, builder.dim()), state);
    }
    return;
  }
  const std::vector<Block> sum = blocks(layer.a_zero_point, layer.b_zero_point);
  const int rows = layer.result.rows;
  const int columns = layer.result.columns;
  const int depth = layer.transpose_a ? layer.a.rows : layer.a.columns;
  const int all = depth * static_cast<int>(sum.size());
  // Operands with all blocks in memory of the program's own: values are filled in once, matrices are copied in.
  const MatrixView all_a{builder.temporary(bytes_of(rows, all)), rows, all};
  const MatrixView all_b{builder.temporary(bytes_of(all, columns)), all, columns};
  std::vector<ByteBox> values;
  for (std::size_t block = 0; block < sum.size(); ++block) {
    if (!sum[block].a.matrix) {
      values.push_back(
          filled(sum[block].a.value, rows, depth, at(all_a.address, block * static_cast<std::size_t>(depth)), all));
    }
    if (!sum[block].b.matrix) {
      values.push_back(
          filled(sum[block].b.value, depth, columns, at(all_b.address, block * bytes_of(depth, columns)), columns));
    }
  }
  if (!values.empty()) {
    compiler::move(builder, values);
  }
  for (std::size_t i = 0; i < layer.result.first.size(); ++i) {
    std::vector<ByteBox> boxes;
    for (std::size_t block = 0; block < sum.size(); ++block) {
      if (sum[block].a.matrix) {
        boxes.push_back(laid_out(a.address + layer.a.first[i], layer.a.pitch, layer.transpose_a, rows, depth,
                                 at(all_a.address, block * static_cast<std::size_t>(depth)), all));
      }
      if (sum[block].b.matrix) {
        boxes.push_back(laid_out(b.address + layer.b.first[i], layer.b.pitch, layer.transpose_b, depth, columns,
                                 at(all_b.address, block * bytes_of(depth, columns)), columns));
      }
    }
    compiler::move(builder, boxes);
    const int bytes = layer.raw ? kSumBytes : 1;
    const MatrixView result{at(output.address, static_cast<std::uint64_t>(layer.result.first[i] * bytes)), rows,
                            columns, layer.result.pitch * bytes};
    if (layer.raw) {
      compiler::matmul_raw(builder, all_a, all_b, result);
    } else {
      compiler::matmul(builder, all_a, all_b, layer.bias, layer.requantize, result);
    }
  }
}

}  // namespace systole::network
