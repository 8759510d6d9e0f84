// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace systole::cli {

/// The text, or its beginning and its end where it is longer than `longest`, which is 5 or more: "model/layer...MatMul/Add".
inline std::string shortened(const std::string& text, std::size_t longest) {
  if (text.size() <= longest) {
    return text;
  }
  const std::size_t kept = longest - 3;
  const std::size_t front = kept / 2;
  return text.substr(0, front) + "..." + text.substr(text.size() - (kept - front));
}

}  // namespace systole::cli
