// SPDX-License-Identifier: Apache-2.0
// An operator on elements without a scale as a sequence of layers: element-wise kernels, moves, and kernels that fold
// positions. The lowering of an operator says which; this gives them operands, images and names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "layer.hpp"
#include "systole/graph.hpp"

namespace systole::network {

constexpr std::int64_t kWordBytes = 4;  // that a lane has

/// Positions and channels, as elements, in which kernels see tensors whose elements they compute one by one: not so few
/// channels that lanes idle.
struct Grid {
  std::int64_t positions = 1, channels = 1;
  std::int64_t elements() const { return positions * channels; }
  Image image(std::int64_t element_bytes) const {
    return {1, 1, static_cast<int>(positions), static_cast<int>(channels * element_bytes),
            static_cast<int>(element_bytes)};
  }
};

Grid grid_of(const graph::Shape& shape);
/// Whose positions are whole rows.
Grid grid_of_rows(const graph::Shape& shape);

/// Whether it is this binary operator on float32 in ONNX's arithmetic, without an activation.
bool is_float(const graph::Graph& graph, const graph::Operator& op, graph::BinaryKind kind);

constexpr int kWidest = 32;  // lanes of an array: rows of a multiple of so many elements fill those of any

/// An operand or an intermediate result.
struct Term {
  graph::TensorId id = graph::kNoTensor;
  std::optional<ConstantOperand> constant = std::nullopt;
  std::int64_t element_bytes = kWordBytes;
  bool repeats = false;    ///< computed, and one position of the grid
  bool is_number = false;  ///< computed, and one element, which a made kernel reads for all

  /// The same bytes as elements of 32 bits.
  Term as_words() const;
};

class KernelSteps {
 public:
  KernelSteps(const graph::Graph& graph, const graph::Operator& op)
      : graph_(graph), op_(op), grid_(grid_of(output().shape)) {}

  const graph::Graph& graph() const { return graph_; }
  const graph::Operator& op() const { return op_; }
  const graph::Tensor& input(std::size_t i) const { return graph_.tensor(op_.inputs[i]); }
  const graph::Tensor& output() const { return graph_.tensor(op_.outputs[0]); }
  bool has_input(std::size_t i) const { return i < op_.inputs.size() && op_.inputs[i] != graph::kNoTensor; }
  graph::TensorId input_id(std::size_t i) const { return op_.inputs[i]; }
  /// Of the result.
  const Grid& grid() const { return grid_; }

  /// The layers, of which the last computes the operator's result.
  std::vector<Layer> finish(const Term& result);

  // Operands.

  /// Input number `i` as it is.
  Term given(std::size_t i) const;
  /// The same in the shape of the result. One position stays one if the kernel `may_repeat` it.
  Term operand(std::size_t i, bool may_repeat = true);
  /// A constant tensor, likewise.
  Term constant(const graph::Tensor& tensor, bool may_repeat = true) const;
  /// One position of binary32, which kernels repeat.
  Term constant(float value) const;

  // Steps.

  /// An element-wise kernel.
  Term apply(compiler::KernelCall call, const std::vector<Term>& terms, const Grid& grid, graph::ElementType to);
  Term apply(compiler::KernelCall call, const std::vector<Term>& terms,
             graph::ElementType to = graph::ElementType::kFloat32) {
    return apply(std::move(call), terms, grid_, to);
  }
  /// Moves from the `bytes` of a tensor.
  Term move(const char* what, const Term& from, std::int64_t bytes, MoveLayer moves, const Grid& to,
            std::int64_t element_bytes);
  Term broadcast(const Term& term, const graph::Shape& from, const graph::Shape& to);
  /// A computed tensor that is the same for each position of the result, as one position.
  Term one_position(const Term& term, std::int64_t elements);
  Term transposed(const Term& term, const graph::Shape& from, const std::vector<int>& order);
  /// Folds the axes of binary32, from the first element to the last, as binary32::folded_at_once() says; `shape`
  /// becomes that of the result, with axes of length 1.
  Term folded(const compiler::FoldFunction& fold, Term term, graph::Shape& shape, const std::vector<int>& axes);
  /// Folds `each` positions for each of the `items`.
  Term folded(const compiler::FoldFunction& fold, Term term, std::int64_t items, std::int64_t each,
              std::int64_t channels);
  /// The last layer so far is the one that multiplies: it gets the operator's multiply-accumulates. Without a call the
  /// last one of all gets them.
  void multiplies_here() { multiplying_ = layers_.size() - 1; }
  /// A layer of any kind, its inputs with the images in which it sees them.
  Term append(const char* what, LayerKind kind, const std::vector<std::pair<graph::TensorId, Image>>& inputs,
              const Image& image);

 private:
  const graph::Graph& graph_;
  const graph::Operator& op_;
  const Grid grid_;
  std::vector<Layer> layers_;
  std::optional<std::size_t> multiplying_;
};

}  // namespace systole::network
