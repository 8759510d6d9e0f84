// SPDX-License-Identifier: Apache-2.0
#include "standard_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace systole::cli {
namespace {

/// Belongs to stdout, which there is once in a process and which keeps no reason.
int& first_error() {
  static int error = 0;
  return error;
}

void note(bool good) {
  if (!good && first_error() == 0) {
    first_error() = errno == 0 ? EIO : errno;
  }
}

}  // namespace

void print_text(std::string_view text) { note(std::fwrite(text.data(), 1, text.size(), stdout) == text.size()); }

void flush_output() { note(std::fflush(stdout) == 0); }

int output_error() {
  flush_output();
  errno = 0;
  note(std::ferror(stdout) == 0);  // of what was written without these functions
  return first_error();
}

void open_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) < 0) {
      open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);  // gets the lowest number that is free
    }
  }
}

}  // namespace systole::cli
