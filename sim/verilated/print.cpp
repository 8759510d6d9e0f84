// SPDX-License-Identifier: Apache-2.0
#include "print.hpp"

#include <cstdarg>
#include <cstdio>

namespace systole::sim {
namespace {

std::string*& current_sink() {
  static thread_local std::string* sink = nullptr;
  return sink;
}

}  // namespace

PrintCapture::PrintCapture(std::string& sink) : outer_(current_sink()) { current_sink() = &sink; }
PrintCapture::~PrintCapture() { current_sink() = outer_; }

}  // namespace systole::sim

int systole_verilated_printf(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::string* sink = systole::sim::current_sink();
  int length;
  if (sink) {
    std::va_list again;
    va_copy(again, arguments);
    length = std::vsnprintf(nullptr, 0, format, arguments);
    const std::size_t start = sink->size();
    sink->resize(start + length + 1);
    std::vsnprintf(sink->data() + start, length + 1, format, again);
    sink->resize(start + length);
    va_end(again);
  } else {
    length = std::vprintf(format, arguments);
  }
  va_end(arguments);
  return length;
}
