// SPDX-License-Identifier: Apache-2.0
#include "characters.hpp"

#include <algorithm>
#include <iterator>

#include "character_ranges.hpp"

namespace systole::gguf {
namespace {

constexpr CharacterRange kSpaces[] = {{0x09, 0x0D},     {0x20, 0x20},     {0x85, 0x85},     {0xA0, 0xA0},
                                      {0x1680, 0x1680}, {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F},
                                      {0x205F, 0x205F}, {0x3000, 0x3000}};
constexpr std::uint32_t kBeyond = 0x110000;

template <std::size_t Count>
bool is_in(const CharacterRange (&ranges)[Count], std::uint32_t code) {
  const auto* behind = std::upper_bound(std::begin(ranges), std::end(ranges), code,
                                        [](std::uint32_t c, const CharacterRange& range) { return c < range.first; });
  return behind != std::begin(ranges) && code <= std::prev(behind)->last;
}

CharacterKind kind_of(std::uint32_t code) {
  if (is_in(kLetters, code)) {
    return CharacterKind::kLetter;
  }
  if (is_in(kNumbers, code)) {
    return CharacterKind::kNumber;
  }
  return is_in(kSpaces, code) ? CharacterKind::kSpace : CharacterKind::kOther;
}

/// The bytes that a character has by its first one; 0: no character begins with it.
std::size_t length_by(std::uint8_t first) {
  constexpr std::uint8_t kTwo = 0xC2, kThree = 0xE0, kFour = 0xF0, kLast = 0xF4;
  return first < 0x80 ? 1 : first < kTwo ? 0 : first < kThree ? 2 : first < kFour ? 3 : first <= kLast ? 4 : 0;
}

}  // namespace

std::vector<Character> characters_of(std::string_view text) {
  std::vector<Character> characters;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[at + i]); };
    const std::size_t length = length_by(byte(0));
    std::uint32_t code = length == 1 ? byte(0) : byte(0) & (0x7FU >> length);
    bool whole = length > 0 && length <= text.size() - at;
    for (std::size_t i = 1; whole && i < length; ++i) {
      whole = (byte(i) & 0xC0) == 0x80;
      code = code << 6 | (byte(i) & 0x3FU);
    }
    characters.push_back(whole ? Character{code, kind_of(code), at}
                               : Character{kBeyond + byte(0), CharacterKind::kOther, at});
    at += whole ? length : 1;
  }
  return characters;
}

}  // namespace systole::gguf
