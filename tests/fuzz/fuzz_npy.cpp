// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as an .npy file: an array that serializes to a file of the same array, or an NpyError.
#include "npy.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace systole;
  try {
    const graph::Value value = npy::parse(graph::Bytes(data, data + size), "fuzz");
    const graph::Value again = npy::parse(npy::serialize(value), "again");
    if (again.type != value.type || again.shape != value.shape || again.data != value.data) {
      __builtin_trap();
    }
  } catch (const npy::NpyError&) {}
  return 0;
}
