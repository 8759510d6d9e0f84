// SPDX-License-Identifier: Apache-2.0
// Inputs that kernels refuse, with their messages.
#include "kernels.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace systole::compiler {
namespace {

void expect_refused(const std::string& part, const std::function<void(Builder&)>& build) {
  Builder builder(kConfigurations[0]);
  try {
    build(builder);
    ADD_FAILURE() << "accepted; expected: " << part;
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

const std::vector<std::int8_t>& weights() {
  static const std::vector<std::int8_t> values(1 << 16, 1);
  return values;
}

TEST(Kernels, RejectWrongShapes) {
  expect_refused("2x3 times 4x5 does not give 2x5", [](Builder& b) {
    matmul_raw(b, {0, 2, 3, 0}, {0, 4, 5, 0}, {0, 2, 5, 0});
  });
  expect_refused("sizes are at least 1", [](Builder& b) { matmul_raw(b, {0, 0, 3, 0}, {0, 3, 5, 0}, {0, 0, 5, 0}); });
  expect_refused("bias has 3 values for 5 output channels", [](Builder& b) {
    matmul(b, {0, 2, 3, 0}, {0, 3, 5, 0}, {1, 2, 3}, {}, {0, 2, 5, 0});
  });
  expect_refused("2 scales for 5 output channels", [](Builder& b) {
    Requantize r;
    r.scale.resize(2);
    matmul(b, {0, 2, 3, 0}, {0, 3, 5, 0}, {}, r, {0, 2, 5, 0});
  });
  expect_refused("shift 31 in -31 .. 30", [](Builder& b) {
    Requantize r;
    r.scale = {{1, 31}};
    matmul(b, {0, 2, 3, 0}, {0, 3, 5, 0}, {}, r, {0, 2, 5, 0});
  });
  expect_refused("the output is 1x3x3, not 1x4x3", [](Builder& b) {
    ConvOptions options;
    options.window.kernel_h = options.window.kernel_w = 3;
    conv2d(b, {0, 1, 5, 5, 4, 0}, weights().data(), {}, options, {}, {0, 1, 4, 3, 4, 0});
  });
  expect_refused("3 groups do not divide 4 input", [](Builder& b) {
    ConvOptions options;
    options.groups = 3;
    conv2d(b, {0, 1, 5, 5, 4, 0}, weights().data(), {}, options, {}, {0, 1, 5, 5, 6, 0});
  });
  expect_refused("a kernel of 7 with dilation 1 does not fit 5", [](Builder& b) {
    ConvOptions options;
    options.window.kernel_h = 7;
    conv2d(b, {0, 1, 5, 5, 4, 0}, weights().data(), {}, options, {}, {0, 1, 1, 5, 4, 0});
  });
  expect_refused("zero point 200", [](Builder& b) {
    ConvOptions options;
    options.input_zero_point = 200;
    conv2d(b, {0, 1, 5, 5, 4, 0}, weights().data(), {}, options, {}, {0, 1, 5, 5, 4, 0});
  });
  expect_refused("wholly in the padding", [](Builder& b) {
    Window s;
    s.pad_top = 2;
    max_pool(b, {0, 1, 4, 4, 4, 0}, s, -128, 127, {0, 1, 6, 4, 4, 0});
  });
  expect_refused("shapes 1x4x4x4 and 1x4x4x5 differ", [](Builder& b) {
    add(b, {0, 1, 4, 4, 4, 0}, {0, 1, 4, 4, 5, 0}, {}, {0, 1, 4, 4, 4, 0});
  });
  expect_refused("shift of at most 0", [](Builder& b) {
    AddParams p;
    p.lhs_scale = {1, 1};
    add(b, {0, 1, 4, 4, 4, 0}, {0, 1, 4, 4, 4, 0}, p, {0, 1, 4, 4, 4, 0});
  });
}

TEST(Kernels, ErrorsNameWhatDoesNotFit) {
  // One kernel row of 100 taps is 400 rows; the ring of `tiny` has 256.
  expect_refused("one kernel row of 100 taps needs 400 weight rows, the ring has 256", [](Builder& b) {
    ConvOptions options;
    options.window.kernel_w = 100;
    options.window.dilation_w = 2;
    conv2d(b, {0, 1, 1, 200, 4, 0}, weights().data(), {}, options, {}, {0, 1, 1, 2, 4, 0});
  });
}

TEST(Kernels, AcceptPitchedTensors) {
  Builder builder(kConfigurations[2]);
  const std::uint32_t at = builder.binding(32768);
  ConvOptions options;
  options.window = {3, 3, 1, 1, 1, 1, 1, 1, 1, 1};
  conv2d(builder, {at, 1, 6, 6, 16, 48}, weights().data(), {}, options, {}, {at + 8192, 1, 6, 6, 16, 32});
  add(builder, {at, 1, 6, 6, 16, 48}, {at + 48, 1, 6, 6, 16, 48}, {}, {at + 16384, 1, 6, 6, 16, 64});
  EXPECT_FALSE(builder.finish().instructions.empty());
}

}  // namespace
}  // namespace systole::compiler
