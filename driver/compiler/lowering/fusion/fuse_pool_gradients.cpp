// SPDX-License-Identifier: Apache-2.0
#include "fuse_pool_gradients.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "kernels.hpp"
#include "systole/graph_value.hpp"

namespace systole::network {
namespace {

using graph::Operator;
using graph::TensorId;

class Matcher {
 public:
  explicit Matcher(const graph::IndexedGraph& graph) : graph_(graph) {}

  struct Match {
    Window window;
    TensorId image, maxima, gradient;
    std::set<TensorId> between;  ///< results of the operators that the kernel replaces
  };

  /// Whether `result` is such a gradient: lines of windows side by side, each the taps of a line side by side. A tap
  /// has the gradient where it equals the maximum, unless a tap before has had it.
  std::optional<Match> match(TensorId result) {
    match_ = {};
    const Operator* whole = graph_.maker_of_kind<graph::Reshape>(before_padding(result));
    if (whole == nullptr || graph_.tensor(result).shape.size() != 4) {
      return std::nullopt;
    }
    const std::vector<TensorId> lines = parts(whole->inputs[0], 2);
    TensorId left = graph::kNoTensor;  // the gradient that the taps so far have not had
    for (std::size_t y = 0; y < lines.size(); ++y) {
      const std::vector<TensorId> taps = parts(lines[y], 4);
      for (std::size_t x = 0; x < taps.size(); ++x) {
        if (!tap(taps[x], y, x, left)) {
          return std::nullopt;
        }
      }
      if (static_cast<int>(taps.size()) != match_.window.kernel_w) {
        return std::nullopt;
      }
    }
    const auto& shape = graph_.tensor(match_.image).shape;
    const bool fits = static_cast<int>(lines.size()) == match_.window.kernel_h &&
                      !graph_.tensor(match_.gradient).constant && graph_.tensor(result).shape == shape &&
                      graph_.tensor(result).type == graph::ElementType::kFloat32 &&
                      compiler::tiles_image(match_.window, static_cast<int>(shape[1]), static_cast<int>(shape[2]));
    return fits ? std::optional(match_) : std::nullopt;
  }

  /// What the gradient is where the maxima are above zero, if it is zero elsewhere; none otherwise.
  TensorId before_rectifier(const Match& match) const {
    const Operator* select = graph_.maker_of_kind<graph::Select>(match.gradient);
    const Operator* above = select == nullptr ? nullptr : graph_.maker_of_kind<graph::Binary>(select->inputs[0]);
    const bool masks = above != nullptr && std::get<graph::Binary>(above->kind).kind == graph::BinaryKind::kLess &&
                       is_zero(above->inputs[0]) && above->inputs[1] == match.maxima && is_zero(select->inputs[2]);
    return masks ? select->inputs[1] : graph::kNoTensor;
  }

 private:
  /// Without the zeros behind the last windows, if there are any.
  TensorId before_padding(TensorId id) {
    const Operator* op = graph_.maker_of_kind<graph::Pad>(id);
    if (op == nullptr) {
      return id;
    }
    const auto& pad = std::get<graph::Pad>(op->kind);
    const auto none = [](std::int64_t size) { return size == 0; };
    const auto some = [](std::int64_t size) { return size >= 0; };
    const bool zeros = pad.mode == graph::Pad::Mode::kConstant && pad.value == 0;
    if (!zeros || !std::all_of(pad.before.begin(), pad.before.end(), none) ||
        !std::all_of(pad.after.begin(), pad.after.end(), some)) {
      return id;
    }
    match_.between.insert(op->inputs[0]);
    return op->inputs[0];
  }

  /// What is joined along the axis; the tensor itself if it is nothing.
  std::vector<TensorId> parts(TensorId id, int axis) {
    const Operator* concat = graph_.maker_of_kind<graph::Concat>(id);
    if (concat == nullptr || std::get<graph::Concat>(concat->kind).axis != axis) {
      return {id};
    }
    match_.between.insert(id);
    return concat->inputs;
  }

  bool is_zero(TensorId id) const {
    const graph::Tensor& tensor = graph_.tensor(id);
    return tensor.constant && tensor.type == graph::ElementType::kFloat32 &&
           std::all_of(tensor.constant->begin(), tensor.constant->end(), [](std::uint8_t byte) { return byte == 0; });
  }

  /// Select(tap == maximum, left, 0); what is left then is Select(tap == maximum, 0, left).
  bool tap(TensorId id, std::size_t y, std::size_t x, TensorId& left) {
    const Operator* narrow = graph_.maker_of_kind<graph::Reshape>(id);
    const Operator* select = graph_.maker_of_kind<graph::Select>(narrow == nullptr ? id : narrow->inputs[0]);
    if (select == nullptr || !is_zero(select->inputs[2])) {
      return false;
    }
    const bool first = y == 0 && x == 0;
    if (!first) {
      const Operator* rest = graph_.maker_of_kind<graph::Select>(select->inputs[1]);
      if (rest == nullptr || !is_zero(rest->inputs[1]) || rest->inputs[2] != left || rest->inputs[0] != is_it_) {
        return false;
      }
      match_.between.insert(rest->outputs[0]);
    } else {
      match_.gradient = select->inputs[1];
    }
    left = select->inputs[1];
    is_it_ = select->inputs[0];
    match_.between.insert({id, select->outputs[0], is_it_});
    return compares(y, x, first);
  }

  bool compares(std::size_t y, std::size_t x, bool first) {
    const Operator* equal = graph_.maker_of_kind<graph::Binary>(is_it_);
    if (equal == nullptr || std::get<graph::Binary>(equal->kind).kind != graph::BinaryKind::kEqual) {
      return false;
    }
    const Operator* slice = graph_.maker_of_kind<graph::Slice>(equal->inputs[0]);
    const Operator* pool = graph_.maker_of_kind<graph::Pool>(equal->inputs[1]);
    if (slice == nullptr || pool == nullptr || slice->inputs[0] != pool->inputs[0]) {
      return false;
    }
    match_.between.insert(slice->outputs[0]);
    const auto& of = std::get<graph::Pool>(pool->kind);
    if (first) {
      match_.window = of.window;
      match_.image = pool->inputs[0];
      match_.maxima = pool->outputs[0];
    }
    const auto& taken = std::get<graph::Slice>(slice->kind);
    const std::vector<std::int64_t> begin{0, static_cast<std::int64_t>(y), static_cast<std::int64_t>(x), 0};
    const std::vector<std::int64_t> step{1, match_.window.stride_h, match_.window.stride_w, 1};
    return of.kind == graph::PoolKind::kMax && of.activation == Activation::kNone &&
           match_.maxima == pool->outputs[0] && taken.begin == begin && taken.step == step;
  }

  const graph::IndexedGraph& graph_;
  Match match_;
  TensorId is_it_ = graph::kNoTensor;
};

}  // namespace

std::int64_t fuse_pool_gradients(SegmentContext& context) {
  Matcher matcher(context.graph);
  std::set<TensorId> made, read;
  for (const Layer& layer : context.layers()) {
    made.insert(layer.output);
    read.insert(layer.inputs.begin(), layer.inputs.end());
  }
  std::int64_t fused = 0;
  for (Layer& layer : context.layers()) {
    const bool moves =
        std::holds_alternative<ReshapeLayer>(layer.kind) || std::holds_alternative<MoveLayer>(layer.kind);
    const auto match = moves && !context.stays_plain(layer) ? matcher.match(layer.output) : std::nullopt;
    // What the kernel reads is known to this segment only if it has the layers that read it so far.
    if (!match || !std::includes(made.begin(), made.end(), match->between.begin(), match->between.end())) {
      continue;
    }
    // The kernel finds the maxima again, with less than reading them, and whether they are above zero.
    const TensorId before = matcher.before_rectifier(*match);
    const bool above_zero = before != graph::kNoTensor && read.count(before) != 0;
    layer.kind = FloatWindowsLayer{match->window, above_zero};
    layer.inputs = {match->image, above_zero ? before : match->gradient};
    layer.input_images.clear();
    for (const TensorId id : layer.inputs) {
      layer.input_images.push_back(image_of(context.graph.tensor(id)));
    }
    ++fused;
  }
  return fused;
}

}  // namespace systole::network
