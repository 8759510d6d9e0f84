// SPDX-License-Identifier: Apache-2.0
// Graphs of quantized operators, for devices and the host.
#pragma once

#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

#include "graph_builder.hpp"

namespace systole::test {

/// A graph whose computed tensors have one type and one quantization.
class QuantizedNet : public graph::GraphBuilder {
 public:
  explicit QuantizedNet(const graph::Quantization& quantization, graph::ElementType type = graph::ElementType::kInt8)
      : GraphBuilder(std::string()), like_{{}, type, {}, quantization, nullptr} {}

  graph::TensorId input(const graph::Shape& shape) {
    const graph::TensorId id = GraphBuilder::input(constant_name(), like_.type, shape);
    graph().tensor(id).quantization = like_.quantization;
    return id;
  }
  /// With the zero point 0.
  graph::TensorId weights(const graph::Shape& shape, const graph::Bytes& bytes) {
    const graph::TensorId id = constant({like_.type, shape, bytes});
    graph().tensor(id).quantization = graph::Quantization{like_.quantization->scale, {0}, 0};
    return id;
  }
  /// `shape` is that of kinds that leave it open.
  graph::TensorId append(graph::OperatorKind kind, std::vector<graph::TensorId> inputs, const graph::Shape& shape = {},
                         graph::Arithmetic arithmetic = graph::Arithmetic::kTfLite) {
    graph::Tensor result = like_;
    result.shape = shape;
    return append_all({{}, {}, std::move(kind), arithmetic, std::move(inputs), {}}, {std::move(result)}).at(0);
  }

 private:
  std::string constant_name() override { return fmt::format("t{}", graph().tensors.size()); }
  std::string result_name(const graph::Operator&, std::size_t) override { return constant_name(); }
  std::string operator_name(const std::string&) override { return fmt::format("op{}", graph().operators.size()); }

  const graph::Tensor like_;
};

}  // namespace systole::test
