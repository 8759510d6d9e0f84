// SPDX-License-Identifier: Apache-2.0
#include "model_memory.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "systole/memory_error.hpp"

namespace systole::model {

SparseMemory::SparseMemory(std::uint64_t bytes) : bytes_(bytes) {
  void* const where = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (where == MAP_FAILED) {
    throw MemoryError("device memory of " + std::to_string(bytes) + " bytes: " + std::strerror(errno),
                      "choose a smaller memory_bytes");
  }
  data_ = static_cast<std::uint8_t*>(where);
}

SparseMemory::~SparseMemory() { munmap(data_, bytes_); }

void SparseMemory::read(std::uint64_t address, void* to, std::size_t bytes) const {
  std::memcpy(to, data_ + address, bytes);
}

void SparseMemory::write(std::uint64_t address, const void* from, std::size_t bytes) {
  std::memcpy(data_ + address, from, bytes);
}

}  // namespace systole::model
