// SPDX-License-Identifier: Apache-2.0
// The quantized digits network that ships with the project (scripts/digits/README.md describes the files).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "systole/requantize.hpp"

namespace systole::digits {

enum class LayerKind { kConv, kMaxPool, kDense };

/// One layer. Shapes are height, width, channels; a dense layer has one position.
struct Layer {
  std::string name;
  LayerKind kind = LayerKind::kConv;
  std::array<int, 3> input_shape{};
  std::array<int, 3> output_shape{};
  std::array<int, 2> kernel{1, 1};
  std::array<int, 2> stride{1, 1};
  std::array<int, 4> padding{};  ///< top, bottom, left, right
  int input_zero_point = 0;
  int output_zero_point = 0;
  int clamp_min = -128;
  int clamp_max = 127;
  std::vector<std::int8_t> weights;  ///< conv: OHWI; dense: [out][in]
  std::vector<std::int32_t> bias;    ///< without the contribution of the input zero point
  std::vector<QuantParam> scale;     ///< per output channel

  std::uint64_t macs() const;  ///< multiply-accumulates for one picture
};

struct Network {
  std::string name;
  int input_zero_point = 0;
  std::array<int, 3> input_shape{};
  double test_accuracy = 0;  ///< measured by the training script over the 10,000 test pictures
  std::vector<Layer> layers;
};

/// The network and the pictures that are linked into the program.
Network shipped_network();
std::vector<std::uint8_t> shipped_pictures();  ///< IDX file
std::vector<std::uint8_t> shipped_labels();    ///< IDX file

/// Reads a description and its blob. Throws Failure naming the layer and field that is wrong.
Network parse_network(const std::string& json, const std::vector<std::uint8_t>& blob);

}  // namespace systole::digits
