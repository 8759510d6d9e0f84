// SPDX-License-Identifier: Apache-2.0
// The rules of differentiation: from the gradient of an operator's result to those of its inputs, in operators of the
// graph. A kind without a function here has no rule.
#pragma once

#include <functional>
#include <string_view>

#include "graph_builder.hpp"

namespace systole::training {

using graph::GraphBuilder;
using graph::Shape;
using graph::TensorId;

/// One operator on the way back.
class Backward {
 public:
  using Give = std::function<void(std::size_t, TensorId)>;
  /// `upstream` are the gradients of the operator's results, kNoTensor where nothing depends on a result. `wanted` says
  /// for each input whether its gradient is asked for; `give` takes it.
  Backward(GraphBuilder& writer, const graph::Operator& op, std::vector<TensorId> upstream, std::vector<bool> wanted,
           Give give)
      : w(writer), op_(op), upstream_(std::move(upstream)), wanted_(std::move(wanted)), give_(std::move(give)) {}

  GraphBuilder& w;

  std::size_t inputs() const { return op_.inputs.size(); }
  std::size_t outputs() const { return op_.outputs.size(); }
  bool has(std::size_t i) const { return i < inputs() && op_.inputs[i] != graph::kNoTensor; }
  TensorId input(std::size_t i) const { return op_.inputs.at(i); }
  TensorId output(std::size_t i = 0) const { return op_.outputs.at(i); }
  Shape input_shape(std::size_t i) const { return w.shape(input(i)); }
  TensorId upstream(std::size_t i = 0) const { return upstream_.at(i); }

  bool wants(std::size_t i) const { return i < wanted_.size() && wanted_[i]; }
  /// The gradient of an input; summed over what was broadcast.
  void give(std::size_t i, TensorId gradient) const { give_(i, w.sum_to(gradient, input_shape(i))); }

  /// The upstream gradient where a fused activation lets it pass.
  TensorId before(Activation activation) const;

  /// "operator 'x' (Lstm) cannot be differentiated: `why`"
  [[noreturn]] void refuse(std::string_view why) const;

 private:
  const graph::Operator& op_;
  std::vector<TensorId> upstream_;
  std::vector<bool> wanted_;
  Give give_;
};

void differentiate(const Backward& b, const graph::Conv2d& op);
void differentiate(const Backward& b, const graph::Dense& op);
void differentiate(const Backward& b, const graph::MatMul& op);
void differentiate(const Backward& b, const graph::Binary& op);
void differentiate(const Backward& b, const graph::Unary& op);
void differentiate(const Backward& b, const graph::Select& op);
void differentiate(const Backward& b, const graph::Pool& op);
void differentiate(const Backward& b, const graph::Reduce& op);
void differentiate(const Backward& b, const graph::Softmax& op);
void differentiate(const Backward& b, const graph::LayerNormalize& op);
void differentiate(const Backward& b, const graph::LocalResponse& op);
void differentiate(const Backward& b, const graph::Reshape& op);
void differentiate(const Backward& b, const graph::Transpose& op);
void differentiate(const Backward& b, const graph::Slice& op);
void differentiate(const Backward& b, const graph::Concat& op);
void differentiate(const Backward& b, const graph::Split& op);
void differentiate(const Backward& b, const graph::Pad& op);
void differentiate(const Backward& b, const graph::Gather& op);

}  // namespace systole::training
