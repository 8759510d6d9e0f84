// SPDX-License-Identifier: Apache-2.0
// Parameters shared by several kinds.
#pragma once

#include <utility>
#include <vector>

#include "kinds.hpp"

namespace systole::shapes {

using Parameters = std::vector<Parameter>;

inline Parameters operator+(Parameters a, const Parameters& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline const Parameter kSeed = {"seed", 0, 999};
inline const Parameter kActivation = {"activation", 0, 3};
inline const Parameters kImage = {{"batch", 1, 3}, {"height", 1, 20}, {"width", 1, 20}, {"channels", 1, 40}};
inline const Parameters kWindow = {{"kernel_h", 1, 5}, {"kernel_w", 1, 5}, {"stride_h", 1, 3}, {"stride_w", 1, 3}};
inline const Parameters kBorder = {{"pad_top", 0, 3}, {"pad_bottom", 0, 3}, {"pad_left", 0, 3}, {"pad_right", 0, 3}};
inline const Parameters kDilation = {{"dilation_h", 1, 3}, {"dilation_w", 1, 3}};

inline graph::Shape image_of(const Spec& spec) {
  return {spec.at("batch"), spec.at("height"), spec.at("width"), spec.at("channels")};
}

/// Stacks of matrices: `repeated` 1 has one of a for all of b, 2 one of b, 3 each broadcast along its own axis.
inline const Parameters kProduct = {{"matrices", 1, 4}, {"rows", 1, 20},       {"depth", 1, 60},     {"columns", 1, 40},
                                    {"repeated", 0, 3}, {"transpose_a", 0, 1}, {"transpose_b", 0, 1}};

inline std::pair<graph::Shape, graph::Shape> shapes_of_product(const Spec& spec) {
  const int matrices = spec.at("matrices"), repeated = spec.at("repeated");
  graph::Shape a = {2, repeated == 1 || repeated == 3 ? 1 : matrices, spec.at("rows"), spec.at("depth")};
  graph::Shape b = {repeated == 3 ? 1 : 2, repeated == 2 ? 1 : matrices, spec.at("depth"), spec.at("columns")};
  if (spec.at("transpose_a") != 0) {
    std::swap(a[2], a[3]);
  }
  if (spec.at("transpose_b") != 0) {
    std::swap(b[2], b[3]);
  }
  return {a, b};
}

/// Of kWindow, kBorder and, where the kind has it, kDilation.
inline Window sliding_of(const Spec& spec) {
  const auto dilation = [&](const char* name) {
    const auto found = spec.values.find(name);
    return found == spec.values.end() ? 1 : found->second;
  };
  Window s;
  s.kernel_h = spec.at("kernel_h");
  s.kernel_w = spec.at("kernel_w");
  s.stride_h = spec.at("stride_h");
  s.stride_w = spec.at("stride_w");
  s.dilation_h = dilation("dilation_h");
  s.dilation_w = dilation("dilation_w");
  s.pad_top = spec.at("pad_top");
  s.pad_bottom = spec.at("pad_bottom");
  s.pad_left = spec.at("pad_left");
  s.pad_right = spec.at("pad_right");
  return s;
}

}  // namespace systole::shapes
