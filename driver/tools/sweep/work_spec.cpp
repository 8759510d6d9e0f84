// SPDX-License-Identifier: Apache-2.0
#include "work_spec.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "exit_codes.hpp"
#include "size_options.hpp"

namespace systole::cli {
namespace {

constexpr const char* kForm =
    "matmul:MxNxK, conv:HxWxCIN-COUT[:kernel=3x3][:stride=1][:dilation=1][:pad=0][:groups=1], or a workload of systole "
    "bench";
constexpr int kMostSize = 16384;

std::vector<std::string> parts_of(const std::string& text, const char* separators) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (std::string_view(separators).find(c) != std::string_view::npos) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

[[noreturn]] void refuse(const std::string& option, const std::string& text) {
  throw InputError(fmt::format("{}: '{}' is not one of {}; sizes are 1 to {}", option, text, kForm, kMostSize));
}

int size_of(const std::string& option, const std::string& whole, const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > kMostSize) {
    refuse(option, whole);
  }
  return value;
}

MatmulShape parse_matmul(const std::string& option, const std::string& whole, const std::string& sizes) {
  const auto parts = parts_of(sizes, "x");
  if (parts.size() != 3) {
    refuse(option, whole);
  }
  return {size_of(option, whole, parts[0]), size_of(option, whole, parts[1]), size_of(option, whole, parts[2]), false};
}

ConvShape parse_conv(const std::string& option, const std::string& whole, const std::vector<std::string>& words) {
  const auto parts = parts_of(words[1], "x-");
  if (parts.size() != 4) {
    refuse(option, whole);
  }
  ConvShape shape;
  shape.height = size_of(option, whole, parts[0]);
  shape.width = size_of(option, whole, parts[1]);
  shape.cin = size_of(option, whole, parts[2]);
  shape.cout = size_of(option, whole, parts[3]);
  Window& s = shape.window;
  s = {3, 3, 1, 1, 1, 1, 0, 0, 0, 0};
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : words[i].substr(equals + 1);
    const std::string what = fmt::format("{} {}: {}", option, whole, name);
    const auto pair = [&](int& first, int& second) {
      const auto found = parse_pair(what, value, 1, 255);
      first = found[0];
      second = found[1];
    };
    if (name == "kernel") {
      pair(s.kernel_h, s.kernel_w);
    } else if (name == "stride") {
      pair(s.stride_h, s.stride_w);
    } else if (name == "dilation") {
      pair(s.dilation_h, s.dilation_w);
    } else if (name == "pad") {
      const auto sides = parse_sides(what, value, 0, 255);
      s.pad_top = sides[0], s.pad_bottom = sides[1], s.pad_left = sides[2], s.pad_right = sides[3];
    } else if (name == "groups") {
      shape.groups = size_of(option, whole, value);
    } else {
      refuse(option, whole);
    }
  }
  if (shape.cin % shape.groups != 0 || shape.cout % shape.groups != 0) {
    throw InputError(fmt::format("{} {}: groups={} does not divide {} input and {} output channels", option, whole,
                                 shape.groups, shape.cin, shape.cout));
  }
  return shape;
}

}  // namespace

Work parse_work(const std::string& option, const std::string& text) {
  for (const Work& work : benchmark_suite()) {
    if (work.name == text) {
      return work;
    }
  }
  const auto words = parts_of(text, ":");
  Work work;
  work.name = text;
  if (words.size() == 2 && words[0] == "matmul") {
    work.shape = parse_matmul(option, text, words[1]);
  } else if (words.size() >= 2 && words[0] == "conv") {
    work.shape = parse_conv(option, text, words);
  } else {
    refuse(option, text);
  }
  return work;
}

std::vector<std::string> arguments_of(const Work& work) {
  const auto text = [](int value) { return std::to_string(value); };
  if (const auto* shape = std::get_if<MatmulShape>(&work.shape)) {
    std::vector<std::string> words = {"matmul", "--m", text(shape->m), "--n", text(shape->n), "--k", text(shape->k)};
    if (shape->raw) {
      words.emplace_back("--raw");
    }
    return words;
  }
  const auto& shape = std::get<ConvShape>(work.shape);
  const Window& s = shape.window;
  const auto pair = [](int a, int b) { return fmt::format("{}x{}", a, b); };
  return {"conv",
          "--height",
          text(shape.height),
          "--width",
          text(shape.width),
          "--cin",
          text(shape.cin),
          "--cout",
          text(shape.cout),
          "--kernel",
          pair(s.kernel_h, s.kernel_w),
          "--stride",
          pair(s.stride_h, s.stride_w),
          "--dilation",
          pair(s.dilation_h, s.dilation_w),
          "--pad",
          fmt::format("{},{},{},{}", s.pad_top, s.pad_bottom, s.pad_left, s.pad_right),
          "--groups",
          text(shape.groups)};
}

}  // namespace systole::cli
