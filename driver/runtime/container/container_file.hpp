// SPDX-License-Identifier: Apache-2.0
// The 32-byte header of a file, little-endian: the signature "SYSTOLE\n" (8 bytes), the version (4), the CRC-32 of the
// tables behind the header (4), their size in bytes (8), and zeros (8).
#pragma once

#include <cstddef>
#include <cstdint>

#include "systole/graph.hpp"

namespace systole::container {

inline constexpr std::size_t kHeaderBytes = 32;
inline constexpr std::uint32_t kFileVersion = 3;

/// The contents of a file: a header and the tables.
graph::Bytes with_header(const std::uint8_t* tables, std::size_t bytes);

/// Throws ContainerError unless the header is valid and the size and checksum of the tables match it.
void check_header(const graph::Bytes& file);

}  // namespace systole::container
