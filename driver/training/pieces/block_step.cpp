// SPDX-License-Identifier: Apache-2.0
#include "block_step.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dependency_order.hpp"
#include "graph_builder.hpp"
#include "indexed_graph.hpp"

namespace systole::training {

using graph::GraphBuilder;
using graph::Shape;
using graph::TensorId;
namespace {

using graph::Operator;
using graph::ReduceKind;

class Rewriting {
 public:
  explicit Rewriting(const graph::Graph& step)
      : step_(step), graph_(step), operators_(step.operators), indexed_(step), w_(graph_, kPrefix) {
    graph_.operators.clear();
    for (const Operator& op : operators_) {
      if (const auto* reduce = std::get_if<graph::Reduce>(&op.kind); reduce != nullptr && sums_positions(op, *reduce)) {
        sums_.emplace(op.inputs[0], op.outputs[0]);
      }
    }
  }

  graph::Graph run(bool near) {
    std::map<const Operator*, Tap> taps;
    for (const Operator& op : operators_) {
      const auto* conv = std::get_if<graph::Conv2d>(&op.kind);
      const std::optional<Tap> tap = conv == nullptr ? std::nullopt : tap_of_bias(op, *conv);
      if (tap && done_.insert(tap->sum).second) {
        taps.emplace(&op, *tap);
      }
    }
    for (const Operator& op : operators_) {
      if (const auto tap = taps.find(&op); tap != taps.end()) {
        add_channel_of_ones(op, std::get<graph::Conv2d>(op.kind), tap->second);
      } else if (done_.count(op.outputs[0]) == 0) {
        graph_.operators.push_back(op);
      }
    }
    for (Operator& op : graph_.operators) {
      if (near && real(op) && op.arithmetic == graph::Arithmetic::kOnnx && (divides(op) || takes_root(op))) {
        op.arithmetic = graph::Arithmetic::kBlocks;
      }
    }
    if (!in_order()) {
      return step_;
    }
    validate(graph_);
    return std::move(graph_);
  }

 private:
  /// Puts the operators into the order of their dependencies. False if there is none: if the image of a convolution
  /// depends on a sum that the convolution would compute.
  bool in_order() {
    std::map<TensorId, std::size_t> makers;
    for (std::size_t i = 0; i < graph_.operators.size(); ++i) {
      for (const TensorId output : graph_.operators[i].outputs) {
        makers[output] = i;
      }
    }
    std::vector<std::vector<std::size_t>> dependencies;
    for (const Operator& op : graph_.operators) {
      std::vector<std::size_t>& own = dependencies.emplace_back();
      for (const TensorId input : op.inputs) {
        if (const auto maker = makers.find(input); maker != makers.end()) {
          own.push_back(maker->second);
        }
      }
    }
    const std::vector<std::size_t> order = graph::dependency_order(dependencies).order;
    std::vector<Operator> ordered;
    for (const std::size_t i : order) {
      ordered.push_back(std::move(graph_.operators[i]));
    }
    graph_.operators = std::move(ordered);
    return order.size() == dependencies.size();
  }

  static bool divides(const Operator& op) {
    const auto* binary = std::get_if<graph::Binary>(&op.kind);
    return binary != nullptr && binary->kind == graph::BinaryKind::kDivide;
  }
  static bool takes_root(const Operator& op) {
    const auto* unary = std::get_if<graph::Unary>(&op.kind);
    return unary != nullptr && unary->kind == graph::UnaryKind::kSqrt;
  }

  /// A position of a convolution's kernel that reads no padding, and the sum that it gives.
  struct Tap {
    std::int64_t y, x;
    TensorId sum;
  };

  bool real(const Operator& op) const { return w_.type(op.outputs[0]) == graph::ElementType::kFloat32; }

  bool sums_positions(const Operator& op, const graph::Reduce& reduce) const {
    const std::vector<int> positions{0, 1, 2};
    return reduce.kind == ReduceKind::kSum && reduce.axes == positions && w_.shape(op.inputs[0]).size() == 4 &&
           real(op);
  }

  /// Of the gradient of weights, whose kernel is the gradient of a result with its samples innermost.
  std::optional<Tap> tap_of_bias(const Operator& op, const graph::Conv2d& conv) const {
    const Operator* made = indexed_.maker_of_kind<graph::Transpose>(op.inputs[1]);
    const std::vector<int> exchange{3, 1, 2, 0};
    if (made == nullptr || std::get<graph::Transpose>(made->kind).permutation != exchange || conv.groups != 1 ||
        op.inputs.size() != 2) {
      return std::nullopt;
    }
    const auto sum = sums_.find(made->inputs[0]);
    const Shape image = w_.shape(op.inputs[0]), kernel = w_.shape(op.inputs[1]), result = w_.shape(op.outputs[0]);
    const Window& s = conv.window;
    const auto inside = [](std::int64_t positions, int stride, int before, std::int64_t reach, std::int64_t size) {
      for (std::int64_t at = 0; at < positions; ++at) {
        if (at * stride >= before && at * stride - before + reach < size) {
          return std::optional(at);
        }
      }
      return std::optional<std::int64_t>();
    };
    const auto y = inside(result[1], s.stride_h, s.pad_top, (kernel[1] - 1) * s.dilation_h, image[1]);
    const auto x = inside(result[2], s.stride_w, s.pad_left, (kernel[2] - 1) * s.dilation_w, image[2]);
    return sum != sums_.end() && y && x && real(op) ? std::optional(Tap{*y, *x, sum->second}) : std::nullopt;
  }

  /// The last operator computes this tensor instead.
  void finish(TensorId id) { graph_.operators.back().outputs = {id}; }

  /// The operators are named after the convolution.
  void add_channel_of_ones(const Operator& op, const graph::Conv2d& conv, const Tap& tap) {
    const std::size_t first = graph_.operators.size();
    Shape channel = w_.shape(op.inputs[0]);
    const Shape result = w_.shape(op.outputs[0]), sum = w_.shape(tap.sum);
    const std::int64_t channels = std::exchange(channel[0], 1);
    const std::vector<double> values(static_cast<std::size_t>(graph::count(channel)), 1.0);
    const TensorId images = w_.concat({op.inputs[0], w_.numbers(op.inputs[0], channel, values)}, 0);
    const TensorId sums = w_.append(conv, {images, op.inputs[1]});
    graph_.operators.back().arithmetic = op.arithmetic;
    const std::vector<std::int64_t> every{1, 1, 1, 1};
    w_.slice(sums, {0, 0, 0, 0}, every, result);
    finish(op.outputs[0]);
    const TensorId bias = w_.slice(sums, {channels, tap.y, tap.x, 0}, every, {1, 1, 1, result[3]});
    w_.append(graph::Reshape{}, {bias}, sum);
    finish(tap.sum);
    for (std::size_t i = first; i < graph_.operators.size(); ++i) {
      std::string& name = graph_.operators[i].name;
      name = op.name + name.substr(std::string_view(kPrefix).size());
    }
  }

  static constexpr const char* kPrefix = "blocks";  ///< of names

  const graph::Graph& step_;
  graph::Graph graph_;
  const std::vector<Operator>& operators_;
  const graph::IndexedGraph indexed_;  ///< the step as it was
  GraphBuilder w_;
  std::map<TensorId, TensorId> sums_;  ///< over all positions, of these tensors
  std::set<TensorId> done_;            ///< tensors that another operator computes now
};

}  // namespace

graph::Graph for_blocks(const graph::Graph& step, bool near) { return Rewriting(step).run(near); }

}  // namespace systole::training
