// SPDX-License-Identifier: Apache-2.0
#include "onnx_gate_functions.hpp"

#include <fmt/core.h>

namespace systole::graph::onnx_file {

GateFunction gate_function(const std::string& name) {
  const bool takes_beta = name == "Affine" || name == "ScaledTanh" || name == "HardSigmoid";
  const bool takes_alpha = takes_beta || name == "LeakyRelu" || name == "ThresholdedRelu" || name == "Elu";
  if (name == "LeakyRelu") return {name, 0.01F, 0, takes_alpha, takes_beta};
  if (name == "HardSigmoid") return {name, 0.2F, 0.5F, takes_alpha, takes_beta};
  return {name, 1.0F, name == "Affine" ? 0.0F : 1.0F, takes_alpha, takes_beta};
}

TensorId applied(Translation& t, const GateFunction& f, TensorId x) {
  struct Entry {
    const char* name;
    UnaryKind kind;
  };
  constexpr Entry kEntries[] = {{"Relu", UnaryKind::kRelu},
                                {"Tanh", UnaryKind::kTanh},
                                {"Sigmoid", UnaryKind::kSigmoid},
                                {"LeakyRelu", UnaryKind::kLeakyRelu},
                                {"HardSigmoid", UnaryKind::kHardSigmoid},
                                {"Elu", UnaryKind::kElu},
                                {"Softplus", UnaryKind::kSoftplus}};
  for (const Entry& entry : kEntries) {
    if (f.name == entry.name) {
      return t.unary(entry.kind, x, f.alpha, f.beta);
    }
  }
  const auto scaled = [&](TensorId id, float by) {
    return t.binary(BinaryKind::kMultiply, id, t.scalar(double{by}, x));
  };
  if (f.name == "Affine") {
    return t.binary(BinaryKind::kAdd, scaled(x, f.alpha), t.scalar(double{f.beta}, x));
  }
  if (f.name == "ScaledTanh") {
    return scaled(t.unary(UnaryKind::kTanh, scaled(x, f.beta)), f.alpha);
  }
  if (f.name == "ThresholdedRelu") {
    return t.select(t.test(BinaryKind::kLess, x, t.scalar(double{f.alpha}, x)), t.scalar(0, x), x);
  }
  if (f.name == "Softsign") {
    return t.binary(BinaryKind::kDivide, x, t.binary(BinaryKind::kAdd, t.unary(UnaryKind::kAbs, x), t.scalar(1, x)));
  }
  t.fail(
      fmt::format("activation '{}'; expected Relu, Tanh, Sigmoid, Affine, LeakyRelu, ThresholdedRelu, ScaledTanh, "
                  "HardSigmoid, Elu, Softsign or Softplus",
                  f.name));
}

}  // namespace systole::graph::onnx_file
