// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace systole::cli {

/// The text; its beginning and end if it is longer than `longest`, which is at least 5: "model/layer...MatMul/Add".
inline std::string shortened(const std::string& text, std::size_t longest) {
  if (text.size() <= longest) {
    return text;
  }
  const std::size_t kept = longest - 3;
  std::size_t front = kept / 2;
  std::size_t back = text.size() - (kept - front);
  const auto within = [&](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  while (front > 0 && within(front)) {  // does not split a UTF-8 character
    --front;
  }
  while (within(back)) {
    ++back;
  }
  return text.substr(0, front) + "..." + text.substr(back);
}

}  // namespace systole::cli
