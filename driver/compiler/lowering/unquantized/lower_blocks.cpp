// SPDX-License-Identifier: Apache-2.0
#include "lower_blocks.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "block_filter.hpp"
#include "element_formulas.hpp"
#include "kernel_steps.hpp"
#include "lower_floats.hpp"
#include "refused.hpp"
#include "systole/execute.hpp"
#include "systole/graph_value.hpp"
#include "window_blocks.hpp"

namespace systole::network {
namespace {

using compiler::BlockFilter;
using compiler::BlockView;
using graph::Shape;

int size(std::int64_t value) { return static_cast<int>(value); }

/// An input of a layer, and how the layer sees it.
using Operand = std::pair<graph::TensorId, Image>;

class Lowering {
 public:
  Lowering(const graph::IndexedGraph& graph, const graph::Operator& op, bool plain)
      : graph_(graph), op_(op), plain_(plain), steps_(graph, op) {}

  std::vector<Layer> run(const graph::OperatorKind& kind) {
    const Term sums = std::visit([&](const auto& op) { return compute(op); }, kind);
    return steps_.finish(steps_.has_input(2) && !adds_input()
                             ? steps_.apply(float_call(graph::BinaryKind::kAdd), {sums, steps_.operand(2)})
                             : sums);
  }

 private:
  /// Whether the product adds a computed number for each output channel.
  bool adds_input() const {
    const Shape& to = steps_.output().shape;
    return steps_.has_input(2) && !steps_.input(2).constant && graph::count(steps_.input(2).shape) == to.back() &&
           steps_.input(2).shape.back() == to.back();
  }
  /// As the last input of a layer.
  template <class Product>
  void add_bias(Product& product, std::vector<Operand>& inputs) const {
    product.adds_input = adds_input();
    if (product.adds_input) {
      inputs.emplace_back(steps_.input_id(2), image_of(steps_.input(2)));
    }
  }

  Term compute(const graph::Conv2d& op) {
    require(op.groups == 1, "a convolution with groups in block floating point");
    const Shape &image = steps_.input(0).shape, &filter = steps_.input(1).shape, &to = steps_.output().shape;
    const std::int64_t positions = graph::count(to) / to[3], depth = graph::count(filter) / filter[0];
    if (graph::reduces_windows(filter)) {
      computed(0);
      const Operand rows = windows(op.window, positions, depth);
      if (!steps_.input(1).constant) {
        return matrices(rows, {positions, depth}, computed(1), {filter[0], depth}, {positions, to[3]});
      }
      return rows_by_constant(rows, positions, compiler::block_filter(constant(1), size(filter[0]), 1, 1, size(depth)));
    }
    const auto elements = [](const graph::Tensor& tensor) {
      const Image bytes = image_of(tensor);
      return Image{bytes.batch, bytes.height, bytes.width, bytes.channels / bytes.element_bytes};
    };
    BlockConvLayer conv;
    conv.window = op.window;
    conv.from = elements(steps_.input(0));
    conv.to = elements(steps_.output());
    std::vector<Operand> inputs{blocks_of(computed(0), graph::count(image) / image[3], image[3])};
    if (steps_.input(1).constant) {
      conv.filter =
          compiler::block_filter(constant(1), size(filter[0]), size(filter[1]), size(filter[2]), size(filter[3]));
    } else {
      conv.filter = {size(filter[0]), size(filter[1]), size(filter[2]), size(filter[3]), {}, {}};
      const graph::TensorId stored = before_transposition(op_.inputs[1]);
      conv.right = stored == graph::kNoTensor ? BlockOperand::kBlocks : BlockOperand::kColumns;
      inputs.push_back(stored == graph::kNoTensor
                           ? blocks_of(computed(1), graph::count(filter) / filter[3], filter[3])
                           : Operand{stored, Grid{graph::count(filter) / filter[0], filter[0]}.image(kWordBytes)});
    }
    add_bias(conv, inputs);
    return multiplied(std::move(conv), inputs, image_of(steps_.output()));
  }

  Term compute(const graph::Dense&) {
    const Shape& weights = steps_.input(1).shape;
    const std::int64_t positions = graph::count(steps_.input(0).shape) / weights[1];
    if (steps_.input(1).constant) {
      return rows_by_constant(blocks_of(computed(0), positions, weights[1]), positions,
                              compiler::block_filter(constant(1), size(weights[0]), 1, 1, size(weights[1])));
    }
    const Shape all{positions, weights[0]}, rows{positions, weights[1]};
    if (is_written(weights)) {
      return rows_by_written(blocks_of(computed(0), positions, weights[1]), rows, weights[0], false);
    }
    return matrices(blocks_of(computed(0), positions, weights[1]), rows, computed(1), weights, all);
  }

  Term compute(const graph::MatMul& op) {
    Shape a = steps_.input(0).shape, b = steps_.input(1).shape;
    const Term rows = op.transpose_a ? transposed(computed(0), a) : computed(0);
    const std::int64_t positions = graph::count(a) / a.back();
    const Operand left = blocks_of(rows, positions, a.back());
    const Shape& to = steps_.output().shape;
    if (is_written(b)) {
      return rows_by_written(left, a, op.transpose_b ? b[0] : b[1], !op.transpose_b);
    }
    if (!steps_.input(1).constant && !op.transpose_b && graph::count(b) == b.end()[-2] * b.back()) {
      return rows_by_columns(left, a, computed(1), b);
    }
    if (!steps_.input(1).constant) {
      const Term right = op.transpose_b ? computed(1) : transposed(computed(1), b);
      return matrices(left, a, right, b, to);
    }
    require(b.size() == 2, "constant matrices of over two dimensions");
    std::vector<float> values = constant(1);
    if (!op.transpose_b) {
      const std::vector<float> stored = values;
      const auto rows = static_cast<std::size_t>(b[0]), columns = static_cast<std::size_t>(b[1]);
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = stored[i % rows * columns + i / rows];
      }
      std::swap(b[0], b[1]);
    }
    return rows_by_constant(left, positions, compiler::block_filter(values, size(b[0]), 1, 1, size(b[1])));
  }

  template <class Other>
  Term compute(const Other&) {
    throw Refused("only products are in block floating point");
  }

  Term computed(std::size_t i) const {
    require(!steps_.input(i).constant, "a constant left operand");
    return steps_.given(i);
  }
  std::vector<float> constant(std::size_t i) const {
    return graph::elements<float>(graph::constant_value(steps_.input(i)));
  }

  /// The tensor [C,KH,KW,O] of which a filter [O,KH,KW,C] is the transposition; none if it is not.
  graph::TensorId before_transposition(graph::TensorId filter) const {
    const graph::Operator* made = graph_.maker_of_kind<graph::Transpose>(filter);
    const std::vector<int> exchange{3, 1, 2, 0};
    const bool exchanged = made != nullptr && std::get<graph::Transpose>(made->kind).permutation == exchange;
    return exchanged && !graph_.tensor(made->inputs[0]).constant ? made->inputs[0] : graph::kNoTensor;
  }

  /// The last two axes change places, in `shape` too.
  Term transposed(const Term& term, Shape& shape) {
    std::vector<int> order(shape.size());
    std::iota(order.begin(), order.end(), 0);
    std::swap(order.end()[-1], order.end()[-2]);
    const Term result = steps_.transposed(term, shape, order);
    std::swap(shape.end()[-1], shape.end()[-2]);
    return result;
  }

  static Image image_of_blocks(std::int64_t positions, std::int64_t channels) {
    return {1, 1, size(positions), BlockView::bytes_of(size(channels))};
  }

  Term to_blocks(const Term& term, std::int64_t positions, std::int64_t channels) {
    return steps_.append("blocks", BlocksLayer{size(channels)},
                         {{term.id, Grid{positions, channels}.image(kWordBytes)}},
                         image_of_blocks(positions, channels));
  }

  /// As an input of a layer.
  Operand blocks_of(const Term& term, std::int64_t positions, std::int64_t channels) {
    return {to_blocks(term, positions, channels).id, image_of_blocks(positions, channels)};
  }

  /// Blocks of whole windows of the image.
  Operand windows(const Window& window, std::int64_t positions, std::int64_t depth) {
    const Image from = image_of(steps_.input(0)), to = image_of(steps_.output());
    if (plain_ || !compiler::gathers_windows(view_of(from), window, view_of(to))) {
      return blocks_of(float_windows(steps_, window, 0), positions, depth);
    }
    const Image image = image_of_blocks(positions, depth);
    BlocksLayer blocks{size(depth), BlocksLayer::Windows{window, from, to}};
    return {steps_.append("windows", std::move(blocks), {{steps_.input_id(0), from}}, image).id, image};
  }

  Term rows_by_constant(const Operand& rows, std::int64_t positions, BlockFilter weights) {
    BlockProductLayer layer;
    layer.channels = weights.channels;
    layer.a = layer.result = {size(positions), weights.outputs, weights.outputs, {0}};
    layer.constant = std::move(weights);
    return product(std::move(layer), rows, {});
  }

  /// a [..., M,K] by one matrix [K,N] as it lies.
  Term rows_by_columns(const Operand& a, const Shape& a_shape, const Term& b, const Shape& b_shape) {
    const std::int64_t positions = graph::count(a_shape) / a_shape.back(), columns = b_shape.back();
    BlockProductLayer layer;
    layer.channels = size(a_shape.back());
    layer.right = BlockOperand::kColumns;
    layer.a = layer.result = {size(positions), size(columns), columns, {0}};
    return product(std::move(layer), a, {{b.id, Grid{a_shape.back(), columns}.image(kWordBytes)}});
  }

  /// Whether the right operand is written as weight tiles, which nothing else reads.
  bool is_written(const Shape& shape) const {
    return steps_.input(1).as_weights && shape.size() == 2 && graph_.uses(op_.inputs[1]) == 1 &&
           std::count(graph_.graph().inputs.begin(), graph_.graph().inputs.end(), op_.inputs[1]) != 0;
  }

  /// a [..., M,K] by a matrix of `columns` outputs that the host writes.
  Term rows_by_written(const Operand& a, const Shape& a_shape, std::int64_t columns, bool transposed) {
    BlockProductLayer layer;
    layer.channels = size(a_shape.back());
    layer.right = BlockOperand::kWritten;
    layer.written_transposed = transposed;
    layer.a = layer.result = {size(graph::count(a_shape) / a_shape.back()), size(columns), columns, {0}};
    return product(std::move(layer), a, {{op_.inputs[1], image_of(steps_.input(1))}});
  }

  /// a [..., M,K] by b [..., N,K], to [..., M,N].
  Term matrices(const Operand& a, const Shape& a_shape, const Term& b, const Shape& b_shape, const Shape& to) {
    BlockProductLayer layer;
    layer.channels = size(a_shape.back());
    layer.right = BlockOperand::kBlocks;
    layer.a = matrices_of(a_shape, to);
    layer.b = matrices_of(b_shape, to);
    layer.result = matrices_of(to, to);
    const auto right = blocks_of(b, graph::count(b_shape) / b_shape.back(), b_shape.back());
    return product(std::move(layer), a, {right});
  }

  Term product(BlockProductLayer layer, const Operand& a, const std::vector<Operand>& b) {
    std::vector<Operand> inputs{a};
    inputs.insert(inputs.end(), b.begin(), b.end());
    add_bias(layer, inputs);
    const Shape& to = steps_.output().shape;
    return multiplied(std::move(layer), inputs, Grid{graph::count(to) / to.back(), to.back()}.image(kWordBytes));
  }

  Term multiplied(LayerKind product, const std::vector<Operand>& inputs, const Image& image) {
    const Term result = steps_.append("product", std::move(product), inputs, image);
    steps_.multiplies_here();
    return result;
  }

  const graph::IndexedGraph& graph_;
  const graph::Operator& op_;
  const bool plain_;
  KernelSteps steps_;
};

}  // namespace

std::vector<Layer> lower_blocks(const graph::IndexedGraph& graph, const graph::Operator& op, bool plain) {
  return Lowering(graph, op, plain).run(op.kind);
}

}  // namespace systole::network
