// SPDX-License-Identifier: Apache-2.0
#include "workloads.hpp"

#include <fmt/core.h>

#include <future>
#include <stdexcept>

#include "compare.hpp"
#include "convolution.hpp"
#include "matmul.hpp"
#include "progress_bar.hpp"
#include "random_data.hpp"
#include "window.hpp"

namespace systole::cli {
namespace {

constexpr int kBias = 2000;

std::size_t product(int a, int b, int c = 1, int d = 1) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b) * static_cast<std::size_t>(c) *
         static_cast<std::size_t>(d);
}

/// Refuses what cannot fit before anybody allocates it. Throws std::invalid_argument.
void check_memory(Device& device, std::size_t operands, std::size_t results, bool raw) {
  const std::size_t bytes = operands + results * (raw ? sizeof(std::int32_t) : 1);
  if (bytes > device.backend().memory_bytes()) {
    throw InvalidArgument(fmt::format("operands and result of {} bytes exceed the device memory of {} bytes", bytes,
                                      device.backend().memory_bytes()));
  }
}

/// The device's result as the golden model's container type.
template <class Element>
golden::Matrix<Element> as(const HostTensor<Element>& tensor, const golden::Matrix<Element>&) {
  return {tensor.width, tensor.channels, tensor.data};
}
template <class Element>
golden::Tensor<Element> as(const HostTensor<Element>& tensor, const golden::Tensor<Element>&) {
  return {golden::NhwcShape{tensor.batch, tensor.height, tensor.width, tensor.channels}, tensor.data};
}

/// Runs both and compares. `compute` returns Computed, `golden` a golden container of the same elements.
template <class Compute, class Golden>
Run measure(Device& device, const std::string& name, const RunSettings& settings, const Compute& compute,
            const Golden& golden) {
  Run run = make_run(device, name);
  auto reference = std::async(std::launch::async, golden);
  if (settings.golden == GoldenTime::kBefore) {
    reference.wait();
  }
  ProgressBar bar(name);
  RunOptions options = settings.run;
  options.name = name;
  options.progress = bar.hook();
  const Stopwatch stopwatch(device);
  const auto computed = compute(options);
  stopwatch.stop(run);

  const auto expected = reference.get();
  const auto difference = golden::difference(expected, as(computed.tensor, expected));
  run.stats = computed.stats;
  run.estimated_cycles = computed.estimated_cycles;
  run.values = expected.data.size();
  run.against = "the golden model";
  run.difference = difference.value_or("");
  if (difference) {
    device.backend().record_failure();
  }
  return run;
}

}  // namespace

RunSettings settings_of(const DeviceOptions& options) {
  RunSettings settings;
  settings.seed = options.seed;
  settings.run = options.run_options();
  if (options.trace.on_error > 0) {
    settings.golden = GoldenTime::kBefore;  // a forked copy of the process has no second thread
  }
  return settings;
}

Run run_matmul(Device& device, const std::string& name, const MatmulShape& shape, const RunSettings& settings) {
  check_memory(device, product(shape.m, shape.k) + product(shape.k, shape.n), product(shape.m, shape.n), shape.raw);
  RandomData random(settings.seed);
  const golden::Matrix8 a(shape.m, shape.k, random.bytes(product(shape.m, shape.k)));
  const golden::Matrix8 b(shape.k, shape.n, random.bytes(product(shape.k, shape.n)));
  if (shape.raw) {
    return measure(
        device, name, settings,
        [&](const RunOptions& options) {
          return matmul_raw(device, a.data, b.data, shape.m, shape.k, shape.n, options);
        },
        [&] { return golden::matmul_raw(a, b); });
  }
  const auto bias = random.words(static_cast<std::size_t>(shape.n), kBias);
  const Requantize requantize = random.requantize(shape.k, shape.n);
  const int zero_point = random.range(-20, 20);
  return measure(
      device, name, settings,
      [&](const RunOptions& options) {
        return matmul(device, a.data, b.data, shape.m, shape.k, shape.n, bias, requantize, zero_point, options);
      },
      [&] { return golden::matmul(a, b, bias, requantize, zero_point); });
}

Run run_conv(Device& device, const std::string& name, const ConvShape& shape, const RunSettings& settings) {
  const Window& s = shape.window;
  const int depth = shape.cin / shape.groups;
  const Window window{s.kernel_h,   s.kernel_w, s.stride_h,   s.stride_w, s.dilation_h,
                      s.dilation_w, s.pad_top,  s.pad_bottom, s.pad_left, s.pad_right};
  const golden::NhwcShape input_shape{shape.batch, shape.height, shape.width, shape.cin};
  check_memory(device, input_shape.size() + product(shape.cout, s.kernel_h, s.kernel_w, depth),
               golden::output_shape(input_shape, window, shape.cout).size(), shape.raw);
  RandomData random(settings.seed);
  const HostTensor8 input{shape.batch, shape.height, shape.width, shape.cin, random.bytes(input_shape.size())};
  const auto weights = random.bytes(product(shape.cout, s.kernel_h, s.kernel_w, depth));
  const auto bias = random.words(static_cast<std::size_t>(shape.cout), kBias);
  const Requantize requantize = random.requantize(s.kernel_h * s.kernel_w * depth, shape.cout);
  const ConvOptions options{s, shape.groups, random.range(-20, 20)};

  const golden::Tensor8 golden_input(input_shape, input.data);
  const golden::Tensor8 golden_weights(golden::NhwcShape{shape.cout, s.kernel_h, s.kernel_w, depth}, weights);
  const golden::Convolution convolution{window, shape.groups, options.input_zero_point, 0};
  if (shape.raw) {
    return measure(
        device, name, settings,
        [&](const RunOptions& run) { return conv2d_raw(device, input, weights, shape.cout, bias, options, run); },
        [&] { return golden::conv2d_raw(golden_input, golden_weights, bias, convolution); });
  }
  return measure(
      device, name, settings,
      [&](const RunOptions& run) { return conv2d(device, input, weights, shape.cout, bias, options, requantize, run); },
      [&] { return golden::conv2d(golden_input, golden_weights, bias, convolution, requantize); });
}

}  // namespace systole::cli
