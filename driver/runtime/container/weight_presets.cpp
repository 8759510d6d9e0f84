// SPDX-License-Identifier: Apache-2.0
#include "weight_presets.hpp"

#include <fmt/core.h>

#include <algorithm>
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
  /// There are none if the operator has no such weights, or their tiles would be many times as large.
  Columns(const Graph& graph, std::size_t op, bool packed, int dim)
      : weights_(weights_of(graph, graph.operators[op])), packed_(packed), dim_(dim) {
    if (weights_ && !(packed && weights_->groups != 1) && bytes_at_most() <= kMostTiles * weights_->values->size()) {
      count_ = static_cast<std::size_t>(compiler::ceil_div(weights_->outputs, dim));
    }
  }

  std::size_t count() const { return count_; }
  const Weights& weights() const { return *weights_; }
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
  static constexpr std::size_t kMostTiles = 4;  // times the weights

  /// Of all columns.
  std::size_t bytes_at_most() const {
    const Weights& w = *weights_;
    const auto dim = static_cast<std::size_t>(dim_), outputs = static_cast<std::size_t>(w.outputs);
    const auto taps = static_cast<std::size_t>(w.kernel_h) * static_cast<std::size_t>(w.kernel_w);
    const auto inputs = static_cast<std::size_t>(w.inputs_of_group);
    const std::size_t of_group = outputs / static_cast<std::size_t>(w.groups);
    const std::size_t groups = std::min<std::size_t>(static_cast<std::size_t>(w.groups), (dim - 1) / of_group + 2);
    const std::size_t depth = packed_ ? taps * inputs : groups * inputs;
    const std::size_t blocks = (depth + dim - 1) / dim + (w.groups == 1 ? 0 : 1);
    return (outputs + dim - 1) / dim * blocks * (packed_ ? 1 : taps) * dim * dim;
  }

  std::optional<Weights> weights_;
  bool packed_;
  int dim_;
  std::size_t count_ = 0;
};

std::string_view text_of(const std::vector<std::uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};  // NOLINT(*-reinterpret-cast): bytes are chars
}

/// The bytes of all constants, each once.
std::size_t constants_of(const Graph& graph) {
  std::set<const graph::Bytes*> counted;
  std::size_t bytes = 0;
  for (const Tensor& tensor : graph.tensors) {
    if (tensor.constant && counted.insert(tensor.constant.get()).second) {
      bytes += tensor.constant->size();
    }
  }
  return bytes;
}

}  // namespace

WeightTiling::WeightTiling(const Graph& graph, int dim)
    : graph_(graph), dim_(dim), left_(kMostTiled * constants_of(graph)) {}

std::vector<WeightTiling::Found> WeightTiling::find(const std::vector<const Program*>& programs) {
  struct Place {
    std::size_t program, constant;
  };
  std::unordered_multimap<std::string_view, Place> constants;
  std::vector<Found> found;
  for (std::size_t p = 0; p < programs.size(); ++p) {
    for (std::size_t i = 0; i < programs[p]->constants.size(); ++i) {
      constants.emplace(text_of(programs[p]->constants[i].bytes), Place{p, i});
    }
    found.emplace_back(programs[p]->constants.size());
  }
  for (std::size_t op = 0; op < graph_.operators.size(); ++op) {
    for (const bool packed : {false, true}) {
      const Columns columns(graph_, op, packed, dim_);
      for (std::size_t i = 0; i < columns.count(); ++i) {
        const std::vector<std::uint8_t> bytes = columns.bytes(i);
        const auto place = constants.find(text_of(bytes));
        const Key key{columns.weights().values, packed, columns.weights().groups, i};
        if (place != constants.end() && bytes.size() <= left_ && taken_.insert(key).second) {
          left_ -= bytes.size();
          found[place->second.program][place->second.constant] = ColumnOfWeights{op, packed, i};
          constants.erase(place);
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
  if (!taken_.insert({columns.weights().values, of.packed, columns.weights().groups, of.column}).second) {
    throw refused("which others are, too");
  }
  std::vector<std::uint8_t> bytes = columns.bytes(of.column);
  if (bytes.size() > left_) {
    throw refused("which with others have many times the bytes of all constants");
  }
  left_ -= bytes.size();
  return bytes;
}

}  // namespace systole::container
