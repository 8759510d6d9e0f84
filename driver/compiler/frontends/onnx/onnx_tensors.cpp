// SPDX-License-Identifier: Apache-2.0
#include "onnx_tensors.hpp"

#include <fmt/core.h>

#include <array>
#include <bit>
#include <cstring>

#include "onnx_not_supported.hpp"

namespace systole::graph::onnx_file {
namespace {

static_assert(std::endian::native == std::endian::little, "raw data of the file is little-endian, as constants are");

template <class Element, class Values>
Bytes packed(const Values& values) {
  Bytes bytes(static_cast<std::size_t>(values.size()) * sizeof(Element));
  std::size_t at = 0;
  for (const auto value : values) {
    const auto element = static_cast<Element>(value);
    std::memcpy(bytes.data() + at, &element, sizeof element);
    at += sizeof element;
  }
  return bytes;
}

Bytes typed_data(const onnx::TensorProto& tensor, ElementType type) {
  switch (type) {
    case ElementType::kInt8: return packed<std::int8_t>(tensor.int32_data());
    case ElementType::kUint8: return packed<std::uint8_t>(tensor.int32_data());
    case ElementType::kBool: return packed<std::uint8_t>(tensor.int32_data());
    case ElementType::kInt16: return packed<std::int16_t>(tensor.int32_data());
    case ElementType::kUint16: return packed<std::uint16_t>(tensor.int32_data());
    case ElementType::kInt32: return packed<std::int32_t>(tensor.int32_data());
    case ElementType::kInt64: return packed<std::int64_t>(tensor.int64_data());
    case ElementType::kFloat32: return packed<float>(tensor.float_data());
    case ElementType::kFloat64: return packed<double>(tensor.double_data());
    case ElementType::kUint32: return packed<std::uint32_t>(tensor.uint64_data());
    case ElementType::kUint64: return packed<std::uint64_t>(tensor.uint64_data());
    case ElementType::kFloat16:
    case ElementType::kBfloat16: return packed<std::uint16_t>(tensor.int32_data());  // as bit patterns
  }
  return {};
}

constexpr std::int64_t kFirstNewer = 17;
constexpr std::array kNewerNames = {"FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ",
                                    "UINT4",        "INT4",           "FLOAT4E2M1", "FLOAT8E8M0",
                                    "UINT2",        "INT2",           "FLOAT6E2M3", "FLOAT6E3M2"};

bool is_newer(std::int64_t number) {
  return number >= kFirstNewer && number < kFirstNewer + static_cast<std::int64_t>(kNewerNames.size());
}

}  // namespace

std::string element_name(std::int64_t number) {
  if (is_newer(number)) {
    return kNewerNames[static_cast<std::size_t>(number - kFirstNewer)];
  }
  const bool known = number >= 0 && number <= onnx::TensorProto_DataType_DataType_MAX &&
                     onnx::TensorProto_DataType_IsValid(static_cast<int>(number));
  return known ? onnx::TensorProto_DataType_Name(static_cast<onnx::TensorProto_DataType>(number))
               : fmt::format("number {}", number);
}

ElementType element_type(std::int32_t number, const std::string& title) {
  using Type = onnx::TensorProto;
  switch (number) {
    case Type::FLOAT: return ElementType::kFloat32;
    case Type::DOUBLE: return ElementType::kFloat64;
    case Type::INT8: return ElementType::kInt8;
    case Type::UINT8: return ElementType::kUint8;
    case Type::INT16: return ElementType::kInt16;
    case Type::UINT16: return ElementType::kUint16;
    case Type::INT32: return ElementType::kInt32;
    case Type::INT64: return ElementType::kInt64;
    case Type::BOOL: return ElementType::kBool;
    case Type::UINT32: return ElementType::kUint32;
    case Type::UINT64: return ElementType::kUint64;
    case Type::FLOAT16: return ElementType::kFloat16;
    case Type::BFLOAT16: return ElementType::kBfloat16;
    case Type::STRING:
      throw OnnxNotSupported(OnnxRefusal::kString,
                             fmt::format("{}: string elements are not supported; only numbers are", title));
    default: break;
  }
  const std::string name = element_name(number);
  if ((!onnx::TensorProto_DataType_IsValid(number) && !is_newer(number)) || number == Type::UNDEFINED) {
    throw GraphError(fmt::format("{}: element type {}; the file is damaged", title, name));
  }
  throw OnnxNotSupported(OnnxRefusal::kElementType,
                         fmt::format("{}: element type {} is not supported; BOOL, integers of 8 to 64 bits, FLOAT16, "
                                     "BFLOAT16, FLOAT and DOUBLE are: "
                                     "convert the model",
                                     title, name));
}

Tensor constant_tensor(const onnx::TensorProto& tensor, const std::string& title) {
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL || !tensor.external_data().empty()) {
    throw OnnxNotSupported(
        OnnxRefusal::kExternalData,
        fmt::format("{}: its elements are in an external file, which is not read; save the model with all data inside",
                    title));
  }
  Tensor result;
  result.name = tensor.name();
  result.type = element_type(tensor.data_type(), title);
  result.shape.assign(tensor.dims().begin(), tensor.dims().end());
  const std::int64_t elements = count(result.shape);
  const std::size_t size = element_size(result.type);
  Bytes data = tensor.has_raw_data() ? Bytes(tensor.raw_data().begin(), tensor.raw_data().end())
                                     : typed_data(tensor, result.type);
  if (elements > kMaxTensorBytes || data.size() != static_cast<std::size_t>(elements) * size) {
    throw GraphError(
        fmt::format("{}: shape {} of {} takes {} elements of {} bytes, and there are {} bytes; the file is damaged",
                    title, to_string(result.shape), name_of(result.type), elements, size, data.size()));
  }
  if (result.type == ElementType::kBool) {
    for (std::uint8_t& byte : data) {
      byte = byte != 0 ? 1 : 0;
    }
  }
  result.constant = std::make_shared<Bytes>(std::move(data));
  return result;
}

Tensor integers_tensor(const std::string& name, const std::vector<std::int64_t>& values) {
  return {name,
          ElementType::kInt64,
          {static_cast<std::int64_t>(values.size())},
          {},
          std::make_shared<Bytes>(packed<std::int64_t>(values))};
}

Tensor reals_tensor(const std::string& name, const Shape& shape, const std::vector<float>& values) {
  return {name, ElementType::kFloat32, shape, {}, std::make_shared<Bytes>(packed<float>(values))};
}

}  // namespace systole::graph::onnx_file
