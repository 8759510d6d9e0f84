// SPDX-License-Identifier: Apache-2.0
// Attributes of the current node: each has the type that the operator defines, or the file is malformed.
#include <fmt/core.h>

#include <algorithm>

#include "onnx_translation.hpp"

namespace systole::graph::onnx_file {
namespace {

void require_type(const Translation& t, const onnx::AttributeProto& attribute,
                  onnx::AttributeProto::AttributeType type) {
  if (attribute.type() != type && attribute.type() != onnx::AttributeProto::UNDEFINED) {
    t.fail(fmt::format("attribute '{}' has type {}; expected {}", attribute.name(),
                       onnx::AttributeProto_AttributeType_Name(attribute.type()),
                       onnx::AttributeProto_AttributeType_Name(type)));
  }
}

}  // namespace

const onnx::AttributeProto* Translation::find(const char* attribute) const {
  const auto found = std::find_if(node_->attribute().begin(), node_->attribute().end(),
                                  [&](const auto& a) { return a.name() == attribute; });
  return found == node_->attribute().end() ? nullptr : &*found;
}

Attributes Translation::attributes() const {
  Attributes all;
  for (const onnx::AttributeProto& a : node_->attribute()) {
    switch (a.type()) {
      case onnx::AttributeProto::INT: all[a.name()] = std::int64_t{a.i()}; break;
      case onnx::AttributeProto::FLOAT: all[a.name()] = double{a.f()}; break;
      case onnx::AttributeProto::STRING: all[a.name()] = a.s(); break;
      case onnx::AttributeProto::INTS:
        all[a.name()] = std::vector<std::int64_t>(a.ints().begin(), a.ints().end());
        break;
      case onnx::AttributeProto::FLOATS:
        all[a.name()] = std::vector<double>(a.floats().begin(), a.floats().end());
        break;
      default:
        refuse(OnnxRefusal::kMode, fmt::format("attribute '{}' is neither a number, a text nor a list of numbers; "
                                               "registered operators have no others",
                                               a.name()));
    }
  }
  return all;
}

std::int64_t Translation::integer(const char* attribute, std::int64_t otherwise) const {
  const auto* found = find(attribute);
  if (found == nullptr) {
    return otherwise;
  }
  require_type(*this, *found, onnx::AttributeProto::INT);
  return found->i();
}

std::int64_t Translation::needed_integer(const char* attribute) const {
  if (!has(attribute)) {
    fail(fmt::format("attribute '{}' is missing", attribute));
  }
  return integer(attribute, 0);
}

float Translation::real(const char* attribute, float otherwise) const {
  const auto* found = find(attribute);
  if (found == nullptr) {
    return otherwise;
  }
  require_type(*this, *found, onnx::AttributeProto::FLOAT);
  return found->f();
}

std::string Translation::text(const char* attribute, const char* otherwise) const {
  const auto* found = find(attribute);
  if (found == nullptr) {
    return otherwise;
  }
  require_type(*this, *found, onnx::AttributeProto::STRING);
  return found->s();
}

std::optional<std::vector<std::int64_t>> Translation::integers(const char* attribute) const {
  const auto* found = find(attribute);
  if (found == nullptr) {
    return std::nullopt;
  }
  require_type(*this, *found, onnx::AttributeProto::INTS);
  return std::vector<std::int64_t>(found->ints().begin(), found->ints().end());
}

std::optional<std::vector<float>> Translation::reals(const char* attribute) const {
  const auto* found = find(attribute);
  if (found == nullptr) {
    return std::nullopt;
  }
  require_type(*this, *found, onnx::AttributeProto::FLOATS);
  return std::vector<float>(found->floats().begin(), found->floats().end());
}

std::vector<std::string> Translation::texts(const char* attribute) const {
  const auto* found = find(attribute);
  if (found == nullptr) {
    return {};
  }
  require_type(*this, *found, onnx::AttributeProto::STRINGS);
  return {found->strings().begin(), found->strings().end()};
}

const onnx::TensorProto* Translation::tensor_attribute(const char* attribute) const {
  const auto* found = find(attribute);
  if (found == nullptr) {
    return nullptr;
  }
  require_type(*this, *found, onnx::AttributeProto::TENSOR);
  return &found->t();
}

}  // namespace systole::graph::onnx_file
