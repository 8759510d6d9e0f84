// SPDX-License-Identifier: Apache-2.0
// Operators on host tensors of any shape and batch size. Each call copies its operands to the device, compiles and runs
// a program for them, and returns the result, which equals that of the golden model (systole/golden.hpp) bit for bit.
// To run several operators without copies in between, or one many times, compile a network (systole/network.hpp).
//
// Tensors are dense NHWC, matrices dense row-major. All functions throw InvalidArgument for shapes that do not match
// and for parameters out of range, and what Device::run() throws.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "systole/device.hpp"
#include "systole/operator_types.hpp"

namespace systole {

/// The result of an operator and what it cost.
template <class Element>
struct Computed {
  HostTensor<Element> tensor;
  RunStats stats;
  std::int64_t estimated_cycles = 0;  ///< by the cost model
};

/// A matrix on the host, dense and row-major.
template <class Element>
struct HostMatrix {
  int rows = 1, columns = 1;
  std::vector<Element> data;  ///< rows * columns
};
using HostMatrix8 = HostMatrix<std::int8_t>;

/// a (m x k) times b (k x n): result[m][n] = requantize(bias[n] + sum over k of (a[m][k] - a_zero_point) * b[k][n]).
/// `bias` is empty or has one value per column; a_zero_point is in -256 .. 256. The result is a tensor with a width of
/// m and n channels.
Computed<std::int8_t> matmul(Device& device, const HostMatrix8& a, const HostMatrix8& b,
                             const std::vector<std::int32_t>& bias, const Requantize& requantize, int a_zero_point = 0,
                             const RunOptions& options = {});

/// The sums over k of a[m][k] * b[k][n].
Computed<std::int32_t> matmul_raw(Device& device, const HostMatrix8& a, const HostMatrix8& b,
                                  const RunOptions& options = {});

/// Convolution with weights OHWI: the weights' `batch` is the number of output channels, `channels` the number of input
/// channels per group. The kernel size is that of the weights; Window::kernel_h and kernel_w are ignored.
Computed<std::int8_t> conv2d(Device& device, const HostTensor8& input, const HostTensor8& weights,
                             const std::vector<std::int32_t>& bias, const ConvOptions& convolution,
                             const Requantize& requantize, const RunOptions& options = {});

/// The int32 sums of (input - input_zero_point) * weight, plus the bias.
Computed<std::int32_t> conv2d_raw(Device& device, const HostTensor8& input, const HostTensor8& weights,
                                  const std::vector<std::int32_t>& bias, const ConvOptions& convolution,
                                  const RunOptions& options = {});

// The same operators with shapes as separate arguments: m = rows, k = depth, n = columns.

/// a (rows x depth) times b (depth x columns): result[m][n] = requantize(bias[n] + sum over k of (a[m][k] -
/// a_zero_point) * b[k][n]). `bias` is empty or has one value per column. The host folds a_zero_point into the bias.
/// The result is a tensor with a width of `rows` and `columns` channels.
Computed<std::int8_t> matmul(Device& device, const std::vector<std::int8_t>& a, const std::vector<std::int8_t>& b,
                             int rows, int depth, int columns, const std::vector<std::int32_t>& bias,
                             const Requantize& requantize, int a_zero_point = 0, const RunOptions& options = {});

/// The sums over k of a[m][k] * b[k][n].
Computed<std::int32_t> matmul_raw(Device& device, const std::vector<std::int8_t>& a, const std::vector<std::int8_t>& b,
                                  int rows, int depth, int columns, const RunOptions& options = {});

/// Convolution with constant weights OHWI: `out_channels` x kernel_h x kernel_w x (input channels / groups).
Computed<std::int8_t> conv2d(Device& device, const HostTensor8& input, const std::vector<std::int8_t>& weights,
                             int out_channels, const std::vector<std::int32_t>& bias, const ConvOptions& convolution,
                             const Requantize& requantize, const RunOptions& options = {});

/// The int32 sums of (input - input_zero_point) * weight, plus the bias.
Computed<std::int32_t> conv2d_raw(Device& device, const HostTensor8& input, const std::vector<std::int8_t>& weights,
                                  int out_channels, const std::vector<std::int32_t>& bias,
                                  const ConvOptions& convolution, const RunOptions& options = {});

/// Fully connected layer: input rows x depth, weights [columns][depth].
Computed<std::int8_t> dense(Device& device, const std::vector<std::int8_t>& input,
                            const std::vector<std::int8_t>& weights, int rows, int depth, int columns,
                            const std::vector<std::int32_t>& bias, int input_zero_point, const Requantize& requantize,
                            const RunOptions& options = {});

/// Maximum over windows, ignoring padding. Every window must overlap the image.
Computed<std::int8_t> max_pool(Device& device, const HostTensor8& input, const Window& window,
                               std::int8_t clamp_min = -128, std::int8_t clamp_max = 127,
                               const RunOptions& options = {});

/// Average over windows, rounded to nearest, ties away from zero. Padding is ignored, or, with `count_padding`, counted
/// as elements of value `zero_point`. The window has at most 4096 elements.
Computed<std::int8_t> average_pool(Device& device, const HostTensor8& input, const Window& window,
                                   bool count_padding = false, int zero_point = 0, std::int8_t clamp_min = -128,
                                   std::int8_t clamp_max = 127, const RunOptions& options = {});

/// Quantized sum and product of two tensors of the same shape, as TensorFlow Lite's ADD and MUL.
Computed<std::int8_t> add(Device& device, const HostTensor8& lhs, const HostTensor8& rhs, const AddParams& params,
                          const RunOptions& options = {});
Computed<std::int8_t> multiply(Device& device, const HostTensor8& lhs, const HostTensor8& rhs,
                               const MultiplyParams& params, const RunOptions& options = {});

/// table[value as an unsigned byte] for each element.
Computed<std::int8_t> lookup(Device& device, const HostTensor8& input, const std::array<std::int8_t, 256>& table,
                             const RunOptions& options = {});

}  // namespace systole
