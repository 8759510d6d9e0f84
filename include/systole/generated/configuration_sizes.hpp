// SPDX-License-Identifier: Apache-2.0
// Generated from isa/spec by scripts/gen/generate. Do not edit.
#pragma once

#include <array>
#include <string_view>

#include "systole/generated/configuration.hpp"

namespace systole {

/// The legal values of one size: a number of `times` (0 is none), doubled any number of times, from `min` to `max`.
struct ConfigurationSize {
  std::string_view name;
  int Configuration::*member;
  std::array<int, 2> times;
  int min, max;
  std::string_view legal;  ///< in words
};

inline constexpr std::array<ConfigurationSize, 6> kConfigurationSizes = {{
    {"dim", &Configuration::dim, {4, 0}, 4, 32, "4*2^k, from 4 to 32"},
    {"scratch_rows", &Configuration::scratch_rows, {8, 24}, 192, 49152, "8*2^k or 24*2^k, from 192 to 49152"},
    {"weight_rows", &Configuration::weight_rows, {1, 0}, 64, 65536, "2^k, from 64 to 65536"},
    {"acc_rows", &Configuration::acc_rows, {1, 0}, 32, 65536, "2^k, from 32 to 65536"},
    {"param_rows", &Configuration::param_rows, {1, 0}, 64, 65536, "2^k, from 64 to 65536"},
    {"windows", &Configuration::windows, {1, 0}, 4, 8, "2^k, from 4 to 8"},
}};

}  // namespace systole
