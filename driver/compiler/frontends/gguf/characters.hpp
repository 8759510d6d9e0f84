// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace systole::gguf {

enum class CharacterKind { kLetter, kNumber, kSpace, kOther };

struct Character {
  std::uint32_t code;  ///< in Unicode; a byte that is not part of UTF-8 has a code beyond
  CharacterKind kind;
  std::size_t offset;  ///< in the text
};

std::vector<Character> characters_of(std::string_view text);

}  // namespace systole::gguf
