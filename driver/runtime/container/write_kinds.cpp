// SPDX-License-Identifier: Apache-2.0
// Generated from driver/compiler/graph/kinds.toml by scripts/gen/generate. Do not edit.
// clang-format off

#include "attribute_fields.hpp"
#include "writer.hpp"

namespace systole::container {

// The file has the numbers of the enumerations.
static_assert(ends_alike(format::BinaryKind::MAX, graph::BinaryKind::kAtan2));
static_assert(ends_alike(format::UnaryKind::MAX, graph::UnaryKind::kComplementaryErf));
static_assert(ends_alike(format::PoolKind::MAX, graph::PoolKind::kAverage));
static_assert(ends_alike(format::ReduceKind::MAX, graph::ReduceKind::kProduct));
static_assert(ends_alike(format::PadMode::MAX, graph::PadMode::kSymmetric));
static_assert(ends_alike(format::ScatterCombine::MAX, graph::ScatterCombine::kMinimum));

namespace {

Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::Conv2d& op) {
  const auto window = stored(b, op.window);
  const auto groups = stored(b, op.groups);
  const auto activation = stored(b, op.activation);
  return format::CreateConv2d(b, &window, groups, activation).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::Dense& op) {
  const auto activation = stored(b, op.activation);
  return format::CreateDense(b, activation).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::MatMul& op) {
  const auto transpose_a = stored(b, op.transpose_a);
  const auto transpose_b = stored(b, op.transpose_b);
  return format::CreateMatMul(b, transpose_a, transpose_b).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::Binary& op) {
  const auto kind = stored(b, op.kind);
  const auto activation = stored(b, op.activation);
  return format::CreateBinary(b, kind, activation).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::Unary& op) {
  const auto kind = stored(b, op.kind);
  const auto alpha = stored(b, op.alpha);
  const auto beta = stored(b, op.beta);
  return format::CreateUnary(b, kind, alpha, beta).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::Pool& op) {
  const auto kind = stored(b, op.kind);
  const auto window = stored(b, op.window);
  const auto count_padding = stored(b, op.count_padding);
  const auto activation = stored(b, op.activation);
  return format::CreatePool(b, kind, &window, count_padding, activation).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::Reduce& op) {
  const auto kind = stored(b, op.kind);
  const auto axes = stored(b, op.axes);
  const auto keep_dimensions = stored(b, op.keep_dimensions);
  return format::CreateReduce(b, kind, axes, keep_dimensions).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::Pad& op) {
  const auto before = stored(b, op.before);
  const auto after = stored(b, op.after);
  const auto mode = stored(b, op.mode);
  const auto value = stored(b, op.value);
  return format::CreatePad(b, before, after, mode, value).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::Reshape&) {
  return format::CreateReshape(b).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::Transpose& op) {
  const auto permutation = stored(b, op.permutation);
  return format::CreateTranspose(b, permutation).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::Concat& op) {
  const auto axis = stored(b, op.axis);
  return format::CreateConcat(b, axis).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::Split& op) {
  const auto axis = stored(b, op.axis);
  return format::CreateSplit(b, axis).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::Slice& op) {
  const auto begin = stored(b, op.begin);
  const auto step = stored(b, op.step);
  return format::CreateSlice(b, begin, step).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::ResizeNearest& op) {
  const auto align_corners = stored(b, op.align_corners);
  const auto half_pixel_centers = stored(b, op.half_pixel_centers);
  return format::CreateResizeNearest(b, align_corners, half_pixel_centers).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::Softmax& op) {
  const auto axis = stored(b, op.axis);
  const auto beta = stored(b, op.beta);
  const auto logarithm = stored(b, op.logarithm);
  return format::CreateSoftmax(b, axis, beta, logarithm).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::Convert&) {
  return format::CreateConvert(b).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::Select&) {
  return format::CreateSelect(b).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::ArgExtreme& op) {
  const auto largest = stored(b, op.largest);
  const auto axis = stored(b, op.axis);
  const auto keep_dimensions = stored(b, op.keep_dimensions);
  const auto last = stored(b, op.last);
  return format::CreateArgExtreme(b, largest, axis, keep_dimensions, last).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::CumulativeSum& op) {
  const auto axis = stored(b, op.axis);
  const auto exclusive = stored(b, op.exclusive);
  const auto reverse = stored(b, op.reverse);
  return format::CreateCumulativeSum(b, axis, exclusive, reverse).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::Gather& op) {
  const auto axis = stored(b, op.axis);
  return format::CreateGather(b, axis).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::FlatIndex& op) {
  const auto shape = stored(b, op.shape);
  return format::CreateFlatIndex(b, shape).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::Scatter& op) {
  const auto combine = stored(b, op.combine);
  return format::CreateScatter(b, combine).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::TopK& op) {
  const auto axis = stored(b, op.axis);
  const auto largest = stored(b, op.largest);
  return format::CreateTopK(b, axis, largest).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::MaxIndices& op) {
  const auto window = stored(b, op.window);
  const auto columns_first = stored(b, op.columns_first);
  return format::CreateMaxIndices(b, &window, columns_first).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::Determinant&) {
  return format::CreateDeterminant(b).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::Lstm& op) {
  const auto time_major = stored(b, op.time_major);
  const auto cell_clip = stored(b, op.cell_clip);
  return format::CreateLstm(b, time_major, cell_clip).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::Svdf& op) {
  const auto rank = stored(b, op.rank);
  return format::CreateSvdf(b, rank).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::ResizeBilinear& op) {
  const auto align_corners = stored(b, op.align_corners);
  const auto half_pixel_centers = stored(b, op.half_pixel_centers);
  return format::CreateResizeBilinear(b, align_corners, half_pixel_centers).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::L2Normalize&) {
  return format::CreateL2Normalize(b).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::LayerNormalize& op) {
  const auto epsilon = stored(b, op.epsilon);
  return format::CreateLayerNormalize(b, epsilon).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::Reinterpret&) {
  return format::CreateReinterpret(b).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::LocalResponse& op) {
  const auto before = stored(b, op.before);
  const auto after = stored(b, op.after);
  const auto factor = stored(b, op.factor);
  const auto bias = stored(b, op.bias);
  const auto beta = stored(b, op.beta);
  return format::CreateLocalResponse(b, before, after, factor, bias, beta).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::BatchNormalize& op) {
  const auto epsilon = stored(b, op.epsilon);
  const auto momentum = stored(b, op.momentum);
  return format::CreateBatchNormalize(b, epsilon, momentum).Union();
}
Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, const graph::Dropout& op) {
  const auto ratio = stored(b, op.ratio);
  return format::CreateDropout(b, ratio).Union();
}

}  // namespace

Offset<void> write_kind(FlatBufferBuilder& b, const graph::OperatorKind& kind) {
  return std::visit([&](const auto& op) { return write(b, op); }, kind);
}

}  // namespace systole::container
