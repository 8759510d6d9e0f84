// SPDX-License-Identifier: Apache-2.0
// Reader of IDX files, the format of MNIST: big-endian magic, dimensions, then elements. Plain or gzip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "systole/graph_value.hpp"

namespace systole::digits {

/// The array of a file of any type and number of dimensions, gzip or not. Throws FileError as read_pictures().
graph::Value read_array(const std::string& path);
/// The same from the bytes of a file that is not compressed; `name` appears in errors.
graph::Value parse_array(const std::vector<std::uint8_t>& bytes, const std::string& name);

/// Greyscale pictures, row-major, 0 black to 255 white.
struct Pictures {
  int height = 0;
  int width = 0;
  std::vector<std::vector<std::uint8_t>> pixels;  ///< one vector of height*width bytes per picture
};

/// Reads at most `count` pictures (0: all) of a file, gzip or not. No more is decompressed than the header promises for
/// them. Throws FileError naming the file, the place, what was found and what was expected.
Pictures read_pictures(const std::string& path, std::size_t count);
std::vector<std::uint8_t> read_labels(const std::string& path, std::size_t count);

/// The same from the bytes of a file that is not compressed; `name` appears in errors.
Pictures parse_pictures(const std::vector<std::uint8_t>& bytes, const std::string& name, std::size_t count);
std::vector<std::uint8_t> parse_labels(const std::vector<std::uint8_t>& bytes, const std::string& name,
                                       std::size_t count);

/// Throws FileError, naming the first label above `greatest`, its place, and `why` it is too large.
void check_labels(const std::vector<std::uint8_t>& labels, const std::string& name, std::int64_t greatest,
                  const std::string& why);

}  // namespace systole::digits
