// SPDX-License-Identifier: Apache-2.0
// Conversion between float and quantized, between quantizations, and between number types.
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "element_visit.hpp"
#include "execute_kinds.hpp"
#include "rescale.hpp"

namespace systole::graph {
namespace {

bool is_real(ElementType type) {
  return with_element(type, [](auto element) { return kIsReal<decltype(element)>; });
}

std::vector<double> as_doubles(const Value& value) {
  return with_element(value.type, [&](auto element) {
    const auto typed = elements<decltype(element)>(value);
    std::vector<double> numbers(typed.size());
    std::transform(typed.begin(), typed.end(), numbers.begin(),
                   [](auto number) { return static_cast<double>(number); });
    return numbers;
  });
}

/// Steps of a scale: they saturate.
Value from_steps(const std::vector<double>& values, const Tensor& to, const Shape& shape) {
  return with_element(to.type, [&](auto element) {
    using Element = decltype(element);
    std::vector<Element> typed(values.size());
    std::transform(values.begin(), values.end(), typed.begin(), [](double value) { return cut_off<Element>(value); });
    return make_value(to.type, shape, typed);
  });
}

/// A real number without its fraction. ONNX leaves open what it is if the type does not hold it: it saturates, but a
/// type without a sign keeps the lower bits of a negative number, as in ONNX Runtime.
template <class Element>
Element whole(double value) {
  if constexpr (std::is_unsigned_v<Element>) {
    return value < 0 ? static_cast<Element>(cut_off<std::int64_t>(value)) : cut_off<Element>(value);
  } else {
    return cut_off<Element>(value);
  }
}

Value from_reals(const std::vector<double>& values, const Tensor& to, const Shape& shape) {
  return with_element(to.type, [&](auto element) {
    using Element = decltype(element);
    std::vector<Element> typed(values.size());
    std::transform(values.begin(), values.end(), typed.begin(), [&](double value) {
      return to.type == ElementType::kBool ? static_cast<Element>(value != 0 ? 1 : 0) : whole<Element>(value);
    });
    return make_value(to.type, shape, typed);
  });
}

/// Integers keep the lower bits, as in ONNX and C.
Value cast_integers(const Value& value, const Tensor& to) {
  return with_element(value.type, [&](auto source) {
    const auto typed = elements<decltype(source)>(value);
    return with_element(to.type, [&](auto target) {
      using Target = decltype(target);
      std::vector<Target> result;
      result.reserve(typed.size());
      for (const auto number : typed) {
        result.push_back(to.type == ElementType::kBool ? static_cast<Target>(number != 0 ? 1 : 0)
                                                       : static_cast<Target>(number));
      }
      return make_value(to.type, value.shape, result);
    });
  });
}

/// The scale of each element: per tensor, or by the index along the axis.
class Scales {
 public:
  explicit Scales(const Tensor& tensor) : q_(*tensor.quantization) {
    if (q_.per_channel()) {
      const std::size_t axis = axis_of_channel(tensor);
      for (std::size_t i = axis + 1; i < tensor.shape.size(); ++i) {
        stride_ *= static_cast<std::size_t>(tensor.shape[i]);
      }
    }
  }
  double real(double steps, std::size_t position) const {
    const std::size_t channel = channel_of(position);
    return static_cast<double>(static_cast<float>(double{q_.scale[channel]} * (steps - q_.zero_point[channel])));
  }
  double steps(double real, std::size_t position, Arithmetic arithmetic) const {
    const std::size_t channel = channel_of(position);
    const float quotient = static_cast<float>(real) / q_.scale[channel];
    const float rounded = arithmetic == Arithmetic::kOnnx ? std::nearbyint(quotient) : std::round(quotient);
    return static_cast<double>(rounded) + q_.zero_point[channel];
  }

 private:
  static std::size_t axis_of_channel(const Tensor& tensor) {
    return static_cast<std::size_t>(tensor.quantization->axis < 0
                                        ? tensor.quantization->axis + static_cast<int>(tensor.shape.size())
                                        : tensor.quantization->axis);
  }
  std::size_t channel_of(std::size_t position) const {
    return q_.per_channel() ? position / stride_ % q_.scale.size() : 0;
  }

  const Quantization& q_;
  std::size_t stride_ = 1;
};

/// As TensorFlow Lite's QUANTIZE from integers: one multiplier, rounded twice.
std::vector<double> rescaled(const Call& call, const std::vector<double>& values, const Tensor& from,
                             const Tensor& to) {
  if (from.quantization->per_channel() || to.quantization->per_channel()) {
    call.unsupported("requantization with per-channel scales");
  }
  const golden::RescaleParams params =
      golden::rescale_params({from.quantization->scale[0], from.quantization->zero_point[0]},
                             {to.quantization->scale[0], to.quantization->zero_point[0]});
  std::vector<double> result(values.size());
  std::transform(values.begin(), values.end(), result.begin(), [&](double value) {
    const auto steps = golden::wrap_to_int32(static_cast<std::int64_t>(value) - params.input_zero_point);
    return static_cast<double>(multiply_by_quantized_multiplier(steps, params.scale, Rounding::kDouble) +
                               params.output_zero_point);
  });
  return result;
}

}  // namespace

Value convert(const Call& call, const Value& value, const Tensor& from, const Tensor& to) {
  if (!is_real(from.type) && !is_real(to.type) && !(from.quantization && to.quantization)) {
    return cast_integers(value, to);
  }
  if (to.type == ElementType::kFloat32 && !is_real(from.type) && !from.quantization) {
    return cast_integers(value, to);  // rounds once
  }
  std::vector<double> values = as_doubles(value);
  const bool quantized_from = from.quantization.has_value();
  const bool quantized_to = to.quantization.has_value();
  if (quantized_from && quantized_to && call.op.arithmetic == Arithmetic::kTfLite) {
    return from_steps(rescaled(call, values, from, to), to, value.shape);
  }
  if (quantized_from && (is_real(to.type) || quantized_to)) {
    const Scales scales(from);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = scales.real(values[i], i);
    }
  }
  if (quantized_to && (is_real(from.type) || quantized_from)) {
    const Scales scales(to);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = scales.steps(values[i], i, call.op.arithmetic);
    }
    return from_steps(values, to, value.shape);
  }
  return from_reals(values, to, value.shape);
}

Value run(const Call& call, const Convert&) {
  return convert(call, call.input(0), call.input_tensor(0), call.output_tensor());
}

}  // namespace systole::graph
