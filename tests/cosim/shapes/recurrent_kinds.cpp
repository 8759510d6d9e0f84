// SPDX-License-Identifier: Apache-2.0
// Operators with state.
#include <cmath>

#include "one_operator.hpp"
#include "random_parameters.hpp"

namespace systole::shapes {
namespace {

using graph::ElementType;
using graph::Lstm;
using graph::Svdf;
using graph::TensorId;

/// `wide`: with inputs and a hidden state of int16.
graph::Graph lstm(const Spec& spec, bool wide) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const int batch = spec.at("batch"), steps = spec.at("steps"), channels = spec.at("channels"),
            units = spec.at("units");
  const bool time_major = spec.at("time_major") != 0;
  const graph::Shape shape = {time_major ? steps : batch, time_major ? batch : steps, channels};
  TensorId input = wide ? one.input(shape, 0.0002F, ElementType::kInt16) : one.input(shape);
  const bool between = spec.at("between") != 0;  // other operators, with tensors in the scratchpad
  const graph::Unary other{graph::UnaryKind::kRelu, 0, 0};
  if (between) {
    input = one.apply(other, {input}, one.output({}, 0, input));
  }
  const float cell_scale = std::ldexp(1.0F, -spec.at("cell_fraction_bits"));
  const auto hidden_scale = static_cast<float>(one.between(0.002, 0.01));
  const TensorId hidden =
      wide ? one.constant16({batch, units}, hidden_scale / 256) : one.constant({batch, units}, hidden_scale);
  const TensorId cell = one.constant16({batch, units}, cell_scale);
  std::vector<TensorId> inputs = {input}, bias;
  for (int gate = 0; gate < 4; ++gate) {
    inputs.push_back(one.weights({units, channels}, false));
    bias.push_back(one.bias(units, input, inputs.back(), wide ? ElementType::kInt64 : ElementType::kInt32));
  }
  for (int gate = 0; gate < 4; ++gate) {
    inputs.push_back(one.weights({units, units}, false));
  }
  inputs.insert(inputs.end(), bias.begin(), bias.end());
  inputs.push_back(hidden);
  inputs.push_back(cell);
  const Lstm kind{time_major, spec.at("clip") != 0 ? 4000 * cell_scale : 0};
  const TensorId result = one.output({}, 0, hidden);
  if (!between) {
    return one.finish(kind, std::move(inputs), result);
  }
  return one.finish(other, {one.apply(kind, std::move(inputs), result)}, one.output({}, 0, hidden));
}

/// `wide`: a state of 16 bits.
graph::Graph svdf(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const int batch = spec.at("batch"), channels = spec.at("channels"), rank = spec.at("rank"),
            memory = spec.at("memory"), filters = spec.at("units") * rank;
  const bool wide = spec.at("wide") != 0;
  const TensorId input = one.input({batch, channels});
  const TensorId weights = one.weights({filters, channels}, false);
  const auto state_scale = static_cast<float>(one.scale_of_sums(input, weights, channels));
  const auto constant = [&](const graph::Shape& shape, float scale) {
    return wide ? one.constant16(shape, scale) : one.constant(shape, scale);
  };
  const TensorId times = constant({filters, memory}, 0.01F);
  one.set_quantization(times, {{0.01F}, {0}, 0});
  const TensorId state = constant({batch, filters * memory}, wide ? state_scale / 256 : state_scale);
  std::vector<TensorId> inputs = {input, weights, times, state};
  if (spec.at("bias") != 0) {
    inputs.push_back(one.bias(spec.at("units"), state, times));
  }
  return one.finish(Svdf{rank}, std::move(inputs),
                    one.output({}, one.scale_of_sums(state, times, rank * memory) * (wide ? 65536 : 1)));
}

}  // namespace

std::vector<Kind> recurrent_kinds() {
  const Parameters sequence = {{"batch", 1, 3},  {"steps", 1, 6},      {"channels", 1, 40},
                               {"units", 1, 40}, {"time_major", 0, 1}, {"cell_fraction_bits", 6, 15},
                               {"clip", 0, 1},   {"between", 0, 1},    kSeed};
  return {{"lstm", "LSTM over a sequence", sequence, [](const Spec& spec) { return lstm(spec, false); }},
          {"int16_lstm", "int16: LSTM over a sequence", sequence, [](const Spec& spec) { return lstm(spec, true); }},
          {"svdf", "SVDF, a step",
           Parameters{{"batch", 1, 3},
                      {"channels", 1, 40},
                      {"units", 1, 40},
                      {"rank", 1, 3},
                      {"memory", 1, 10},
                      {"wide", 0, 1},
                      {"bias", 0, 1},
                      kSeed},
           svdf}};
}

}  // namespace systole::shapes
