// SPDX-License-Identifier: Apache-2.0
#include "onnx_fuse_quantized.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "graph_builder.hpp"
#include "indexed_graph.hpp"
#include "onnx_quantized_moves.hpp"
#include "quantized_types.hpp"
#include "systole/execute.hpp"

namespace systole::graph::onnx_file {
namespace {

class Fusion {
 public:
  explicit Fusion(Graph& graph) : graph_(graph), indexed_(graph), moves_(graph) {}

  /// How many operators took their scales.
  int run() {
    for (std::size_t i = 0; i < graph_.operators.size(); ++i) {
      if (quantizes(graph_.operators[i])) {
        fuse(i);
      }
    }
    moves_.insert();
    return fused_;
  }

 private:
  bool quantizes(const Operator& op) const {
    return std::holds_alternative<Convert>(op.kind) && tensor(op.inputs[0]).type == ElementType::kFloat32 &&
           is_byte(tensor(op.outputs[0]).type) && tensor(op.outputs[0]).quantization;
  }
  const Tensor& tensor(TensorId id) const { return graph_.tensor(id); }
  /// The quantized tensor that a real one was dequantized from; kNoTensor if there is none.
  TensorId quantized(TensorId id) const {
    const Operator* convert = indexed_.maker_of_kind<Convert>(id);
    return convert != nullptr && tensor(convert->inputs[0]).quantization ? convert->inputs[0] : kNoTensor;
  }
  bool is_quantized_bytes(TensorId id) const { return id != kNoTensor && is_byte(tensor(id).type); }

  void fuse(std::size_t place) {
    const Operator quantize = graph_.operators[place];
    if (const TensorId source = quantized(quantize.inputs[0]);
        is_quantized_bytes(source) && !tensor(source).quantization->per_channel()) {
      ++fused_;
      graph_.operators[place].inputs[0] = source;  // requantization, perhaps to the same quantization
      return;
    }
    const Computation computation = computation_of(quantize);
    const Operator* op = computation.op;
    if (op == nullptr) {
      return;
    }
    std::optional<Operator> fused = std::visit(
        [&](const auto& kind) { return with_integers(*op, kind, computation.activation, tensor(quantize.outputs[0])); },
        op->kind);
    if (!fused) {
      return;
    }
    ++fused_;
    fused->outputs = quantize.outputs;
    if (!computation.moves.empty()) {
      fused->outputs = {quantized_like(op->outputs[0], quantize.outputs[0])};
      fused->name = moves_.unique(op->name + "/quantized");
      moves_.replace(place, std::move(*fused), computation.moves);
      return;
    }
    fused->name = quantize.name;
    graph_.operators[place] = std::move(*fused);
  }

  /// The computation of the operand of a quantization: an operator, an activation that it takes, and moves behind it,
  /// last first. Nothing except the quantization reads what is in between.
  struct Computation {
    const Operator* op = nullptr;
    Activation activation = Activation::kNone;
    std::vector<const Operator*> moves;
  };

  Computation computation_of(const Operator& quantize) {
    Computation found;
    const TensorId computed = before_moves(quantize.inputs[0], found.moves);
    found.op = indexed_.uses(computed) == 1 ? indexed_.maker(computed) : nullptr;
    const auto* unary = found.op == nullptr ? nullptr : std::get_if<Unary>(&found.op->kind);
    if (unary == nullptr) {
      return found;
    }
    std::vector<const Operator*> moves = found.moves;
    const TensorId real = before_moves(found.op->inputs[0], moves);
    const Operator* before = indexed_.uses(real) == 1 ? indexed_.maker(real) : nullptr;
    if (before != nullptr && takes_activation(before->kind) &&
        activation_of(*unary, tensor(quantize.outputs[0]), found.activation)) {
      found.op = before;
      found.moves = std::move(moves);
    }
    return found;
  }

  /// The tensor of which moves make this one; adds them.
  TensorId before_moves(TensorId id, std::vector<const Operator*>& moves) {
    const Operator* op = indexed_.maker(id);
    while (op != nullptr && indexed_.uses(id) == 1 && moves_one(*op)) {
      moves.push_back(op);
      id = op->inputs[0];
      op = indexed_.maker(id);
    }
    return id;
  }

  /// A move of one tensor to one, by which padding is a step of every quantization.
  bool moves_one(const Operator& op) const {
    const auto* pad = std::get_if<Pad>(&op.kind);
    return only_moves(graph_, op) && op.outputs.size() == 1 && (pad == nullptr || pad->value == 0) &&
           (op.inputs.size() == 1 || std::holds_alternative<Gather>(op.kind));
  }

  /// A tensor of this shape with the other's quantization.
  TensorId quantized_like(TensorId shape, TensorId quantization) {
    Tensor result = tensor(quantization);
    result.name = moves_.unique(tensor(shape).name + "/quantized");
    result.shape = tensor(shape).shape;
    return add_tensor(graph_, std::move(result));
  }

  static bool takes_activation(const OperatorKind& kind) {
    return std::holds_alternative<Conv2d>(kind) || std::holds_alternative<Dense>(kind);
  }

  /// Whether the function only clamps quantized values, at a bound on which all rounding modes agree.
  static bool activation_of(const Unary& unary, const Tensor& output, Activation& activation) {
    if (unary.kind == UnaryKind::kRelu) {
      activation = Activation::kRelu;
      return true;
    }
    const float steps = 6.0F / output.quantization->scale[0];
    if (unary.kind == UnaryKind::kClip && unary.alpha == 0 && unary.beta == 6 &&
        std::round(steps) == std::nearbyint(steps)) {
      activation = Activation::kRelu6;
      return true;
    }
    return false;
  }

  /// Scale of the sums per output channel.
  std::vector<double> sum_scales(TensorId input, TensorId weights) const {
    std::vector<double> scales;
    for (const float scale : tensor(weights).quantization->scale) {
      scales.push_back(double{tensor(input).quantization->scale[0]} * double{scale});
    }
    return scales;
  }

  /// The bias in steps of the sums, as a new constant; kNoTensor if it is not constant.
  TensorId integer_bias(TensorId bias, const std::vector<double>& scales) {
    const TensorId source = quantized(bias);
    const Tensor& from = tensor(source != kNoTensor ? source : bias);
    if (!from.constant || (source != kNoTensor && from.type != ElementType::kInt32) ||
        (source == kNoTensor && from.type != ElementType::kFloat32)) {
      return kNoTensor;
    }
    const auto channels = static_cast<std::size_t>(count(from.shape));
    std::vector<std::int32_t> steps(channels);
    const Value value = constant_value(from);
    const auto stored_steps = source == kNoTensor ? std::vector<std::int32_t>{} : elements<std::int32_t>(value);
    const auto reals = source == kNoTensor ? elements<float>(value) : std::vector<float>{};
    for (std::size_t i = 0; i < channels; ++i) {
      const double scale = scales[scales.size() == 1 ? 0 : i];
      double wanted = 0;
      if (source == kNoTensor) {
        wanted = double{reals[i]} / scale;
      } else {
        const Quantization& q = *from.quantization;
        const std::size_t at = q.per_channel() ? i : 0;
        constexpr double kLastDigits = 1e-6;  // tolerance for a scale written as the float32 product of the two
        const double stored = static_cast<double>(stored_steps[i]) - q.zero_point[at];
        wanted =
            std::abs(double{q.scale[at]} / scale - 1) < kLastDigits ? stored : stored * double{q.scale[at]} / scale;
      }
      constexpr double kLimit = 2147483647.0;
      steps[i] = static_cast<std::int32_t>(std::nearbyint(std::clamp(wanted, -kLimit, kLimit)));
    }
    return add_tensor(graph_,
                      constant_tensor(from.name + "/integer", make_value(ElementType::kInt32, from.shape, steps)));
  }

  template <class Weighted>
  std::optional<Operator> weighted(const Operator& op, const Weighted& kind, Activation activation) {
    const TensorId input = quantized(op.inputs[0]);
    const TensorId weights = quantized(op.inputs[1]);
    if (!is_quantized_bytes(input) || tensor(input).quantization->per_channel() || !is_quantized_bytes(weights)) {
      return std::nullopt;
    }
    Operator fused = op;
    if constexpr (!std::is_same_v<Weighted, MatMul>) {
      Weighted with = kind;
      with.activation = activation;
      fused.kind = with;
    }
    fused.inputs = {input, weights};
    if (op.inputs.size() > 2 && op.inputs[2] != kNoTensor) {
      const TensorId bias = integer_bias(op.inputs[2], sum_scales(input, weights));
      if (bias == kNoTensor) {
        return std::nullopt;
      }
      fused.inputs.push_back(bias);
    }
    return fused;
  }

  /// Operators defined on real numbers: all operands must be quantized, with the type of the result.
  std::optional<Operator> real(const Operator& op, const Tensor& output, bool one_quantization) {
    Operator fused = op;
    for (TensorId& id : fused.inputs) {
      id = quantized(id);
      if (!is_quantized_bytes(id) || tensor(id).quantization->per_channel() || tensor(id).type != output.type) {
        return std::nullopt;
      }
      if (one_quantization && !same_quantization(tensor(id), output)) {
        return std::nullopt;
      }
    }
    return fused;
  }

  std::optional<Operator> with_integers(const Operator& op, const Conv2d& kind, Activation a, const Tensor&) {
    return weighted(op, kind, a);
  }
  std::optional<Operator> with_integers(const Operator& op, const Dense& kind, Activation a, const Tensor&) {
    return weighted(op, kind, a);
  }
  std::optional<Operator> with_integers(const Operator& op, const MatMul& kind, Activation a, const Tensor&) {
    return weighted(op, kind, a);
  }
  std::optional<Operator> with_integers(const Operator& op, const Binary& kind, Activation, const Tensor& output) {
    switch (kind.kind) {
      case BinaryKind::kAdd:
      case BinaryKind::kSubtract:
      case BinaryKind::kMultiply:
      case BinaryKind::kDivide: return real(op, output, false);
      case BinaryKind::kMinimum:
      case BinaryKind::kMaximum: return real(op, output, true);
      default: return std::nullopt;  // defined on real numbers only
    }
  }
  std::optional<Operator> with_integers(const Operator& op, const Unary&, Activation, const Tensor& output) {
    return real(op, output, false);
  }
  std::optional<Operator> with_integers(const Operator& op, const Reduce&, Activation, const Tensor& output) {
    return real(op, output, false);
  }
  std::optional<Operator> with_integers(const Operator& op, const Softmax&, Activation, const Tensor& output) {
    return real(op, output, false);
  }
  /// The rule of int8 has bounds for what it adds.
  std::optional<Operator> with_integers(const Operator& op, const LocalResponse& response, Activation,
                                        const Tensor& output) {
    return response.bias > 0 && response.factor >= 0 ? real(op, output, false) : std::nullopt;
  }
  std::optional<Operator> with_integers(const Operator& op, const Pool&, Activation, const Tensor& output) {
    return real(op, output, true);
  }
  template <class Other>
  std::optional<Operator> with_integers(const Operator&, const Other&, Activation, const Tensor&) {
    return std::nullopt;
  }

  Graph& graph_;
  const IndexedGraph indexed_;  ///< as the file has it
  QuantizedMoves moves_;
  int fused_ = 0;
};

}  // namespace

int fuse_quantized(Graph& graph) { return Fusion(graph).run(); }

}  // namespace systole::graph::onnx_file
