// SPDX-License-Identifier: Apache-2.0
// What GTKWave's writer of waveforms does with files goes through functions of this header (SystoleVerilate.cmake):
// it ignores failed writes, and a mapped file whose blocks the disk cannot hold ends the process with SIGBUS.
#pragma once

#include <sys/types.h>

#include <cstdio>

extern "C" {
std::size_t systole_fst_fwrite(const void* from, std::size_t size, std::size_t count, std::FILE* file);
int systole_fst_fflush(std::FILE* file);
int systole_fst_fclose(std::FILE* file);
/// Maps memory instead, with what can be read of the file, if the disk has no room for this part of the file.
void* systole_fst_mmap(void* address, std::size_t length, int protection, int flags, int descriptor, off_t offset);
}

namespace systole::sim {

/// errno of the first of these calls on this thread that has failed since the last call; 0: none has.
int take_fst_error();

}  // namespace systole::sim
