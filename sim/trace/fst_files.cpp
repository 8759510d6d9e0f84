// SPDX-License-Identifier: Apache-2.0
#include "fst_files.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace {

/// A model records on one thread; the writer's functions have no place for a context.
int& first_error() {
  thread_local int error = 0;
  return error;
}

void note(int error) {
  if (first_error() == 0) {
    first_error() = error == 0 ? EIO : error;
  }
}

}  // namespace

extern "C" {

std::size_t systole_fst_fwrite(const void* from, std::size_t size, std::size_t count, std::FILE* file) {
  const std::size_t written = std::fwrite(from, size, count, file);
  if (written < count) {
    note(errno);
  }
  return written;
}

int systole_fst_fflush(std::FILE* file) {
  const int result = std::fflush(file);
  if (result != 0) {
    note(errno);
  }
  return result;
}

int systole_fst_fclose(std::FILE* file) {
  const bool failed = std::ferror(file) != 0;
  const int result = std::fclose(file);
  if (failed || result != 0) {
    note(result != 0 ? errno : EIO);
  }
  return result;
}

void* systole_fst_mmap(void* address, std::size_t length, int protection, int flags, int descriptor, off_t offset) {
  if (length == 0) {  // nothing could be written; the writer would print that the mapping has failed
    return mmap(address, 1, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  const int error = posix_fallocate(descriptor, offset, static_cast<off_t>(length));
  if (error == 0) {
    return mmap(address, length, protection, flags, descriptor, offset);
  }
  note(error);
  void* memory = mmap(address, length, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) {
    (void)!pread(descriptor, memory, length, offset);  // the waveform is lost already; only the writer must go on
  }
  return memory;
}
}

namespace systole::sim {

int take_fst_error() { return std::exchange(first_error(), 0); }

}  // namespace systole::sim
