// SPDX-License-Identifier: Apache-2.0
// Shape inference for operators with state.
#include <fmt/core.h>

#include "infer_kinds.hpp"

namespace systole::graph {
namespace {

void require_shape(const char* what, const Shape& shape, const Shape& wanted) {
  if (shape != wanted) {
    throw GraphError(fmt::format("{} of shape {}; expected {}", what, to_string(shape), to_string(wanted)));
  }
}

}  // namespace

Shapes infer(const Lstm& op, const Shapes& inputs, const Shapes&) {
  const Shape& input = inputs[0];
  const std::int64_t units = inputs[Lstm::kHidden][1];
  require_shape("hidden state", inputs[Lstm::kHidden], {input[op.time_major ? 1 : 0], units});
  return {{input[0], input[1], units}};
}

Shapes infer(const Svdf& op, const Shapes& inputs, const Shapes&) {
  const Shape& input = inputs[0];
  const Shape& time = inputs[Svdf::kTimeWeights];
  const std::int64_t filters = time[0];
  if (filters % op.rank != 0) {
    throw GraphError(fmt::format("rank {} for {} filters; it must divide the number of filters", op.rank, filters));
  }
  require_shape("state", inputs[Svdf::kState], {input[0], filters * time[1]});
  if (inputs.size() > Svdf::kBias) {
    require_shape("bias", inputs[Svdf::kBias], {filters / op.rank});
  }
  return {{input[0], filters / op.rank}};
}

}  // namespace systole::graph
