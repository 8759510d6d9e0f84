// SPDX-License-Identifier: Apache-2.0
#include "row_kernels.hpp"

#include <functional>
#include <string>
#include <string_view>

#include "kernel_text.hpp"
#include "systole/kernel.hpp"

namespace systole::network {
namespace {

constexpr int kSummed = 32;  // elements that are this far apart are summed first

/// A kernel over strips of rows, plane by plane of words. The sums of a row are in as many registers as there are
/// planes for 32 elements. If there are enough, each plane has a register of its own.
class RowKernel {
 public:
  RowKernel(const char* name, int dim, std::int64_t elements, bool has_b, bool has_c = false)
      : dim_(dim),
        planes_(static_cast<int>((elements + dim - 1) / dim)),
        lanes_(static_cast<int>(elements - std::int64_t{planes_ - 1} * dim)),
        sums_(kSummed / dim),
        has_b_(has_b),
        has_c_(has_c),
        in_registers_(kShared + (has_c ? 1 : 0) + sums_ + planes_ <= kernel::kVectors) {
    text_.line("kernel {}(a, a_plane, {}{}to, to_plane, rows, strips)", name, has_b_ ? "b, b_row, b_plane, " : "",
               has_c_ ? "c, c_plane, " : "");
    text_.line("scalar from, dst, value{}{}", has_b_ ? ", second" : "", has_c_ ? "" : ", a_word, to_word");
    if (has_b_ && !has_c_) {
      text_.line("scalar b_word");
    }
    text_.line("vector {}, x, inside", kScratchRegisters);
    if (!in_registers_) {
      text_.line("vector power");
    }
    if (has_c_) {
      text_.line("vector own");
    }
    for (int i = 0; i < sums_; ++i) {
      text_.line("vector sum{}", i);
    }
    for (int plane = 0; plane < planes_ && in_registers_; ++plane) {
      text_.line("vector x{}", plane);
    }
    if (lanes_ < dim_) {
      text_.line("add_lane inside, 0");
      text_.line("less inside, inside, {}", lanes_);
    }
    word_step("a");
    word_step("to");
    if (has_b_) {
      word_step("b");
    }
    text_.line("loop strips");
    text_.line("rows rows");
  }

  KernelText& text() { return text_; }
  bool in_registers() const { return in_registers_; }

  std::string finish() {
    text_.line("add a, a, 8");
    if (has_b_) {
      text_.line("add value, b_row, b_row");
      text_.line("add value, value, value");
      text_.line("add value, value, value");
      text_.line("add b, b, value");
    }
    if (has_c_) {
      text_.line("add c, c, 8");
    }
    text_.line("add to, to, 8");
    text_.line("sub rows, rows, 8");
    text_.line("end");
    text_.line("end");
    return text_.text();
  }

  /// Which rows a pass over the planes reads and writes: those of a and b, at `from` and `second`, those of the result,
  /// at `dst`. A scalar operation takes two cycles, so that those beside a few vector operations count.
  struct Uses {
    bool operands = false, result = false;
  };

  /// Calls visit(x, sum, last) for each plane: its register, `memory` if it has none of its own, and that of its sum.
  /// Without its sum's register, a plane's code is the same as the others', but for the last one's.
  using Visit = std::function<void(const std::string& x, const std::string& sum, bool last)>;
  void for_planes(const Uses& uses, const Visit& visit, bool with_sums = false) {
    if (uses.operands) {
      text_.line("add from, a, 0");
      if (has_b_) {
        text_.line("add second, b, 0");
      }
    }
    if (uses.result) {
      text_.line("add dst, to, 0");
    }
    const int last = planes_ - 1, at_once = with_sums ? sums_ : 1;
    const int groups = in_registers_ ? 0 : last / at_once;
    const auto name = [&](int plane) { return in_registers_ ? fmt::format("x{}", plane) : std::string("power"); };
    const auto before_last = [&](int plane) {
      visit(name(plane), sum_name(plane), false);
      next_plane(uses);
    };
    if (groups > 0) {
      text_.line("set value, {}", groups);
      text_.line("loop value");
      for (int i = 0; i < at_once; ++i) {
        before_last(i);
      }
      text_.line("end");
    }
    for (int plane = groups * at_once; plane < last; ++plane) {
      before_last(plane);
    }
    visit(name(last), sum_name(last), true);
  }

  /// Whether a plane has lanes beyond the last element.
  bool masks(bool last) const { return last && lanes_ < dim_; }

  /// A plane of `a`; lanes beyond the last element are zeros.
  void load(const std::string& plane, bool last) {
    text_.line("move {}, i32[from, 1, a_plane]", plane);
    clear_outside(plane, last);
  }
  void clear_outside(const std::string& plane, bool last) {
    if (masks(last)) {
      text_.line("and {0}, {0}, inside", plane);
    }
  }

  /// `own` becomes c times the factor in the last element of a row, and zeros in the other lanes of its plane.
  void load_own(float factor) {
    text_.line("add_lane part, 0");
    text_.line("equal whole, part, 0");
    text_.line("and own, whole, i32[c, 1, c_plane]");
    text_.line("sum_lanes own, own");
    if (factor != 1) {
      text_.line("set value, {:#010x}", bits_of(factor));
      text_.line("fmul own, own, value");
    }
    text_.line("equal whole, part, {}", lanes_ - 1);
    text_.line("and own, own, whole");
  }

  /// Before the first of what is summed.
  void begin_sums() {
    begun_ = in_registers_ ? 0 : sums_;
    clear_sums(0, begun_);
  }
  /// Sums are taken in turn: each begins at +0.
  void add_to(const std::string& sum, const std::string& x) {
    const bool first = begun_ < sums_ && sum == fmt::format("sum{}", begun_);
    begun_ += first ? 1 : 0;
    text_.line("fadd {}, {}, {}", sum, x, first ? "0" : sum);
  }
  /// sum0 becomes the sum of each row.
  void add_sums() {
    clear_sums(begun_, sums_);
    for (int i = 0; i < sums_; ++i) {
      text_.line("fsum_lanes sum{0}, sum{0}", i);
    }
    for (int distance = 1; distance < sums_; distance *= 2) {
      for (int i = 0; i < sums_; i += 2 * distance) {
        text_.line("fadd sum{0}, sum{0}, sum{1}", i, i + distance);
      }
    }
  }
  void mean_of_sums(std::int64_t elements) {
    text_.line("set value, {:#010x}", bits_of(1.0F / static_cast<float>(elements)));
    text_.line("fmul sum0, sum0, value");
  }

 private:
  static constexpr int kShared = 6;      // vector registers of all kernels
  static constexpr int kWordPlanes = 4;  // of binary32

  void clear_sums(int begin, int end) {
    for (int i = begin; i < end; ++i) {
      text_.line("move sum{}, 0", i);
    }
  }
  std::string sum_name(int plane) const { return fmt::format("sum{}", plane % sums_); }
  /// The distance of the planes of words.
  void word_step(const char* operand) {
    if (has_c_) {  // scalars are few
      return;
    }
    append_word_step(text_, operand);
  }
  void next_plane(const Uses& uses) {
    if (uses.operands) {
      advance("from", "a");
      if (has_b_) {
        advance("second", "b");
      }
    }
    if (uses.result) {
      advance("dst", "to");
    }
  }
  void advance(const char* row, const char* operand) {
    for (int plane = 0; plane < (has_c_ ? kWordPlanes : 1); ++plane) {
      text_.line("add {0}, {0}, {1}_{2}", row, operand, has_c_ ? "plane" : "word");
    }
  }

  KernelText text_;
  const int dim_, planes_, lanes_, sums_;
  const bool has_b_, has_c_, in_registers_;
  int begun_ = 0;  ///< sums that have a summand
};

}  // namespace

std::string softmax_rows(int dim, std::int64_t elements, Summands summands, float factor) {
  const bool has_last = summands == Summands::kRowsLast;
  RowKernel kernel("softmax_rows", dim, elements, summands != Summands::kNone, has_last);
  KernelText& text = kernel.text();
  const auto load = [&](const std::string& x, bool last) {
    text.line("move {}, i32[from, 1, a_plane]", x);
    if (summands != Summands::kNone) {
      text.line("fadd {0}, {0}, i32[second, b_row, b_plane]", x);
    }
    if (has_last && last) {
      text.line("fadd {0}, {0}, own", x);
    }
    if (kernel.masks(last)) {  // minus infinity is never the greatest
      text.line("and {0}, {0}, inside", x);
      text.line("xor part, inside, -1");
      text.line("set value, 0xff800000");
      text.line("and part, part, value");
      text.line("or {0}, {0}, part", x);
    }
  };
  if (has_last) {
    kernel.load_own(factor);
  }
  using Uses = RowKernel::Uses;
  const bool in_memory = !kernel.in_registers();
  if (in_memory) {
    text.line("set value, 0xff800000");
    text.line("move x, value");
  }
  kernel.begin_sums();
  kernel.for_planes(Uses{true, false}, [&](const std::string& plane, const std::string&, bool last) {
    load(plane, last);
    const bool first = !in_memory && plane == "x0";
    first ? text.line("move x, {}", plane) : text.line("fmax x, x, {}", plane);
  });
  text.line("fmax_lanes x, x");
  kernel.for_planes(Uses{in_memory, in_memory}, [&](const std::string& plane, const std::string&, bool last) {
    if (in_memory) {
      load(plane, last);
    }
    text.line("fsub {0}, {0}, x", plane);
    append_near_exponential(text, plane);
    kernel.clear_outside(plane, last);
    if (in_memory) {
      text.line("move i32[dst, 1, to_plane], {}", plane);
    }
  });
  kernel.for_planes(
      Uses{false, in_memory},
      [&](const std::string& plane, const std::string& sum, bool) {
        if (in_memory) {
          text.line("move {}, i32[dst, 1, to_plane]", plane);
        }
        kernel.add_to(sum, plane);
      },
      true);
  kernel.add_sums();
  append_near_reciprocal(text, "sum0");
  kernel.for_planes(Uses{false, true}, [&](const std::string& plane, const std::string&, bool) {
    if (in_memory) {
      text.line("move {}, i32[dst, 1, to_plane]", plane);
    }
    text.line("fmul i32[dst, 1, to_plane], {}, sum0", plane);
  });
  return kernel.finish();
}

std::string mean_rows(int dim, std::int64_t elements, bool has_factor) {
  RowKernel kernel("mean_rows", dim, elements, has_factor);
  KernelText& text = kernel.text();
  kernel.begin_sums();
  kernel.for_planes(
      RowKernel::Uses{true, false},
      [&](const std::string& plane, const std::string& sum, bool last) {
        kernel.load(plane, last);
        if (has_factor) {
          text.line("fmul {0}, {0}, i32[second, b_row, b_plane]", plane);
          kernel.clear_outside(plane, last);
        }
        kernel.add_to(sum, plane);
      },
      true);
  kernel.add_sums();
  kernel.mean_of_sums(elements);
  text.line("move i32[to, 1, to_plane], sum0");
  return kernel.finish();
}

namespace {

/// sum0 becomes the mean of squares and epsilon.
void append_mean_of_squares(RowKernel& kernel, std::int64_t elements, float epsilon) {
  KernelText& text = kernel.text();
  kernel.begin_sums();
  kernel.for_planes(
      RowKernel::Uses{true, false},
      [&](const std::string& plane, const std::string& sum, bool last) {
        kernel.load(plane, last);
        text.line("fmul x, {0}, {0}", plane);
        kernel.add_to(sum, "x");
      },
      true);
  kernel.add_sums();
  kernel.mean_of_sums(elements);
  text.line("set value, {:#010x}", bits_of(epsilon));
  text.line("fadd sum0, sum0, value");
}

}  // namespace

std::string normalize_rows(int dim, std::int64_t elements, float epsilon) {
  RowKernel kernel("normalize_rows", dim, elements, true);
  KernelText& text = kernel.text();
  append_mean_of_squares(kernel, elements, epsilon);
  append_near_reciprocal_root(text, "sum0");
  const auto scale = [&](const std::string& plane) {
    text.line("fmul {0}, {0}, sum0", plane);
    text.line("fmul {0}, {0}, i32[second, b_row, b_plane]", plane);
  };
  const auto store = [&](const std::string& plane, const std::string&, bool) {
    if (!kernel.in_registers()) {
      text.line("move {}, i32[from, 1, a_plane]", plane);
      scale(plane);
    }
    text.line("move i32[dst, 1, to_plane], {}", plane);
  };
  if (kernel.in_registers()) {  // a load waits until earlier stores are written
    kernel.for_planes(RowKernel::Uses{true, false},
                      [&](const std::string& plane, const std::string&, bool) { scale(plane); });
  }
  kernel.for_planes(RowKernel::Uses{!kernel.in_registers(), true}, store);
  return kernel.finish();
}

std::string root_rows(int dim, std::int64_t elements, float epsilon) {
  RowKernel kernel("root_rows", dim, elements, false);
  KernelText& text = kernel.text();
  append_mean_of_squares(kernel, elements, epsilon);
  append_near_reciprocal_root(text, "sum0");
  text.line("move i32[to, 1, to_plane], sum0");
  return kernel.finish();
}

namespace {

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
