// SPDX-License-Identifier: Apache-2.0
// Compiled in front of GTKWave's writer of waveforms, and of nothing else (SystoleVerilate.cmake): its calls go to
// fst_files.hpp. The standard headers come first, because they undefine such names.
#pragma once

#include <sys/mman.h>

#include <cstdio>

#include "fst_files.hpp"

#define fwrite systole_fst_fwrite
#define fflush systole_fst_fflush
#define fclose systole_fst_fclose
#define mmap systole_fst_mmap
