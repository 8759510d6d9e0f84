// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "systole/graph.hpp"

namespace systole::graph {
namespace {

struct TypeInfo {
  const char* name;
  std::size_t size;
};

TypeInfo info(ElementType type) {
  switch (type) {
    case ElementType::kInt8: return {"int8", 1};
    case ElementType::kUint8: return {"uint8", 1};
    case ElementType::kInt16: return {"int16", 2};
    case ElementType::kUint16: return {"uint16", 2};
    case ElementType::kInt32: return {"int32", 4};
    case ElementType::kInt64: return {"int64", 8};
    case ElementType::kFloat32: return {"float32", 4};
    case ElementType::kFloat64: return {"float64", 8};
    case ElementType::kBool: return {"bool", 1};
    case ElementType::kUint32: return {"uint32", 4};
    case ElementType::kUint64: return {"uint64", 8};
    case ElementType::kFloat16: return {"float16", 2};
    case ElementType::kBfloat16: return {"bfloat16", 2};
  }
  throw GraphError(fmt::format("element type {} is not one of 0 .. {}", static_cast<int>(type),
                               static_cast<int>(ElementType::kBfloat16)));
}

}  // namespace

std::size_t element_size(ElementType type) { return info(type).size; }
const char* name_of(ElementType type) { return info(type).name; }

}  // namespace systole::graph
