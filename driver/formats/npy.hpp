// SPDX-License-Identifier: Apache-2.0
// Arrays in NumPy's file format (.npy, versions 1 to 3).
#pragma once

#include <stdexcept>
#include <string>

#include "systole/file_error.hpp"
#include "systole/graph_value.hpp"

namespace systole::npy {

/// An invalid or unsupported file; the message begins with its name.
class NpyError : public ErrorOf<std::runtime_error> {
 public:
  using ErrorOf::ErrorOf;
};

/// Whether an array without elements, one of whose dimensions is 0, is accepted.
enum class Empty { kRefused, kAccepted };

/// The array of a file: any of ElementType's types, little-endian, in C order, every dimension at least 1. Throws
/// NpyError for others, for files that are truncated or too long for their shape, and for paths that cannot be read.
graph::Value read(const std::string& path, Empty empty = Empty::kRefused);

/// The same from bytes; messages begin with `name`.
graph::Value parse(const graph::Bytes& bytes, const std::string& name, Empty empty = Empty::kRefused);

/// Throws FileError when the path cannot be written. NumPy has no bfloat16: such elements are stored as uint16.
void write(const std::string& path, const graph::Value& value);

/// Serializes to this format, version 1.
graph::Bytes serialize(const graph::Value& value);

}  // namespace systole::npy
