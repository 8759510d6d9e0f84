// SPDX-License-Identifier: Apache-2.0
#include "weight_presets.hpp"

#include <fmt/core.h>

#include <limits>
#include <string_view>
#include <unordered_map>

#include "systole/container.hpp"

namespace systole::container {
namespace {

using graph::Graph;
using graph::Tensor;

/// Convolution weights OHWI.
struct Weights {
  const graph::Bytes* values = nullptr;
  int outputs = 1, kernel_h = 1, kernel_w = 1, inputs_of_group = 1, groups = 1;
};

constexpr std::size_t kOperand = 1;  // the weights of operators that have them

const Tensor* constant_bytes_of(const Graph& graph, const graph::Operator& op, std::size_t rank) {
  if (op.inputs.size() <= kOperand || op.inputs[kOperand] == graph::kNoTensor) {
    return nullptr;
  }
  const Tensor& tensor = graph.tensor(op.inputs[kOperand]);
  const bool fits = tensor.constant != nullptr && tensor.type == graph::ElementType::kInt8 &&
                    tensor.shape.size() == rank && graph::count(tensor.shape) > 0 &&
                    graph::count(tensor.shape) <= std::numeric_limits<int>::max();
  return fits ? &tensor : nullptr;
}

int size(const Tensor& tensor, std::size_t axis) { return static_cast<int>(tensor.shape[axis]); }

std::optional<Weights> weights_of(const Graph& graph, const graph::Operator& op) {
  const Tensor* tensor = nullptr;
  Weights weights;
  if (const auto* conv = std::get_if<graph::Conv2d>(&op.kind);
      conv != nullptr && (tensor = constant_bytes_of(graph, op, 4)) != nullptr) {
    weights.outputs = size(*tensor, 0);
    weights.kernel_h = size(*tensor, 1);
    weights.kernel_w = size(*tensor, 2);
    weights.inputs_of_group = size(*tensor, 3);
    weights.groups = conv->groups;
  } else if (std::holds_alternative<graph::Dense>(op.kind) && (tensor = constant_bytes_of(graph, op, 2)) != nullptr) {
    weights.outputs = size(*tensor, 0);
    weights.inputs_of_group = size(*tensor, 1);
  } else {
    return std::nullopt;
  }
  weights.values = tensor->constant.get();
  return weights;
}

/// Column by column.
class Columns {
 public:
  /// There are none if the operator has no such weights.
  Columns(const Graph& graph, std::size_t op, bool packed, int dim)
      : weights_(weights_of(graph, graph.operators[op])), packed_(packed), dim_(dim) {
    if (weights_ && !(packed && weights_->groups != 1)) {
      count_ = static_cast<std::size_t>(compiler::ceil_div(weights_->outputs, dim));
    }
  }

  std::size_t count() const { return count_; }
  std::vector<std::uint8_t> bytes(std::size_t number) const {
    const Weights& w = *weights_;
    const auto of = [&](int kernel_h, int kernel_w, int inputs, int groups) {
      return compiler::weight_column(*w.values, w.outputs, kernel_h, kernel_w, inputs, groups, dim_,
                                     static_cast<int>(number))
          .bytes;
    };
    return packed_ ? of(1, 1, w.kernel_h * w.kernel_w * w.inputs_of_group, 1)
                   : of(w.kernel_h, w.kernel_w, w.inputs_of_group, w.groups);
  }

 private:
  std::optional<Weights> weights_;
  bool packed_;
  int dim_;
  std::size_t count_ = 0;
};

std::string_view text_of(const std::vector<std::uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};  // NOLINT(*-reinterpret-cast): bytes are chars
}

}  // namespace

std::vector<std::optional<ColumnOfWeights>> weights_of(const Graph& graph, const Program& program, int dim) {
  std::unordered_multimap<std::string_view, std::size_t> constants;
  for (std::size_t i = 0; i < program.constants.size(); ++i) {
    constants.emplace(text_of(program.constants[i].bytes), i);
  }
  std::vector<std::optional<ColumnOfWeights>> found(program.constants.size());
  for (std::size_t op = 0; op < graph.operators.size(); ++op) {
    for (const bool packed : {false, true}) {
      const Columns columns(graph, op, packed, dim);
      for (std::size_t i = 0; i < columns.count(); ++i) {
        const std::vector<std::uint8_t> bytes = columns.bytes(i);
        const auto [begin, end] = constants.equal_range(text_of(bytes));
        if (begin != end) {
          found[begin->second] = ColumnOfWeights{op, packed, i};
          constants.erase(begin);
        }
      }
    }
  }
  return found;
}

std::vector<std::uint8_t> WeightTiling::take(const ColumnOfWeights& of) {
  const auto refused = [&](const char* why) {
    return ContainerError(
        fmt::format("damaged: constants are column {} of the weights of operator {}, {}", of.column, of.op, why));
  };
  if (of.op >= graph_.operators.size()) {
    throw refused("which does not exist");
  }
  const Columns columns(graph_, of.op, of.packed, dim_);
  if (of.column >= columns.count()) {
    throw refused("which has no such column");
  }
  if (!taken_.insert({of.op, of.packed, of.column}).second) {
    throw refused("which others are, too");
  }
  return columns.bytes(of.column);
}

}  // namespace systole::container
