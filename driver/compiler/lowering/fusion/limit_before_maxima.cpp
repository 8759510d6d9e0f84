// SPDX-License-Identifier: Apache-2.0
#include "limit_before_maxima.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "element_formulas.hpp"

namespace systole::network {
namespace {

using graph::BinaryKind;
using graph::Operator;
using graph::TensorId;

template <class Kind>
const Kind* kind_of(const Operator& op) {
  return std::get_if<Kind>(&op.kind);
}

bool is_rectifier(const Layer& layer) {
  const auto* kernel = std::get_if<KernelLayer>(&layer.kind);
  const auto limits =
      kernel == nullptr || kernel->call.function == nullptr ? std::nullopt : limits_of(*kernel->call.function);
  return limits && limits->low == 0 && limits->high == std::numeric_limits<float>::infinity();
}

class Rewriting {
 public:
  Rewriting(std::vector<Layer>& layers, const std::vector<TensorId>& wanted, const graph::IndexedGraph& graph)
      : layers_(layers), wanted_(wanted), graph_(graph) {}

  /// How many rectifiers were moved.
  int run() {
    int moved = 0;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const auto* pool = std::get_if<FloatWindowsLayer>(&layers_[i].kind);
      if (pool == nullptr || layers_[i].inputs.size() != 1) {
        continue;
      }
      const auto rectifier =
          std::find_if(layers_.begin() + static_cast<std::ptrdiff_t>(i), layers_.end(),
                       [&](const Layer& layer) { return is_rectifier(layer) && layer.inputs[0] == layers_[i].output; });
      if (rectifier != layers_.end() && may_limit(layers_[i], *rectifier)) {
        limit(i, static_cast<std::size_t>(rectifier - layers_.begin()));
        ++moved;
      }
    }
    return moved;
  }

 private:
  bool reads(const Layer& layer, TensorId id) const {
    return std::find(layer.inputs.begin(), layer.inputs.end(), id) != layer.inputs.end();
  }
  bool wanted(TensorId id) const { return std::find(wanted_.begin(), wanted_.end(), id) != wanted_.end(); }

  bool may_limit(const Layer& pool, const Layer& rectifier) const {
    const TensorId image = pool.inputs[0], maxima = pool.output;
    if (wanted(image) || wanted(maxima) || !is_product(image)) {
      return false;
    }
    return std::all_of(layers_.begin(), layers_.end(), [&](const Layer& layer) {
      if (&layer == &pool || &layer == &rectifier || (!reads(layer, image) && !reads(layer, maxima))) {
        return true;
      }
      return is_gradient(layer, image, maxima) || (!reads(layer, image) && asks_whether_above_zero(layer, maxima));
    });
  }

  /// Whether a product makes it, whose results may be limited. A constant bias will be part of it.
  bool is_product(TensorId id) const {
    return std::any_of(layers_.begin(), layers_.end(), [&](const Layer& layer) {
      const auto* product = std::get_if<BlockProductLayer>(&layer.kind);
      const auto* kernel = std::get_if<KernelLayer>(&layer.kind);
      const bool adds = kernel != nullptr && kernel->call.function != nullptr && is_sum(*kernel->call.function) &&
                        kernel->constants.count(1) != 0;
      return layer.output == id &&
             (std::holds_alternative<BlockConvLayer>(layer.kind) ||
              (product != nullptr && product->result.first.size() == 1) || (adds && is_product(layer.inputs[0])));
    });
  }

  /// Of the pool, where the gradient of its maxima is zero unless they are above zero.
  bool is_gradient(const Layer& layer, TensorId image, TensorId maxima) const {
    const auto* windows = std::get_if<FloatWindowsLayer>(&layer.kind);
    if (windows == nullptr || layer.inputs.size() != 2 || layer.inputs[0] != image) {
      return false;
    }
    if (windows->above_zero) {
      return true;
    }
    const Operator* select = graph_.maker_of_kind<graph::Select>(layer.inputs[1]);
    const Operator* above = select == nullptr ? nullptr : graph_.maker(select->inputs[0]);
    return above != nullptr && is_above_zero(*above, maxima) && is_zero(select->inputs[2]);
  }

  /// Whether the layer reads the maxima for nothing else. Comparisons with the image are other layers.
  bool asks_whether_above_zero(const Layer& layer, TensorId maxima) const {
    const auto compares = [&](int op) {
      const auto* binary = kind_of<graph::Binary>(graph_.op(static_cast<std::size_t>(op)));
      return binary != nullptr && binary->kind == BinaryKind::kEqual;
    };
    const std::vector<std::size_t>& readers = graph_.readers(maxima);
    const auto allowed = [&](std::size_t reader) {
      const Operator& op = graph_.op(reader);
      const auto* unary = kind_of<graph::Unary>(op);
      const auto* binary = kind_of<graph::Binary>(op);
      return is_above_zero(op, maxima) || (unary != nullptr && unary->kind == graph::UnaryKind::kRelu) ||
             (binary != nullptr && binary->kind == BinaryKind::kEqual);
    };
    return std::none_of(layer.operators.begin(), layer.operators.end(), compares) &&
           std::all_of(readers.begin(), readers.end(), allowed) && !is_rectifier(layer);
  }

  bool is_above_zero(const Operator& op, TensorId maxima) const {
    const auto* binary = kind_of<graph::Binary>(op);
    return binary != nullptr && binary->kind == BinaryKind::kLess && is_zero(op.inputs[0]) && op.inputs[1] == maxima;
  }

  bool is_zero(TensorId id) const {
    const graph::Tensor& tensor = graph_.tensor(id);
    return tensor.constant &&
           std::all_of(tensor.constant->begin(), tensor.constant->end(), [](std::uint8_t byte) { return byte == 0; });
  }

  /// The rectifier goes before the pool, whose result is now what the rectifier's was; the image is what it limits.
  void limit(std::size_t at, std::size_t from) {
    const TensorId image = layers_[at].inputs[0], maxima = layers_[at].output, result = layers_[from].output;
    const TensorId unlimited = between_layers(result, 0);
    for (Layer& layer : layers_) {
      layer.output = layer.output == image ? unlimited : layer.output;
      std::replace(layer.inputs.begin(), layer.inputs.end(), maxima, result);
    }
    layers_[at].output = result;
    Layer rectifier = std::move(layers_[from]);
    layers_.erase(layers_.begin() + static_cast<std::ptrdiff_t>(from));
    rectifier.inputs = {unlimited};
    rectifier.output = image;
    rectifier.input_images = layers_[at].input_images;
    rectifier.output_image = layers_[at].input_images[0];
    layers_.insert(layers_.begin() + static_cast<std::ptrdiff_t>(at), std::move(rectifier));
  }

  std::vector<Layer>& layers_;
  const std::vector<TensorId>& wanted_;
  const graph::IndexedGraph& graph_;
};

}  // namespace

std::int64_t limit_before_maxima(SegmentContext& context) {
  return Rewriting(context.layers(), context.wanted(), context.graph).run();
}

}  // namespace systole::network
