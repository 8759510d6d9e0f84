// SPDX-License-Identifier: Apache-2.0
// Operators that are a kind of the graph as they are: its row in kinds.toml names them and their attributes.
#pragma once

#include "onnx_operators.hpp"

namespace systole::graph::onnx_file {

/// Translates the operator; null if no kind is it.
Handler kind_handler(std::string_view type);

/// Adds an operator whose operands are the node's and whose result is the node's first.
void add_kind(Translation& t, const OperatorKind& kind);

template <class Value>
void read_attribute(const Translation& t, const char* name, Value& value) {
  if constexpr (std::is_floating_point_v<Value>) {
    value = static_cast<Value>(t.real(name, static_cast<float>(value)));
  } else {
    value = static_cast<Value>(t.integer(name, static_cast<std::int64_t>(value)));
  }
}

}  // namespace systole::graph::onnx_file
