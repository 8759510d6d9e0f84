// SPDX-License-Identifier: Apache-2.0
#include "tensor_types.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <cstring>
#include <memory>

#include "cursor.hpp"
#include "small_floats.hpp"

namespace systole::gguf {
namespace {

using graph::GraphError;

enum Type : std::uint32_t { kF32 = 0, kF16 = 1, kQ8_0 = 8, kBf16 = 30 };

constexpr std::uint64_t kGroup = 32;                                   // numbers of Q8_0 that share a scale
constexpr std::uint64_t kGroupBytes = sizeof(std::uint16_t) + kGroup;  // the scale, a float16, then bytes

/// By their numbers in files.
constexpr std::array<const char*, 42> kNames{
    "F32",   "F16",    "Q4_0",  "Q4_1", "",     "",        "Q5_0",   "Q5_1",    "Q8_0",  "Q8_1",   "Q2_K",
    "Q3_K",  "Q4_K",   "Q5_K",  "Q6_K", "Q8_K", "IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S",
    "IQ2_S", "IQ4_XS", "I8",    "I16",  "I32",  "I64",     "F64",    "IQ1_M",   "BF16",  "",       "",
    "",      "TQ1_0",  "TQ2_0", "",     "",     "",        "MXFP4",  "NVFP4",   "Q1_0"};

/// Calls add() with each number of a tensor, rounded to float32 as its type's own rule rounds it.
template <class Add>
void each_number(std::uint32_t type, const std::uint8_t* bytes, std::uint64_t count, const Add& add) {
  const auto each_small = [&](auto number) {
    for (std::uint64_t i = 0; i < count; ++i) {
      number.bits = number_at<std::uint16_t>(bytes + i * sizeof number.bits);
      add(static_cast<float>(number));
    }
  };
  switch (type) {
    case kF16: each_small(graph::Float16{}); return;
    case kBf16: each_small(graph::Bfloat16{}); return;
    case kQ8_0:
      for (std::uint64_t i = 0; i < count; i += kGroup, bytes += kGroupBytes) {
        graph::Float16 stored;
        stored.bits = number_at<std::uint16_t>(bytes);
        const auto scale = static_cast<float>(stored);
        for (std::uint64_t j = 0; j < kGroup; ++j) {
          add(static_cast<float>(number_at<std::int8_t>(bytes + sizeof stored.bits + j)) * scale);
        }
      }
      return;
    default:
      for (std::uint64_t i = 0; i < count; ++i) {
        add(number_at<float>(bytes + i * sizeof(float)));
      }
  }
}

}  // namespace

TensorType tensor_type(const std::string& tensor, std::uint32_t type) {
  switch (type) {
    case kF32: return {1, sizeof(float)};
    case kF16:
    case kBf16: return {1, sizeof(std::uint16_t)};
    case kQ8_0: return {kGroup, kGroupBytes};
    default: break;
  }
  const char* name = type < kNames.size() ? kNames[type] : "";
  throw GraphError(
      fmt::format("tensor {} is of type {}{}; legal are F32, F16, BF16 and Q8_0: convert the model again, with "
                  "llama.cpp's convert_hf_to_gguf.py --outtype q8_0",
                  shown(tensor), type, *name == '\0' ? "" : fmt::format(", {}", name)));
}

std::string shape_text(const std::vector<std::uint64_t>& dimensions) {
  std::string text;
  for (auto size = dimensions.rbegin(); size != dimensions.rend(); ++size) {
    text += fmt::format("{}{}", text.empty() ? "" : " x ", *size);
  }
  return text;
}

llama2::Weights numbers(const File& file, const std::string& name, const std::vector<std::uint64_t>& dimensions) {
  const auto found = file.tensors().find(name);
  if (found == file.tensors().end()) {
    throw GraphError(fmt::format("tensor {} is missing; by the file's keys it has {} numbers: {}", shown(name),
                                 shape_text(dimensions), kConvert));
  }
  const Tensor& tensor = found->second;
  if (tensor.dimensions != dimensions) {
    throw GraphError(fmt::format("tensor {} has {} numbers; by the file's keys legal is {}: {}", shown(name),
                                 shape_text(tensor.dimensions), shape_text(dimensions), kConvert));
  }
  std::uint64_t count = 1;
  for (const std::uint64_t size : dimensions) {
    count *= size;
  }
  graph::Bytes values(count * sizeof(float));
  std::uint64_t i = 0;
  each_number(tensor.type, file.data(tensor), count, [&](float value) {
    if (!std::isfinite(value)) {
      throw GraphError(fmt::format("tensor {}: the value in row {}, column {} is {}; legal are finite numbers: {}",
                                   shown(name), i / dimensions[0], i % dimensions[0], value, kConvert));
    }
    std::memcpy(values.data() + i * sizeof value, &value, sizeof value);
    ++i;
  });
  return std::make_shared<const graph::Bytes>(std::move(values));
}

}  // namespace systole::gguf
