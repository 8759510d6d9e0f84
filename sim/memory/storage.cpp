// SPDX-License-Identifier: Apache-2.0
#include "storage.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "systole/memory_error.hpp"

namespace systole::sim {

Storage::Storage(std::uint64_t bytes) : size_(bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw MemoryError("device memory of " + std::to_string(bytes) + " bytes: " + std::strerror(errno),
                      "choose a smaller memory_bytes");
  }
  data_ = static_cast<std::byte*>(memory);
}

Storage::~Storage() { munmap(data_, size_); }

}  // namespace systole::sim
