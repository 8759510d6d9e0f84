// SPDX-License-Identifier: Apache-2.0
// The header before the tables, 32 bytes, little-endian: 8 bytes "SYSTOLE" and a line break, version (4), CRC-32 of the
// tables (4), their number of bytes (8), zeros (8).
#pragma once

#include <cstddef>
#include <cstdint>

#include "systole/graph.hpp"

namespace systole::container {

inline constexpr std::size_t kHeaderBytes = 32;
inline constexpr std::uint32_t kFileVersion = 1;

/// A header and the tables.
graph::Bytes with_header(const std::uint8_t* tables, std::size_t bytes);

/// Throws ContainerError unless the file has a right header and the tables that it promises.
void check_header(const graph::Bytes& file);

}  // namespace systole::container
