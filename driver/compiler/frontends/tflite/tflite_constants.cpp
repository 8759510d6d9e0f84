// SPDX-License-Identifier: Apache-2.0
// Tensors of the file, and constant operands read at import time.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "attributes.hpp"
#include "quantized_types.hpp"
#include "tflite_translation.hpp"

namespace systole::graph::tflite_file {
namespace {

ElementType type_of(const format::Tensor& tensor, const std::string& title) {
  switch (tensor.type()) {
    case format::ElementKind::INT8: return ElementType::kInt8;
    case format::ElementKind::UINT8: return ElementType::kUint8;
    case format::ElementKind::INT16: return ElementType::kInt16;
    case format::ElementKind::UINT16: return ElementType::kUint16;
    case format::ElementKind::INT32: return ElementType::kInt32;
    case format::ElementKind::INT64: return ElementType::kInt64;
    case format::ElementKind::FLOAT32: return ElementType::kFloat32;
    case format::ElementKind::FLOAT16: return ElementType::kFloat16;
    case format::ElementKind::FLOAT64: return ElementType::kFloat64;
    case format::ElementKind::BOOL: return ElementType::kBool;
    default: break;
  }
  const char* known = format::EnumNameElementKind(tensor.type());
  throw GraphError(fmt::format("{}: element type {} is not supported; convert the model to int8, uint8 or float32",
                               title,
                               *known != '\0' ? known : fmt::format("number {}", static_cast<int>(tensor.type()))));
}

Shape shape_of(const format::Tensor& tensor, const std::string& title) {
  constexpr flatbuffers::uoffset_t kMostDimensions = 8;  // more than any operator takes
  Shape shape;
  if (tensor.shape() != nullptr && tensor.shape()->size() > kMostDimensions) {
    throw GraphError(
        fmt::format("{}: {} dimensions; at most {} are supported", title, tensor.shape()->size(), kMostDimensions));
  }
  for (flatbuffers::uoffset_t i = 0; tensor.shape() != nullptr && i < tensor.shape()->size(); ++i) {
    const std::int32_t dimension = tensor.shape()->Get(i);
    if (dimension < 1) {
      throw GraphError(fmt::format(
          "{}: dimension {} is {}; dimensions are known and at least 1: convert the model with fixed shapes", title, i,
          dimension));
    }
    shape.push_back(dimension);
  }
  return shape;
}

std::optional<Quantization> quantization_of(const format::Tensor& tensor, ElementType type, const std::string& title) {
  const format::QuantizationParameters* from = tensor.quantization();
  const bool integer = is_quantizable(type) || type == ElementType::kInt32 || type == ElementType::kInt64;
  if (from == nullptr || !integer) {
    return std::nullopt;
  }
  if (from->details_type() != format::QuantizationDetails::NONE) {
    throw GraphError(fmt::format(
        "{}: a custom quantization is not supported; convert the model with scales and zero points", title));
  }
  if (from->scale() == nullptr || from->scale()->size() == 0) {
    return std::nullopt;
  }
  Quantization q;
  q.scale.assign(from->scale()->begin(), from->scale()->end());
  // In some files the biases name the axis of the weights.
  q.axis = tensor.shape() != nullptr && tensor.shape()->size() == 1 ? 0 : from->quantized_dimension();
  const flatbuffers::uoffset_t points = from->zero_point() == nullptr ? 0 : from->zero_point()->size();
  for (flatbuffers::uoffset_t i = 0; i < points; ++i) {
    // Not Get(): the verifier guarantees only the alignment of the vector's size field, which is smaller than that of
    // these numbers.
    std::int64_t point = 0;
    std::memcpy(&point, from->zero_point()->Data() + i * sizeof point, sizeof point);
    if (point < std::numeric_limits<std::int32_t>::min() || point > std::numeric_limits<std::int32_t>::max()) {
      throw GraphError(fmt::format("{}: zero point {} is out of range of the element type", title, point));
    }
    q.zero_point.push_back(static_cast<std::int32_t>(point));
  }
  if (points <= 1) {
    q.zero_point.assign(q.scale.size(), points == 0 ? 0 : q.zero_point[0]);
  }
  return q;
}

std::string name_of_tensor(const format::Tensor& tensor, std::int64_t index) {
  return tensor.name() != nullptr && tensor.name()->size() > 0 ? tensor.name()->str() : fmt::format("tensor_{}", index);
}

template <class Element>
Element element_at(const Bytes& bytes, std::size_t index) {
  Element element;
  std::memcpy(&element, bytes.data() + index * sizeof element, sizeof element);
  return element;
}

std::int64_t integer_at(const Tensor& tensor, std::size_t index) {
  return tensor.type == ElementType::kInt32 ? element_at<std::int32_t>(*tensor.constant, index)
                                            : element_at<std::int64_t>(*tensor.constant, index);
}

}  // namespace

std::shared_ptr<const Bytes> Translation::constant(const format::Tensor& tensor, const std::string& title) {
  const flatbuffers::Vector<std::uint8_t>* data = nullptr;
  if (tensor.buffer() != 0) {
    try {
      data = file_.buffer(tensor.buffer());
    } catch (const GraphError& error) {
      throw GraphError(fmt::format("{}: {}", title, error.what()));
    }
  }
  if (data == nullptr) {
    return nullptr;
  }
  auto& shared = constants_[{data->data(), data->size()}];
  if (!shared) {
    charge(data->size());
    shared = std::make_shared<const Bytes>(data->begin(), data->end());
  }
  return shared;
}

TensorId Translation::import_tensor(std::int64_t index) {
  const auto found = scope_.ids.find(index);
  if (found != scope_.ids.end()) {
    return found->second;
  }
  const format::Tensor& from = file_tensor(index);
  const std::string title = fmt::format("tensor {} '{}'", index, name_of_tensor(from, index));
  if (from.is_variable()) {
    throw GraphError(fmt::format("{}: variables are supported only as the state of an operator", title));
  }
  Tensor tensor = described(from, index, title);
  tensor.constant = constant(from, title);
  if (tensor.constant) {
    const std::size_t size = element_size(tensor.type);
    if (tensor.constant->size() % size != 0 ||
        static_cast<std::int64_t>(tensor.constant->size() / size) != count(tensor.shape)) {
      throw GraphError(fmt::format("{}: its buffer has {} bytes; shape {} of {} takes {} elements of {}", title,
                                   tensor.constant->size(), to_string(tensor.shape), name_of(tensor.type),
                                   count(tensor.shape), size));
    }
  }
  const TensorId id = add_tensor(std::move(tensor));
  scope_.ids.emplace(index, id);
  return id;
}

Tensor Translation::described(const format::Tensor& from, std::int64_t index, const std::string& title) {
  if (from.sparsity() != nullptr) {
    throw GraphError(fmt::format("{}: sparse storage is not supported; convert the model with dense tensors", title));
  }
  Tensor tensor;
  tensor.name = name_of_tensor(from, index);
  charge(tensor.name.size());
  tensor.type = type_of(from, title);
  tensor.shape = shape_of(from, title);
  if (from.quantization() != nullptr && from.quantization()->scale() != nullptr) {
    charge(from.quantization()->scale()->size() * sizeof(float));
  }
  tensor.quantization = quantization_of(from, tensor.type, title);
  check_quantization(tensor);
  return tensor;
}

std::shared_ptr<const Bytes> zeros(const Tensor& tensor) {
  const std::int64_t zero =
      tensor.quantization && !tensor.quantization->per_channel() ? tensor.quantization->zero_point[0] : 0;
  const std::size_t size = element_size(tensor.type);
  Bytes bytes(static_cast<std::size_t>(count(tensor.shape)) * size);
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    std::memcpy(bytes.data() + at, &zero, size);  // little-endian
  }
  return std::make_shared<const Bytes>(std::move(bytes));
}

void Translation::limit_states(const Tensor& tensor) {
  constexpr std::size_t kTimes = 64;  // a state is larger than its weights by the batch size
  state_elements_ += static_cast<std::size_t>(count(tensor.shape));
  if (state_elements_ > kTimes * file_.size()) {
    throw GraphError(fmt::format(
        "{}: the states have {} elements, the file has {} bytes; at most {} elements per byte are supported: use "
        "smaller batches",
        title(tensor), state_elements_, file_.size(), kTimes));
  }
}

TensorId Translation::state(std::size_t i) {
  const std::int64_t index = raw_input(i);
  if (index < 0) {
    fail(fmt::format("input {}, the state, is missing", i));
  }
  const format::Tensor& from = file_tensor(index);
  const std::string title = fmt::format("tensor {} '{}'", index, name_of_tensor(from, index));
  if (!from.is_variable()) {
    fail(fmt::format("the state, {}, must be a variable", title));
  }
  if (!scope_.states.insert(index).second) {
    fail(fmt::format("{} is already the state of another operator; each operator needs its own", title));
  }
  Tensor tensor = described(from, index, title);
  if (tensor.type != ElementType::kInt8 && tensor.type != ElementType::kInt16) {
    fail(fmt::format("{} has type {}; a state must be int8 or int16", title, name_of(tensor.type)));
  }
  limit_states(tensor);
  tensor.constant = zeros(tensor);
  return add_tensor(std::move(tensor));
}

std::vector<std::int64_t> Translation::integers(std::size_t i, const char* what) {
  const Tensor& from = tensor(input(i));
  if (!from.constant || (from.type != ElementType::kInt32 && from.type != ElementType::kInt64)) {
    fail(fmt::format("{} ({}) must be constant, int32 or int64; convert the model with fixed shapes", what,
                     title(from)));
  }
  std::vector<std::int64_t> values(static_cast<std::size_t>(count(from.shape)));
  for (std::size_t k = 0; k < values.size(); ++k) {
    values[k] = integer_at(from, k);
  }
  return values;
}

double Translation::real(std::size_t i, const char* what) {
  const Tensor& from = tensor(input(i));
  if (!from.constant || count(from.shape) != 1) {
    fail(fmt::format("{} ({}) must be one constant value", what, title(from)));
  }
  double value = 0;
  switch (from.type) {
    case ElementType::kFloat32: return double{element_at<float>(*from.constant, 0)};
    case ElementType::kInt8: value = element_at<std::int8_t>(*from.constant, 0); break;
    case ElementType::kUint8: value = element_at<std::uint8_t>(*from.constant, 0); break;
    case ElementType::kInt32:
    case ElementType::kInt64: value = static_cast<double>(integer_at(from, 0)); break;
    default: fail(fmt::format("{} ({}) must be int8, uint8, int32, int64 or float32", what, title(from)));
  }
  return from.quantization ? double{from.quantization->scale[0]} * (value - from.quantization->zero_point[0]) : value;
}

TensorId Translation::depthwise_weights(TensorId weights) {
  const Shape from = tensor(weights).shape;
  if (from.size() != 4 || from[0] != 1) {
    fail(fmt::format("weights have shape {}; expected 1, height, width, output channels", to_string(from)));
  }
  const auto known = depthwise_.find(weights);
  if (known != depthwise_.end()) {
    return known->second;
  }
  const TensorId result = add_like(weights, {from[3], from[1], from[2], 1}, "/OHWI");
  Tensor& to = graph_.tensor(result);
  if (to.quantization && to.quantization->per_channel()) {
    if (to.quantization->axis != 3) {
      fail(fmt::format("weights have scales along dimension {}; expected dimension 3, the output channels",
                       to.quantization->axis));
    }
  }
  if (to.quantization) {
    to.quantization->axis = 0;
  }
  if (const std::shared_ptr<const Bytes>& bytes = graph_.tensor(weights).constant) {
    const std::size_t size = element_size(to.type);
    const auto channels = static_cast<std::size_t>(from[3]);
    const std::size_t taps = bytes->size() / size / channels;
    charge(bytes->size());
    Bytes rearranged(bytes->size());
    for (std::size_t tap = 0; tap < taps; ++tap) {
      for (std::size_t channel = 0; channel < channels; ++channel) {
        std::memcpy(rearranged.data() + (channel * taps + tap) * size,
                    bytes->data() + (tap * channels + channel) * size, size);
      }
    }
    to.constant = std::make_shared<const Bytes>(std::move(rearranged));
  } else {
    add(Transpose{{3, 1, 2, 0}}, {weights}, {result});
  }
  depthwise_.emplace(weights, result);
  return result;
}

TensorId Translation::turned_weights(TensorId weights) {
  const Shape shape = tensor(weights).shape;
  if (shape.size() != 4) {
    fail(fmt::format("weights have shape {}; expected output channels, height, width, input channels",
                     to_string(shape)));
  }
  const auto known = turned_.find(weights);
  if (known != turned_.end()) {
    return known->second;
  }
  const TensorId result = add_like(weights, shape, "/turned");
  if (const std::shared_ptr<const Bytes>& bytes = graph_.tensor(weights).constant) {
    const std::size_t pixel = static_cast<std::size_t>(shape[3]) * element_size(graph_.tensor(weights).type);
    const auto taps = static_cast<std::size_t>(shape[1] * shape[2]);
    charge(bytes->size());
    Bytes turned(bytes->size());
    for (std::size_t at = 0; at < bytes->size() / pixel; ++at) {
      const std::size_t to = at / taps * taps + taps - 1 - at % taps;
      std::memcpy(turned.data() + to * pixel, bytes->data() + at * pixel, pixel);
    }
    graph_.tensor(result).constant = std::make_shared<const Bytes>(std::move(turned));
  } else {
    add(Slice{{0, shape[1] - 1, shape[2] - 1, 0}, {1, -1, -1, 1}}, {weights}, {result});
  }
  turned_.emplace(weights, result);
  return result;
}

}  // namespace systole::graph::tflite_file
