// SPDX-License-Identifier: Apache-2.0
// Sources of kernels that are made for one operator, or several together, statement by statement.
#pragma once

#include <fmt/core.h>

#include <bit>
#include <cstdint>
#include <string>
#include <utility>

namespace systole::network {

class KernelText {
 public:
  /// Another statement.
  template <class... Parts>
  void line(fmt::format_string<Parts...> text, Parts&&... parts) {
    text_ += fmt::format(text, std::forward<Parts>(parts)...);
    text_ += '\n';
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// As the text of a constant has them.
inline std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

/// Vector registers that append_near_reciprocal_root() changes, and a scalar one, `value`.
constexpr const char* kScratchRegisters = "steps, part, sum";

/// The scalar `{operand}_word` becomes the distance of an operand's planes of words, from `{operand}_plane`.
void append_word_step(KernelText& text, const std::string& operand);

/// x = binary32::near_reciprocal_root(x).
void append_near_reciprocal_root(KernelText& text, const std::string& x);

}  // namespace systole::network
