// SPDX-License-Identifier: Apache-2.0
#include "local_response.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "parallel.hpp"
#include "systole/errors.hpp"

namespace systole::golden {
namespace {

using functions::F32;

// x^-1/4 for x within an eighth of 1: within 2^-22.
constexpr double kQuartic[] = {0.096858677165, -0.506184788748, 1.093642855650, -1.306160070411, 1.621843334368};

}  // namespace

LocalResponseParams local_response_params(const LocalResponse& of, const UniformQuantization& input,
                                          const UniformQuantization& output) {
  if (of.before < 0 || of.after < 0 || !(of.factor >= 0) || !(of.bias > 0) ||
      !std::isfinite(of.factor + of.bias + of.beta)) {
    throw InvalidArgument(
        fmt::format("local response of int8: {} neighbours before, {} behind, factor {}, bias {}, power {}; the bias "
                    "must be above 0, no other number below it, and all must be finite",
                    of.before, of.after, of.factor, of.bias, of.beta));
  }
  LocalResponseParams params;
  params.before = of.before;
  params.after = of.after;
  functions::ByteResponse& numbers = params.numbers;
  numbers.zero_point = input.zero_point;
  numbers.result_zero_point = output.zero_point;
  numbers.quarters = functions::quarters_of(of.beta);
  numbers.beta = of.beta;
  const double ratio = double{input.scale} / double{output.scale};
  numbers.ratio = static_cast<float>(ratio);
  const double share = numbers.quarters == 0 ? 1 : std::pow(ratio, 1.0 / numbers.quarters);
  std::transform(std::begin(kQuartic), std::end(kQuartic), std::begin(numbers.quartic),
                 [&](double coefficient) { return static_cast<float>(coefficient * share); });
  const double factor = double{of.factor} * double{input.scale} * double{input.scale};
  for (int byte = 0; byte < 256; ++byte) {
    const double number = static_cast<std::int8_t>(byte) - input.zero_point;
    params.bases[static_cast<std::size_t>(byte)] =
        static_cast<float>(factor * number * number + double{of.bias} / (of.before + 1 + of.after));
  }
  return params;
}

Tensor8 local_response(const Tensor8& input, const LocalResponseParams& params) {
  constexpr std::size_t kCost = 50;  // of an element, in multiply-accumulates
  const auto channels = static_cast<std::size_t>(input.shape.channels);
  Tensor8 output = input;
  const auto base_of = [&](int number) { return F32(params.bases[static_cast<std::uint8_t>(number)]); };
  parallel_ranges(input.data.size() / channels, kCost * channels, [&](std::size_t row, std::size_t last) {
    std::vector<F32> bases(static_cast<std::size_t>(params.before + 1 + params.after), F32(0));
    for (; row < last; ++row) {
      const std::int8_t* const numbers = input.data.data() + row * channels;
      for (int channel = 0; channel < input.shape.channels; ++channel) {
        for (int at = channel - params.before; at <= channel + params.after; ++at) {
          const bool exists = at >= 0 && at < input.shape.channels;
          bases[static_cast<std::size_t>(at - channel + params.before)] =
              base_of(exists ? numbers[at] : params.numbers.zero_point);
        }
        const int result = functions::byte_response(functions::I32(numbers[channel]), bases, params.numbers).number();
        output.data[row * channels + static_cast<std::size_t>(channel)] =
            static_cast<std::int8_t>(std::clamp(result, -128, 127));
      }
    }
  });
  return output;
}

}  // namespace systole::golden
