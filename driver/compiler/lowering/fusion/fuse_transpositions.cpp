// SPDX-License-Identifier: Apache-2.0
#include "fuse_transpositions.hpp"

#include <optional>

namespace systole::network {
namespace {

using graph::Shape;

std::vector<std::int64_t> strides_of(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t axis = shape.size(); axis-- > 1;) {
    strides[axis - 1] = strides[axis] * shape[axis];
  }
  return strides;
}

/// The same elements in another tensor: those of axis i of `shape` are `strides[i]` apart there. None unless the
/// matrices are the last two axes.
struct Moved {
  Shape shape;
  std::vector<std::int64_t> strides;

  struct Matrices {
    MatrixStack stack;
    bool transposed = false;  ///< whether rows and columns changed their places
  };
  std::optional<Matrices> operator()(const MatrixStack& from) const {
    const std::size_t rank = shape.size();
    const bool last_axes =
        rank >= 2 && shape[rank - 2] == from.rows && shape[rank - 1] == from.columns && from.pitch == from.columns;
    if (!last_axes) {
      return std::nullopt;
    }
    Matrices to;
    const std::int64_t row = strides[rank - 2];
    const std::int64_t column = strides[rank - 1];
    if (column != 1 && row != 1) {
      return std::nullopt;
    }
    to.transposed = column != 1;
    to.stack.rows = to.transposed ? from.columns : from.rows;
    to.stack.columns = to.transposed ? from.rows : from.columns;
    to.stack.pitch = to.transposed ? column : row;
    const std::vector<std::int64_t> own = strides_of(shape);
    for (std::int64_t first : from.first) {
      std::int64_t place = 0;
      for (std::size_t axis = 0; axis < rank; ++axis) {
        place += first / own[axis] * strides[axis];
        first %= own[axis];
      }
      to.stack.first.push_back(place);
    }
    return to;
  }
};

/// From the result of a transposition to its input.
Moved to_input(const MoveLayer::Transposition& t) {
  const std::vector<std::int64_t> strides = strides_of(t.shape);
  Moved moved;
  for (const int axis : t.permutation) {
    moved.shape.push_back(t.shape[static_cast<std::size_t>(axis)]);
    moved.strides.push_back(strides[static_cast<std::size_t>(axis)]);
  }
  return moved;
}

/// From the input of a transposition to its result.
Moved to_result(const MoveLayer::Transposition& t) {
  Shape result;
  for (const int axis : t.permutation) {
    result.push_back(t.shape[static_cast<std::size_t>(axis)]);
  }
  const std::vector<std::int64_t> strides = strides_of(result);
  Moved moved{t.shape, std::vector<std::int64_t>(t.shape.size())};
  for (std::size_t i = 0; i < t.permutation.size(); ++i) {
    moved.strides[static_cast<std::size_t>(t.permutation[i])] = strides[i];
  }
  return moved;
}

/// The tensor with rows of matrices as its positions.
Image image_of(const MatrixStack& matrices, const Image& tensor) {
  const auto pitch = static_cast<int>(matrices.pitch);
  return {1, 1, static_cast<int>(tensor.bytes() / pitch), pitch};
}

class Fusion {
 public:
  explicit Fusion(SegmentContext& context) : context_(context) {}

  std::int64_t run() {
    for (Layer& layer : context_.layers()) {
      auto* product = std::get_if<ProductLayer>(&layer.kind);
      if (product == nullptr || product->raw) {
        continue;
      }
      fuse_operand(layer, 0, product->a, product->transpose_a);
      fuse_operand(layer, 1, product->b, product->transpose_b);
      fuse_result(layer, product->result);
    }
    return fused_;
  }

 private:
  static const MoveLayer::Transposition* transposition(const Layer* layer) {
    const auto* moves = layer != nullptr ? std::get_if<MoveLayer>(&layer->kind) : nullptr;
    return moves != nullptr && moves->transposition ? &*moves->transposition : nullptr;
  }

  void fuse_operand(Layer& layer, std::size_t operand, MatrixStack& matrices, bool& transposed) {
    Layer* maker = context_.sole_maker(layer.inputs[operand]);
    const MoveLayer::Transposition* moved = transposition(maker);
    const auto place = moved != nullptr ? to_input(*moved)(matrices) : std::nullopt;
    if (!place || (operand == 0 && place->transposed != transposed)) {  // a transposed left operand is copied
      return;
    }
    matrices = place->stack;
    transposed = transposed != place->transposed;
    layer.inputs[operand] = maker->inputs[0];
    layer.input_images[operand] = image_of(matrices, layer.input_images[operand]);
    absorb_behind(layer, *maker);
    ++fused_;
  }

  void fuse_result(Layer& layer, MatrixStack& matrices) {
    Layer* reader = context_.only_reader(layer.output);
    const MoveLayer::Transposition* moved = transposition(reader);
    const auto place = moved != nullptr ? to_result(*moved)(matrices) : std::nullopt;
    if (!place || place->transposed) {
      return;
    }
    matrices = place->stack;
    layer.output = reader->output;
    layer.output_image = image_of(matrices, layer.output_image);
    absorb_behind(layer, *reader);
    ++fused_;
  }

  SegmentContext& context_;
  std::int64_t fused_ = 0;
};

}  // namespace

std::int64_t fuse_transpositions(SegmentContext& context) { return Fusion(context).run(); }

}  // namespace systole::network
