// SPDX-License-Identifier: Apache-2.0
// A status line on standard error; shows nothing if that is not a terminal.
#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <string>

#include "terminal.hpp"

namespace systole::cli {

class StatusLine {
 public:
  StatusLine() = default;
  ~StatusLine() { show({}); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Replaces the line; empty clears it.
  void show(const std::string& text) {
    if (terminal_ && text != shown_) {
      const auto room = static_cast<std::size_t>(style_of(stderr).width - 1);
      fmt::print(stderr, "\r{}\033[K", text.substr(0, room));
      std::fflush(stderr);
      shown_ = text;
    }
  }

  /// Prints a permanent line, terminal or not.
  void tell(const std::string& text) {
    show({});
    fmt::print(stderr, "{}", text);
  }

 private:
  bool terminal_ = is_terminal(stderr);
  std::string shown_;
};

}  // namespace systole::cli
