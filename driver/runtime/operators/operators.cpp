// SPDX-License-Identifier: Apache-2.0
#include "systole/operators.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <utility>

#include "kernels.hpp"
#include "systole/errors.hpp"

namespace systole {
namespace {

using compiler::Builder;
using compiler::MatrixView;
using compiler::TensorView;

std::size_t count(int batch, int height, int width, int channels) {
  return static_cast<std::size_t>(batch) * static_cast<std::size_t>(height) * static_cast<std::size_t>(width) *
         static_cast<std::size_t>(channels);
}

void check_size(const char* what, std::size_t given, std::size_t expected) {
  if (given != expected) {
    throw InvalidArgument(fmt::format("{}: {} elements given, the shape has {}", what, given, expected));
  }
}

/// Must be called before sizes are multiplied, because the product of two negative sizes is positive.
void check_sizes(const char* what, std::initializer_list<std::pair<const char*, int>> sizes) {
  for (const auto& [name, size] : sizes) {
    if (size < 1) {
      throw InvalidArgument(fmt::format("{}: {} is {}; sizes are at least 1", what, name, size));
    }
  }
}

void check_matmul(const std::vector<std::int8_t>& a, const std::vector<std::int8_t>& b, int rows, int depth,
                  int columns) {
  check_sizes("matmul", {{"m", rows}, {"n", columns}, {"k", depth}});
  check_size("a", a.size(), count(1, 1, rows, depth));
  check_size("b", b.size(), count(1, 1, depth, columns));
}

/// The operands and the result of an operator as bindings of its program.
class Operands {
 public:
  explicit Operands(const Device& device) : builder_(device.configuration(), device.memory_timing()) {}

  Builder& builder() { return builder_; }

  /// Reserves memory for an operand that lives until the program has run; returns its address.
  template <class Element>
  std::uint32_t input(const std::vector<Element>& data) {
    const std::uint64_t bytes = data.size() * sizeof(Element);
    const std::uint32_t address = builder_.binding(bytes);
    inputs_.push_back({data.data(), bytes, compiler::ProgramRanges::offset(address)});
    return address;
  }
  TensorView input(const HostTensor8& tensor) {
    check_sizes(
        "tensor",
        {{"batch", tensor.batch}, {"height", tensor.height}, {"width", tensor.width}, {"channels", tensor.channels}});
    check_size("tensor", tensor.data.size(), count(tensor.batch, tensor.height, tensor.width, tensor.channels));
    return {input(tensor.data), tensor.batch, tensor.height, tensor.width, tensor.channels, 0};
  }

  /// Builds a program that writes to an address for `result`, runs it and reads the result back.
  template <class Element>
  Computed<Element> compute(Device& device, HostTensor<Element> result, const RunOptions& options,
                            const std::function<void(std::uint32_t)>& build) {
    result.data.resize(count(result.batch, result.height, result.width, result.channels));
    const std::size_t bytes = result.data.size() * sizeof(Element);
    const std::uint32_t output = builder_.binding(bytes);
    build(output);
    Program program = builder_.finish();
    device.place(program);
    for (const Input& in : inputs_) {
      device.write(program.bindings(), in.data, in.bytes, in.offset);
    }
    Computed<Element> computed;
    computed.stats = device.run(program, options);
    computed.estimated_cycles = program.estimated_cycles;
    device.read(program.bindings(), result.data.data(), bytes, compiler::ProgramRanges::offset(output));
    computed.tensor = std::move(result);
    return computed;
  }

 private:
  struct Input {
    const void* data;
    std::uint64_t bytes, offset;
  };

  Builder builder_;
  std::vector<Input> inputs_;
};

int positions(int size, int kernel, int stride, int dilation, int before, int after) {
  return stride < 1 ? 1 : std::max(1, (size + before + after - (kernel - 1) * dilation - 1) / stride + 1);
}

/// A tensor with the shape of a window operator's result. The kernels check everything else.
template <class Element>
HostTensor<Element> output_of(const HostTensor8& input, const Window& s, int channels) {
  return {input.batch,
          positions(input.height, s.kernel_h, s.stride_h, s.dilation_h, s.pad_top, s.pad_bottom),
          positions(input.width, s.kernel_w, s.stride_w, s.dilation_w, s.pad_left, s.pad_right),
          channels,
          {}};
}

template <class Element>
TensorView output_view(const HostTensor<Element>& shape, std::uint32_t address) {
  return {address, shape.batch, shape.height, shape.width, shape.channels, 0};
}

void check_weights(const HostTensor8& input, const std::vector<std::int8_t>& weights, int out_channels,
                   const ConvOptions& c) {
  check_sizes("conv2d", {{"out_channels", out_channels},
                         {"kernel_h", c.window.kernel_h},
                         {"kernel_w", c.window.kernel_w},
                         {"groups", c.groups}});
  const int groups = c.groups;
  check_size("weights", weights.size(),
             count(out_channels, c.window.kernel_h, c.window.kernel_w, input.channels / groups));
}

void check_inner(const HostMatrix8& a, const HostMatrix8& b) {
  if (a.columns != b.rows) {
    throw InvalidArgument(fmt::format("matmul: a is {}x{} and b is {}x{}; a must have as many columns as b has rows",
                                      a.rows, a.columns, b.rows, b.columns));
  }
}

ConvOptions with_kernel(const HostTensor8& input, const HostTensor8& weights, ConvOptions convolution) {
  const int groups = std::max(1, convolution.groups);
  if (static_cast<std::int64_t>(weights.channels) * groups != input.channels) {
    throw InvalidArgument(fmt::format(
        "conv2d: weights {}x{}x{}x{} (output channels, rows, columns, input channels of a group) do not "
        "fit an input of {} channels in {} groups",
        weights.batch, weights.height, weights.width, weights.channels, input.channels, convolution.groups));
  }
  convolution.window.kernel_h = weights.height;
  convolution.window.kernel_w = weights.width;
  return convolution;
}

}  // namespace

Computed<std::int8_t> matmul(Device& device, const std::vector<std::int8_t>& a, const std::vector<std::int8_t>& b,
                             int rows, int depth, int columns, const std::vector<std::int32_t>& bias,
                             const Requantize& requantize, int a_zero_point, const RunOptions& options) {
  check_matmul(a, b, rows, depth, columns);
  if (a_zero_point < -256 || a_zero_point > 256) {
    throw InvalidArgument(fmt::format("matmul: a_zero_point is {}; the range is -256 .. 256", a_zero_point));
  }
  std::vector<std::int32_t> folded = bias;
  if (a_zero_point != 0) {
    folded.resize(static_cast<std::size_t>(columns), 0);
    for (std::size_t n = 0; n < folded.size(); ++n) {
      std::int64_t sum = 0;
      for (std::size_t k = 0; k < static_cast<std::size_t>(depth); ++k) {
        sum += b[k * folded.size() + n];
      }
      folded[n] = static_cast<std::int32_t>(static_cast<std::uint32_t>(folded[n] - a_zero_point * sum));
    }
  }
  Operands operands(device);
  const std::uint32_t left = operands.input(a), right = operands.input(b);
  return operands.compute<std::int8_t>(device, {1, 1, rows, columns, {}}, options, [&](std::uint32_t output) {
    compiler::matmul(operands.builder(), {left, rows, depth, 0}, {right, depth, columns, 0}, folded, requantize,
                     {output, rows, columns, 0});
  });
}

Computed<std::int32_t> matmul_raw(Device& device, const std::vector<std::int8_t>& a, const std::vector<std::int8_t>& b,
                                  int rows, int depth, int columns, const RunOptions& options) {
  check_matmul(a, b, rows, depth, columns);
  Operands operands(device);
  const std::uint32_t left = operands.input(a), right = operands.input(b);
  return operands.compute<std::int32_t>(device, {1, 1, rows, columns, {}}, options, [&](std::uint32_t output) {
    compiler::matmul_raw(operands.builder(), {left, rows, depth, 0}, {right, depth, columns, 0},
                         {output, rows, columns, 0});
  });
}

Computed<std::int8_t> conv2d(Device& device, const HostTensor8& input, const std::vector<std::int8_t>& weights,
                             int out_channels, const std::vector<std::int32_t>& bias, const ConvOptions& convolution,
                             const Requantize& requantize, const RunOptions& options) {
  check_weights(input, weights, out_channels, convolution);
  Operands operands(device);
  const TensorView in = operands.input(input);
  const auto shape = output_of<std::int8_t>(input, convolution.window, out_channels);
  return operands.compute<std::int8_t>(device, shape, options, [&](std::uint32_t output) {
    compiler::conv2d(operands.builder(), in, weights.data(), bias, convolution, requantize, output_view(shape, output));
  });
}

Computed<std::int32_t> conv2d_raw(Device& device, const HostTensor8& input, const std::vector<std::int8_t>& weights,
                                  int out_channels, const std::vector<std::int32_t>& bias,
                                  const ConvOptions& convolution, const RunOptions& options) {
  check_weights(input, weights, out_channels, convolution);
  Operands operands(device);
  const TensorView in = operands.input(input);
  const auto shape = output_of<std::int32_t>(input, convolution.window, out_channels);
  return operands.compute<std::int32_t>(device, shape, options, [&](std::uint32_t output) {
    compiler::conv2d_raw(operands.builder(), in, weights.data(), bias, convolution, output_view(shape, output));
  });
}

Computed<std::int8_t> matmul(Device& device, const HostMatrix8& a, const HostMatrix8& b,
                             const std::vector<std::int32_t>& bias, const Requantize& requantize, int a_zero_point,
                             const RunOptions& options) {
  check_inner(a, b);
  return matmul(device, a.data, b.data, a.rows, a.columns, b.columns, bias, requantize, a_zero_point, options);
}

Computed<std::int32_t> matmul_raw(Device& device, const HostMatrix8& a, const HostMatrix8& b,
                                  const RunOptions& options) {
  check_inner(a, b);
  return matmul_raw(device, a.data, b.data, a.rows, a.columns, b.columns, options);
}

Computed<std::int8_t> conv2d(Device& device, const HostTensor8& input, const HostTensor8& weights,
                             const std::vector<std::int32_t>& bias, const ConvOptions& convolution,
                             const Requantize& requantize, const RunOptions& options) {
  return conv2d(device, input, weights.data, weights.batch, bias, with_kernel(input, weights, convolution), requantize,
                options);
}

Computed<std::int32_t> conv2d_raw(Device& device, const HostTensor8& input, const HostTensor8& weights,
                                  const std::vector<std::int32_t>& bias, const ConvOptions& convolution,
                                  const RunOptions& options) {
  return conv2d_raw(device, input, weights.data, weights.batch, bias, with_kernel(input, weights, convolution),
                    options);
}

Computed<std::int8_t> dense(Device& device, const std::vector<std::int8_t>& input,
                            const std::vector<std::int8_t>& weights, int rows, int depth, int columns,
                            const std::vector<std::int32_t>& bias, int input_zero_point, const Requantize& requantize,
                            const RunOptions& options) {
  check_sizes("dense", {{"rows", rows}, {"columns", columns}, {"depth", depth}});
  check_size("input", input.size(), count(1, 1, rows, depth));
  check_size("weights", weights.size(), count(1, 1, columns, depth));
  Operands operands(device);
  const std::uint32_t in = operands.input(input);
  return operands.compute<std::int8_t>(device, {1, 1, rows, columns, {}}, options, [&](std::uint32_t output) {
    compiler::dense(operands.builder(), {in, rows, depth, 0}, weights.data(), bias, input_zero_point, requantize,
                    {output, rows, columns, 0});
  });
}

Computed<std::int8_t> max_pool(Device& device, const HostTensor8& input, const Window& window, std::int8_t clamp_min,
                               std::int8_t clamp_max, const RunOptions& options) {
  Operands operands(device);
  const TensorView in = operands.input(input);
  const auto shape = output_of<std::int8_t>(input, window, input.channels);
  return operands.compute<std::int8_t>(device, shape, options, [&](std::uint32_t output) {
    compiler::max_pool(operands.builder(), in, window, clamp_min, clamp_max, output_view(shape, output));
  });
}

Computed<std::int8_t> average_pool(Device& device, const HostTensor8& input, const Window& window, bool count_padding,
                                   int zero_point, std::int8_t clamp_min, std::int8_t clamp_max,
                                   const RunOptions& options) {
  Operands operands(device);
  const TensorView in = operands.input(input);
  const auto shape = output_of<std::int8_t>(input, window, input.channels);
  return operands.compute<std::int8_t>(device, shape, options, [&](std::uint32_t output) {
    compiler::average_pool(operands.builder(), in, window, count_padding, zero_point, clamp_min, clamp_max,
                           output_view(shape, output));
  });
}

Computed<std::int8_t> add(Device& device, const HostTensor8& lhs, const HostTensor8& rhs, const AddParams& params,
                          const RunOptions& options) {
  Operands operands(device);
  const TensorView left = operands.input(lhs), right = operands.input(rhs);
  const HostTensor8 shape{lhs.batch, lhs.height, lhs.width, lhs.channels, {}};
  return operands.compute<std::int8_t>(device, shape, options, [&](std::uint32_t output) {
    compiler::add(operands.builder(), left, right, params, output_view(shape, output));
  });
}

Computed<std::int8_t> multiply(Device& device, const HostTensor8& lhs, const HostTensor8& rhs,
                               const MultiplyParams& params, const RunOptions& options) {
  Operands operands(device);
  const TensorView left = operands.input(lhs), right = operands.input(rhs);
  const HostTensor8 shape{lhs.batch, lhs.height, lhs.width, lhs.channels, {}};
  return operands.compute<std::int8_t>(device, shape, options, [&](std::uint32_t output) {
    compiler::multiply(operands.builder(), left, right, params, output_view(shape, output));
  });
}

Computed<std::int8_t> lookup(Device& device, const HostTensor8& input, const std::array<std::int8_t, 256>& table,
                             const RunOptions& options) {
  Operands operands(device);
  const TensorView in = operands.input(input);
  const HostTensor8 shape{input.batch, input.height, input.width, input.channels, {}};
  return operands.compute<std::int8_t>(device, shape, options, [&](std::uint32_t output) {
    compiler::lookup(operands.builder(), in, table, output_view(shape, output));
  });
}

}  // namespace systole
