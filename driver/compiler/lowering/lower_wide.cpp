// SPDX-License-Identifier: Apache-2.0
#include "lower_wide.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "attributes.hpp"
#include "bytes.hpp"
#include "elementwise16.hpp"
#include "functions16.hpp"
#include "int16.hpp"
#include "refused.hpp"
#include "rescale.hpp"

namespace systole::network {
namespace {

using compiler::KernelCall;
using graph::ElementType;
using graph::Graph;
using graph::Operator;
using graph::Tensor;

constexpr float kFraction = 1.0F / 32768.0F;
constexpr QuantParam kHalf{1 << 30, 0};
constexpr int kLeast16 = std::numeric_limits<std::int16_t>::min();

int left_of(const QuantParam& scale) { return std::max(0, scale.shift); }
int right_of(const QuantParam& scale) { return std::max(0, -scale.shift); }

/// Shift amounts of five bits each, the first in the low bits.
std::int64_t packed(std::initializer_list<int> amounts) {
  std::int64_t bits = 0;
  int at = 0;
  for (const int amount : amounts) {
    bits |= std::int64_t{amount} << at;
    at += 5;
  }
  return bits;
}

kernel::Format format_of(const Tensor& tensor) {
  switch (tensor.type) {
    case ElementType::kInt8:
    case ElementType::kUint8: return kernel::Format::kI8;
    case ElementType::kInt16: return kernel::Format::kI16;
    case ElementType::kInt32: return kernel::Format::kI32;
    default:
      throw Refused(fmt::format("{}; the device requires int8, uint8, int16 or int32", graph::name_of(tensor.type)));
  }
}

class Calls {
 public:
  Calls(const Graph& graph, const Operator& op) : graph_(graph), op_(op) {
    for (const auto& ids : {op.inputs, op.outputs}) {
      for (const graph::TensorId id : ids) {
        const Tensor& tensor = graph.tensor(id);
        require(tensor.quantization && !tensor.quantization->per_channel(), "a tensor without a single scale");
      }
    }
  }

  WideCall operator()(const graph::Convert&) const {
    const Tensor &from = input(0), &to = output();
    KernelCall call{"rescale"};
    call.formats = {{"of_a", format_of(from)}, {"of_to", format_of(to)}};
    const QuantParam scale = quantize_multiplier(double{scale_of(from)} / double{scale_of(to)});
    set_scale(call, scale);
    call.values["zero"] = zero_point_of(from);
    call.values["offset"] = zero_point_of(to);
    call.values["low"] = std::numeric_limits<std::int32_t>::min();
    require(to.type != ElementType::kInt32 || zero_point_of(to) == 0, "a zero point of 32 bits");
    return alone(std::move(call));
  }

  WideCall operator()(const graph::Unary& op) const {
    require_int16({&input(0), &output()});
    const float from = scale_of(input(0)), to = scale_of(output());
    switch (op.kind) {
      case graph::UnaryKind::kIdentity:
      case graph::UnaryKind::kRelu: {
        KernelCall call{"rescale"};
        set_scale(call, quantize_multiplier(double{from} / double{to}));
        call.values["zero"] = call.values["offset"] = 0;
        call.values["low"] = op.kind == graph::UnaryKind::kRelu ? 0 : kLeast16;
        return alone(std::move(call));
      }
      case graph::UnaryKind::kLeakyRelu: {
        const auto [above, below, sign] = golden::leaky_relu_scales(from, to, op.alpha);
        return alone({"leaky_relu16",
                      {{"above", above.multiplier},
                       {"below", below.multiplier},
                       {"sign", sign},
                       {"shifts", packed({left_of(above), right_of(above), left_of(below), right_of(below)})}}});
      }
      case graph::UnaryKind::kSigmoid:
        return alone(between_points("logistic16", golden::logistic_scale(from), 0x7FFF << 1));
      case graph::UnaryKind::kTanh: return alone(between_points("tanh16", golden::tanh_scale(from), 0xFFFF));
      default: throw Refused(fmt::format("{} of int16", graph::name_of(op.kind)));
    }
  }

  WideCall operator()(const graph::Binary& op) const {
    const float a = scale_of(input(0)), b = scale_of(input(1)), to = scale_of(output());
    if (op.kind == graph::BinaryKind::kPrelu) {
      require_int16({&input(0), &output()});
      require_type(input(1), {ElementType::kInt8}, "int8");
      const QuantParam above = quantize_multiplier(double{a} / double{to});
      const QuantParam below = quantize_multiplier(double{a} * double{b} / double{to});
      return pair({"prelu16",
                   {{"zero", zero_point_of(input(1))},
                    {"above", above.multiplier},
                    {"below", below.multiplier},
                    {"shifts", packed({left_of(above), right_of(above), left_of(below), right_of(below)})}}});
    }
    require_int16({&input(0), &input(1), &output()});
    const std::int64_t clamp = packed_clamp(op.activation);
    switch (op.kind) {
      case graph::BinaryKind::kAdd: return sum(golden::add_params16(a, b, to), false, clamp);
      case graph::BinaryKind::kSubtract: return sum(golden::add_params16(a, b, to), true, clamp);
      case graph::BinaryKind::kMultiply: {
        KernelCall call{"product16"};
        set_scale(call, quantize_multiplier(double{a} * double{b} / double{to}));
        call.values["clamp"] = clamp;
        return pair(std::move(call));
      }
      case graph::BinaryKind::kSquaredDifference: {
        require(op.activation == Activation::kNone, "an activation of a squared difference");
        const golden::PairParams16 p = golden::squared_difference_params16(a, b, to);
        return pair({"squared_difference16",
                     {{"a_factor", p.lhs_scale.multiplier},
                      {"b_factor", p.rhs_scale.multiplier},
                      {"factor", p.output_scale.multiplier},
                      {"shifts", packed({right_of(p.lhs_scale), right_of(p.rhs_scale), right_of(p.output_scale),
                                         left_of(p.output_scale)})}}});
      }
      case graph::BinaryKind::kMaximum:
      case graph::BinaryKind::kMinimum:
        return pair({"extreme16", {{"flip", op.kind == graph::BinaryKind::kMaximum ? 0 : -1}, {"clamp", clamp}}});
      default: throw Refused(fmt::format("{} of int16", graph::name_of(op.kind)));
    }
  }

  template <class Other>
  WideCall operator()(const Other&) const {
    throw Refused(fmt::format("{} of 16 bits", graph::name_of(op_.kind)));
  }

 private:
  static WideCall alone(KernelCall call) { return {std::move(call), {0}}; }
  static WideCall pair(KernelCall call) { return {std::move(call), {0, 1}}; }

  const Tensor& input(std::size_t i) const { return graph_.tensor(op_.inputs[i]); }
  const Tensor& output() const { return graph_.tensor(op_.outputs[0]); }
  static float scale_of(const Tensor& tensor) { return tensor.quantization->scale[0]; }
  /// As the device stores the elements.
  static std::int64_t zero_point_of(const Tensor& tensor) {
    return tensor.quantization->zero_point[0] - toggle_of(tensor.type);
  }

  static void require_int16(std::initializer_list<const Tensor*> tensors) {
    for (const Tensor* tensor : tensors) {
      require_type(*tensor, {ElementType::kInt16}, "operands and result of one width");
    }
  }

  static void set_scale(KernelCall& call, const QuantParam& scale) {
    call.values["left"] = left_of(scale);
    call.values["factor"] = scale.multiplier;
    call.values["right"] = right_of(scale);
  }

  std::int64_t packed_clamp(Activation activation) const {
    const golden::Clamp16 clamp = graph::clamp16_of(activation, output());
    return std::int64_t{clamp.max} * 65536 + (clamp.min & 0xFFFF);
  }

  /// The operand of the larger scale is the kernel's second.
  WideCall sum(const golden::PairParams16& p, bool difference, std::int64_t clamp) const {
    constexpr std::int64_t kSubtractA = 1 << 15, kSubtractB = 1 << 16;
    const bool swapped = p.rhs_scale != kHalf;
    const QuantParam& first = swapped ? p.rhs_scale : p.lhs_scale;
    const std::int64_t sign = !difference ? 0 : swapped ? kSubtractA : kSubtractB;
    return {{"sum16",
             {{"a_factor", first.multiplier},
              {"factor", p.output_scale.multiplier},
              {"shifts", sign | packed({right_of(first), right_of(p.output_scale), left_of(p.output_scale)})},
              {"clamp", clamp}}},
            swapped ? std::vector<std::size_t>{1, 0} : std::vector<std::size_t>{0, 1}};
  }

  /// A kernel that interpolates between the points of a sigmoid; `last` is the value behind the last one.
  KernelCall between_points(const char* kernel, const golden::PointScale& scale, std::uint32_t last) const {
    require(scale_of(output()) == kFraction, "a result whose scale is not 1/32768");
    KernelCall call{kernel};
    call.values["multiplier"] = scale.multiplier;
    call.values["shift"] = scale.shift;
    call.values["round"] = scale.shift > 0 ? std::int64_t{1} << (scale.shift - 1) : 0;
    const auto& points = golden::sigmoid_points();
    call.table.emplace();
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      const auto slope = static_cast<std::uint32_t>(points[i + 1] - points[i]);
      (*call.table)[i] = points[i] | slope << 16;
    }
    call.table->back() = last;
    return call;
  }

  const Graph& graph_;
  const Operator& op_;
};

}  // namespace

bool has_wide_elements(const Graph& graph, const Operator& op) {
  const auto wide = [&](graph::TensorId id) { return graph::element_size(graph.tensor(id).type) > 1; };
  return std::any_of(op.inputs.begin(), op.inputs.end(), wide) ||
         std::any_of(op.outputs.begin(), op.outputs.end(), wide);
}

WideCall wide_elementwise_call(const Graph& graph, const Operator& op) {
  require(op.arithmetic == graph::Arithmetic::kTfLite, "elements of 16 bits in ONNX's arithmetic");
  return std::visit(Calls(graph, op), op.kind);
}

}  // namespace systole::network
