// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "activations.hpp"
#include "kernels.hpp"
#include "params.hpp"
#include "plan.hpp"
#include "systole/errors.hpp"
#include "weights.hpp"

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

/// Tile heights to try: equal shares of at most half of the accumulators, a quarter, ...
std::vector<int> tile_rows(int rows, const Configuration& configuration) {
  std::vector<int> list;
  for (int limit = configuration.acc_rows / 2; limit >= std::max(1, configuration.acc_rows / 32); limit /= 2) {
    const int share = ceil_div(rows, ceil_div(rows, limit));
    if (list.empty() || share != list.back()) {
      list.push_back(share);
    }
  }
  return list;
}

void product(Builder& builder, const MatrixView& a, const Weights& weights, const Output& output,
             const OutputStage& stage) {
  const int dim = builder.dim();
  std::vector<Candidate> candidates;
  for (const int rows : tile_rows(a.rows, builder.configuration())) {
    candidates.push_back(
        {[&a, rows, dim] { return std::make_unique<MatrixRows>(a.address, a.rows, a.columns, a.pitch(), rows, dim); },
         &weights, ceil_div(a.columns, dim)});
  }
  emit_best_product(builder, candidates, output, stage);
}

std::uint64_t macs(const MatrixView& a, int columns) {
  return static_cast<std::uint64_t>(a.rows) * static_cast<std::uint64_t>(a.columns) *
         static_cast<std::uint64_t>(columns);
}

}  // namespace

void matmul(Builder& builder, const MatrixView& a, const MatrixView& b, const std::vector<std::int32_t>& bias,
            const Requantize& requantize, const MatrixView& c) {
  check(a, b, c);
  builder.begin_operator(fmt::format("matmul {}x{}x{}", a.rows, a.columns, b.columns), macs(a, b.columns));
  const MatrixWeights weights(b.address, b.rows, b.columns, b.pitch(), builder.dim());
  const OutputStage stage = make_stage(builder, b.columns, bias, requantize);
  product(builder, a, weights, {c.address, c.columns, c.pitch(), 1}, stage);
}

void matmul_raw(Builder& builder, const MatrixView& a, const MatrixView& b, const MatrixView& c) {
  check(a, b, c);
  builder.begin_operator(fmt::format("raw matmul {}x{}x{}", a.rows, a.columns, b.columns), macs(a, b.columns));
  const MatrixWeights weights(b.address, b.rows, b.columns, b.pitch(), builder.dim());
  const std::int64_t pitch = c.pitch_bytes == 0 ? 4 * std::int64_t{c.columns} : c.pitch_bytes;
  product(builder, a, weights, {c.address, c.columns, pitch, 4}, {});
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
