// SPDX-License-Identifier: Apache-2.0
// Operators on host tensors: each call copies its operands to the device, compiles and runs a program for them, and
// returns the result. Shapes and batch are free; the compiler cuts them to the chip. Results are those of the golden model
// (systole/golden.hpp), bit for bit. To run several operators without copies in between, or one many times, compile them as a
// network (systole/network.hpp).
//
// Tensors are dense NHWC, matrices dense row-major. All calls throw std::invalid_argument, naming the value, for shapes
// that do not match or parameters out of range, and what Device::run throws.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "systole/device.hpp"
#include "systole/requantize.hpp"

namespace systole {

/// How int32 sums become int8: requantize(sum + bias, scale, zero_point, clamp_min, clamp_max, rounding).
struct Requantize {
  std::vector<QuantParam> scale = {{1 << 30, 1}};  ///< one for all output channels, or one each
  int zero_point = 0;                              ///< -128 .. 127
  std::int8_t clamp_min = -128, clamp_max = 127;   ///< clamp_min <= clamp_max
  Rounding rounding = Rounding::kDouble;
};

/// Sliding of a kernel over an image. Kernel, stride and dilation 1 .. 255, padding at least 0; each side has its own.
struct Sliding {
  int kernel_h = 1, kernel_w = 1;
  int stride_h = 1, stride_w = 1;
  int dilation_h = 1, dilation_w = 1;
  int pad_top = 0, pad_bottom = 0, pad_left = 0, pad_right = 0;
};

struct ConvOptions {
  Sliding sliding;
  int groups = 1;            ///< divides input and output channels
  int input_zero_point = 0;  ///< -128 .. 127, of the input; read also where the kernel lies outside the image
};

/// A tensor on the host.
template <class Element>
struct HostTensor {
  int batch = 1, height = 1, width = 1, channels = 1;
  std::vector<Element> data;
};
using HostTensor8 = HostTensor<std::int8_t>;
using HostTensor32 = HostTensor<std::int32_t>;

template <class Element>
struct Computed {
  HostTensor<Element> tensor;
  RunStats stats;
  std::int64_t estimated_cycles = 0;  ///< by the cost model
};

/// a (rows x depth) times b (depth x columns), both read by the device as they are. result[m][n] = requantize(bias[n] +
/// sum over k of (a[m][k] - a_zero_point) * b[k][n]); `bias` is empty or has a value per column. The zero point of a is
/// folded into the bias on the host. The result is a tensor of width `rows` and `columns` channels.
Computed<std::int8_t> matmul(Device& device, const std::vector<std::int8_t>& a, const std::vector<std::int8_t>& b, int rows,
                             int depth, int columns, const std::vector<std::int32_t>& bias, const Requantize& requantize,
                             int a_zero_point = 0, const RunOptions& options = {});

/// The sums over k of a[m][k] * b[k][n].
Computed<std::int32_t> matmul_raw(Device& device, const std::vector<std::int8_t>& a, const std::vector<std::int8_t>& b,
                                  int rows, int depth, int columns, const RunOptions& options = {});

/// Convolution with constant weights OHWI: `out_channels` x kernel_h x kernel_w x (input channels / groups).
Computed<std::int8_t> conv2d(Device& device, const HostTensor8& input, const std::vector<std::int8_t>& weights,
                             int out_channels, const std::vector<std::int32_t>& bias, const ConvOptions& convolution,
                             const Requantize& requantize, const RunOptions& options = {});

/// The sums of (input - input_zero_point) * weight, with bias.
Computed<std::int32_t> conv2d_raw(Device& device, const HostTensor8& input, const std::vector<std::int8_t>& weights,
                                  int out_channels, const std::vector<std::int32_t>& bias, const ConvOptions& convolution,
                                  const RunOptions& options = {});

/// Fully connected layer: input rows x depth, weights [columns][depth].
Computed<std::int8_t> dense(Device& device, const std::vector<std::int8_t>& input, const std::vector<std::int8_t>& weights,
                            int rows, int depth, int columns, const std::vector<std::int32_t>& bias, int input_zero_point,
                            const Requantize& requantize, const RunOptions& options = {});

/// Maximum over windows; what lies outside the image is ignored. Every window must reach into the image.
Computed<std::int8_t> max_pool(Device& device, const HostTensor8& input, const Sliding& sliding,
                               std::int8_t clamp_min = -128, std::int8_t clamp_max = 127, const RunOptions& options = {});

/// Average over windows, rounded to nearest, ties away from zero. What lies outside the image is neither summed nor counted,
/// or, with `count_padding`, counts as `zero_point`. At most 4096 taps.
Computed<std::int8_t> average_pool(Device& device, const HostTensor8& input, const Sliding& sliding, bool count_padding = false,
                                   int zero_point = 0, std::int8_t clamp_min = -128, std::int8_t clamp_max = 127,
                                   const RunOptions& options = {});

/// Element-wise operands: (x - zero_point) of each, scaled.
struct AddParams {
  int lhs_zero_point = 0, rhs_zero_point = 0, output_zero_point = 0;
  QuantParam lhs_scale, rhs_scale;  ///< shift <= 0: applied to the operand times 2^20
  QuantParam output_scale;
  std::int8_t clamp_min = -128, clamp_max = 127;
  Rounding rounding = Rounding::kDouble;
};
struct MultiplyParams {
  int lhs_zero_point = 0, rhs_zero_point = 0, output_zero_point = 0;
  QuantParam output_scale;
  std::int8_t clamp_min = -128, clamp_max = 127;
  Rounding rounding = Rounding::kDouble;
};

/// Quantized addition and product of tensors of one shape, as TensorFlow Lite's ADD and MUL.
Computed<std::int8_t> add(Device& device, const HostTensor8& lhs, const HostTensor8& rhs, const AddParams& params,
                          const RunOptions& options = {});
Computed<std::int8_t> multiply(Device& device, const HostTensor8& lhs, const HostTensor8& rhs, const MultiplyParams& params,
                               const RunOptions& options = {});

/// table[value as an unsigned byte] for each element.
Computed<std::int8_t> lookup(Device& device, const HostTensor8& input, const std::array<std::int8_t, 256>& table,
                             const RunOptions& options = {});

}  // namespace systole
