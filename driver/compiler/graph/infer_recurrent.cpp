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

void require_rank(const char* what, const Shape& shape, std::size_t rank) {
  if (shape.size() != rank) {
    throw GraphError(fmt::format("{} of shape {}; expected {} dimensions", what, to_string(shape), rank));
  }
}

}  // namespace

Shapes infer(const Lstm& op, const Shapes& inputs, const Shapes&) {
  const Shape& input = inputs[0];
  const Shape& hidden = inputs[Lstm::kHidden];
  require_rank("input", input, 3);
  require_rank("hidden state", hidden, 2);
  const std::int64_t units = hidden[1];
  for (std::size_t gate = 0; gate < 4; ++gate) {
    require_shape("weights of the input", inputs[Lstm::kInputWeights + gate], {units, input[2]});
    require_shape("weights of the hidden state", inputs[Lstm::kHiddenWeights + gate], {units, units});
    require_shape("bias", inputs[Lstm::kBias + gate], {units});
  }
  const Shape state = {input[op.time_major ? 1 : 0], units};
  require_shape("hidden state", hidden, state);
  require_shape("cell state", inputs[Lstm::kCell], state);
  return {{input[0], input[1], units}};
}

Shapes infer(const Svdf& op, const Shapes& inputs, const Shapes&) {
  const Shape& input = inputs[0];
  const Shape& feature = inputs[Svdf::kFeatureWeights];
  const Shape& time = inputs[Svdf::kTimeWeights];
  require_rank("input", input, 2);
  require_rank("weights of features", feature, 2);
  require_rank("weights of time", time, 2);
  const std::int64_t filters = feature[0];
  require_shape("weights of features", feature, {filters, input[1]});
  require_shape("weights of time", time, {filters, time[1]});
  if (op.rank < 1 || filters % op.rank != 0) {
    throw GraphError(fmt::format("rank {} for {} filters; it must be at least 1 and divide the number of filters",
                                 op.rank, filters));
  }
  require_shape("state", inputs[Svdf::kState], {input[0], filters * time[1]});
  if (inputs.size() > Svdf::kBias) {
    require_shape("bias", inputs[Svdf::kBias], {filters / op.rank});
  }
  return {{input[0], filters / op.rank}};
}

}  // namespace systole::graph
