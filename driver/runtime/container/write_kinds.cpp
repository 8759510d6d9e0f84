// SPDX-License-Identifier: Apache-2.0
#include "writer.hpp"

namespace systole::container {
namespace {

// The file uses the numbers of the enumerations. A value appended to one must be appended in network.fbs as well.
template <class In, class Of>
constexpr bool ends_alike(In file, Of last) {
  return static_cast<int>(file) == static_cast<int>(last);
}
static_assert(ends_alike(format::ElementType::MAX, graph::ElementType::kBfloat16));
static_assert(ends_alike(format::Arithmetic::MAX, graph::Arithmetic::kBlocks));
static_assert(ends_alike(format::Activation::MAX, Activation::kReluN1To1));
static_assert(ends_alike(format::BinaryKind::MAX, graph::BinaryKind::kPrelu));
static_assert(ends_alike(format::UnaryKind::MAX, graph::UnaryKind::kReciprocalSqrt));
static_assert(ends_alike(format::PoolKind::MAX, graph::PoolKind::kAverage));
static_assert(ends_alike(format::ReduceKind::MAX, graph::ReduceKind::kProduct));
static_assert(ends_alike(format::PadMode::MAX, graph::Pad::Mode::kSymmetric));
static_assert(ends_alike(format::Combine::MAX, graph::Scatter::Combine::kMinimum));
static_assert(static_cast<std::size_t>(format::Kind::MAX) == std::variant_size_v<graph::OperatorKind>);

template <class To, class From>
To number(From value) {
  return static_cast<To>(value);
}

format::Window window(const Window& s) {
  return {s.kernel_h,   s.kernel_w, s.stride_h,   s.stride_w, s.dilation_h,
          s.dilation_w, s.pad_top,  s.pad_bottom, s.pad_left, s.pad_right};
}

/// Writes the table of each operator kind.
class KindWriter {
 public:
  explicit KindWriter(FlatBufferBuilder& builder) : b_(builder) {}

  Offset<void> operator()(const graph::Conv2d& op) const {
    const format::Window s = window(op.window);
    return format::CreateConv2d(b_, &s, op.groups, number<format::Activation>(op.activation)).Union();
  }
  Offset<void> operator()(const graph::Dense& op) const {
    return format::CreateDense(b_, number<format::Activation>(op.activation)).Union();
  }
  Offset<void> operator()(const graph::MatMul& op) const {
    return format::CreateMatMul(b_, op.transpose_a, op.transpose_b).Union();
  }
  Offset<void> operator()(const graph::Binary& op) const {
    return format::CreateBinary(b_, number<format::BinaryKind>(op.kind), number<format::Activation>(op.activation))
        .Union();
  }
  Offset<void> operator()(const graph::Unary& op) const {
    return format::CreateUnary(b_, number<format::UnaryKind>(op.kind), op.alpha, op.beta).Union();
  }
  Offset<void> operator()(const graph::Pool& op) const {
    const format::Window s = window(op.window);
    return format::CreatePool(b_, number<format::PoolKind>(op.kind), &s, op.count_padding,
                              number<format::Activation>(op.activation))
        .Union();
  }
  Offset<void> operator()(const graph::Reduce& op) const {
    return format::CreateReduce(b_, number<format::ReduceKind>(op.kind), b_.CreateVector(op.axes), op.keep_dimensions)
        .Union();
  }
  Offset<void> operator()(const graph::Pad& op) const {
    const auto before = b_.CreateVector(op.before);
    const auto after = b_.CreateVector(op.after);
    return format::CreatePad(b_, before, after, number<format::PadMode>(op.mode), op.value).Union();
  }
  Offset<void> operator()(const graph::Reshape&) const { return format::CreateReshape(b_).Union(); }
  Offset<void> operator()(const graph::Transpose& op) const {
    return format::CreateTranspose(b_, b_.CreateVector(op.permutation)).Union();
  }
  Offset<void> operator()(const graph::Concat& op) const { return format::CreateConcat(b_, op.axis).Union(); }
  Offset<void> operator()(const graph::Split& op) const { return format::CreateSplit(b_, op.axis).Union(); }
  Offset<void> operator()(const graph::Slice& op) const {
    const auto begin = b_.CreateVector(op.begin);
    const auto step = b_.CreateVector(op.step);
    return format::CreateSlice(b_, begin, step).Union();
  }
  Offset<void> operator()(const graph::ResizeNearest& op) const {
    return format::CreateResizeNearest(b_, op.align_corners, op.half_pixel_centers).Union();
  }
  Offset<void> operator()(const graph::Softmax& op) const {
    return format::CreateSoftmax(b_, op.axis, op.beta, op.logarithm).Union();
  }
  Offset<void> operator()(const graph::Convert&) const { return format::CreateConvert(b_).Union(); }
  Offset<void> operator()(const graph::Select&) const { return format::CreateSelect(b_).Union(); }
  Offset<void> operator()(const graph::ArgExtreme& op) const {
    return format::CreateArgExtreme(b_, op.largest, op.axis, op.keep_dimensions, op.last).Union();
  }
  Offset<void> operator()(const graph::CumulativeSum& op) const {
    return format::CreateCumulativeSum(b_, op.axis, op.exclusive, op.reverse).Union();
  }
  Offset<void> operator()(const graph::Gather& op) const { return format::CreateGather(b_, op.axis).Union(); }
  Offset<void> operator()(const graph::FlatIndex& op) const {
    return format::CreateFlatIndex(b_, b_.CreateVector(op.shape)).Union();
  }
  Offset<void> operator()(const graph::Scatter& op) const {
    return format::CreateScatter(b_, number<format::Combine>(op.combine)).Union();
  }
  Offset<void> operator()(const graph::Determinant&) const { return format::CreateDeterminant(b_).Union(); }
  Offset<void> operator()(const graph::TopK& op) const { return format::CreateTopK(b_, op.axis, op.largest).Union(); }
  Offset<void> operator()(const graph::Lstm& op) const {
    return format::CreateLstm(b_, op.time_major, op.cell_clip).Union();
  }
  Offset<void> operator()(const graph::Svdf& op) const { return format::CreateSvdf(b_, op.rank).Union(); }
  Offset<void> operator()(const graph::MaxIndices& op) const {
    const format::Window s = window(op.window);
    return format::CreateMaxIndices(b_, &s, op.columns_first).Union();
  }
  Offset<void> operator()(const graph::ResizeBilinear& op) const {
    return format::CreateResizeBilinear(b_, op.align_corners, op.half_pixel_centers).Union();
  }
  Offset<void> operator()(const graph::L2Normalize&) const { return format::CreateL2Normalize(b_).Union(); }
  Offset<void> operator()(const graph::LayerNormalize& op) const {
    return format::CreateLayerNormalize(b_, op.epsilon).Union();
  }

 private:
  FlatBufferBuilder& b_;
};

}  // namespace

Offset<void> write_kind(FlatBufferBuilder& builder, const graph::OperatorKind& kind) {
  return std::visit(KindWriter(builder), kind);
}

/// The members of the union are in the order of the variant, after NONE.
format::Kind kind_type(const graph::OperatorKind& kind) { return static_cast<format::Kind>(kind.index() + 1); }

}  // namespace systole::container
