// SPDX-License-Identifier: Apache-2.0
// Copies out of the tables of a file. Tables may share what they point to, so that a small file could describe a huge
// network: together, what is copied is no larger than the file.
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "network_generated.h"
#include "systole/container.hpp"

namespace systole::container {

class Reader {
 public:
  explicit Reader(std::size_t file_bytes) : budget_(file_bytes) {}

  /// Null is empty.
  std::string text(const flatbuffers::String* string);
  template <class Element>
  std::vector<Element> numbers(const flatbuffers::Vector<Element>* vector) {
    return vector == nullptr ? std::vector<Element>() : copy<Element>(vector->Data(), vector->size());
  }
  template <class Struct>
  std::vector<Struct> structs(const flatbuffers::Vector<const Struct*>* vector) {
    return vector == nullptr ? std::vector<Struct>() : copy<Struct>(vector->Data(), vector->size());
  }

 private:
  void spend(std::size_t bytes);

  /// The verifier sees to the alignment of a vector's size alone, which may be less than that of its elements: they are
  /// read as bytes.
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

/// A value of an enumeration whose numbers are the same in the file. `what` names it.
template <class To, class From>
To enumerator(From value, const char* what) {
  if (value > From::MAX) {
    throw ContainerError(fmt::format("{} number {}; the range is 0 .. {}: the file is damaged", what,
                                     static_cast<int>(value), static_cast<int>(From::MAX)));
  }
  return static_cast<To>(value);
}

/// Elements of a vector of tables, which may be missing.
template <class Table>
flatbuffers::uoffset_t size_of(const flatbuffers::Vector<Table>* tables) {
  return tables == nullptr ? 0 : tables->size();
}

/// The operator's parameters. Throws ContainerError.
graph::OperatorKind read_kind(const format::Operator& op, Reader& reader);

/// The graph, valid. Throws ContainerError.
graph::Graph read_graph(const format::Graph& graph, Reader& reader);

/// A program's step. Throws ContainerError.
DeviceStep read_device_step(const format::Program& from, const graph::Graph& graph, const Configuration& configuration,
                            const std::shared_ptr<AddressSpace>& memory, Reader& reader);

/// Throws ContainerError unless the steps, in their order, make every tensor before it is used, and the outputs.
void check_order(const CompiledNetwork& network);

}  // namespace systole::container
