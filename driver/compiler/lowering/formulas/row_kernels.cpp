// SPDX-License-Identifier: Apache-2.0
#include "row_kernels.hpp"

#include <string>
#include <string_view>

#include "kernel_text.hpp"
#include "systole/kernel.hpp"

namespace systole::network {
namespace {

constexpr int kSummed = 32;  // elements that are this far apart are summed first

/// x as the rows of a result's planes.
void store_planes(KernelText& text, Result result) {
  text.line("move {}, x", result == Result::kBlocks ? "blocks[to, to_plane]" : "i32[to, to_word, to_plane]");
}

void append_word_steps(KernelText& text) {
  for (const char* operand : {"a", "b", "to"}) {
    append_word_step(text, operand);
  }
}

}  // namespace

bool fits_strip(int dim, std::int64_t elements) {
  return dim <= kSummed && elements % kSummed == 0 && elements / dim <= kernel::kStripRows;
}

namespace {

/// `root` becomes the sums of the squares of a's elements, of those in the same rows of 32.
void append_squares(KernelText& text, int dim, std::int64_t elements) {
  const int planes = static_cast<int>(elements / dim), sums = kSummed / dim;
  text.line("set value, {}", sums);
  text.line("rows value");
  text.line("add from, a, 0");
  for (int plane = 0; plane < planes; plane += sums) {
    text.line("move x, i32[from, a_word, a_plane]");
    text.line("fmul x, x, x");
    text.line("fadd root, x, {}", plane == 0 ? "0" : "root");
    for (int i = 0; i < sums; ++i) {
      text.line("add from, from, a_word");
    }
  }
  text.line("fsum_lanes root, root");
}

/// `root` becomes the near_reciprocal_root(its mean + epsilon).
void append_root_of_sum(KernelText& text, std::int64_t elements, float epsilon) {
  text.line("set value, {:#010x}", bits_of(1.0F / static_cast<float>(elements)));
  text.line("fmul root, root, value");
  text.line("set value, {:#010x}", bits_of(epsilon));
  text.line("fadd root, root, value");
  append_near_reciprocal_root(text, "root");
}

}  // namespace

std::string root_of_row(int dim, std::int64_t elements, float epsilon) {
  KernelText text;
  text.line("kernel root_of_row(a, a_plane, to, to_plane)");
  text.line("scalar from, value, zero, a_word");
  text.line("vector {}, x, root", kScratchRegisters);
  append_word_step(text, "a");
  append_squares(text, dim, elements);
  if (dim < kSummed) {  // the second row's sum, which is stored over the first's, comes to the first
    text.line("move i32[to, zero, to_plane], root");
    text.line("fadd root, root, i32[to, zero, to_plane]");
  }
  text.line("set value, 1");
  text.line("rows value");
  append_root_of_sum(text, elements, epsilon);
  text.line("move i32[to, 1, to_plane], root");
  text.line("end");
  return text.text();
}

std::string normalize_row(int dim, std::int64_t elements, float epsilon, Result result) {
  const int planes = static_cast<int>(elements / dim), sums = kSummed / dim;
  KernelText text;
  text.line("kernel normalize_row(a, a_plane, b, b_plane, to, to_plane)");
  text.line("scalar from, value, zero, one, a_word, b_word, to_word, sums");
  text.line("vector {}, x, root", kScratchRegisters);
  append_word_steps(text);
  append_squares(text, dim, elements);
  // Sums of different rows meet in memory, in the result's rows: each is read for all rows of a strip.
  text.line("set one, 1");
  text.line("set sums, 4");
  text.line("move i32[to, sums, one], root");
  text.line("set value, {}", planes);
  text.line("rows value");
  text.line("add from, to, 0");
  for (int i = 0; i < sums; i += 2) {
    text.line("move {}, i32[from, zero, one]", i == 0 ? "root" : "x");
    text.line("add from, from, sums");
    if (sums > 1) {
      text.line("fadd {0}, {0}, i32[from, zero, one]", i == 0 ? "root" : "x");
      text.line("add from, from, sums");
    }
    if (i > 0) {
      text.line("fadd root, root, x");
    }
  }
  append_root_of_sum(text, elements, epsilon);
  text.line("fmul x, root, i32[a, a_word, a_plane]");
  text.line("fmul x, x, i32[b, b_word, b_plane]");
  store_planes(text, result);
  text.line("end");
  return text.text();
}

std::string product_of_row(int dim, std::int64_t elements, Result result) {
  KernelText text;
  text.line("kernel product_of_row(a, a_plane, b, b_plane, to, to_plane)");
  text.line("scalar count, strips, step, a_word, b_word, to_word");
  text.line("vector x");
  append_word_steps(text);
  const std::int64_t rows = elements / dim;
  text.line("set count, {}", rows);
  text.line("set strips, {}", (rows + kernel::kStripRows - 1) / kernel::kStripRows);
  text.line("loop strips");
  text.line("rows count");
  text.line("move x, i32[a, a_word, a_plane]");
  text.line("fmul x, x, i32[b, b_word, b_plane]");
  store_planes(text, result);
  for (const char* operand : {"a", "b", "to"}) {
    const bool plane = result == Result::kBlocks && std::string_view(operand) == "to";
    text.line("add step, {0}_{1}, {0}_{1}", operand, plane ? "plane" : "word");
    text.line("add step, step, step");
    text.line("add step, step, step");
    text.line("add {0}, {0}, step", operand);
  }
  text.line("sub count, count, {}", kernel::kStripRows);
  text.line("end");
  text.line("end");
  return text.text();
}

}  // namespace systole::network
