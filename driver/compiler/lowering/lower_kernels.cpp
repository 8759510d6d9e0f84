// SPDX-License-Identifier: Apache-2.0
#include "lower_kernels.hpp"

#include <algorithm>

#include "fixed_point.hpp"
#include "infer.hpp"
#include "quantized_values.hpp"
#include "refused.hpp"
#include "type_checks.hpp"

namespace systole::network {
namespace {

using graph::ElementType;
using graph::Tensor;

constexpr std::int64_t kMostSummands = 511;  // exponentials of at most 1, whose sum has to stay below 512

}  // namespace

compiler::KernelCall softmax_call(const graph::Graph& graph, const graph::Operator& op, const graph::Softmax& softmax) {
  const Tensor& input = graph.tensor(op.inputs[0]);
  require_type(input, {ElementType::kInt8, ElementType::kUint8}, "int8 or uint8");
  require_type(graph.tensor(op.outputs[0]), {ElementType::kInt8, ElementType::kUint8}, "int8 or uint8");
  require(!softmax.logarithm, "a logarithm of softmax");
  require(graph::axis_of(softmax.axis, input.shape.size()) + 1 == input.shape.size(),
          "a softmax along another axis than the last");
  require(input.shape.back() <= kMostSummands,
          "a softmax of more than 511 elements, which TensorFlow Lite does not define where their sum is 512 or more");
  compiler::KernelCall call{"softmax"};
  const auto exponentials = golden::softmax_exponentials(graph::quantization_of(input).scale, softmax.beta);
  call.table.emplace();
  std::copy(exponentials.begin(), exponentials.end(), call.table->begin());
  return call;
}

}  // namespace systole::network
