// SPDX-License-Identifier: Apache-2.0
#include "jax_builder.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "attributes.hpp"
#include "block_step.hpp"
#include "simplify.hpp"
#include "systole/execute.hpp"

namespace systole::pjrt {

using graph::ElementType;
using graph::TensorId;

namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 23;  ///< of a constant that is computed

/// What an operator computes: two with the same text have the same results.
std::string described(const graph::Operator& op, const std::vector<graph::Tensor>& results) {
  std::string text =
      fmt::format("{} {} {}", graph::name_of(op.kind), graph::attributes(op.kind), static_cast<int>(op.arithmetic));
  if (const auto* pad = std::get_if<graph::Pad>(&op.kind); pad != nullptr && std::signbit(pad->value)) {
    text += " negative";  // as -0 is, which is not listed
  }
  for (const TensorId id : op.inputs) {
    text += fmt::format(" {}", id);
  }
  for (const graph::Tensor& result : results) {
    text += fmt::format(" {} {} {}", graph::name_of(result.type), graph::to_string(result.shape),
                        result.quantization.has_value());
  }
  return text;
}

}  // namespace

bool JaxBuilder::is_small_constant(const std::vector<TensorId>& ids) const {
  return std::all_of(ids.begin(), ids.end(), [&](TensorId id) {
    return id != graph::kNoTensor && is_constant(id) &&
           static_cast<std::int64_t>(tensor(id).constant->size()) <= kMostBytes;
  });
}

void JaxBuilder::fold_last() {
  const graph::Operator last = graph().operators.back();
  std::vector<graph::Value> operands;
  for (const TensorId id : last.inputs) {
    operands.push_back(graph::constant_value(tensor(id)));
  }
  std::vector<const graph::Value*> pointers;
  for (const graph::Value& operand : operands) {
    pointers.push_back(&operand);
  }
  std::vector<graph::Value> values = graph::execute_operator(graph(), last, pointers);
  graph().operators.pop_back();
  for (std::size_t i = 0; i < values.size(); ++i) {
    graph().tensor(last.outputs[i]).constant = std::make_shared<const graph::Bytes>(std::move(values[i].data));
  }
}

std::vector<TensorId> JaxBuilder::append_all(graph::Operator op, std::vector<graph::Tensor> results) {
  const std::string text = described(op, results);
  if (const auto found = done_.find(text); found != done_.end()) {
    return found->second;
  }
  const bool folds = is_small_constant(op.inputs);
  std::vector<TensorId> outputs = GraphBuilder::append_all(std::move(op), std::move(results));
  if (folds) {
    fold_last();
  }
  done_.emplace(text, outputs);
  return outputs;
}

TensorId JaxBuilder::shared_constant(const graph::Value& value) {
  constexpr std::size_t kMostShared = 4096;
  if (value.data.size() > kMostShared) {
    return constant(value);
  }
  std::string text = fmt::format("{} {} ", graph::name_of(value.type), graph::to_string(value.shape));
  text.append(value.data.begin(), value.data.end());
  auto& found = done_[text];
  if (found.empty()) {
    found = {constant(value)};
  }
  return found[0];
}

/// Bytes with a scale of 1, which products ask for.
TensorId JaxBuilder::scaled(TensorId x) {
  return append_all({{}, {}, graph::Reinterpret{}, graph::Arithmetic::kOnnx, {x}, {}},
                    {{{}, type(x), shape(x), graph::Quantization{{1.0F}, {0}}, nullptr}})
      .at(0);
}

TensorId JaxBuilder::weighted(graph::OperatorKind kind, std::vector<TensorId> operands, bool blocks) {
  const TensorId x = operands.at(0);
  const bool floats = type(x) == ElementType::kFloat32;
  if (!floats) {
    operands = {scaled(x), scaled(operands.at(1))};
  }
  return append_all({{},
                     {},
                     std::move(kind),
                     floats && blocks && !is_constant(x) ? graph::Arithmetic::kBlocks : graph::Arithmetic::kOnnx,
                     std::move(operands),
                     {}},
                    {{{}, floats ? ElementType::kFloat32 : ElementType::kInt32, {}, {}, nullptr}})
      .at(0);
}

std::vector<TensorId> JaxBuilder::top_k(TensorId x, int axis, std::int64_t k, bool largest) {
  graph::Shape shape = this->shape(x);
  shape.at(static_cast<std::size_t>(axis)) = k;
  return append_all({{}, {}, graph::TopK{axis, largest}, graph::Arithmetic::kOnnx, {x}, {}},
                    {{{}, type(x), shape, {}, nullptr}, {{}, ElementType::kInt64, shape, {}, nullptr}});
}

graph::Graph JaxBuilder::finish_program(std::vector<TensorId> outputs, bool blocks) {
  graph::Graph made = finish(std::move(outputs));
  graph::simplify(made, kMostBytes);
  return blocks ? training::for_blocks(made, false) : made;
}

}  // namespace systole::pjrt
