// SPDX-License-Identifier: Apache-2.0
// The golden model: the operators of operators.hpp in plain C++ on the host. Every device must produce the same
// results, bit for bit. It is slow and knows nothing of devices, tiles or clocks.
//
// Parameters, shapes and ranges are those of the function of the same name in operators.hpp. All functions throw
// InvalidArgument for shapes that do not match and for parameters out of range.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "systole/operator_types.hpp"

namespace systole::golden {

HostTensor8 matmul(const std::vector<std::int8_t>& a, const std::vector<std::int8_t>& b, int rows, int depth,
                   int columns, const std::vector<std::int32_t>& bias, const Requantize& requantize,
                   int a_zero_point = 0);
HostTensor32 matmul_raw(const std::vector<std::int8_t>& a, const std::vector<std::int8_t>& b, int rows, int depth,
                        int columns);

HostTensor8 conv2d(const HostTensor8& input, const std::vector<std::int8_t>& weights, int out_channels,
                   const std::vector<std::int32_t>& bias, const ConvOptions& convolution, const Requantize& requantize);
HostTensor32 conv2d_raw(const HostTensor8& input, const std::vector<std::int8_t>& weights, int out_channels,
                        const std::vector<std::int32_t>& bias, const ConvOptions& convolution);

HostTensor8 dense(const std::vector<std::int8_t>& input, const std::vector<std::int8_t>& weights, int rows, int depth,
                  int columns, const std::vector<std::int32_t>& bias, int input_zero_point,
                  const Requantize& requantize);

HostTensor8 max_pool(const HostTensor8& input, const Window& window, std::int8_t clamp_min = -128,
                     std::int8_t clamp_max = 127);
HostTensor8 average_pool(const HostTensor8& input, const Window& window, bool count_padding = false, int zero_point = 0,
                         std::int8_t clamp_min = -128, std::int8_t clamp_max = 127);

HostTensor8 add(const HostTensor8& lhs, const HostTensor8& rhs, const systole::AddParams& params);
HostTensor8 multiply(const HostTensor8& lhs, const HostTensor8& rhs, const systole::MultiplyParams& params);

HostTensor8 lookup(const HostTensor8& input, const std::array<std::int8_t, 256>& table);

}  // namespace systole::golden
