// SPDX-License-Identifier: Apache-2.0
#include "lower_indices.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>

#include "bytes.hpp"
#include "element_formulas.hpp"
#include "index_kernels.hpp"
#include "infer.hpp"
#include "integer_range.hpp"
#include "kernel_steps.hpp"
#include "refused.hpp"
#include "systole/graph_value.hpp"
#include "systole/kernel.hpp"

namespace systole::network {
namespace {

using graph::ElementType;
using graph::IndexedGraph;
using graph::Operator;
using graph::ScatterCombine;
using graph::Shape;
using graph::Tensor;

std::int64_t size_of(const Tensor& tensor) { return static_cast<std::int64_t>(graph::element_size(tensor.type)); }
std::int64_t product(Shape::const_iterator first, Shape::const_iterator end) {
  return std::accumulate(first, end, std::int64_t{1}, std::multiplies<>());
}

compiler::KernelCall made(const char* name, std::function<std::string(int)> source) {
  compiler::KernelCall call{name};
  call.source = std::move(source);
  return call;
}

class Lowering {
 public:
  Lowering(const IndexedGraph& graph, const Operator& op)
      : graph_(graph), steps_(graph, op), number_(graph::count(steps_.input(1).shape)) {}

  /// The array multiplies a matrix that has a single 1 in each row by the bytes of the data: each sum is one byte.
  std::vector<Layer> gather(const graph::Gather& op) {
    constexpr std::int64_t kMostProducts = std::int64_t{1} << 28, kLeastBytes = 32;
    const Tensor& data = steps_.input(0);
    const auto axis = data.shape.begin() + static_cast<std::ptrdiff_t>(graph::axis_of(op.axis, data.shape.size()));
    const std::int64_t before = product(data.shape.begin(), axis), rows = *axis;
    const std::int64_t bytes = product(axis + 1, data.shape.end()) * size_of(data);
    require_indices_below(rows);
    require(before * number_ * rows <= kMostProducts / std::max(bytes, kLeastBytes),
            "computed indices into so large a tensor that the array would multiply over 2^28 times");
    const Term chosen = steps_.append(
        "chosen", KernelLayer{made("chosen_channels", [rows](int dim) { return chosen_channels(dim, rows); })},
        {{indices().id, index_image()}}, Grid{number_, rows}.image(1));
    const Image from = Grid{number_, rows}.image(1), to = Grid{before * number_, bytes}.image(1);
    if (data.constant) {
      require(before == 1, "computed indices of another axis than the first of a constant");
      return steps_.finish(steps_.append("rows", of_constant(rows, bytes), {{chosen.id, from}}, to));
    }
    const auto stack = [&](std::int64_t of_rows, std::int64_t columns, bool same) {
      MatrixStack matrices{static_cast<int>(of_rows), static_cast<int>(columns), columns, {}};
      for (std::int64_t i = 0; i < before; ++i) {
        matrices.first.push_back(same ? 0 : i * of_rows * columns);
      }
      return matrices;
    };
    ProductLayer product;
    product.a = stack(number_, rows, true);
    product.b = stack(rows, bytes, false);
    product.result = stack(number_, bytes, false);
    return steps_.finish(steps_.append("rows", std::move(product),
                                       {{chosen.id, from}, {steps_.input_id(0), Grid{before * rows, bytes}.image(1)}},
                                       to));
  }

  /// A kernel goes through all updates for each row.
  std::vector<Layer> scatter(const graph::Scatter& op) {
    constexpr std::int64_t kMostOperations = std::int64_t{1} << 18, kLanes = 16;  // each takes eight cycles
    const Tensor& data = steps_.input(0);
    const std::int64_t rows = data.shape[0], bytes = graph::count(data.shape) / rows * size_of(data);
    const std::int64_t words = bytes / kWordBytes;
    const bool replaces = op.combine == ScatterCombine::kReplace, floats = data.type == ElementType::kFloat32;
    require_indices_below(rows);
    if (replaces) {
      require(bytes % kWordBytes == 0, "a scatter of rows that are not whole words of 32 bits");
    } else {
      const bool extreme = op.combine == ScatterCombine::kMaximum || op.combine == ScatterCombine::kMinimum;
      require(floats || data.type == ElementType::kInt32 || (data.type == ElementType::kUint32 && !extreme),
              "a scatter that combines elements other than float32 and integers of 32 bits");
    }
    constexpr std::int64_t kStrip = kernel::kStripRows;
    require((rows + kStrip - 1) / kStrip * number_ * ((words + kLanes - 1) / kLanes) <=
                kMostOperations / operations_of_update(op.combine),
            "a scatter of so many updates to so many rows that a kernel would take over 2^21 cycles");
    compiler::KernelCall call = made("scattered_rows", [=, number = number_, combine = op.combine](int) {
      return scattered_rows(rows, number, combine, floats);
    });
    call.items = 1;
    call.by_block = true;
    std::vector<std::int32_t> numbers;
    for (std::int32_t row = 0; row < kStrip; ++row) {
      numbers.insert(numbers.end(), static_cast<std::size_t>(words), row);
    }
    std::vector<Term> terms{operand(0), operand(2), repeated(words)};
    if (floats && op.combine == ScatterCombine::kAdd) {
      terms[1] = negative(terms[1], {number_, words});
    }
    KernelLayer kernel{std::move(call)};
    std::vector<std::pair<graph::TensorId, Image>> inputs;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const Image image = Grid{i == 0 ? rows : number_, words}.image(kWordBytes);
      if (terms[i].constant) {
        kernel.constants.emplace(i, ConstantOperand{terms[i].constant->bytes, image});
      } else {
        inputs.emplace_back(terms[i].id, image);
      }
    }
    kernel.constants.emplace(terms.size(),
                             ConstantOperand{bytes_of_words(numbers), Grid{kStrip, words}.image(kWordBytes)});
    return steps_.finish(steps_.append("scattered", std::move(kernel), inputs, Grid{rows, words}.image(kWordBytes)));
  }

 private:
  void require_indices_below(std::int64_t rows) {
    require(graph::IntegerRanges(graph_).of(steps_.input_id(1)).within({0, rows - 1}),
            "computed indices that may be out of range, which the device cannot report");
  }

  Image index_image() const { return Grid{number_, 1}.image(kWordBytes); }

  /// As int32, which has the lower words of those of 64 bits.
  Term indices() {
    const Term given = steps_.given(1);
    if (given.element_bytes == kWordBytes) {
      return given;
    }
    compiler::ByteBox box;
    box.bytes = box.to_inner = kWordBytes;
    box.inner = number_;
    box.from_inner = given.element_bytes;
    return steps_.move("words", given, number_ * given.element_bytes, MoveLayer{{{0, -1, box}}, {}}, {number_, 1},
                       kWordBytes);
  }

  /// Each index in all of so many channels.
  Term repeated(std::int64_t channels) {
    const Tensor& tensor = steps_.input(1);
    if (tensor.constant) {
      const graph::Bytes& bytes = *tensor.constant;
      graph::Bytes all;
      for (auto index = bytes.begin(); index != bytes.end(); index += static_cast<std::ptrdiff_t>(size_of(tensor))) {
        for (std::int64_t i = 0; i < channels; ++i) {
          all.insert(all.end(), index, index + kWordBytes);
        }
      }
      return {graph::kNoTensor, ConstantOperand{std::move(all), {}}};
    }
    return steps_.append(
        "indices",
        KernelLayer{made("repeated_indices", [channels](int dim) { return repeated_indices(dim, channels); })},
        {{indices().id, index_image()}}, Grid{number_, channels}.image(kWordBytes));
  }

  Term operand(std::size_t i) const {
    const Tensor& tensor = steps_.input(i);
    if (!tensor.constant) {
      return steps_.given(i);
    }
    ConstantOperand constant{*tensor.constant, {}};
    toggle(tensor.type, constant.bytes);
    return {graph::kNoTensor, std::move(constant)};
  }

  Term negative(Term term, const Grid& grid) {
    if (!term.constant) {
      return steps_.apply(float_call(graph::UnaryKind::kNegate), {term}, grid, ElementType::kFloat32);
    }
    for (std::size_t sign = kWordBytes - 1; sign < term.constant->bytes.size(); sign += kWordBytes) {
      term.constant->bytes[sign] ^= 0x80;
    }
    return term;
  }

  /// A product with the rows of a constant.
  ConvLayer of_constant(std::int64_t rows, std::int64_t bytes) const {
    constexpr std::int64_t kMostSide = 32767;  // of an image that is convolved
    require(number_ <= kMostSide, "over 32767 computed indices into a constant");
    graph::Bytes table = *steps_.input(0).constant;
    toggle(steps_.input(0).type, table);
    graph::Bytes weights;
    for (std::int64_t byte = 0; byte < bytes; ++byte) {
      for (std::int64_t row = 0; row < rows; ++row) {
        weights.push_back(table[static_cast<std::size_t>(row * bytes + byte)]);
      }
    }
    ConvLayer conv;
    conv.weights = std::make_shared<const graph::Bytes>(std::move(weights));
    conv.bias.assign(static_cast<std::size_t>(bytes), 0);
    return conv;
  }

  const IndexedGraph& graph_;
  KernelSteps steps_;
  const std::int64_t number_;  ///< of indices
};

}  // namespace

std::vector<Layer> lower_gather(const IndexedGraph& graph, const Operator& op) {
  return Lowering(graph, op).gather(std::get<graph::Gather>(op.kind));
}

std::vector<Layer> lower_scatter(const IndexedGraph& graph, const Operator& op) {
  return Lowering(graph, op).scatter(std::get<graph::Scatter>(op.kind));
}

}  // namespace systole::network
