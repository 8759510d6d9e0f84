// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "activations.hpp"
#include "geometry.hpp"
#include "kernels.hpp"
#include "matrix_weights.hpp"
#include "params.hpp"
#include "plan.hpp"
#include "product_memory.hpp"
#include "product_state.hpp"
#include "systole/errors.hpp"

namespace systole::compiler {
namespace {

void check(const MatrixView& a, const MatrixView& b, const MatrixView& c) {
  if (a.rows < 1 || a.columns < 1 || b.columns < 1) {
    throw InvalidArgument(
        fmt::format("matmul: {}x{} times {}x{}: sizes are at least 1", a.rows, a.columns, b.rows, b.columns));
  }
  if (a.columns != b.rows || c.rows != a.rows || c.columns != b.columns) {
    throw InvalidArgument(fmt::format("matmul: {}x{} times {}x{} does not give {}x{}", a.rows, a.columns, b.rows,
                                      b.columns, c.rows, c.columns));
  }
}

TensorView rows_of(const MatrixView& m) { return {m.address, 1, 1, m.rows, m.columns, m.pitch()}; }

Output output_of(const TensorView& c) { return {c.address, c.channels, c.pitch(), 1, c.chip}; }

void product(Builder& builder, const TensorView& a, const Weights& weights, const Output& output,
             const OutputStage& stage, HeldWeights& held) {
  const int dim = builder.dim();
  ConvGeometry line;
  line.width = line.out_width = a.width;
  line.channels = a.channels;
  line.chip = a.chip;
  std::vector<Candidate> candidates;
  for (const int rows : tile_heights(a.width, builder.configuration())) {
    const auto activations = [&a, line, rows, dim]() -> std::unique_ptr<Activations> {
      if (a.chip) {
        return std::make_unique<ChipImage>(line, Cut{1, rows});
      }
      return std::make_unique<MatrixRows>(a.address, a.width, a.channels, a.pitch(), rows, dim);
    };
    candidates.push_back({activations, &weights, ceil_div(a.channels, dim)});
  }
  emit_best_product(builder, candidates, output, stage, held);
}

/// Parameters whose bias the program computes: the others are copied to memory that it may write.
void make_writable(Builder& builder, int columns, OutputStage& stage) {
  constexpr int kBiasRows = 4;
  const int dim = builder.dim();
  const std::int64_t pitch = std::int64_t{ParamCache::kRows} * dim;
  ByteBox others;
  others.bytes = pitch - kBiasRows * dim;
  others.inner = columns;
  others.from_inner = others.to_inner = pitch;
  others.from = std::int64_t{stage.params} + kBiasRows * dim;
  stage.params = builder.temporary(static_cast<std::uint64_t>(pitch * columns));
  others.to = std::int64_t{stage.params} + kBiasRows * dim;
  move(builder, {others});
}

/// Adds -zero_point times the column sums of b to the bias within the parameters of the stage.
void add_column_sums(Builder& builder, int zero_point, const RightMatrix& b, const std::vector<std::int32_t>& bias,
                     ProductState& state) {
  const int dim = builder.dim();
  const int columns = ceil_div(b.columns(), dim);
  const int times = zero_point == -128 ? 2 : 1;  // 128 is no int8
  const std::vector<std::uint8_t> factors(static_cast<std::size_t>(b.depth()),
                                          static_cast<std::uint8_t>(-zero_point / times));
  const TensorView row{builder.constant(factors), 1, 1, 1, b.depth()};
  OutputStage raw;
  if (!bias.empty()) {
    raw.raw_bias = builder.constant(bias_rows(dim, b.columns(), bias));
  }
  const MatrixWeights weights(b, dim);
  Output sums{0, b.columns(), 4 * std::int64_t{b.columns()}, 4};
  if (times == 2) {
    sums.address = builder.temporary(static_cast<std::uint64_t>(4 * columns * dim));
    product(builder, row, weights, sums, raw, state.held);
    raw.raw_bias = sums.address;
  }
  sums.address = state.stage->params;
  sums.column_pitch = std::int64_t{ParamCache::kRows} * dim;
  product(builder, row, weights, sums, raw, state.held);
}

std::uint64_t macs(int rows, const RightMatrix& b) {
  return static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(b.depth()) *
         static_cast<std::uint64_t>(b.columns());
}

}  // namespace

void matmul(Builder& builder, const MatrixView& a, const MatrixView& b, const std::vector<std::int32_t>& bias,
            const Requantize& requantize, const MatrixView& c) {
  check(a, b, c);
  matmul(builder, rows_of(a), 0, {b}, bias, requantize, rows_of(c));
}

void matmul(Builder& builder, const TensorView& a, int a_zero_point, const RightMatrix& b,
            const std::vector<std::int32_t>& bias, const Requantize& requantize, const TensorView& c,
            ProductState* shared) {
  ProductState own;
  ProductState& state = shared != nullptr ? *shared : own;
  check({0, a.width, a.channels}, {0, b.depth(), b.columns()}, {0, c.width, c.channels});
  builder.begin_operator(fmt::format("matmul {}x{}x{}", a.width, a.channels, b.columns()), macs(a.width, b));
  if (!state.stage) {
    state.stage = make_stage(builder, b.columns(), bias, requantize);
    if (a_zero_point != 0) {
      make_writable(builder, ceil_div(b.columns(), builder.dim()), *state.stage);
      add_column_sums(builder, a_zero_point, b, bias, state);
    }
  }
  product(builder, a, MatrixWeights(b, builder.dim()), output_of(c), *state.stage, state.held);
}

void prefetch(Builder& builder, const RightMatrix& b, int first_column, int end_column, ProductState& state) {
  const int dim = builder.dim();
  const Chunk whole{{0, ceil_div(b.depth(), dim)}, {0, 1}};
  RowRing& ring = builder.rings().weights;
  if (4 * ceil_div(b.columns(), dim) * whole.blocks.size() * dim > ring.size()) {
    return;
  }
  const MatrixWeights weights(b, dim);
  WeightCache cache(builder, weights, ring, state.held);
  for (int column = first_column; column < end_column; ++column) {
    cache.need({column, column + 1}, whole, whole.blocks);
  }
}

void matmul_raw(Builder& builder, const MatrixView& a, const MatrixView& b, const MatrixView& c) {
  check(a, b, c);
  builder.begin_operator(fmt::format("raw matmul {}x{}x{}", a.rows, a.columns, b.columns), macs(a.rows, {b}));
  const std::int64_t pitch = c.pitch_bytes == 0 ? 4 * std::int64_t{c.columns} : c.pitch_bytes;
  HeldWeights held;
  product(builder, rows_of(a), MatrixWeights({b}, builder.dim()), {c.address, c.columns, pitch, 4}, {}, held);
}

void dense(Builder& builder, const MatrixView& input, const std::int8_t* weights, const std::vector<std::int32_t>& bias,
           int input_zero_point, const Requantize& requantize, const MatrixView& output) {
  if (input.rows != output.rows) {
    throw InvalidArgument(fmt::format("dense: {} input rows, {} output rows", input.rows, output.rows));
  }
  const TensorView in{input.address, 1, 1, input.rows, input.columns, input.pitch()};
  const TensorView out{output.address, 1, 1, output.rows, output.columns, output.pitch()};
  ConvOptions options;
  options.input_zero_point = input_zero_point;
  conv2d(builder, in, weights, bias, options, requantize, out);
}

}  // namespace systole::compiler
