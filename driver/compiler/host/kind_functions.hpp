// SPDX-License-Identifier: Apache-2.0
// Generated from driver/compiler/graph/kinds.toml by scripts/gen/generate. Do not edit.
// clang-format off
#pragma once

#include <vector>
#include "systole/execute.hpp"

namespace systole::graph {

struct Call;

Value run_plain(const Call& call, const Conv2d& op);
Value run_quantized(const Call& call, const Conv2d& op);
Value run_int16(const Call& call, const Conv2d& op);
Value run_onnx(const Call& call, const Conv2d& op);
Value run_plain(const Call& call, const Dense& op);
Value run_quantized(const Call& call, const Dense& op);
Value run_int16(const Call& call, const Dense& op);
Value run_onnx(const Call& call, const Dense& op);
Value run_plain(const Call& call, const MatMul& op);
Value run_quantized(const Call& call, const MatMul& op);
Value run_int16(const Call& call, const MatMul& op);
Value run_onnx(const Call& call, const MatMul& op);
Value run_plain(const Call& call, const Binary& op);
Value run_quantized(const Call& call, const Binary& op);
Value run_int16(const Call& call, const Binary& op);
Value run_onnx(const Call& call, const Binary& op);
Value run_plain(const Call& call, const Unary& op);
Value run_quantized(const Call& call, const Unary& op);
Value run_int16(const Call& call, const Unary& op);
Value run_onnx(const Call& call, const Unary& op);
Value run_plain(const Call& call, const Pool& op);
Value run_quantized(const Call& call, const Pool& op);
Value run_int16(const Call& call, const Pool& op);
Value run_onnx(const Call& call, const Pool& op);
Value run_plain(const Call& call, const Reduce& op);
Value run_quantized(const Call& call, const Reduce& op);
Value run_int16(const Call& call, const Reduce& op);
Value run_onnx(const Call& call, const Reduce& op);
Value run(const Call& call, const Pad& op);
Value run(const Call& call, const Reshape& op);
Value run(const Call& call, const Transpose& op);
Value run(const Call& call, const Concat& op);
std::vector<Value> run(const Call& call, const Split& op);
Value run(const Call& call, const Slice& op);
Value run(const Call& call, const ResizeNearest& op);
Value run_plain(const Call& call, const Softmax& op);
Value run_quantized(const Call& call, const Softmax& op);
Value run_int16(const Call& call, const Softmax& op);
Value run_onnx(const Call& call, const Softmax& op);
Value run(const Call& call, const Convert& op);
Value run(const Call& call, const Select& op);
Value run(const Call& call, const ArgExtreme& op);
Value run(const Call& call, const CumulativeSum& op);
Value run(const Call& call, const Gather& op);
Value run(const Call& call, const FlatIndex& op);
Value run(const Call& call, const Scatter& op);
std::vector<Value> run(const Call& call, const TopK& op);
Value run(const Call& call, const MaxIndices& op);
Value run(const Call& call, const Determinant& op);
Value run(const Call& call, const Lstm& op);
Value run(const Call& call, const Svdf& op);
Value run(const Call& call, const ResizeBilinear& op);
Value run(const Call& call, const L2Normalize& op);
Value run(const Call& call, const LayerNormalize& op);
Value run(const Call& call, const Reinterpret& op);
Value run(const Call& call, const LocalResponse& op);
Value run(const Call& call, const BatchNormalize& op);
Value run(const Call& call, const Dropout& op);

}  // namespace systole::graph
