// SPDX-License-Identifier: Apache-2.0
// The layers that ONNX's operators need beside those of TensorFlow Lite, as parts of a program. Results are in device memory,
// dense.
#pragma once

#include "compiler/kernels.hpp"
#include "network/layer.hpp"

namespace systole::network {

/// `output` has four bytes per channel where the layer's results are sums.
void emit_repeated(compiler::Builder& builder, const compiler::TensorView& input, const RepeatedConvLayer& layer, compiler::TensorView output);

}  // namespace systole::network
