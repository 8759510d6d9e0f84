// SPDX-License-Identifier: Apache-2.0
// Generated from driver/compiler/graph/kinds.toml by scripts/gen/generate. Do not edit.
// clang-format off

#include "attribute_fields.hpp"

namespace systole::container {

graph::OperatorKind read_kind(const format::Operator& op, Reader& reader) {
  switch (op.kind_type()) {
    case format::Kind::Conv2d: {
      const format::Conv2d& from = *op.kind_as_Conv2d();
      graph::Conv2d to;
      read_attribute(from.window(), to.window, "window", reader);
      read_attribute(from.groups(), to.groups, "groups", reader);
      read_attribute(from.activation(), to.activation, "activation", reader);
      return to;
    }
    case format::Kind::Dense: {
      const format::Dense& from = *op.kind_as_Dense();
      graph::Dense to;
      read_attribute(from.activation(), to.activation, "activation", reader);
      return to;
    }
    case format::Kind::MatMul: {
      const format::MatMul& from = *op.kind_as_MatMul();
      graph::MatMul to;
      read_attribute(from.transpose_a(), to.transpose_a, "transpose_a", reader);
      read_attribute(from.transpose_b(), to.transpose_b, "transpose_b", reader);
      return to;
    }
    case format::Kind::Binary: {
      const format::Binary& from = *op.kind_as_Binary();
      graph::Binary to;
      read_attribute(from.kind(), to.kind, "kind", reader);
      read_attribute(from.activation(), to.activation, "activation", reader);
      return to;
    }
    case format::Kind::Unary: {
      const format::Unary& from = *op.kind_as_Unary();
      graph::Unary to;
      read_attribute(from.kind(), to.kind, "kind", reader);
      read_attribute(from.alpha(), to.alpha, "alpha", reader);
      read_attribute(from.beta(), to.beta, "beta", reader);
      return to;
    }
    case format::Kind::Pool: {
      const format::Pool& from = *op.kind_as_Pool();
      graph::Pool to;
      read_attribute(from.kind(), to.kind, "kind", reader);
      read_attribute(from.window(), to.window, "window", reader);
      read_attribute(from.count_padding(), to.count_padding, "count_padding", reader);
      read_attribute(from.activation(), to.activation, "activation", reader);
      return to;
    }
    case format::Kind::Reduce: {
      const format::Reduce& from = *op.kind_as_Reduce();
      graph::Reduce to;
      read_attribute(from.kind(), to.kind, "kind", reader);
      read_attribute(from.axes(), to.axes, "axes", reader);
      read_attribute(from.keep_dimensions(), to.keep_dimensions, "keep_dimensions", reader);
      return to;
    }
    case format::Kind::Pad: {
      const format::Pad& from = *op.kind_as_Pad();
      graph::Pad to;
      read_attribute(from.before(), to.before, "before", reader);
      read_attribute(from.after(), to.after, "after", reader);
      read_attribute(from.mode(), to.mode, "mode", reader);
      read_attribute(from.value(), to.value, "value", reader);
      return to;
    }
    case format::Kind::Reshape: {
      graph::Reshape to;
      return to;
    }
    case format::Kind::Transpose: {
      const format::Transpose& from = *op.kind_as_Transpose();
      graph::Transpose to;
      read_attribute(from.permutation(), to.permutation, "permutation", reader);
      return to;
    }
    case format::Kind::Concat: {
      const format::Concat& from = *op.kind_as_Concat();
      graph::Concat to;
      read_attribute(from.axis(), to.axis, "axis", reader);
      return to;
    }
    case format::Kind::Split: {
      const format::Split& from = *op.kind_as_Split();
      graph::Split to;
      read_attribute(from.axis(), to.axis, "axis", reader);
      return to;
    }
    case format::Kind::Slice: {
      const format::Slice& from = *op.kind_as_Slice();
      graph::Slice to;
      read_attribute(from.begin(), to.begin, "begin", reader);
      read_attribute(from.step(), to.step, "step", reader);
      return to;
    }
    case format::Kind::ResizeNearest: {
      const format::ResizeNearest& from = *op.kind_as_ResizeNearest();
      graph::ResizeNearest to;
      read_attribute(from.align_corners(), to.align_corners, "align_corners", reader);
      read_attribute(from.half_pixel_centers(), to.half_pixel_centers, "half_pixel_centers", reader);
      return to;
    }
    case format::Kind::Softmax: {
      const format::Softmax& from = *op.kind_as_Softmax();
      graph::Softmax to;
      read_attribute(from.axis(), to.axis, "axis", reader);
      read_attribute(from.beta(), to.beta, "beta", reader);
      read_attribute(from.logarithm(), to.logarithm, "logarithm", reader);
      return to;
    }
    case format::Kind::Convert: {
      graph::Convert to;
      return to;
    }
    case format::Kind::Select: {
      graph::Select to;
      return to;
    }
    case format::Kind::ArgExtreme: {
      const format::ArgExtreme& from = *op.kind_as_ArgExtreme();
      graph::ArgExtreme to;
      read_attribute(from.largest(), to.largest, "largest", reader);
      read_attribute(from.axis(), to.axis, "axis", reader);
      read_attribute(from.keep_dimensions(), to.keep_dimensions, "keep_dimensions", reader);
      read_attribute(from.last(), to.last, "last", reader);
      return to;
    }
    case format::Kind::CumulativeSum: {
      const format::CumulativeSum& from = *op.kind_as_CumulativeSum();
      graph::CumulativeSum to;
      read_attribute(from.axis(), to.axis, "axis", reader);
      read_attribute(from.exclusive(), to.exclusive, "exclusive", reader);
      read_attribute(from.reverse(), to.reverse, "reverse", reader);
      return to;
    }
    case format::Kind::Gather: {
      const format::Gather& from = *op.kind_as_Gather();
      graph::Gather to;
      read_attribute(from.axis(), to.axis, "axis", reader);
      return to;
    }
    case format::Kind::FlatIndex: {
      const format::FlatIndex& from = *op.kind_as_FlatIndex();
      graph::FlatIndex to;
      read_attribute(from.shape(), to.shape, "shape", reader);
      return to;
    }
    case format::Kind::Scatter: {
      const format::Scatter& from = *op.kind_as_Scatter();
      graph::Scatter to;
      read_attribute(from.combine(), to.combine, "combine", reader);
      return to;
    }
    case format::Kind::TopK: {
      const format::TopK& from = *op.kind_as_TopK();
      graph::TopK to;
      read_attribute(from.axis(), to.axis, "axis", reader);
      read_attribute(from.largest(), to.largest, "largest", reader);
      return to;
    }
    case format::Kind::MaxIndices: {
      const format::MaxIndices& from = *op.kind_as_MaxIndices();
      graph::MaxIndices to;
      read_attribute(from.window(), to.window, "window", reader);
      read_attribute(from.columns_first(), to.columns_first, "columns_first", reader);
      return to;
    }
    case format::Kind::Determinant: {
      graph::Determinant to;
      return to;
    }
    case format::Kind::Lstm: {
      const format::Lstm& from = *op.kind_as_Lstm();
      graph::Lstm to;
      read_attribute(from.time_major(), to.time_major, "time_major", reader);
      read_attribute(from.cell_clip(), to.cell_clip, "cell_clip", reader);
      return to;
    }
    case format::Kind::Svdf: {
      const format::Svdf& from = *op.kind_as_Svdf();
      graph::Svdf to;
      read_attribute(from.rank(), to.rank, "rank", reader);
      return to;
    }
    case format::Kind::ResizeBilinear: {
      const format::ResizeBilinear& from = *op.kind_as_ResizeBilinear();
      graph::ResizeBilinear to;
      read_attribute(from.align_corners(), to.align_corners, "align_corners", reader);
      read_attribute(from.half_pixel_centers(), to.half_pixel_centers, "half_pixel_centers", reader);
      return to;
    }
    case format::Kind::L2Normalize: {
      graph::L2Normalize to;
      return to;
    }
    case format::Kind::LayerNormalize: {
      const format::LayerNormalize& from = *op.kind_as_LayerNormalize();
      graph::LayerNormalize to;
      read_attribute(from.epsilon(), to.epsilon, "epsilon", reader);
      return to;
    }
    case format::Kind::Reinterpret: {
      graph::Reinterpret to;
      return to;
    }
    case format::Kind::LocalResponse: {
      const format::LocalResponse& from = *op.kind_as_LocalResponse();
      graph::LocalResponse to;
      read_attribute(from.before(), to.before, "before", reader);
      read_attribute(from.after(), to.after, "after", reader);
      read_attribute(from.factor(), to.factor, "factor", reader);
      read_attribute(from.bias(), to.bias, "bias", reader);
      read_attribute(from.beta(), to.beta, "beta", reader);
      return to;
    }
    case format::Kind::BatchNormalize: {
      const format::BatchNormalize& from = *op.kind_as_BatchNormalize();
      graph::BatchNormalize to;
      read_attribute(from.epsilon(), to.epsilon, "epsilon", reader);
      read_attribute(from.momentum(), to.momentum, "momentum", reader);
      return to;
    }
    case format::Kind::Dropout: {
      const format::Dropout& from = *op.kind_as_Dropout();
      graph::Dropout to;
      read_attribute(from.ratio(), to.ratio, "ratio", reader);
      return to;
    }
    case format::Kind::NONE: break;
  }
  refuse_kind(op.kind_type());
}

}  // namespace systole::container
