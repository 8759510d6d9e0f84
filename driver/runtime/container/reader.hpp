// SPDX-License-Identifier: Apache-2.0
// Reads the tables of a file. Several tables may refer to the same data, so that a small file could describe a huge
// network. Therefore the total size of the copies is limited to the size of the file.
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "network_generated.h"
#include "systole/container.hpp"
#include "weight_presets.hpp"

namespace systole::container {

class Reader {
 public:
  explicit Reader(std::size_t file_bytes) : budget_(file_bytes) {}

  /// An empty text for null.
  std::string text(const flatbuffers::String* string);
  template <class Element>
  std::vector<Element> numbers(const flatbuffers::Vector<Element>* vector) {
    return vector == nullptr ? std::vector<Element>() : copy<Element>(vector->Data(), vector->size());
  }

 private:
  void spend(std::size_t bytes);

  /// The verifier only checks the alignment of a vector's size field, which may be less than that of the elements, so
  /// they are copied as bytes.
  template <class Element>
  std::vector<Element> copy(const std::uint8_t* data, std::size_t count) {
    static_assert(FLATBUFFERS_LITTLEENDIAN, "numbers of the file are little-endian");
    spend(count * sizeof(Element));
    std::vector<Element> elements(count);
    if (count > 0) {
      std::memcpy(elements.data(), data, count * sizeof(Element));
    }
    return elements;
  }

  std::size_t budget_;
};

/// Converts a value of an enumeration that has the same numbers in the file. `what` is its name in errors.
template <class To, class From>
To enumerator(From value, const char* what) {
  if (value > From::MAX) {
    throw ContainerError(fmt::format("{} number {}; the range is 0 .. {}: the file is damaged", what,
                                     static_cast<int>(value), static_cast<int>(From::MAX)));
  }
  return static_cast<To>(value);
}

/// The size of a vector of tables; 0 if it is absent.
template <class Table>
flatbuffers::uoffset_t size_of(const flatbuffers::Vector<Table>* tables) {
  return tables == nullptr ? 0 : tables->size();
}

/// Reads the parameters of an operator. Throws ContainerError.
graph::OperatorKind read_kind(const format::Operator& op, Reader& reader);

/// Reads and validates the graph. Throws ContainerError.
graph::Graph read_graph(const format::Graph& graph, Reader& reader);

/// Reads a step with a program. Throws ContainerError.
DeviceStep read_device_step(const format::Program& from, const graph::Graph& graph, const Configuration& configuration,
                            WeightTiling& weights, Reader& reader);

/// Throws ContainerError unless the steps, in order, produce every tensor before it is used, and all outputs.
void check_order(const CompiledNetwork& network);

}  // namespace systole::container
