// SPDX-License-Identifier: Apache-2.0
#include "refused.hpp"

#include "quantized_values.hpp"

namespace systole::network {

golden::UniformQuantization quantization(const graph::Tensor& tensor) {
  require_type(tensor, {graph::ElementType::kInt8, graph::ElementType::kUint8}, "int8 or uint8");
  require(tensor.quantization.has_value() && !tensor.quantization->per_channel(), "a tensor without a single scale");
  return graph::quantization_of(tensor);
}

}  // namespace systole::network
