// SPDX-License-Identifier: Apache-2.0
#include "systole/golden.hpp"

#include <fmt/core.h>

#include <initializer_list>
#include <utility>

#include "convolution.hpp"
#include "elementwise.hpp"
#include "matmul.hpp"
#include "pooling.hpp"
#include "systole/errors.hpp"

namespace systole::golden {
namespace {

/// Before sizes are multiplied: two that are negative would look right.
void check_sizes(std::initializer_list<int> sizes) {
  for (const int size : sizes) {
    if (size < 1) {
      throw InvalidArgument(fmt::format("a size of {}; sizes are at least 1", size));
    }
  }
}

Tensor8 tensor(const HostTensor8& t) {
  check_sizes({t.batch, t.height, t.width, t.channels});
  return {NhwcShape{t.batch, t.height, t.width, t.channels}, t.data};
}

Matrix8 matrix(int rows, int columns, const std::vector<std::int8_t>& data) {
  check_sizes({rows, columns});
  return {rows, columns, data};
}

template <class Element>
HostTensor<Element> host(Tensor<Element> t) {
  return {t.shape.batch, t.shape.height, t.shape.width, t.shape.channels, std::move(t.data)};
}

template <class Element>
HostTensor<Element> host(Matrix<Element> m) {
  return {1, 1, m.rows, m.columns, std::move(m.data)};
}

Tensor8 weights_of(const std::vector<std::int8_t>& weights, int out_channels, const HostTensor8& input,
                   const ConvOptions& c) {
  check_sizes({out_channels, c.window.kernel_h, c.window.kernel_w, input.channels});
  const int groups = c.groups < 1 ? 1 : c.groups;  // convolution() reports invalid values
  return {NhwcShape{out_channels, c.window.kernel_h, c.window.kernel_w, input.channels / groups}, weights};
}

Convolution convolution_of(const ConvOptions& c) { return {c.window, c.groups, c.input_zero_point, 0}; }

}  // namespace

HostTensor8 matmul(const std::vector<std::int8_t>& a, const std::vector<std::int8_t>& b, int rows, int depth,
                   int columns, const std::vector<std::int32_t>& bias, const Requantize& requantize, int a_zero_point) {
  return host(matmul(matrix(rows, depth, a), matrix(depth, columns, b), bias, requantize, a_zero_point));
}

HostTensor32 matmul_raw(const std::vector<std::int8_t>& a, const std::vector<std::int8_t>& b, int rows, int depth,
                        int columns) {
  return host(matmul_raw(matrix(rows, depth, a), matrix(depth, columns, b)));
}

HostTensor8 conv2d(const HostTensor8& input, const std::vector<std::int8_t>& weights, int out_channels,
                   const std::vector<std::int32_t>& bias, const ConvOptions& convolution,
                   const Requantize& requantize) {
  return host(conv2d(tensor(input), weights_of(weights, out_channels, input, convolution), bias,
                     convolution_of(convolution), requantize));
}

HostTensor32 conv2d_raw(const HostTensor8& input, const std::vector<std::int8_t>& weights, int out_channels,
                        const std::vector<std::int32_t>& bias, const ConvOptions& convolution) {
  return host(conv2d_raw(tensor(input), weights_of(weights, out_channels, input, convolution), bias,
                         convolution_of(convolution)));
}

HostTensor8 dense(const std::vector<std::int8_t>& input, const std::vector<std::int8_t>& weights, int rows, int depth,
                  int columns, const std::vector<std::int32_t>& bias, int input_zero_point,
                  const Requantize& requantize) {
  return host(dense(matrix(rows, depth, input), matrix(columns, depth, weights), bias, requantize, input_zero_point));
}

HostTensor8 max_pool(const HostTensor8& input, const Window& window, std::int8_t clamp_min, std::int8_t clamp_max) {
  return host(max_pool(tensor(input), window, Clamp{clamp_min, clamp_max}));
}

HostTensor8 average_pool(const HostTensor8& input, const Window& window, bool count_padding, int zero_point,
                         std::int8_t clamp_min, std::int8_t clamp_max) {
  return host(average_pool(tensor(input), window, Clamp{clamp_min, clamp_max},
                           count_padding ? PaddingCount::kInclude : PaddingCount::kExclude, zero_point));
}

HostTensor8 add(const HostTensor8& lhs, const HostTensor8& rhs, const AddParams& params) {
  return host(add(tensor(lhs), tensor(rhs), params));
}

HostTensor8 multiply(const HostTensor8& lhs, const HostTensor8& rhs, const MultiplyParams& params) {
  return host(multiply(tensor(lhs), tensor(rhs), params));
}

HostTensor8 lookup(const HostTensor8& input, const std::array<std::int8_t, 256>& table) {
  return host(lookup(tensor(input), table));
}

}  // namespace systole::golden
