// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as an archive of arrays: members that are together no larger than the file, or an NpyError.
#include "npz.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace systole;
  try {
    std::size_t total = 0;
    for (const auto& [name, bytes] : npy::parse_archive(graph::Bytes(data, data + size), "fuzz")) {
      total += bytes.size();
    }
    if (total > size) {
      __builtin_trap();
    }
  } catch (const npy::NpyError&) {}
  return 0;
}
