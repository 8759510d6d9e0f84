// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as IDX files of pictures, of labels and of any array: these, or a FileError.
#include "idx.hpp"
#include "systole/file_error.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace systole;
  const std::vector<std::uint8_t> bytes(data, data + size);
  try {
    digits::parse_array(bytes, "fuzz");
  } catch (const FileError&) {}
  for (const std::size_t count : {0, 1}) {
    try {
      digits::parse_pictures(bytes, "fuzz", count);
    } catch (const FileError&) {}
    try {
      digits::parse_labels(bytes, "fuzz", count);
    } catch (const FileError&) {}
  }
  return 0;
}
