// SPDX-License-Identifier: Apache-2.0
// A short description of an operator for listings and messages.
#pragma once

#include <string>

#include "systole/graph.hpp"

namespace systole::graph {

/// The parameters: "3x3 stride 2x2 pad 0,1,0,1 groups 8 relu6". Default values are omitted; empty if all are. Padding
/// is top, bottom, left, right.
std::string attributes(const OperatorKind& kind);

/// The activation within a convolution, dense layer, binary operator or pool; null for other kinds.
Activation* activation_of(OperatorKind& kind);
const Activation* activation_of(const OperatorKind& kind);

/// An activation other than kNone as an operator of its own.
Unary function_of(Activation activation);

/// "scale 0.0235, zero point -128"; "8 scales 0.001 .. 0.02 on axis 0"; empty for a tensor without quantization.
std::string quantization_text(const Tensor& tensor);

/// "operator 'conv1' (CONV_2D)", the beginning of every message about an operator.
std::string title(const Operator& op);
/// "tensor 'input' (1x28x28x1 int8)".
std::string title(const Tensor& tensor);

const char* name_of(Activation activation);  ///< empty for none

}  // namespace systole::graph
