// SPDX-License-Identifier: Apache-2.0
#include "digits_network.hpp"

extern "C" {
extern const std::uint8_t systole_digits_json_begin[], systole_digits_json_end[];
extern const std::uint8_t systole_digits_bin_begin[], systole_digits_bin_end[];
extern const std::uint8_t systole_digits_pictures_begin[], systole_digits_pictures_end[];
extern const std::uint8_t systole_digits_labels_begin[], systole_digits_labels_end[];
}

namespace systole::digits {

Network shipped_network() {
  return parse_network({systole_digits_json_begin, systole_digits_json_end},
                       {systole_digits_bin_begin, systole_digits_bin_end});
}

std::vector<std::uint8_t> shipped_pictures() { return {systole_digits_pictures_begin, systole_digits_pictures_end}; }

std::vector<std::uint8_t> shipped_labels() { return {systole_digits_labels_begin, systole_digits_labels_end}; }

}  // namespace systole::digits
