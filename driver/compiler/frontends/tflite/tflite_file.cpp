// SPDX-License-Identifier: Apache-2.0
#include "tflite_file.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "import_tflite.hpp"

namespace systole::graph::tflite_file {
namespace {

constexpr std::uint32_t kVersion = 3;

/// An element of a vector of tables.
template <class Table>
const Table& at(const flatbuffers::Vector<flatbuffers::Offset<Table>>* tables, std::int64_t index, const char* what) {
  const std::int64_t size = tables == nullptr ? 0 : static_cast<std::int64_t>(tables->size());
  if (index < 0 || index >= size) {
    throw GraphError(fmt::format("{} {} of {} does not exist; the file is damaged", what, index, size));
  }
  return *tables->Get(static_cast<flatbuffers::uoffset_t>(index));
}

}  // namespace

File::File(const Bytes& bytes) : size_(bytes.size()) {
  if (!is_tflite(bytes)) {
    throw GraphError("not a TensorFlow Lite file: the letters TFL3 are not at its 5th byte");
  }
  constexpr int kDepth = 16;  // limit on nested tables
  constexpr int kTables = 4'000'000;
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), kDepth, kTables);
  if (bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE || !format::VerifyModelBuffer(verifier)) {
    throw GraphError(
        fmt::format("truncated or damaged: a table or vector of the file is not within its {} bytes", bytes.size()));
  }
  model_ = format::GetModel(bytes.data());
  if (model_->version() != kVersion) {
    throw GraphError(
        fmt::format("version {} of the format; {} can be read: convert the model again", model_->version(), kVersion));
  }
  subgraph(0);
}

const format::SubGraph& File::subgraph(std::int64_t index) const { return at(model_->subgraphs(), index, "subgraph"); }
const format::Tensor& File::tensor(const format::SubGraph& subgraph, std::int64_t index) {
  return at(subgraph.tensors(), index, "tensor");
}
const format::Operator& File::op(const format::SubGraph& subgraph, std::size_t index) {
  return at(subgraph.operators(), static_cast<std::int64_t>(index), "operator");
}

const format::OperatorCode& File::operator_code(const format::Operator& op) const {
  return at(model_->operator_codes(), op.code(), "operator code");
}

format::OperatorCodeNumber File::code(const format::Operator& op) const {
  const format::OperatorCode& code = operator_code(op);
  return static_cast<format::OperatorCodeNumber>(
      std::max(static_cast<std::int32_t>(code.narrow()), static_cast<std::int32_t>(code.wide())));
}

std::string File::name(const format::Operator& op) const {
  const format::OperatorCodeNumber number = code(op);
  if (number == format::OperatorCodeNumber::CUSTOM) {
    const flatbuffers::String* custom = operator_code(op).custom();
    return fmt::format("custom operator '{}'", custom == nullptr ? "" : custom->str());
  }
  const char* known = format::EnumNameOperatorCodeNumber(number);
  return *known != '\0' ? known : fmt::format("operator number {}", static_cast<std::int32_t>(number));
}

const flatbuffers::Vector<std::uint8_t>* File::buffer(std::uint32_t index) const {
  const format::Buffer& buffer = at(model_->buffers(), index, "buffer");
  if (buffer.offset() > 1 || buffer.size() > 1) {
    throw GraphError(fmt::format(
        "buffer {} is after the tables, at offset {} with {} bytes; such files, made for models beyond 2 GiB, are "
        "not supported: convert the model without external buffers",
        index, buffer.offset(), buffer.size()));
  }
  return buffer.data() == nullptr || buffer.data()->size() == 0 ? nullptr : buffer.data();
}

}  // namespace systole::graph::tflite_file

namespace systole::graph {

bool is_tflite(const Bytes& bytes) {
  return bytes.size() >= 8 && std::equal(bytes.begin() + 4, bytes.begin() + 8, tflite::ModelIdentifier());
}

}  // namespace systole::graph
