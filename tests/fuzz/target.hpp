// SPDX-License-Identifier: Apache-2.0
// What a fuzz target defines: libFuzzer calls it with ever new bytes, the replay with those of files.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
