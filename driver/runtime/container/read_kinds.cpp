// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "reader.hpp"

namespace systole::container {
namespace {

template <class Number>
Number real(Number value, const char* what) {
  if (std::isnan(value)) {
    throw ContainerError(fmt::format("{} is not a number: the file is damaged", what));
  }
  return value;
}

Activation activation(format::Activation value) { return enumerator<Activation>(value, "activation"); }

Window window(const format::Window& s) {
  return {s.kernel_h(),   s.kernel_w(), s.stride_h(),   s.stride_w(), s.dilation_h(),
          s.dilation_w(), s.pad_top(),  s.pad_bottom(), s.pad_left(), s.pad_right()};
}

graph::Conv2d read(const format::Conv2d& op, Reader&) {
  return {window(*op.window()), op.groups(), activation(op.activation())};
}
graph::Dense read(const format::Dense& op, Reader&) { return {activation(op.activation())}; }
graph::MatMul read(const format::MatMul& op, Reader&) { return {op.transpose_a(), op.transpose_b()}; }
graph::Binary read(const format::Binary& op, Reader&) {
  return {enumerator<graph::BinaryKind>(op.kind(), "binary operator"), activation(op.activation())};
}
graph::Unary read(const format::Unary& op, Reader&) {
  return {enumerator<graph::UnaryKind>(op.kind(), "unary operator"), real(op.alpha(), "alpha"),
          real(op.beta(), "beta")};
}
graph::Pool read(const format::Pool& op, Reader&) {
  return {enumerator<graph::PoolKind>(op.kind(), "pool"), window(*op.window()), op.count_padding(),
          activation(op.activation())};
}
graph::Reduce read(const format::Reduce& op, Reader& reader) {
  return {enumerator<graph::ReduceKind>(op.kind(), "reduction"), reader.numbers(op.axes()), op.keep_dimensions()};
}
graph::Pad read(const format::Pad& op, Reader& reader) {
  return {reader.numbers(op.before()), reader.numbers(op.after()), enumerator<graph::Pad::Mode>(op.mode(), "padding"),
          real(op.value(), "value")};
}
graph::Reshape read(const format::Reshape&, Reader&) { return {}; }
graph::Transpose read(const format::Transpose& op, Reader& reader) { return {reader.numbers(op.permutation())}; }
graph::Concat read(const format::Concat& op, Reader&) { return {op.axis()}; }
graph::Split read(const format::Split& op, Reader&) { return {op.axis()}; }
graph::Slice read(const format::Slice& op, Reader& reader) {
  return {reader.numbers(op.begin()), reader.numbers(op.step())};
}
graph::ResizeNearest read(const format::ResizeNearest& op, Reader&) {
  return {op.align_corners(), op.half_pixel_centers()};
}
graph::Softmax read(const format::Softmax& op, Reader&) { return {op.axis(), real(op.beta(), "beta"), op.logarithm()}; }
graph::Convert read(const format::Convert&, Reader&) { return {}; }
graph::Select read(const format::Select&, Reader&) { return {}; }
graph::ArgExtreme read(const format::ArgExtreme& op, Reader&) {
  return {op.largest(), op.axis(), op.keep_dimensions(), op.last()};
}
graph::CumulativeSum read(const format::CumulativeSum& op, Reader&) {
  return {op.axis(), op.exclusive(), op.reverse()};
}
graph::Gather read(const format::Gather& op, Reader&) { return {op.axis()}; }
graph::FlatIndex read(const format::FlatIndex& op, Reader& reader) { return {reader.numbers(op.shape())}; }
graph::Scatter read(const format::Scatter& op, Reader&) {
  return {enumerator<graph::Scatter::Combine>(op.combine(), "scatter")};
}
graph::Determinant read(const format::Determinant&, Reader&) { return {}; }
graph::TopK read(const format::TopK& op, Reader&) { return {op.axis(), op.largest()}; }
graph::Lstm read(const format::Lstm& op, Reader&) { return {op.time_major(), op.cell_clip()}; }
graph::Svdf read(const format::Svdf& op, Reader&) { return {op.rank()}; }
graph::MaxIndices read(const format::MaxIndices& op, Reader&) { return {window(*op.window()), op.columns_first()}; }

graph::ResizeBilinear read(const format::ResizeBilinear& op, Reader&) {
  return {op.align_corners(), op.half_pixel_centers()};
}
graph::L2Normalize read(const format::L2Normalize&, Reader&) { return {}; }
graph::LayerNormalize read(const format::LayerNormalize& op, Reader&) { return {op.epsilon()}; }

}  // namespace

graph::OperatorKind read_kind(const format::Operator& op, Reader& reader) {
  switch (op.kind_type()) {
    case format::Kind::Conv2d: return read(*op.kind_as_Conv2d(), reader);
    case format::Kind::Dense: return read(*op.kind_as_Dense(), reader);
    case format::Kind::MatMul: return read(*op.kind_as_MatMul(), reader);
    case format::Kind::Binary: return read(*op.kind_as_Binary(), reader);
    case format::Kind::Unary: return read(*op.kind_as_Unary(), reader);
    case format::Kind::Pool: return read(*op.kind_as_Pool(), reader);
    case format::Kind::Reduce: return read(*op.kind_as_Reduce(), reader);
    case format::Kind::Pad: return read(*op.kind_as_Pad(), reader);
    case format::Kind::Reshape: return read(*op.kind_as_Reshape(), reader);
    case format::Kind::Transpose: return read(*op.kind_as_Transpose(), reader);
    case format::Kind::Concat: return read(*op.kind_as_Concat(), reader);
    case format::Kind::Split: return read(*op.kind_as_Split(), reader);
    case format::Kind::Slice: return read(*op.kind_as_Slice(), reader);
    case format::Kind::ResizeNearest: return read(*op.kind_as_ResizeNearest(), reader);
    case format::Kind::Softmax: return read(*op.kind_as_Softmax(), reader);
    case format::Kind::Convert: return read(*op.kind_as_Convert(), reader);
    case format::Kind::Select: return read(*op.kind_as_Select(), reader);
    case format::Kind::ArgExtreme: return read(*op.kind_as_ArgExtreme(), reader);
    case format::Kind::CumulativeSum: return read(*op.kind_as_CumulativeSum(), reader);
    case format::Kind::Gather: return read(*op.kind_as_Gather(), reader);
    case format::Kind::FlatIndex: return read(*op.kind_as_FlatIndex(), reader);
    case format::Kind::Scatter: return read(*op.kind_as_Scatter(), reader);
    case format::Kind::TopK: return read(*op.kind_as_TopK(), reader);
    case format::Kind::MaxIndices: return read(*op.kind_as_MaxIndices(), reader);
    case format::Kind::Determinant: return read(*op.kind_as_Determinant(), reader);
    case format::Kind::Lstm: return read(*op.kind_as_Lstm(), reader);
    case format::Kind::Svdf: return read(*op.kind_as_Svdf(), reader);
    case format::Kind::ResizeBilinear: return read(*op.kind_as_ResizeBilinear(), reader);
    case format::Kind::L2Normalize: return read(*op.kind_as_L2Normalize(), reader);
    case format::Kind::LayerNormalize: return read(*op.kind_as_LayerNormalize(), reader);
    case format::Kind::NONE: break;
  }
  throw ContainerError(fmt::format("kind of operator number {}; the range is 1 .. {}: the file is damaged",
                                   static_cast<int>(op.kind_type()), static_cast<int>(format::Kind::MAX)));
}

}  // namespace systole::container
