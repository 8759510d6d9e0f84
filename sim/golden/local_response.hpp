// SPDX-License-Identifier: Apache-2.0
//
// Local response normalization of int8 in binary32, defined step by step, so that every device computes the same.
#pragma once

#include <array>
#include <cstdint>

#include "response_formulas.hpp"
#include "scales.hpp"
#include "tensor.hpp"

namespace systole::golden {

// A channel and its neighbours: so many channels before it, and behind it.
struct LocalResponse {
  int before = 0, after = 0;
  float factor = 1, bias = 1, beta = 0.75F;
};

struct LocalResponseParams {
  int before = 0, after = 0;
  functions::ByteResponse numbers;
  // What a number adds to the base, by its byte: its square times the factor, and a share of the bias. A channel that
  // does not exist is a zero, which has its share, too.
  std::array<float, 256> bases{};
};

// Throws InvalidArgument for neighbours below 0, a factor below 0, a bias that is not above 0, and numbers that are not
// finite.
LocalResponseParams local_response_params(const LocalResponse& of, const UniformQuantization& input,
                                          const UniformQuantization& output);

// x / (bias + factor * sum of x^2)^beta along the innermost dimension.
Tensor8 local_response(const Tensor8& input, const LocalResponseParams& params);

}  // namespace systole::golden
