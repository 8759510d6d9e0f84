// SPDX-License-Identifier: Apache-2.0
#include "head_kernels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "kernel_text.hpp"

namespace systole::network {
namespace {

/// The scalar `{operand}_word` becomes the distance of an operand's planes of words, from `{operand}_plane`.
void append_word_step(KernelText& text, const std::string& operand) {
  text.line("add {0}_word, {0}_plane, {0}_plane", operand);
  text.line("add {0}_word, {0}_word, {0}_word", operand);
}

constexpr int kWordPlanes = 4;  // of binary32
constexpr int kFewTurns = 2;    // of a loop, which are written out, because a loop has cycles of its own

int planes_of(int dim, std::int64_t elements) { return static_cast<int>((elements + dim - 1) / dim); }

/// What is done for each of `turns` planes or rows. The scalar `counter` may be used within; it is the loop's if there
/// are many.
template <class Body>
void append_turns(KernelText& text, std::int64_t turns, const char* counter, const Body& body) {
  const bool loops = turns > kFewTurns;
  if (loops) {
    text.line("set {}, {}", counter, turns);
    text.line("loop {}", counter);
  }
  for (std::int64_t turn = 0; turn < (loops ? 1 : turns); ++turn) {
    body(!loops && turn + 1 == turns);
  }
  if (loops) {
    text.line("end");
  }
}

}  // namespace

std::string products_of_rows(int dim, std::int64_t elements, int groups, int factors) {
  const int planes = planes_of(dim, elements);
  KernelText text;
  text.line("kernel products_of_rows(a, a_plane, b, b_plane, to, to_plane)");
  text.line("scalar count, zero, group, each, factor, dst, a_word, b_word, to_word");
  text.line("vector x, part");
  for (const char* operand : {"a", "b", "to"}) {
    append_word_step(text, operand);
  }
  text.line("set count, {}", groups);
  text.line("rows count");
  text.line("set each, {}", factors);
  text.line("add group, a_word, zero");
  for (int plane = 1; plane < planes; ++plane) {
    text.line("add group, group, a_word");
  }
  append_turns(text, planes, "count", [&](bool) {
    text.line("move x, i32[a, group, a_plane]");
    text.line("add factor, b, 0");
    text.line("add dst, to, 0");
    for (int i = 0; i < factors; ++i) {
      text.line("fmul part, x, i32[factor, zero, b_plane]");
      text.line("move i32[dst, each, to_plane], part");
      text.line("add factor, factor, 1");
      text.line("add dst, dst, 1");
    }
    for (const char* operand : {"a", "b", "to"}) {
      text.line("add {0}, {0}, {0}_word", operand);
    }
  });
  text.line("end");
  return text.text();
}

namespace {

/// `to` becomes the number in the first lane of an operand, in all lanes of all rows.
void append_number(KernelText& text, const char* to, const char* temporary, const char* operand, const char* scalar) {
  text.line("set {}, 0", scalar);  // the distance of the rows
  text.line("add_lane {}, 0", temporary);
  text.line("equal {0}, {0}, 0", temporary);
  text.line("and {0}, {1}, i32[{2}, {3}, {2}_plane]", to, temporary, operand, scalar);
  text.line("sum_lanes {0}, {0}", to);
}

/// Rotations, for which there is one way to lay out the scalars: `pair` is the distance of the pairs of parts of an
/// operand, `half` that of the parts of a pair.
class Rotation {
 public:
  Rotation(KernelText& text, int dim, std::int64_t part) : text_(text), rows_(part / dim) {
    if (part % dim != 0) {
      throw std::invalid_argument(
          fmt::format("a rotation of parts of {} elements, which are not whole rows of {} lanes", part, dim));
    }
  }

  static constexpr const char* kVectors = "first, second, x, y, part, number";

  /// Rows of lanes of a part.
  std::int64_t rows() const { return rows_; }

  void begin(std::int64_t pairs) {
    text_.line("set half, {}", pairs);
    text_.line("rows half");
    append_number(text_, "number", "part", "d", "half");
  }
  void set_pair(const char* operand) { times_words("pair", operand, 2 * rows_); }
  void move_by_part(const char* operand) { move(operand, "add", rows_); }
  /// `to` becomes the place of the second part's row.
  void set_by_part(const char* to, const char* operand) {
    times_words("half", operand, rows_);
    text_.line("add {}, {}, half", to, operand);
  }
  void move_by_row(const char* operand) { move(operand, "add", 1); }

  /// `x` and `y` become a row of the first and of the second part of each pair. The operands move to the next one
  /// unless it is the last.
  void append(bool is_last) {
    set_pair("a");
    text_.line("fmul first, number, i32[a, pair, a_plane]");
    move_by_part("a");
    text_.line("fmul second, number, i32[a, pair, a_plane]");
    turn("x", "first", "second");
    move_by_part("b");
    move_by_part("c");
    turn("y", "second", "first");
    if (!is_last) {
      for (const char* operand : {"a", "b", "c"}) {
        move_to_next_row(operand);
      }
    }
  }
  /// Behind the second part's row.
  void move_to_next_row(const char* operand) {
    move(operand, "sub", rows_);
    move(operand, "add", 1);
  }

 private:
  void turn(const char* to, const char* same, const char* other) {
    set_pair("b");
    text_.line("fmul {}, {}, i32[b, pair, b_plane]", to, same);
    set_pair("c");
    text_.line("fmul part, {}, i32[c, pair, c_plane]", other);
    text_.line("fadd {0}, {0}, part", to);
  }
  void move(const char* operand, const char* operation, std::int64_t words) {
    times_words("half", operand, words);
    text_.line("{0} {1}, {1}, half", operation, operand);
  }
  /// `name` becomes the distance of so many rows of lanes of an operand: by doubling, from the highest bit on.
  void times_words(const char* name, const char* operand, std::int64_t words) {
    const std::int64_t planes = kWordPlanes * words;
    std::int64_t bit = 1;
    while (2 * bit <= planes) {
      bit *= 2;
    }
    text_.line("add {0}, {1}_plane, {1}_plane", name, operand);
    for (bit /= 2; bit > 0; bit /= 2) {
      if ((planes & bit) != 0) {
        text_.line("add {0}, {0}, {1}_plane", name, operand);
      }
      if (bit > 1) {
        text_.line("add {0}, {0}, {0}", name);
      }
    }
  }

  KernelText& text_;
  const std::int64_t rows_;
};

}  // namespace

std::string rotated_row(int dim, std::int64_t elements, std::int64_t part) {
  KernelText text;
  Rotation rotation(text, dim, part);
  text.line("kernel rotated_row(a, a_plane, b, b_plane, c, c_plane, d, d_plane, to, to_plane)");
  text.line("scalar pair, half");
  text.line("vector {}", Rotation::kVectors);
  rotation.begin(elements / (2 * part));
  append_turns(text, rotation.rows(), "half", [&](bool is_last) {
    rotation.append(is_last);
    rotation.set_pair("to");
    text.line("move i32[to, pair, to_plane], x");
    rotation.move_by_part("to");
    text.line("move i32[to, pair, to_plane], y");
    rotation.move_to_next_row("to");
  });
  text.line("end");
  return text.text();
}

std::string products_of_rotated(int dim, std::int64_t part, int groups, int factors) {
  KernelText text;
  Rotation rotation(text, dim, part);
  text.line("kernel products_of_rotated(a, a_plane, b, b_plane, c, c_plane, d, d_plane, e, e_plane, to, to_plane)");
  text.line("scalar pair, half, each, zero");  // and d and d_plane, when the number is known
  text.line("vector {}", Rotation::kVectors);
  rotation.begin(groups);
  text.line("set each, {}", factors);
  const auto multiply = [&](const char* x) {
    for (int i = 0; i < factors; ++i) {
      text.line("fmul part, {}, i32[d, zero, e_plane]", x);
      text.line("move i32[d_plane, each, to_plane], part");
      text.line("add d, d, 1");
      text.line("add d_plane, d_plane, 1");
    }
  };
  append_turns(text, rotation.rows(), "half", [&](bool is_last) {
    rotation.append(is_last);
    text.line("add d, e, 0");
    text.line("add d_plane, to, 0");
    multiply("x");
    rotation.set_by_part("d", "e");
    rotation.set_by_part("d_plane", "to");
    multiply("y");
    if (!is_last) {
      rotation.move_by_row("e");
      rotation.move_by_row("to");
    }
  });
  text.line("end");
  return text.text();
}

std::string outer_rows(int dim, std::int64_t elements, std::int64_t column) {
  KernelText text;
  text.line("kernel outer_rows(a, a_plane, b, b_row, b_plane, c, c_plane, to, to_plane, rows, strips)");
  text.line("scalar dst, factor, a_word, b_word, to_word");
  text.line("vector x, part, chosen, number");
  for (const char* operand : {"a", "b", "to"}) {
    append_word_step(text, operand);
  }
  for (std::int64_t plane = 0; plane < column / dim; ++plane) {
    text.line("add a, a, a_word");
  }
  append_number(text, "number", "part", "c", "factor");
  text.line("add_lane chosen, 0");
  text.line("equal chosen, chosen, {}", column % dim);
  text.line("loop strips");
  text.line("rows rows");
  text.line("and x, chosen, i32[a, 1, a_plane]");
  text.line("sum_lanes x, x");
  text.line("add factor, b, 0");
  text.line("add dst, to, 0");
  append_turns(text, planes_of(dim, elements), "c", [&](bool) {  // c has been read
    text.line("fmul part, number, i32[factor, b_row, b_plane]");
    text.line("fmul part, x, part");
    text.line("move i32[dst, 1, to_plane], part");
    text.line("add factor, factor, b_word");
    text.line("add dst, dst, to_word");
  });
  text.line("add a, a, 8");
  text.line("add to, to, 8");
  text.line("sub rows, rows, 8");
  text.line("end");
  text.line("end");
  return text.text();
}

std::string picked_sums(int dim, const PickedRows& picked, Result result) {
  const int planes = planes_of(dim, picked.elements);
  const bool blocks = result == Result::kBlocks;
  KernelText text;
  text.line("kernel picked_sums(a, a_plane, b, b_plane, to, to_plane)");
  text.line("scalar count, group, each, from, summand, a_word, b_word, to_word");
  text.line("vector lane, sum, next, chosen");
  for (const char* operand : {"a", "b", "to"}) {
    append_word_step(text, operand);
  }
  text.line("set count, {}", picked.groups);
  text.line("rows count");
  text.line("set each, {}", picked.rows);
  text.line("set group, 0");
  for (int plane = 0; plane < planes; ++plane) {
    text.line("add group, group, to_{}", blocks ? "plane" : "word");
  }
  text.line("add_lane lane, 0");
  for (int plane = 0; plane < planes; ++plane) {
    const std::int64_t first = std::int64_t{plane} * dim, end = std::min(first + dim, picked.elements);
    const char* to = "sum";
    for (int row = picked.rows - 1; row >= 0; --row) {  // each takes its columns, and those before it
      const std::int64_t from = row == 0 ? 0 : picked.end[static_cast<std::size_t>(row) - 1];
      const std::int64_t last = picked.end[static_cast<std::size_t>(row)];
      if (from >= end || last <= first) {
        continue;
      }
      text.line("add from, a, {}", row);
      text.line("add summand, b, {}", row);
      text.line("move {}, i32[from, each, a_plane]", to);
      text.line("fadd {0}, {0}, i32[summand, each, b_plane]", to);
      if (last < end) {
        text.line("less chosen, lane, {}", last - first);
        text.line("xor next, next, sum");
        text.line("and next, next, chosen");
        text.line("xor sum, sum, next");
      }
      to = "next";
    }
    text.line("move {}, sum", blocks ? "blocks[to, group]" : "i32[to, group, to_plane]");
    text.line("add a, a, a_word");
    text.line("add b, b, b_word");
    text.line("add to, to, to_{}", blocks ? "plane" : "word");
  }
  text.line("end");
  return text.text();
}

}  // namespace systole::network
