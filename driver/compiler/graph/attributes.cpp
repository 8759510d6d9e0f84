// SPDX-License-Identifier: Apache-2.0
#include "attributes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace systole::graph {
const char* name_of(Activation activation) {
  static constexpr std::array kNames = {"", "relu", "relu6", "relu -1..1"};
  return kNames.at(static_cast<std::size_t>(activation));
}

std::string quantization_text(const Tensor& tensor) {
  if (!tensor.quantization || tensor.quantization->scale.empty()) {
    return {};
  }
  const Quantization& q = *tensor.quantization;
  if (!q.per_channel()) {
    return fmt::format("scale {:.6g}, zero point {}", q.scale[0], q.zero_point.empty() ? 0 : q.zero_point[0]);
  }
  const auto [least, most] = std::minmax_element(q.scale.begin(), q.scale.end());
  return fmt::format("{} scales {:.6g} .. {:.6g} on axis {}", q.scale.size(), *least, *most, q.axis);
}

std::string title(const Operator& op) {
  return fmt::format("operator '{}' ({})", op.name, op.origin.empty() ? name_of(op.kind) : op.origin);
}
std::string title(const Tensor& tensor) {
  return fmt::format("tensor '{}' ({} {})", tensor.name, to_string(tensor.shape), name_of(tensor.type));
}

const Activation* activation_of(const OperatorKind& kind) {
  return std::visit(
      [](const auto& value) -> const Activation* {
        if constexpr (requires { value.activation; }) {
          return &value.activation;
        } else {
          return nullptr;
        }
      },
      kind);
}

Activation* activation_of(OperatorKind& kind) {
  return const_cast<Activation*>(activation_of(static_cast<const OperatorKind&>(kind)));
}

Unary function_of(Activation activation) {
  switch (activation) {
    case Activation::kRelu6: return {UnaryKind::kRelu6};
    case Activation::kReluN1To1: return {UnaryKind::kClip, -1, 1};
    default: return {UnaryKind::kRelu};
  }
}

}  // namespace systole::graph
