// SPDX-License-Identifier: Apache-2.0
// Operators with state.
#include <cmath>

#include "one_operator.hpp"
#include "random_parameters.hpp"

namespace systole::shapes {
namespace {

using graph::Lstm;
using graph::TensorId;

graph::Graph lstm(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const int batch = spec.at("batch"), steps = spec.at("steps"), channels = spec.at("channels"),
            units = spec.at("units");
  const bool time_major = spec.at("time_major") != 0;
  const TensorId input = one.input({time_major ? steps : batch, time_major ? batch : steps, channels});
  const float cell_scale = std::ldexp(1.0F, -spec.at("cell_fraction_bits"));
  const TensorId hidden = one.constant({batch, units}, static_cast<float>(one.between(0.002, 0.01)));
  const TensorId cell = one.constant16({batch, units}, cell_scale);
  std::vector<TensorId> inputs = {input}, bias;
  for (int gate = 0; gate < 4; ++gate) {
    inputs.push_back(one.weights({units, channels}, false));
    bias.push_back(one.bias(units, input, inputs.back()));
  }
  for (int gate = 0; gate < 4; ++gate) {
    inputs.push_back(one.weights({units, units}, false));
  }
  inputs.insert(inputs.end(), bias.begin(), bias.end());
  inputs.push_back(hidden);
  inputs.push_back(cell);
  return one.finish(Lstm{time_major, spec.at("clip") != 0 ? 4000 * cell_scale : 0}, std::move(inputs),
                    one.output({}, 0, hidden));
}

}  // namespace

std::vector<Kind> recurrent_kinds() {
  return {{"lstm", "LSTM over a sequence",
           Parameters{{"batch", 1, 3},
                      {"steps", 1, 6},
                      {"channels", 1, 40},
                      {"units", 1, 40},
                      {"time_major", 0, 1},
                      {"cell_fraction_bits", 6, 15},
                      {"clip", 0, 1},
                      kSeed},
           lstm}};
}

}  // namespace systole::shapes
