// SPDX-License-Identifier: Apache-2.0
// Reader of IDX files, the format of MNIST: big-endian magic, dimensions, then bytes. Plain or gzip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace systole::digits {

/// Greyscale pictures, row-major, 0 black to 255 white.
struct Pictures {
  int height = 0;
  int width = 0;
  std::vector<std::vector<std::uint8_t>> pixels;  ///< one vector of height*width bytes per picture
};

/// Reads at most `count` pictures (0: all). `bytes` is the file's contents, gzip or not; `name` appears in errors.
/// Throws Failure naming the file, the place, what was found and what was expected.
Pictures parse_pictures(const std::vector<std::uint8_t>& bytes, const std::string& name, std::size_t count);
std::vector<std::uint8_t> parse_labels(const std::vector<std::uint8_t>& bytes, const std::string& name,
                                       std::size_t count);

/// The whole file, decompressed if it is gzip. Throws std::runtime_error naming the file and the reason.
std::vector<std::uint8_t> read_file(const std::string& path);

}  // namespace systole::digits
