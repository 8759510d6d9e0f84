// SPDX-License-Identifier: Apache-2.0
#include "digits_network.hpp"

#include <fmt/core.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "systole/errors.hpp"

namespace systole::digits {
namespace {

using nlohmann::json;

/// `count` elements of the blob at the byte offset in `field` of the layer.
template <class T>
std::vector<T> section(const std::vector<std::uint8_t>& blob, const json& layer, const char* field, std::size_t count) {
  const std::size_t offset = layer.at(field).get<std::size_t>();
  if (offset > blob.size() || count * sizeof(T) > blob.size() - offset) {
    throw Failure(fmt::format("layer {}: {} {} needs {} bytes, but the blob has {}",
                              layer.at("name").get<std::string>(), field, offset, count * sizeof(T), blob.size()));
  }
  std::vector<T> values(count);
  std::memcpy(values.data(), blob.data() + offset, count * sizeof(T));
  return values;
}

LayerKind kind_of(const std::string& type, const std::string& name) {
  if (type == "conv") return LayerKind::kConv;
  if (type == "maxpool") return LayerKind::kMaxPool;
  if (type == "dense") return LayerKind::kDense;
  throw Failure(fmt::format("layer {}: unknown type \"{}\"; known are conv, maxpool, dense", name, type));
}

/// A shape of one (dense) or three dimensions as height, width, channels.
std::array<int, 3> shape_of(const json& value) {
  const auto dims = value.get<std::vector<int>>();
  if (dims.size() == 3) return {dims[0], dims[1], dims[2]};
  if (dims.size() == 1) return {1, 1, dims[0]};
  throw Failure(fmt::format("shape {} has {} dimensions; expected 1 or 3", value.dump(), dims.size()));
}

Layer parse_layer(const json& j, const std::vector<std::uint8_t>& blob) {
  Layer layer;
  layer.name = j.at("name").get<std::string>();
  layer.kind = kind_of(j.at("type").get<std::string>(), layer.name);
  layer.input_shape = shape_of(j.at("input_shape"));
  layer.output_shape = shape_of(j.at("output_shape"));
  layer.input_zero_point = j.at("input_zero_point").get<int>();
  layer.output_zero_point = j.at("output_zero_point").get<int>();
  layer.clamp_min = j.value("clamp_min", -128);
  layer.clamp_max = j.value("clamp_max", 127);
  if (layer.kind != LayerKind::kDense) {
    layer.kernel = j.at("kernel").get<std::array<int, 2>>();
    layer.stride = j.at("stride").get<std::array<int, 2>>();
    layer.padding = j.at("padding").get<std::array<int, 4>>();
  } else {
    // A dense layer takes its input flattened in height, width, channel order.
    layer.input_shape = {1, 1, layer.input_shape[0] * layer.input_shape[1] * layer.input_shape[2]};
  }
  if (layer.kind != LayerKind::kMaxPool) {
    const auto out = static_cast<std::size_t>(layer.output_shape[2]);
    const std::size_t taps = static_cast<std::size_t>(layer.kernel[0] * layer.kernel[1] * layer.input_shape[2]);
    layer.weights = section<std::int8_t>(blob, j, "weights_offset", out * taps);
    layer.bias = section<std::int32_t>(blob, j, "bias_offset", out);
    const auto multipliers = section<std::int32_t>(blob, j, "multiplier_offset", out);
    const auto shifts = section<std::int8_t>(blob, j, "shift_offset", out);
    for (std::size_t i = 0; i < out; ++i) layer.scale.push_back({multipliers[i], shifts[i]});
  }
  return layer;
}

}  // namespace

std::uint64_t Layer::macs() const {
  if (kind == LayerKind::kMaxPool) return 0;
  return static_cast<std::uint64_t>(output_shape[0]) * static_cast<std::uint64_t>(output_shape[1]) * weights.size();
}

Network parse_network(const std::string& text, const std::vector<std::uint8_t>& blob) {
  try {
    const auto j = json::parse(text);
    Network network;
    network.name = j.at("name").get<std::string>();
    network.input_shape = shape_of(j.at("input_shape"));
    network.input_zero_point = j.at("input_zero_point").get<int>();
    network.test_accuracy = j.at("test_accuracy").get<double>();
    for (const auto& layer : j.at("layers")) network.layers.push_back(parse_layer(layer, blob));
    return network;
  } catch (const json::exception& error) {
    throw Failure(fmt::format("network description: {}", error.what()));
  }
}

}  // namespace systole::digits
