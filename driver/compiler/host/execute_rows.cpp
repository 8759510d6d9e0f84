// SPDX-License-Identifier: Apache-2.0
#include "execute_rows.hpp"

#include <algorithm>

#include "binary32_rows.hpp"
#include "infer.hpp"

namespace systole::graph {
namespace {

namespace b32 = golden::binary32;

bool applies(const Call& call) { return call.op.arithmetic == Arithmetic::kBlocks; }

Value result(const Call& call, const std::vector<float>& values) {
  return make_value(call.output_tensor().type, call.output_tensor().shape, values);
}

}  // namespace

std::optional<Value> in_rows(const Call& call, const Reduce&) {
  if (!applies(call)) {
    return std::nullopt;
  }
  const auto values = elements<float>(call.input(0));
  const auto each = static_cast<std::size_t>(call.input(0).shape.back());
  std::vector<float> means(values.size() / each);
  for (std::size_t i = 0; i < means.size(); ++i) {
    means[i] = b32::mean_of_row(values.data() + i * each, each);
  }
  return result(call, means);
}

bool is_strict_row(const Softmax& op, const Shape& shape) {
  return !op.logarithm && op.beta == 1 && axis_of(op.axis, shape.size()) + 1 == shape.size() &&
         shape.back() >= static_cast<std::int64_t>(b32::kLeastElementsOfStrictSoftmax) &&
         shape.back() <= static_cast<std::int64_t>(b32::kMostElementsOfStrictSoftmax);
}

std::optional<Value> in_rows(const Call& call, const Softmax& op) {
  const bool strict = call.op.arithmetic == Arithmetic::kOnnx && call.input(0).type == ElementType::kFloat32 &&
                      is_strict_row(op, call.input(0).shape);
  if (!applies(call) && !strict) {
    return std::nullopt;
  }
  auto values = elements<float>(call.input(0));
  const auto each = static_cast<std::size_t>(call.input(0).shape.back());
  for (std::size_t i = 0; i < values.size(); i += each) {
    strict ? b32::strict_softmax_of_row(values.data() + i, each) : b32::softmax_of_row(values.data() + i, each);
  }
  return result(call, values);
}

}  // namespace systole::graph
