// SPDX-License-Identifier: Apache-2.0
#include "row_kernels.hpp"

#include <functional>
#include <string>

#include "kernel_text.hpp"
#include "systole/kernel.hpp"

namespace systole::network {
namespace {

constexpr int kSummed = 32;  // elements that are this far apart are summed first

/// A kernel over strips of rows, plane by plane of words. The sums of a row are in as many registers as there are
/// planes for 32 elements. If there are enough, each plane has a register of its own.
class RowKernel {
 public:
  RowKernel(const char* name, int dim, std::int64_t elements, bool has_b)
      : dim_(dim),
        planes_(static_cast<int>((elements + dim - 1) / dim)),
        lanes_(static_cast<int>(elements - std::int64_t{planes_ - 1} * dim)),
        sums_(kSummed / dim),
        has_b_(has_b),
        in_registers_(kShared + sums_ + planes_ <= kernel::kVectors) {
    text_.line("kernel {}(a, a_plane, {}to, to_plane, rows, strips)", name, has_b_ ? "b, b_row, b_plane, " : "");
    text_.line("scalar from, dst, value, a_word, to_word");
    if (has_b_) {
      text_.line("scalar second, b_word");
    }
    text_.line("vector {}, x, inside", kScratchRegisters);
    if (!in_registers_) {
      text_.line("vector power");
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
    text_.line("add to, to, 8");
    text_.line("sub rows, rows, 8");
    text_.line("end");
    text_.line("end");
    return text_.text();
  }

  /// Calls visit(x, sum, masked) for each plane: its register, `memory` if it has none of its own, and that of its sum.
  /// The last plane is masked unless it is full. Without its sum's register, a plane's code is the same as the others'.
  using Visit = std::function<void(const std::string& x, const std::string& sum, bool masked)>;
  void for_planes(const std::string& memory, const Visit& visit, bool with_sums = false) {
    text_.line("add from, a, 0");
    if (has_b_) {
      text_.line("add second, b, 0");
    }
    text_.line("add dst, to, 0");
    const int last = planes_ - 1, at_once = with_sums ? sums_ : 1;
    const int groups = in_registers_ ? 0 : last / at_once;
    const auto before_last = [&](int plane) {
      visit(in_registers_ ? fmt::format("x{}", plane) : memory, sum_name(plane), false);
      next_plane();
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
    visit(in_registers_ ? fmt::format("x{}", last) : memory, sum_name(last), lanes_ < dim_);
  }

  /// A plane of `a`; lanes beyond the last element are zeros if `masked`.
  void load(const std::string& plane, bool masked) {
    text_.line("move {}, i32[from, 1, a_plane]", plane);
    if (masked) {
      text_.line("and {0}, {0}, inside", plane);
    }
  }

  void clear_sums() {
    for (int i = 0; i < sums_; ++i) {
      text_.line("move sum{}, 0", i);
    }
  }
  /// sum0 becomes the sum of each row.
  void add_sums() {
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
  static constexpr int kShared = 6;  // vector registers of all kernels

  std::string sum_name(int plane) const { return fmt::format("sum{}", plane % sums_); }
  /// The distance of the planes of words.
  void word_step(const char* operand) {
    text_.line("add {0}_word, {0}_plane, {0}_plane", operand);
    text_.line("add {0}_word, {0}_word, {0}_word", operand);
  }
  void next_plane() {
    text_.line("add from, from, a_word");
    if (has_b_) {
      text_.line("add second, second, b_word");
    }
    text_.line("add dst, dst, to_word");
  }

  KernelText text_;
  const int dim_, planes_, lanes_, sums_;
  const bool has_b_, in_registers_;
};

}  // namespace

std::string softmax_rows(int dim, std::int64_t elements, bool has_summand) {
  RowKernel kernel("softmax_rows", dim, elements, has_summand);
  KernelText& text = kernel.text();
  const auto load = [&](const std::string& x, bool masked) {
    text.line("move {}, i32[from, 1, a_plane]", x);
    if (has_summand) {
      text.line("fadd {0}, {0}, i32[second, b_row, b_plane]", x);
    }
    if (masked) {  // minus infinity is never the greatest
      text.line("and {0}, {0}, inside", x);
      text.line("xor part, inside, -1");
      text.line("set value, 0xff800000");
      text.line("and part, part, value");
      text.line("or {0}, {0}, part", x);
    }
  };
  text.line("set value, 0xff800000");
  text.line("move x, value");
  kernel.for_planes("power", [&](const std::string& plane, const std::string&, bool masked) {
    load(plane, masked);
    text.line("fmax x, x, {}", plane);
  });
  text.line("fmax_lanes x, x");
  kernel.clear_sums();
  kernel.for_planes("power", [&](const std::string& plane, const std::string&, bool masked) {
    if (!kernel.in_registers()) {
      load(plane, masked);
    }
    text.line("fsub {0}, {0}, x", plane);
    append_exponential(text, plane);
    if (masked) {
      text.line("and {0}, {0}, inside", plane);
    }
    if (!kernel.in_registers()) {
      text.line("move i32[dst, 1, to_plane], {}", plane);
    }
  });
  kernel.for_planes(
      "power",
      [&](const std::string& plane, const std::string& sum, bool) {
        if (!kernel.in_registers()) {
          text.line("move {}, i32[dst, 1, to_plane]", plane);
        }
        text.line("fadd {0}, {0}, {1}", sum, plane);
      },
      true);
  kernel.add_sums();
  append_near_reciprocal(text, "sum0");
  kernel.for_planes("power", [&](const std::string& plane, const std::string&, bool) {
    if (!kernel.in_registers()) {
      text.line("move {}, i32[dst, 1, to_plane]", plane);
    }
    text.line("fmul i32[dst, 1, to_plane], {}, sum0", plane);
  });
  return kernel.finish();
}

std::string mean_rows(int dim, std::int64_t elements) {
  RowKernel kernel("mean_rows", dim, elements, false);
  KernelText& text = kernel.text();
  kernel.clear_sums();
  kernel.for_planes(
      "power",
      [&](const std::string& plane, const std::string& sum, bool masked) {
        kernel.load(plane, masked);
        text.line("fadd {0}, {0}, {1}", sum, plane);
      },
      true);
  kernel.add_sums();
  kernel.mean_of_sums(elements);
  text.line("move i32[to, 1, to_plane], sum0");
  return kernel.finish();
}

std::string normalize_rows(int dim, std::int64_t elements, float epsilon) {
  RowKernel kernel("normalize_rows", dim, elements, true);
  KernelText& text = kernel.text();
  kernel.clear_sums();
  kernel.for_planes(
      "power",
      [&](const std::string& plane, const std::string& sum, bool masked) {
        kernel.load(plane, masked);
        text.line("fmul x, {0}, {0}", plane);
        text.line("fadd {0}, {0}, x", sum);
      },
      true);
  kernel.add_sums();
  kernel.mean_of_sums(elements);
  text.line("set value, {:#010x}", bits_of(epsilon));
  text.line("fadd sum0, sum0, value");
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
    kernel.for_planes("", [&](const std::string& plane, const std::string&, bool) { scale(plane); });
  }
  kernel.for_planes("power", store);
  return kernel.finish();
}

}  // namespace systole::network
