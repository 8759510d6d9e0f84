// SPDX-License-Identifier: Apache-2.0
#include "window_maxima.hpp"

#include <fmt/core.h>

#include <string>

#include "library.hpp"

namespace systole::compiler {
namespace {

// Elements of a window that have operations of their own. Loops take the sequencer longer than the operations in them,
// but words of the kernel memory are few.
constexpr int kMostUnrolled = 16;

std::string greater(const char* most, const char* row) {
  return fmt::format("fmax most, {}, i32[{}, step, a_plane]\n", most, row);
}

std::string unrolled(int high, int wide) {
  std::string text = greater("least", "a");
  for (int y = 0; y < high; ++y) {
    if (y > 0) {
      text += fmt::format("add line, {}, a_line\n", y == 1 ? "a" : "line") + greater("most", "line");
    }
    for (int x = 1; x < wide; ++x) {
      text += fmt::format("add from, {}, {}\n", y == 0 ? "a" : "line", x) + greater("most", "from");
    }
  }
  return text;
}

std::string in_loops(int high, int wide) {
  return fmt::format(
      "move most, least\n"
      "add line, a, 0\n"
      "set lines, {}\n"
      "set columns, {}\n"
      "loop lines\n"
      "add from, line, 0\n"
      "loop columns\n"
      "{}"
      "add from, from, 1\n"
      "end\n"
      "add line, line, a_line\n"
      "end\n",
      high, wide, greater("most", "from"));
}

std::string source_of(int high, int wide) {
  const bool loops = high * wide > kMostUnrolled;
  return fmt::format(
      "kernel window_maxima(a, a_plane, a_line, to, to_plane, rows, strips, step)\n"
      "scalar least, eight, line, from{}\n"
      "vector most\n"
      "set least, 0xff800000\n"
      "add eight, step, step\n"
      "add eight, eight, eight\n"
      "add eight, eight, eight\n"
      "loop strips\n"
      "rows rows\n"
      "{}"
      "move i32[to, 1, to_plane], most\n"
      "add a, a, eight\n"
      "add to, to, 8\n"
      "sub rows, rows, 8\n"
      "end\n"
      "end\n",
      loops ? ", lines, columns" : "", loops ? in_loops(high, wide) : unrolled(high, wide));
}

}  // namespace

const kernel::Kernel& window_maxima_kernel(int high, int wide) { return made_kernel(source_of(high, wide)); }

}  // namespace systole::compiler
