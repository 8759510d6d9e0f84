// SPDX-License-Identifier: Apache-2.0
// Parts of float32 tensors that element-wise operators, softmax and products read where they are: slices of random
// axes and steps, reshaped, split, transposed, one after another. All equal the host bit for bit.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "cores.hpp"
#include "float_net.hpp"
#include "seed.hpp"

namespace systole {
namespace {

using graph::BinaryKind;
using graph::Shape;
using graph::TensorId;
using graph::Unary;
using graph::UnaryKind;

constexpr std::int64_t kMaxElements = 12'000;  // of a tensor

class Moved {
 public:
  explicit Moved(test::FloatNet& net) : net_(net) {}

  /// A graph of some moves, and what reads their results.
  std::vector<TensorId> outputs() {
    const TensorId x = net_.input(shape());
    std::vector<TensorId> results;
    for (int branch = 0, branches = 1 + below(3); branch < branches; ++branch) {
      TensorId part = below(4) == 0 ? negated(x) : x;
      for (int moves = 1 + below(2); moves > 0; --moves) {
        part = moved(part);
      }
      results.push_back(computed(part));
      if (below(6) == 0) {
        results.push_back(part);
      }
    }
    return results;
  }

 private:
  int below(int end) { return static_cast<int>(net_.number(static_cast<std::uint32_t>(end))); }
  std::int64_t below(std::int64_t end) { return net_.number(static_cast<std::uint32_t>(end)); }

  /// Axes of one, a few and many elements: more and less than a row of the array.
  Shape shape() {
    Shape shape(static_cast<std::size_t>(1 + below(4)));
    std::int64_t elements = 1;
    for (std::int64_t& size : shape) {
      const int kind = below(6);
      size = kind == 0 ? 1 : kind < 4 ? 2 + below(7) : kind == 4 ? 16 * (1 + below(6)) : 10 + below(90);
      size = std::max<std::int64_t>(1, std::min(size, kMaxElements / elements));
      elements *= size;
    }
    return shape;
  }

  TensorId moved(TensorId x) {
    const int kind = below(8);
    if (kind == 0) {
      return reshaped(x);
    }
    return kind == 1 ? transposed(x) : sliced(x);
  }

  TensorId sliced(TensorId x) {
    const Shape from = net_.shape(x);
    graph::Slice slice;
    Shape to;
    for (const std::int64_t size : from) {
      std::int64_t begin = 0, count = size, step = 1;
      switch (below(5)) {
        case 0: break;  // all
        case 1: count = 1 + below(size); break;
        case 2:
          step = 1 + below(3);
          begin = below(size);
          count = (size - 1 - begin) / step + 1;
          break;
        case 3:
          step = -1 - below(2);
          begin = below(size);
          count = begin / -step + 1;
          break;
        default:
          begin = below(size);
          count = 1 + below(size - begin);
          break;
      }
      slice.begin.push_back(begin);
      slice.step.push_back(step);
      to.push_back(count);
    }
    return net_.append(std::move(slice), {x}, to);
  }

  TensorId transposed(TensorId x) {
    std::vector<int> permutation(net_.shape(x).size());
    std::iota(permutation.begin(), permutation.end(), 0);
    Shape to;
    for (std::size_t i = permutation.size(); i > 0; --i) {
      std::swap(permutation[i - 1], permutation[static_cast<std::size_t>(below(static_cast<int>(i)))]);
    }
    for (const int axis : permutation) {
      to.push_back(net_.shape(x)[static_cast<std::size_t>(axis)]);
    }
    return net_.append(graph::Transpose{permutation}, {x}, to);
  }

  /// Makes one axis of two neighbours, or two of one.
  TensorId reshaped(TensorId x) {
    Shape to = net_.shape(x);
    const auto axis = static_cast<std::size_t>(below(static_cast<int>(to.size())));
    const std::int64_t size = to[axis], factor = size % 4 == 0 ? 4 : size % 3 == 0 ? 3 : size;
    if (axis + 1 < to.size() && below(2) == 0) {
      to[axis] *= to[axis + 1];
      to.erase(to.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
    } else {
      to[axis] = size / factor;
      to.insert(to.begin() + static_cast<std::ptrdiff_t>(axis) + 1, factor);
    }
    return net_.append(graph::Reshape{}, {x}, to);
  }

  TensorId negated(TensorId x) { return net_.append(Unary{UnaryKind::kNegate}, {x}, net_.shape(x)); }

  TensorId computed(TensorId part) {
    const Shape shape = net_.shape(part);
    switch (below(6)) {
      case 0: return net_.append(graph::Softmax{}, {part}, shape);
      case 1: return net_.binary(BinaryKind::kAdd, part, net_.input(shape));
      case 2: return net_.binary(BinaryKind::kMultiply, negated(part), part);
      case 3: return net_.binary(BinaryKind::kSubtract, part, net_.constant({shape.back()}));
      case 4: {
        const TensorId weights = net_.constant({5, shape.back()});
        Shape to = shape;
        to.back() = 5;
        return net_.append(graph::Dense{}, {part, weights}, to, graph::Arithmetic::kBlocks);
      }
      default: return negated(part);
    }
  }

  test::FloatNet& net_;
};

struct Where {
  const char* backend;
  const char* configuration;
  std::uint32_t rounds;
};

class MovedParts : public testing::TestWithParam<Where> {};

TEST_P(MovedParts, AreReadWhereTheyAre) {
  const auto first = static_cast<std::uint32_t>(test::seed(42'000));
  for (std::uint32_t round = 0; round < GetParam().rounds; ++round) {
    SCOPED_TRACE(fmt::format("seed {}", first + round));
    test::FloatNet net(first + round);
    net.expect_equal_on(GetParam().backend, GetParam().configuration, Moved(net).outputs());
  }
}

std::vector<Where> everywhere() {
  std::vector<Where> list{
      {"model", "tiny", 150}, {"model", "small", 100}, {"model", "default", 300}, {"model", "large", 100}};
  if (test::is_built("tiny")) {
    list.push_back({"rtl", "tiny", 6});
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(All, MovedParts, testing::ValuesIn(everywhere()), [](const auto& info) {
  return fmt::format("{}_{}", info.param.backend, info.param.configuration);
});

/// Some columns of some rows, as a graph has them that looks at a part of a sequence.
TEST(MovedPart, OfRowsAndColumns) {
  for (const Shape& from : {Shape{4, 60}, Shape{1, 5, 60}, Shape{3, 2, 60}}) {
    for (const std::int64_t rows : {2, 3}) {
      test::FloatNet net(7);
      const TensorId x = net.input(from);
      Shape begin(from.size(), 0), step(from.size(), 1), to = from;
      to.back() = 40;
      to[from.size() == 3 && from[0] == 1 ? 1 : 0] = rows;
      begin.back() = 8;
      const TensorId part = net.append(graph::Slice{begin, step}, {x}, to);
      net.expect_equal({net.append(Unary{UnaryKind::kNegate}, {part}, to), net.append(graph::Softmax{}, {part}, to)});
    }
  }
}

/// A part of all elements in a row, of a tensor that lies in the scratchpad as rows.
TEST(MovedPart, OfATensorOfOtherPositions) {
  test::FloatNet net(9);
  const TensorId made = net.append(Unary{UnaryKind::kNegate}, {net.input({32, 64})}, {32, 64});
  const TensorId line = net.append(graph::Reshape{}, {made}, {1, 2048});
  const TensorId part = net.append(graph::Slice{{0, 1024}, {1, 1}}, {line}, {1, 80});
  net.expect_equal({net.append(Unary{UnaryKind::kAbs}, {part}, {1, 80})});
}

/// Elements that follow each other, seen as rows; and every second row.
TEST(MovedPart, OfAnotherShape) {
  test::FloatNet net(8);
  const TensorId x = net.input({4, 60});
  const TensorId line = net.append(graph::Reshape{}, {x}, {240});
  const TensorId some = net.append(graph::Slice{{12}, {1}}, {line}, {160});
  const TensorId rows = net.append(graph::Reshape{}, {some}, {4, 40});
  const TensorId even = net.append(graph::Slice{{0, 0}, {2, 1}}, {x}, {2, 60});
  net.expect_equal({net.append(graph::Softmax{}, {rows}, {4, 40}), net.append(graph::Softmax{}, {even}, {2, 60})});
}

/// A softmax beside blocks writes zeros behind its last channel. There are none behind a part that ends before.
TEST(MovedPart, OfASoftmaxBecomesBlocks) {
  for (const std::int64_t first : {0, 16, 20, 28}) {
    SCOPED_TRACE(fmt::format("columns from {} on", first));
    test::FloatNet net(3);
    const TensorId all = net.append(graph::Softmax{}, {net.input({8, 48})}, {8, 48}, graph::Arithmetic::kBlocks);
    const TensorId part = net.append(graph::Slice{{0, first}, {1, 1}}, {all}, {8, 20});
    net.expect_equal({net.append(graph::Dense{}, {part, net.constant({5, 20})}, {8, 5}, graph::Arithmetic::kBlocks)});
  }
  test::FloatNet net(4);  // a part that ends where the tensor does
  const TensorId all = net.append(graph::Softmax{}, {net.input({8, 36})}, {8, 36}, graph::Arithmetic::kBlocks);
  const TensorId part = net.append(graph::Slice{{0, 16}, {1, 1}}, {all}, {8, 20});
  net.expect_equal({net.append(graph::Dense{}, {part, net.constant({5, 20})}, {8, 5}, graph::Arithmetic::kBlocks)});
}

}  // namespace
}  // namespace systole
