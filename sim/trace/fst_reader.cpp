// SPDX-License-Identifier: Apache-2.0
// GTKWave's reader of waveforms and what it needs, of Debian's Verilator, for the runtime of a later one, which has a
// writer alone (SystoleVerilate.cmake).
#define FST_CONFIG_INCLUDE "fst_config.h"
#include <gtkwave/fastlz.c>
#include <gtkwave/fstapi.c>
#include <gtkwave/lz4.c>
