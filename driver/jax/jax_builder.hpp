// SPDX-License-Identifier: Apache-2.0
// Builds the graph of a part of a JAX program. Operators are named after what they are of in the program.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph_builder.hpp"

namespace systole::pjrt {

class JaxBuilder : public graph::GraphBuilder {
 public:
  using GraphBuilder::GraphBuilder;

  /// What has only constant operands is computed at once, by the host's operators, unless it is large. What was
  /// computed before is not computed again.
  std::vector<graph::TensorId> append_all(graph::Operator op, std::vector<graph::Tensor> results) override;

  bool is_constant(graph::TensorId id) const { return tensor(id).constant != nullptr; }

  /// The operator of the program, with its place there, that the next operators belong to.
  void at(std::string place) { place_ = std::move(place); }

  /// A constant; those that are small and equal are one.
  graph::TensorId shared_constant(const graph::Value& value);

  /// A product of float32, in block floating point if `blocks`, or the sums of a product of bytes. The operands are x,
  /// y, and a row that is added to the former.
  graph::TensorId weighted(graph::OperatorKind kind, std::vector<graph::TensorId> operands, bool blocks);

  /// Values and indices of the `k` largest or smallest along the axis.
  std::vector<graph::TensorId> top_k(graph::TensorId x, int axis, std::int64_t k, bool largest);

  /// The graph with these outputs, simplified, and if products are in blocks, with the sums of a training step in the
  /// form that these compute best.
  graph::Graph finish_program(std::vector<graph::TensorId> outputs, bool blocks);

 protected:
  std::string operator_name(const std::string& origin) override {
    return place_.empty() ? GraphBuilder::operator_name(origin) : fmt::format("{} #{}", place_, number_++);
  }

 private:
  bool is_small_constant(const std::vector<graph::TensorId>& ids) const;
  /// Computes the last operator, whose operands are constant.
  void fold_last();
  graph::TensorId scaled(graph::TensorId x);

  std::string place_;
  int number_ = 0;
  std::map<std::string, std::vector<graph::TensorId>> done_;  ///< results by what computes them
};

}  // namespace systole::pjrt
