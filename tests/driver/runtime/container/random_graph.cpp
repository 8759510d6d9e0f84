// SPDX-License-Identifier: Apache-2.0
#include "random_graph.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "infer.hpp"
#include "systole/graph_value.hpp"

namespace systole::test {
namespace {

using namespace graph;

class Growth {
 public:
  explicit Growth(std::uint64_t seed) : random_(seed) {}

  Graph run(int operators) {
    graph_.name = fmt::format("random {}", random_() % 1000);
    TensorId at = add({1, 6, 6, 4}, nullptr);
    graph_.inputs = {at};
    for (int i = 0; i < operators; ++i) {
      at = grow(at);
    }
    graph_.outputs = {at};
    return std::move(graph_);
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  float real() { return static_cast<float>(below(2001) - 1000) / 128; }
  template <class Kind>
  Kind any(Kind last) {
    return static_cast<Kind>(below(static_cast<int>(last) + 1));
  }
  const Shape& shape(TensorId id) const { return graph_.tensor(id).shape; }

  TensorId add(const Shape& shape, std::shared_ptr<const Bytes> constant) {
    Tensor tensor;
    tensor.name = fmt::format("t{}", graph_.tensors.size());
    tensor.type = ElementType::kFloat32;
    tensor.shape = shape;
    tensor.constant = std::move(constant);
    graph_.tensors.push_back(std::move(tensor));
    return static_cast<TensorId>(graph_.tensors.size()) - 1;
  }
  TensorId constant(const Shape& shape) {
    Bytes bytes(static_cast<std::size_t>(count(shape)) * sizeof(float));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = i % sizeof(float) == 3 ? 0x3F : static_cast<std::uint8_t>(random_());  // about 1
    }
    return add(shape, std::make_shared<const Bytes>(std::move(bytes)));
  }

  TensorId append(OperatorKind kind, std::vector<TensorId> inputs, const std::vector<Shape>& outputs) {
    Operator op;
    op.name = fmt::format("{}_{}", name_of(kind), graph_.operators.size());
    op.origin = below(2) == 0 ? "" : "ORIGIN";
    op.kind = std::move(kind);
    op.arithmetic = any(Arithmetic::kOnnx);
    op.inputs = std::move(inputs);
    for (const Shape& shape : outputs) {
      op.outputs.push_back(add(shape, nullptr));
    }
    const TensorId first = op.outputs.front();
    graph_.operators.push_back(std::move(op));
    return first;
  }
  TensorId append(const OperatorKind& kind, const std::vector<TensorId>& inputs) {
    std::vector<Shape> shapes;
    for (const TensorId id : inputs) {
      if (id != kNoTensor) {
        shapes.push_back(shape(id));
      }
    }
    return append(kind, inputs, output_shapes(kind, shapes));
  }

  /// Whose result has this type.
  TensorId append(const OperatorKind& kind, const std::vector<TensorId>& inputs, ElementType type) {
    const TensorId id = append(kind, inputs);
    graph_.tensor(id).type = type;
    return id;
  }
  /// Indices 0 .. 5.
  TensorId places(const Shape& shape) {
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < count(shape); ++i) {
      values.push_back(below(6));
    }
    const TensorId id = add(shape, std::make_shared<const Bytes>(make_value(ElementType::kInt64, shape, values).data));
    graph_.tensor(id).type = ElementType::kInt64;
    return id;
  }

  Window window() {
    Window s;
    s.kernel_h = 1 + below(3);
    s.kernel_w = 1 + below(3);
    s.stride_h = 1 + below(2);
    s.dilation_w = s.kernel_w == 1 ? 1 + below(3) : 1;
    s.pad_top = below(s.kernel_h);
    s.pad_right = below(s.kernel_w);
    return s;
  }
  /// Back to an image of the original size: some kinds need a certain rank.
  TensorId image(TensorId from) {
    if (graph_.tensor(from).type != ElementType::kFloat32) {
      from = append(Convert{}, {from});
    }
    Shape flat = {count(shape(from))};
    TensorId at = append(Reshape{}, {from}, {flat});
    const std::int64_t wanted = 6 * 6 * 4;
    if (flat[0] != wanted) {
      const std::int64_t more = wanted - flat[0];
      at = append(Pad{{0}, {more}, Pad::Mode::kConstant, real()}, {at}, {{wanted}});
    }
    return append(Reshape{}, {at}, {{1, 6, 6, 4}});
  }

  TensorId grow(TensorId from) {
    const TensorId at = image(from);
    switch (below(31)) {
      case 0: {
        const Window s = window();
        const int groups = 1 + below(2);
        const TensorId weights = constant({4, s.kernel_h, s.kernel_w, 4 / groups});
        const TensorId bias = below(2) == 0 ? kNoTensor : constant({4});
        return append(Conv2d{s, groups, any(Activation::kReluN1To1)}, {at, weights, bias});
      }
      case 1: return append(Dense{any(Activation::kReluN1To1)}, {at, constant({5, 4})});
      case 2: return append(MatMul{false, true}, {at, constant({1, 6, 3, 4})});
      case 3: return append(Binary{any(BinaryKind::kRemainder), any(Activation::kReluN1To1)}, {at, constant({4})});
      case 4: return append(Unary{any(UnaryKind::kAtanh), real(), real()}, {at});
      case 5: return append(Pool{any(PoolKind::kAverage), window(), below(2) == 0, any(Activation::kReluN1To1)}, {at});
      case 6: return append(Reduce{any(ReduceKind::kProduct), {1, -1}, below(2) == 0}, {at});
      case 7: return append(Pad{{0, 1, 2, 0}, {0, 1, 0, 2}, any(Pad::Mode::kSymmetric), real()}, {at});
      case 8: {
        std::vector<int> permutation(4);
        std::iota(permutation.begin(), permutation.end(), 0);
        std::shuffle(permutation.begin(), permutation.end(), random_);
        return append(Transpose{permutation}, {at});
      }
      case 9: return append(Concat{3 - below(2)}, {at, at});
      case 10: return append(Split{2}, {at}, {{1, 6, 2, 4}, {1, 6, 4, 4}});
      case 11: return append(Slice{{0, 5, 1, 0}, {1, -2, 1, 1}}, {at}, {{1, 3, 4, 4}});
      case 12: return append(ResizeNearest{below(2) == 0, false}, {at}, {{1, 9, 3, 4}});
      case 13:
        return append(ArgExtreme{below(2) == 0, below(4), below(2) == 0, below(2) == 0}, {at}, ElementType::kInt64);
      case 14: return append(CumulativeSum{below(4), below(2) == 0, below(2) == 0}, {at});
      case 15: {
        const TensorId indices = append(FlatIndex{{6, 6}}, {places({5, 2})}, ElementType::kInt64);
        return append(Gather{0}, {append(Reshape{}, {at}, {{36, 4}}), indices});
      }
      case 16:
        return append(Scatter{any(Scatter::Combine::kMinimum)},
                      {append(Reshape{}, {at}, {{36, 4}}), places({3}), constant({3, 4})});
      case 17: {
        const TensorId first = append(TopK{1, below(2) == 0}, {at}, {{1, 2, 6, 4}, {1, 2, 6, 4}});
        graph_.tensor(first + 1).type = ElementType::kInt64;
        return first;
      }
      case 18: return append(MaxIndices{window(), below(2) == 0}, {at}, ElementType::kInt64);
      case 19: {
        const TensorId less = append(Binary{BinaryKind::kLess}, {at, constant({4})}, ElementType::kBool);
        return append(Select{}, {append(Unary{UnaryKind::kNot}, {less}, ElementType::kBool), at, constant({4})});
      }
      case 20: return append(Determinant{}, {append(Reshape{}, {at}, {{4, 6, 6}})});
      case 21: return lstm(at);
      case 22: {
        const TensorId state = integers({3, 40}, ElementType::kInt16);
        return as_int8(
            append(Svdf{2}, {as_int8(append(Reshape{}, {to_int8(at)}, {{3, 48}})),
                             integers({8, 48}, ElementType::kInt8), integers({8, 5}, ElementType::kInt16), state}));
      }
      case 23: return append(ResizeBilinear{below(2) == 0, false}, {at}, {{1, 4, 7, 4}});
      case 24: return append(L2Normalize{}, {at});
      case 25: return append(LayerNormalize{std::abs(real())}, {at, constant({4}), constant({4})});
      case 26: return append(Reinterpret{}, {at}, ElementType::kUint32);
      case 27: return append(LocalResponse{below(3), below(3), std::abs(real()), 1 + std::abs(real()), real()}, {at});
      case 28:
        return append(BatchNormalize{std::abs(real()), real()},
                      {at, constant({4}), constant({4}), constant({4}), constant({4})});
      case 29: return append(Dropout{real()}, {at});
      default: return append(Softmax{-1 - below(2), 0.5F + std::abs(real()), below(2) == 0}, {convert(at)});
    }
  }

  TensorId lstm(TensorId at) {
    const Lstm kind{below(2) == 0, static_cast<float>(below(3))};
    std::vector<TensorId> inputs = {as_int8(append(Reshape{}, {to_int8(at)}, {{3, 6, 8}}))};
    for (const Shape& shape : {Shape{5, 8}, Shape{5, 5}}) {
      for (int gate = 0; gate < 4; ++gate) {
        inputs.push_back(integers(shape, ElementType::kInt8));
      }
    }
    for (int gate = 0; gate < 4; ++gate) {
      inputs.push_back(integers({5}, ElementType::kInt32));
    }
    const Shape state = {kind.time_major ? 6 : 3, 5};
    inputs.push_back(integers(state, ElementType::kInt8));
    inputs.push_back(integers(state, ElementType::kInt16));
    return as_int8(append(kind, inputs));
  }
  TensorId as_int8(TensorId id) {
    graph_.tensor(id).type = ElementType::kInt8;
    graph_.tensor(id).quantization = Quantization{{0.25F}, {0}, 0};
    return id;
  }
  TensorId to_int8(TensorId from) { return as_int8(append(Convert{}, {from})); }
  /// A quantized constant.
  TensorId integers(const Shape& shape, ElementType type) {
    const TensorId id =
        add(shape, std::make_shared<const Bytes>(static_cast<std::size_t>(count(shape)) * element_size(type)));
    graph_.tensor(id).type = type;
    graph_.tensor(id).quantization = Quantization{{0.25F}, {0}, 0};
    return id;
  }

  /// To int8 and back.
  TensorId convert(TensorId from) {
    const TensorId quantized = append(Convert{}, {from});
    graph_.tensor(quantized).type = ElementType::kInt8;
    graph_.tensor(quantized).quantization = Quantization{{0.25F}, {below(256) - 128}, 0};
    return append(Convert{}, {quantized});
  }

  std::mt19937_64 random_;
  Graph graph_;
};

}  // namespace

Graph random_graph(std::uint64_t seed, int operators) { return Growth(seed).run(operators); }

}  // namespace systole::test
