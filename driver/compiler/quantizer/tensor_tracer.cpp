// SPDX-License-Identifier: Apache-2.0
#include "tensor_tracer.hpp"

#include <algorithm>
#include <utility>

#include "rewrite.hpp"

namespace systole::quantizer {

using graph::BinaryKind;
using graph::Graph;
using graph::Operator;
using graph::Tensor;
using graph::TensorId;
using graph::UnaryKind;

void Editor::replace(const std::set<std::size_t>& group, std::size_t last, graph::OperatorKind kind,
                     std::vector<TensorId> inputs) {
  for (const std::size_t i : group) {
    graph_.operators[i].inputs.clear();
  }
  gone_.insert(group.begin(), group.end());
  gone_.erase(last);
  Operator& op = graph_.operators[last];
  op.kind = std::move(kind);
  op.origin = graph::name_of(op.kind);
  op.inputs = std::move(inputs);
  indexed_.update();
}

TensorId Editor::constant(const std::string& name, const std::vector<float>& values) {
  return add_floats(graph_, name, {static_cast<std::int64_t>(values.size())}, values);
}

void Editor::finish() {
  std::vector<Operator> left;
  for (std::size_t i = 0; i < graph_.operators.size(); ++i) {
    if (!gone(i)) {
      left.push_back(std::move(graph_.operators[i]));
    }
  }
  graph_.operators = std::move(left);
}

Tracer::Tracer(const Editor& editor, TensorId x) : editor_(editor), graph_(editor.graph()), x_(x) {
  channels_ = graph_.tensor(x).shape.empty() ? 1 : graph_.tensor(x).shape.back();
  learn(x, Polynomial::symbol(kX));
}

std::optional<std::size_t> Tracer::run() {
  while (!next_.empty()) {
    const std::size_t i = *next_.begin();
    next_.erase(next_.begin());
    const Operator& op = graph_.operators[i];
    if (std::optional<Polynomial> result = traced(op)) {
      traced_.push_back(i);
      learn(op.outputs[0], std::move(*result));
    }
  }
  for (auto i = traced_.rbegin(); i != traced_.rend(); ++i) {
    const Tensor& result = graph_.tensor(graph_.operators[*i].outputs[0]);
    if (result.shape == graph_.tensor(x_).shape && matches(known_.at(graph_.operators[*i].outputs[0])) && collect(*i)) {
      return *i;
    }
  }
  return std::nullopt;
}

void Tracer::learn(TensorId id, Polynomial value) {
  known_.emplace(id, std::move(value));
  const std::vector<std::size_t>& readers = editor_.indexed().readers(id);
  next_.insert(readers.begin(), readers.end());
}

/// What is known of the tensor, or its value as a constant.
std::optional<Polynomial> Tracer::value_of(TensorId id) const {
  if (const auto found = known_.find(id); found != known_.end()) {
    return found->second;
  }
  const Tensor& tensor = graph_.tensor(id);
  const bool varies = graph::count(tensor.shape) != 1;
  if (!tensor.constant || tensor.type != graph::ElementType::kFloat32 ||
      (varies && (tensor.shape.back() != channels_ || graph::count(tensor.shape) != channels_))) {
    return std::nullopt;
  }
  const std::vector<float> values = floats_of(tensor);
  return Polynomial::constant({values.begin(), values.end()});
}

std::optional<Polynomial> Tracer::traced(const Operator& op) {
  if (op.outputs.size() != 1 || !has_legal_shape(graph_.tensor(op.outputs[0]))) {
    return std::nullopt;
  }
  std::vector<Polynomial> operands;
  for (const TensorId id : op.inputs) {
    const std::optional<Polynomial> operand = id == graph::kNoTensor ? std::nullopt : value_of(id);
    if (!operand) {
      return std::nullopt;
    }
    operands.push_back(*operand);
  }
  std::optional<Polynomial> result;
  if (const auto* binary = std::get_if<graph::Binary>(&op.kind)) {
    result =
        binary->activation == Activation::kNone ? arithmetic(op, binary->kind, operands[0], operands[1]) : std::nullopt;
  } else if (operands.size() == 1) {
    result = function(op, operands[0]);
  }
  constexpr std::size_t kMostTerms = 16;
  return result && result->terms().size() <= kMostTerms ? result : std::nullopt;
}

/// That of x, or of one number for each row of x.
bool Tracer::has_legal_shape(const Tensor& tensor) const {
  graph::Shape rows = graph_.tensor(x_).shape;
  if (!rows.empty()) {
    rows.back() = 1;
  }
  return tensor.type == graph::ElementType::kFloat32 &&
         (tensor.shape == graph_.tensor(x_).shape || tensor.shape == rows);
}

std::optional<Polynomial> Tracer::arithmetic(const Operator& op, BinaryKind kind, const Polynomial& a,
                                             const Polynomial& b) {
  switch (kind) {
    case BinaryKind::kAdd: return a + b;
    case BinaryKind::kSubtract: return a - b;
    case BinaryKind::kMultiply: return a * b;
    case BinaryKind::kSquaredDifference: return (a - b) * (a - b);
    case BinaryKind::kDivide: {
      const std::optional<Polynomial> inverse = b.inverse();
      return inverse ? std::optional(a * *inverse) : std::nullopt;
    }
    case BinaryKind::kPower: return power(op, a, b.number());
    default: return std::nullopt;
  }
}

std::optional<Polynomial> Tracer::power(const Operator& op, const Polynomial& base, std::optional<double> exponent) {
  constexpr double kSquare = 2, kCube = 3, kRoot = 0.5;
  if (exponent == kSquare) {
    return base * base;
  }
  if (exponent == kCube) {
    return base * base * base;
  }
  if (exponent != kRoot && exponent != -kRoot) {
    return std::nullopt;
  }
  Operator root = op;
  root.kind = graph::Unary{exponent == kRoot ? UnaryKind::kSqrt : UnaryKind::kReciprocalSqrt};
  return function(root, base);
}

/// Goes back from the last operator to x. Whether only its result is read outside.
bool Tracer::collect(std::size_t last) {
  group_ = {last};
  std::vector<std::size_t> left = {last};
  while (!left.empty()) {
    const std::size_t i = left.back();
    left.pop_back();
    for (const TensorId id : graph_.operators[i].inputs) {
      const std::optional<std::size_t> maker =
          id == x_ || known_.count(id) == 0 ? std::nullopt : editor_.indexed().place_of_maker(id);
      if (maker && group_.insert(*maker).second) {
        left.push_back(*maker);
      }
    }
  }
  return std::all_of(group_.begin(), group_.end(), [&](std::size_t i) {
    const TensorId result = graph_.operators[i].outputs[0];
    const std::vector<std::size_t>& readers = editor_.indexed().readers(result);
    return i == last ||
           (!editor_.indexed().is_output(result) &&
            std::all_of(readers.begin(), readers.end(), [&](std::size_t reader) { return group_.count(reader) != 0; }));
  });
}

}  // namespace systole::quantizer
