// SPDX-License-Identifier: Apache-2.0
// Small TensorFlow Lite files, valid or deliberately invalid.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "format_generated.h"
#include "systole/graph.hpp"

namespace systole::graph::test {

namespace format = systole::tflite;
using format::ElementKind;
using Code = format::OperatorCodeNumber;

template <class Element>
Bytes bytes_of(const std::vector<Element>& values) {
  Bytes bytes(values.size() * sizeof(Element));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

struct TensorSpec {
  std::vector<std::int32_t> shape;
  ElementKind type = ElementKind::FLOAT32;
  Bytes data = {};  ///< empty: computed
  std::vector<float> scale = {};
  std::vector<std::int64_t> zero_point = {};
  int axis = 0;
  bool variable = false;
  std::optional<std::uint32_t> buffer = {};            ///< instead of the data's own
  flatbuffers::Offset<flatbuffers::String> name = {};  ///< instead of t0, t1, ...
};

class ModelBuilder {
 public:
  std::uint32_t version = 3;
  std::string custom = {};            ///< name of custom operators
  std::uint64_t external_offset = 0;  ///< of every buffer but the first

  ModelBuilder() { buffers_.push_back(format::CreateBuffer(builder)); }

  std::int32_t tensor(const TensorSpec& spec) {
    std::uint32_t buffer = 0;
    if (!spec.data.empty()) {
      buffer = add_buffer(builder.CreateVector(spec.data));
    }
    flatbuffers::Offset<format::QuantizationParameters> quantization;
    if (!spec.scale.empty()) {
      const auto scales = builder.CreateVector(spec.scale);
      const auto points = builder.CreateVector(spec.zero_point);
      format::QuantizationParametersBuilder table(builder);
      table.add_scale(scales);
      table.add_zero_point(points);
      table.add_quantized_dimension(spec.axis);
      quantization = table.Finish();
    }
    const auto name = !spec.name.IsNull()
                          ? spec.name
                          : builder.CreateString(std::string(1, 't').append(std::to_string(tensors_.size())));
    tensors_.push_back(format::CreateTensor(builder, builder.CreateVector(spec.shape), spec.type,
                                            spec.buffer.value_or(buffer), name, quantization, spec.variable));
    return static_cast<std::int32_t>(tensors_.size() - 1);
  }

  std::uint32_t add_buffer(flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> data) {
    buffers_.push_back(format::CreateBuffer(builder, data, external_offset, external_offset));
    return static_cast<std::uint32_t>(buffers_.size() - 1);
  }

  /// Options must be made with `builder` first.
  void op(Code code, const std::vector<std::int32_t>& inputs, const std::vector<std::int32_t>& outputs,
          format::Options kind = format::Options::NONE, flatbuffers::Offset<void> options = 0) {
    flatbuffers::Offset<flatbuffers::String> name;
    if (!custom.empty()) {
      name = builder.CreateString(custom);
    }
    const auto number = static_cast<std::int32_t>(code);
    codes_.push_back(
        format::CreateOperatorCode(builder, static_cast<std::int8_t>(number < 127 ? number : 127), name, 1, code));
    op_of_code(static_cast<std::uint32_t>(codes_.size() - 1), inputs, outputs, kind, options);
  }
  void op_of_code(std::uint32_t code, const std::vector<std::int32_t>& inputs, const std::vector<std::int32_t>& outputs,
                  format::Options kind = format::Options::NONE, flatbuffers::Offset<void> options = 0) {
    operators_.push_back(format::CreateOperator(builder, code, builder.CreateVector(inputs),
                                                builder.CreateVector(outputs), kind, options));
  }

  /// Repeats the same table, as only a malicious file does.
  void repeat_last_operator(int times) {
    operators_.resize(operators_.size() + static_cast<std::size_t>(times), operators_.back());
  }

  /// Ends the subgraph; tensors and operators that follow are the next one's.
  void end_subgraph(const std::vector<std::int32_t>& inputs, const std::vector<std::int32_t>& outputs) {
    subgraphs_.push_back(format::CreateSubGraph(builder, builder.CreateVector(tensors_), builder.CreateVector(inputs),
                                                builder.CreateVector(outputs), builder.CreateVector(operators_)));
    tensors_.clear();
    operators_.clear();
  }

  /// A resource tensor that stands for the variable.
  std::int32_t variable(const char* name) {
    const std::int32_t handle = tensor({{}, ElementKind::RESOURCE});
    const auto shared = builder.CreateString(name);
    op(Code::VAR_HANDLE, {}, {handle}, format::Options::VarHandleOptions,
       format::CreateVarHandleOptions(builder, 0, shared).Union());
    return handle;
  }

  Bytes finish() {
    const auto model = format::CreateModel(builder, version, builder.CreateVector(codes_),
                                           builder.CreateVector(subgraphs_), 0, builder.CreateVector(buffers_));
    format::FinishModelBuffer(builder, model);
    return Bytes(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
  }
  Bytes finish(const std::vector<std::int32_t>& inputs, const std::vector<std::int32_t>& outputs) {
    end_subgraph(inputs, outputs);
    return finish();
  }

  flatbuffers::FlatBufferBuilder builder;

 private:
  std::vector<flatbuffers::Offset<format::Tensor>> tensors_;
  std::vector<flatbuffers::Offset<format::Buffer>> buffers_;
  std::vector<flatbuffers::Offset<format::OperatorCode>> codes_;
  std::vector<flatbuffers::Offset<format::Operator>> operators_;
  std::vector<flatbuffers::Offset<format::SubGraph>> subgraphs_;
};

/// An int8 image of 5x5x2, a convolution of 3x3 to 4 channels with stride 2, a ReLU6 and padding SAME, and a softmax
/// over the channels.
inline Bytes small_model() {
  ModelBuilder m;
  const auto input = m.tensor({{1, 5, 5, 2}, ElementKind::INT8, {}, {0.5F}, {3}});
  const auto weights =
      m.tensor({{4, 3, 3, 2}, ElementKind::INT8, Bytes(72, 7), {0.1F, 0.2F, 0.3F, 0.4F}, {0, 0, 0, 0}});
  const auto bias = m.tensor(
      {{4}, ElementKind::INT32, bytes_of<std::int32_t>({1, -2, 3, 400}), {0.05F, 0.1F, 0.15F, 0.2F}, {0, 0, 0, 0}, 3});
  const auto image = m.tensor({{1, 3, 3, 4}, ElementKind::INT8, {}, {0.25F}, {-128}});
  const auto output = m.tensor({{1, 3, 3, 4}, ElementKind::INT8, {}, {1.0F / 256}, {-128}});
  m.op(Code::CONV_2D, {input, weights, bias}, {image}, format::Options::Conv2DOptions,
       format::CreateConv2DOptions(m.builder, format::Padding::SAME, 2, 2, format::FusedActivation::RELU6).Union());
  m.op(Code::SOFTMAX, {image}, {output}, format::Options::SoftmaxOptions,
       format::CreateSoftmaxOptions(m.builder, 1.0F).Union());
  return m.finish({input}, {output});
}

}  // namespace systole::graph::test
