// SPDX-License-Identifier: Apache-2.0
// Boolean operators: comparisons, logic, and selection between two tensors.
#include <cmath>

#include "element_visit.hpp"
#include "float_ops.hpp"
#include "indices.hpp"

namespace systole::graph {
namespace {

template <class Element>
bool holds(BinaryKind kind, Element a, Element b) {
  switch (kind) {
    case BinaryKind::kEqual: return a == b;
    case BinaryKind::kLess: return a < b;
    case BinaryKind::kLessOrEqual: return a <= b;
    case BinaryKind::kAnd: return a != 0 && b != 0;
    case BinaryKind::kOr: return a != 0 || b != 0;
    default: return (a != 0) != (b != 0);
  }
}

bool holds(const Unary& op, double value) {
  switch (op.kind) {
    case UnaryKind::kNot: return value == 0;
    case UnaryKind::kIsNan: return std::isnan(value);
    default: return std::isinf(value) && (value < 0 ? op.alpha : op.beta) != 0;
  }
}

}  // namespace

Value run_test(const Call& call, const Binary& op) {
  const Shape& shape = call.output_tensor().shape;
  return with_element(call.input(0).type, [&](auto element) {
    using Element = decltype(element);
    const auto lhs = elements<Element>(broadcast_to(call.input(0), shape));
    const auto rhs = elements<Element>(broadcast_to(call.input(1), shape));
    std::vector<std::uint8_t> result(lhs.size());
    for (std::size_t i = 0; i < lhs.size(); ++i) {
      result[i] = holds(op.kind, lhs[i], rhs[i]) ? 1 : 0;
    }
    return make_value(ElementType::kBool, shape, result);
  });
}

Value run_test(const Call& call, const Unary& op) {
  return with_element(call.input(0).type, [&](auto element) {
    using Element = decltype(element);
    std::vector<std::uint8_t> result;
    for (const Element value : elements<Element>(call.input(0))) {
      result.push_back(holds(op, static_cast<double>(value)) ? 1 : 0);
    }
    return make_value(ElementType::kBool, call.output_tensor().shape, result);
  });
}

namespace {

template <class Word>
void choose(const std::vector<std::uint8_t>& conditions, const Value& from, Value& result) {
  const auto* words = reinterpret_cast<const Word*>(from.data.data());
  auto* to = reinterpret_cast<Word*>(result.data.data());
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    to[i] = conditions[i] != 0 ? words[i] : to[i];
  }
}

}  // namespace

Value run(const Call& call, const Select&) {
  const Tensor& output = call.output_tensor();
  const auto conditions = elements<std::uint8_t>(broadcast_to(call.input(0), output.shape));
  Value result = broadcast_to(call.input(2), output.shape);
  const Value other = broadcast_to(call.input(1), output.shape);
  switch (element_size(output.type)) {
    case 1: choose<std::uint8_t>(conditions, other, result); break;
    case 2: choose<std::uint16_t>(conditions, other, result); break;
    case 4: choose<std::uint32_t>(conditions, other, result); break;
    default: choose<std::uint64_t>(conditions, other, result); break;
  }
  return result;
}

}  // namespace systole::graph
