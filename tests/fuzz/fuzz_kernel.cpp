// SPDX-License-Identifier: Apache-2.0
// Arbitrary text as the source of a kernel: words that can be listed, or an AssemblyError.
#include "systole/kernel.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace systole;
  try {
    const kernel::Kernel kernel = kernel::assemble({reinterpret_cast<const char*>(data), size}, "fuzz");
    for (const std::uint64_t word : kernel.words) {
      kernel::disassemble(word);
    }
  } catch (const kernel::AssemblyError&) {}
  return 0;
}
