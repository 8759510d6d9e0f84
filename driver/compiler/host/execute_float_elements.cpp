// SPDX-License-Identifier: Apache-2.0
// Element-wise functions of unquantized elements.
#include <algorithm>
#include <cmath>
#include <utility>

#include "attributes.hpp"
#include "element_functions.hpp"
#include "element_visit.hpp"
#include "execute_binary32.hpp"
#include "float_ops.hpp"

namespace systole::graph {
namespace {

/// The functions that are defined for unquantized integers.
template <class Element>
Value integer_unary(const Call& call, const Unary& op) {
  auto values = elements<Element>(call.input(0));
  for (Element& value : values) {
    switch (op.kind) {
      case UnaryKind::kIdentity: break;
      case UnaryKind::kRelu: value = std::max(value, Element{0}); break;
      case UnaryKind::kRelu6: value = std::clamp(value, Element{0}, Element{6}); break;
      case UnaryKind::kSign:
        value = static_cast<Element>(static_cast<int>(value > 0) - static_cast<int>(value < 0));
        break;
      case UnaryKind::kAbs:
        value = value < 0 ? static_cast<Element>(0 - static_cast<std::uint64_t>(value)) : value;
        break;
      case UnaryKind::kNegate: value = static_cast<Element>(0 - static_cast<std::uint64_t>(value)); break;
      default: call.unsupported(std::string(name_of(op.kind)).append(" of integers without a scale"));
    }
  }
  return make_value(call.input(0).type, call.output_tensor().shape, values);
}

template <class Element>
Value real_unary(const Call& call, const Unary& op) {
  auto values = elements<Element>(call.input(0));
  // TensorFlow Lite's kernel computes the exponential in float, which is not always correctly rounded.
  const bool in_float =
      op.kind == UnaryKind::kExp && call.op.arithmetic == Arithmetic::kTfLite && std::is_same_v<Element, float>;
  for (Element& value : values) {
    value = in_float ? static_cast<Element>(std::exp(static_cast<float>(value)))
                     : static_cast<Element>(real_function(op.kind, static_cast<double>(value), op.alpha, op.beta));
  }
  return make_value(call.input(0).type, call.output_tensor().shape, values);
}

}  // namespace

Value run_plain(const Call& call, const Unary& op) {
  if (auto value = in_binary32(call, op)) {
    return std::move(*value);
  }
  const ElementType type = call.input(0).type;
  if (call.output_tensor().type == ElementType::kBool) {
    return run_test(call, op);
  }
  if (type == ElementType::kBool) {
    call.unsupported("only numbers are supported");
  }
  return with_element(type, [&](auto element) {
    using Element = decltype(element);
    if constexpr (kIsReal<Element>) {
      return real_unary<Element>(call, op);
    } else {
      return integer_unary<Element>(call, op);
    }
  });
}

}  // namespace systole::graph
