// SPDX-License-Identifier: Apache-2.0
#include "index_kernels.hpp"

#include "kernel_text.hpp"
#include "systole/kernel.hpp"

namespace systole::network {
namespace {

using graph::ScatterCombine;

constexpr int kWordPlanes = 4;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// A kernel that computes a result plane by plane from `index`, which is in all lanes. `body` writes a plane at `dst`.
template <class Body>
std::string of_indices(const char* name, std::int64_t planes, int planes_of_element, const Body& body) {
  KernelText text;
  text.line("kernel {}(a, a_plane, to, to_plane, rows, strips)", name);
  text.line("scalar planes, dst");
  text.line("vector lanes, first, index, here");
  text.line("add_lane lanes, 0");
  text.line("equal first, lanes, 0");
  text.line("set planes, {}", planes);
  text.line("loop strips");
  text.line("rows rows");
  text.line("and index, first, i32[a, 1, a_plane]");
  text.line("sum_lanes index, index");
  text.line("add dst, to, 0");
  text.line("loop planes");
  body(text);
  for (int i = 0; i < planes_of_element; ++i) {
    text.line("add dst, dst, to_plane");
  }
  text.line("end");
  text.line("add a, a, {}", kernel::kStripRows);
  text.line("add to, to, {}", kernel::kStripRows);
  text.line("sub rows, rows, {}", kernel::kStripRows);
  text.line("end");
  text.line("end");
  return text.text();
}

const char* operation_of(ScatterCombine combine, bool floats) {
  switch (combine) {
    case ScatterCombine::kAdd: return floats ? "fsub" : "iadd";
    case ScatterCombine::kMultiply: return floats ? "fmul" : "imul";
    case ScatterCombine::kMaximum: return floats ? "fmax" : "max";
    case ScatterCombine::kMinimum: return floats ? "fmin" : "min";
    case ScatterCombine::kReplace: break;
  }
  return nullptr;
}

}  // namespace

std::string chosen_channels(int dim, std::int64_t channels) {
  return of_indices("chosen_channels", ceil_div(channels, dim), 1, [&](KernelText& text) {
    text.line("equal here, lanes, index");
    text.line("and i8[dst], here, 1");
    text.line("isub index, index, {}", dim);
  });
}

std::string repeated_indices(int dim, std::int64_t channels) {
  return of_indices("repeated_indices", ceil_div(channels, dim), kWordPlanes,
                    [](KernelText& text) { text.line("move i32[dst, 1, to_plane], index"); });
}

std::string scattered_rows(std::int64_t rows, std::int64_t updates, ScatterCombine combine, bool floats) {
  const std::int64_t strips = ceil_div(rows, kernel::kStripRows);
  KernelText text;
  text.line("kernel scattered_rows(a, a_plane, b, b_plane, c, c_plane, d, d_plane, to, to_plane, planes)");
  text.line("scalar strips, left, each, same");
  text.line("vector number, row, part, here");
  text.line("set strips, {}", strips);
  text.line("set each, {}", updates);
  text.line("set same, 0");  // the distance of the rows that read one update
  text.line("loop planes");
  text.line("set left, {}", kernel::kStripRows);
  text.line("rows left");
  text.line("move number, i32[d, 1, d_plane]");
  text.line("set left, {}", rows);
  text.line("loop strips");
  text.line("rows left");
  text.line("move row, i32[a, 1, a_plane]");
  text.line("loop each");
  text.line("equal here, number, i32[c, same, c_plane]");
  if (combine == ScatterCombine::kAdd) {
    text.line("and part, here, i32[b, same, b_plane]");
    text.line("{} row, row, part", operation_of(combine, floats));
  } else {
    if (combine == ScatterCombine::kReplace) {
      text.line("xor part, row, i32[b, same, b_plane]");
    } else {
      text.line("{} part, row, i32[b, same, b_plane]", operation_of(combine, floats));
      text.line("xor part, part, row");
    }
    text.line("and part, part, here");
    text.line("xor row, row, part");
  }
  text.line("add b, b, 1");
  text.line("add c, c, 1");
  text.line("end");
  text.line("sub b, b, each");
  text.line("sub c, c, each");
  text.line("move i32[to, 1, to_plane], row");
  text.line("iadd number, number, {}", kernel::kStripRows);
  text.line("add a, a, {}", kernel::kStripRows);
  text.line("add to, to, {}", kernel::kStripRows);
  text.line("sub left, left, {}", kernel::kStripRows);
  text.line("end");
  text.line("sub a, a, {}", strips * kernel::kStripRows);
  text.line("sub to, to, {}", strips * kernel::kStripRows);
  for (const char* operand : {"a", "b", "c", "d", "to"}) {
    for (int i = 0; i < kWordPlanes; ++i) {
      text.line("add {0}, {0}, {0}_plane", operand);
    }
  }
  text.line("end");
  text.line("end");
  return text.text();
}

int operations_of_update(ScatterCombine combine) {
  return combine == ScatterCombine::kAdd ? 3 : combine == ScatterCombine::kReplace ? 4 : 5;
}

}  // namespace systole::network
