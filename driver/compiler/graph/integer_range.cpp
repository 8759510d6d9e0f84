// SPDX-License-Identifier: Apache-2.0
#include "integer_range.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "element_visit.hpp"
#include "infer.hpp"
#include "systole/graph_value.hpp"

namespace systole::graph {
namespace {

constexpr IntegerRange kAnything{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};

/// A uint64 may exceed the range of int64, and a real number has no range: both have the whole range of int64.
IntegerRange range_of(ElementType type) {
  return type == ElementType::kBool ? IntegerRange{0, 1} : with_element(type, [](auto element) -> IntegerRange {
    using Element = decltype(element);
    if constexpr (kIsReal<Element> || sizeof(Element) == sizeof(std::int64_t)) {
      return kAnything;
    } else {
      return {std::numeric_limits<Element>::min(), std::numeric_limits<Element>::max()};
    }
  });
}

IntegerRange range_of_constant(const Tensor& tensor) {
  return with_element(tensor.type, [&](auto element) -> IntegerRange {
    using Element = decltype(element);
    const auto values = elements<Element>(Value{tensor.type, tensor.shape, *tensor.constant});
    if constexpr (kIsReal<Element> || std::is_same_v<Element, std::uint64_t>) {
      return kAnything;
    } else if (values.empty()) {
      return range_of(tensor.type);
    } else {
      const auto [least, most] = std::minmax_element(values.begin(), values.end());
      return {static_cast<std::int64_t>(*least), static_cast<std::int64_t>(*most)};
    }
  });
}

IntegerRange either(const IntegerRange& a, const IntegerRange& b) {
  return {std::min(a.least, b.least), std::max(a.most, b.most)};
}

/// Bounds of sums, differences and products of integers of 32 bits, which 64 bits hold.
IntegerRange combined(BinaryKind kind, const IntegerRange& a, const IntegerRange& b) {
  switch (kind) {
    case BinaryKind::kMinimum: return {std::min(a.least, b.least), std::min(a.most, b.most)};
    case BinaryKind::kMaximum: return {std::max(a.least, b.least), std::max(a.most, b.most)};
    default: break;
  }
  if (!a.within(range_of(ElementType::kInt32)) || !b.within(range_of(ElementType::kInt32))) {
    return kAnything;
  }
  switch (kind) {
    case BinaryKind::kAdd: return {a.least + b.least, a.most + b.most};
    case BinaryKind::kSubtract: return {a.least - b.most, a.most - b.least};
    case BinaryKind::kMultiply: {
      const auto [least, most] = std::minmax({a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most});
      return {least, most};
    }
    default: return kAnything;
  }
}

/// Whether elements of the result are some of those of the first operand.
bool picks(const OperatorKind& kind) {
  const auto* reduce = std::get_if<Reduce>(&kind);
  return std::holds_alternative<Reshape>(kind) || std::holds_alternative<Transpose>(kind) ||
         std::holds_alternative<Slice>(kind) || std::holds_alternative<Split>(kind) ||
         std::holds_alternative<Gather>(kind) || std::holds_alternative<Convert>(kind) ||
         (reduce != nullptr && (reduce->kind == ReduceKind::kMax || reduce->kind == ReduceKind::kMin));
}

}  // namespace

IntegerRange IntegerRanges::of(TensorId id) {
  if (const auto found = known_.find(id); found != known_.end()) {
    return found->second;
  }
  const Tensor& tensor = graph_.tensor(id);
  if (tensor.quantization) {  // whose elements are not the numbers that operators compute with
    return kAnything;
  }
  const IntegerRange all = range_of(tensor.type);
  IntegerRange range = all;
  if (tensor.constant) {
    range = range_of_constant(tensor);
  } else if (const Operator* op = graph_.maker(id); op != nullptr) {
    const IntegerRange result = computed(*op, id);
    range = result.within(all) ? result : all;  // those of a result that wraps
  }
  known_.emplace(id, range);
  return range;
}

IntegerRange IntegerRanges::computed(const Operator& op, TensorId id) {
  const auto operand = [&](std::size_t i) { return of(op.inputs[i]); };
  const auto up_to = [](std::int64_t end) { return IntegerRange{0, end - 1}; };
  const Shape& first = graph_.tensor(op.inputs[0]).shape;
  if (picks(op.kind)) {
    return operand(0);
  }
  if (std::holds_alternative<Concat>(op.kind)) {
    IntegerRange range = operand(0);
    for (std::size_t i = 1; i < op.inputs.size(); ++i) {
      range = either(range, operand(i));
    }
    return range;
  }
  if (std::holds_alternative<Select>(op.kind)) {
    return either(operand(1), operand(2));
  }
  if (const auto* binary = std::get_if<Binary>(&op.kind);
      binary != nullptr && binary->activation == Activation::kNone) {
    return combined(binary->kind, operand(0), operand(1));
  }
  if (const auto* extreme = std::get_if<ArgExtreme>(&op.kind)) {
    return up_to(first[axis_of(extreme->axis, first.size())]);
  }
  if (const auto* top = std::get_if<TopK>(&op.kind); top != nullptr && id == op.outputs[1]) {
    return up_to(first[axis_of(top->axis, first.size())]);
  }
  if (const auto* flat = std::get_if<FlatIndex>(&op.kind)) {
    return up_to(count(flat->shape));
  }
  return kAnything;
}

}  // namespace systole::graph
