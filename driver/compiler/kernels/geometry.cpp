// SPDX-License-Identifier: Apache-2.0
#include "geometry.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "systole/errors.hpp"

namespace systole::compiler {
namespace {

constexpr int kMaxImage = 32767;

int output_size(const char* what, const char* axis, int size, int kernel, int stride, int dilation, int before,
                int after) {
  if (kernel < 1 || kernel > 255 || stride < 1 || stride > 255 || dilation < 1 || dilation > 255 || before < 0 ||
      after < 0) {
    throw InvalidArgument(
        fmt::format("{}: {}: kernel {}, stride {} and dilation {} must be 1 .. 255, padding {} and {} at least 0", what,
                    axis, kernel, stride, dilation, before, after));
  }
  const int room = size + before + after - (kernel - 1) * dilation - 1;
  if (room < 0) {
    throw InvalidArgument(fmt::format("{}: {}: a kernel of {} with dilation {} does not fit {} with padding {} and {}",
                                      what, axis, kernel, dilation, size, before, after));
  }
  return room / stride + 1;
}

}  // namespace

ConvGeometry make_geometry(const char* what, const TensorView& in, const Window& s, int zero_point,
                           const TensorView& out) {
  if (in.batch < 1 || in.height < 1 || in.width < 1 || in.channels < 1 || out.channels < 1) {
    throw InvalidArgument(fmt::format("{}: input {}x{}x{}x{}, {} output channels: all sizes are at least 1", what,
                                      in.batch, in.height, in.width, in.channels, out.channels));
  }
  if ((in.chip || out.chip) && in.batch != 1) {
    throw InvalidArgument(fmt::format("{}: {} images: the scratchpad holds one", what, in.batch));
  }
  if (in.height > kMaxImage || in.width > kMaxImage || in.pitch() > 65535) {
    throw InvalidArgument(
        fmt::format("{}: image of {}x{} with {} bytes a pixel: at most {} rows and columns and 65535 bytes", what,
                    in.height, in.width, in.pitch(), kMaxImage));
  }
  const int height =
      output_size(what, "height", in.height, s.kernel_h, s.stride_h, s.dilation_h, s.pad_top, s.pad_bottom);
  const int width = output_size(what, "width", in.width, s.kernel_w, s.stride_w, s.dilation_w, s.pad_left, s.pad_right);
  if (out.batch != in.batch || out.height != height || out.width != width) {
    throw InvalidArgument(fmt::format("{}: the output is {}x{}x{}, not {}x{}x{}", what, in.batch, height, width,
                                      out.batch, out.height, out.width));
  }
  if (zero_point < -128 || zero_point > 127) {
    throw InvalidArgument(fmt::format("{}: input zero point {} is not in -128 .. 127", what, zero_point));
  }
  ConvGeometry g;
  g.address = in.address;
  g.batch = in.batch;
  g.height = in.height;
  g.width = in.width;
  g.channels = in.channels;
  g.pixel_pitch = in.pitch();
  g.kernel_h = s.kernel_h;
  g.kernel_w = s.kernel_w;
  g.stride_h = s.stride_h;
  g.stride_w = s.stride_w;
  g.dilation_h = s.dilation_h;
  g.dilation_w = s.dilation_w;
  g.pad_top = s.pad_top;
  g.pad_left = s.pad_left;
  g.out_height = height;
  g.out_width = width;
  g.zero_point = static_cast<std::int8_t>(zero_point);
  g.chip = in.chip;
  return g;
}

std::vector<Cut> cuts(const ConvGeometry& g, const Configuration& configuration) {
  std::vector<Cut> list;
  const auto add = [&](int lines, int width) {
    const Cut cut{ceil_div(g.out_height, ceil_div(g.out_height, lines)),
                  ceil_div(g.out_width, ceil_div(g.out_width, width))};
    for (const Cut& other : list) {
      if (other.lines == cut.lines && other.width == cut.width) {
        return;
      }
    }
    list.push_back(cut);
  };
  for (int limit = configuration.acc_rows / 2; limit >= std::max(1, configuration.acc_rows / 32); limit /= 2) {
    if (g.out_width <= limit) {
      add(std::min(g.out_height, limit / g.out_width), g.out_width);
    } else {
      add(1, limit);
    }
  }
  for (int width = ceil_div(g.out_width, 2); width > 1; width = ceil_div(width, 2)) {
    if (width <= configuration.acc_rows / 2) {
      add(std::min(g.out_height, std::max(1, configuration.dim / width)), width);
    }
  }
  add(1, 1);
  return list;
}

std::vector<int> tile_heights(int rows, const Configuration& configuration) {
  std::vector<int> list;
  for (int limit = configuration.acc_rows / 2; limit >= std::max(1, configuration.acc_rows / 32); limit /= 2) {
    const int share = ceil_div(rows, ceil_div(rows, limit));
    if (list.empty() || share != list.back()) {
      list.push_back(share);
    }
  }
  return list;
}

}  // namespace systole::compiler
