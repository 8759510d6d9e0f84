// SPDX-License-Identifier: Apache-2.0
// The source of a kernel, statement by statement.
#pragma once

#include <fmt/core.h>

#include <string>
#include <utility>

namespace systole::network {

class KernelText {
 public:
  template <class... Parts>
  void line(fmt::format_string<Parts...> text, Parts&&... parts) {
    text_ += fmt::format(text, std::forward<Parts>(parts)...);
    text_ += '\n';
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace systole::network
