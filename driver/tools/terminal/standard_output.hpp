// SPDX-License-Identifier: Apache-2.0
// Standard output, checked. Nothing here throws: a full disk behind standard output must not keep the files of the same
// command from being written. The program asks for the first failure when it ends.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <utility>

namespace systole::cli {

void print_text(std::string_view text);

template <class... Values>
void print(fmt::format_string<Values...> format, Values&&... values) {
  print_text(fmt::format(format, std::forward<Values>(values)...));
}

void flush_output();

/// errno of the first failed write to standard output, 0 if all went well. Flushes it first.
int output_error();

/// Descriptors 0 to 2 that are closed are opened, so that no file of the program gets one of them. What is written to
/// them fails, as it would have. To be called before any file is opened.
void open_standard_streams();

}  // namespace systole::cli
