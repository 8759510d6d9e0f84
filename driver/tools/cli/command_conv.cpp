// SPDX-License-Identifier: Apache-2.0
// `systole conv`
#include <fmt/core.h>

#include <memory>

#include "commands.hpp"
#include "exit_codes.hpp"
#include "report_run.hpp"
#include "size_options.hpp"
#include "workloads.hpp"

namespace systole::cli {
namespace {

struct Values {
  DeviceOptions device;
  ConvShape shape;
  std::string kernel = "3x3", stride = "1", dilation = "1", pad = "0";
};

void run_command(Values& values, Session& session) {
  Window& s = values.shape.window;
  const auto kernel = parse_pair("--kernel", values.kernel, 1, 255);
  const auto stride = parse_pair("--stride", values.stride, 1, 255);
  const auto dilation = parse_pair("--dilation", values.dilation, 1, 255);
  const auto pad = parse_sides("--pad", values.pad, 0, 255);
  s = {kernel[0], kernel[1], stride[0], stride[1], dilation[0], dilation[1], pad[0], pad[1], pad[2], pad[3]};
  if (values.shape.cin % values.shape.groups != 0 || values.shape.cout % values.shape.groups != 0) {
    throw InputError(fmt::format("--groups: {} does not divide {} input and {} output channels", values.shape.groups,
                                 values.shape.cin, values.shape.cout));
  }
  check_layer(values.device.trace, {"conv"});
  Device device = open_device(values.device);
  MemoryPlans plans(device, values.device, 1);
  finish(run_conv(device, "conv", values.shape, settings_of(values.device)), plans, values.device, session);
  finish_recordings(values.device, device);
}

}  // namespace

void add_conv(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "conv", "2-D convolution of a random int8 image, compared with the golden model bit for bit");
  auto values = std::make_shared<Values>();
  const auto size = [&](const char* option, int& value, int most, const char* help) {
    command->add_option(option, value, help)->check(CLI::Range(1, most))->capture_default_str();
  };
  size("--height", values->shape.height, 16384, "rows of the image");
  size("--width", values->shape.width, 16384, "columns of the image");
  size("--cin", values->shape.cin, 16384, "input channels");
  size("--cout", values->shape.cout, 16384, "output channels");
  size("--batch", values->shape.batch, 4096, "images");
  size("--groups", values->shape.groups, 16384, "channel groups; --cin for a depthwise convolution");
  const auto text = [&](const char* option, std::string& value, const char* type, const char* help) {
    command->add_option(option, value, help)->type_name(type)->capture_default_str();
  };
  text("--kernel", values->kernel, "HxW", "size of the kernel, 3x3 or 3");
  text("--stride", values->stride, "HxW", "steps of the kernel");
  text("--dilation", values->dilation, "HxW", "distance between the taps of the kernel");
  text("--pad", values->pad, "PAD", "padding: 1, 1x2 (rows, columns) or top,bottom,left,right");
  command->add_flag("--raw", values->shape.raw, "int32 sums with bias, instead of requantization to int8");
  add_device_options(*command, values->device);
  command->footer(
      "Examples:\n"
      "  systole conv --height 28 --width 28 --cin 128 --cout 128 --kernel 3x3 --pad 1\n"
      "  systole conv --height 224 --width 224 --cin 3 --cout 64 --kernel 7x7 --stride 2 --pad 3\n"
      "  systole conv --height 9 --width 9 --cin 8 --cout 8 --groups 8 --pad 0,1,0,1 --stride 2x1 --config tiny --raw");
  command->callback([values, &session] { run_command(*values, session); });
}

}  // namespace systole::cli
