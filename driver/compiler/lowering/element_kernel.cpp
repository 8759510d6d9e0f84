// SPDX-License-Identifier: Apache-2.0
#include "element_kernel.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "kernel_text.hpp"
#include "systole/execute.hpp"
#include "systole/graph_value.hpp"
#include "systole/kernel.hpp"

namespace systole::network {
namespace {

using graph::Operator;
using graph::TensorId;

class Source {
 public:
  Source(const graph::Graph& graph, const ElementChain& chain, std::int64_t step)
      : graph_(graph), chain_(chain), step_(step) {}

  std::string text() {
    begin();
    for (std::size_t i = 0; i < chain_.numbers.size(); ++i) {
      spread(name_of(chain_.tensors.size() + i), registers_.at(chain_.numbers[i]), i == 0);
    }
    text_.line("loop strips");
    text_.line("rows rows");
    for (std::size_t i = 0; i < chain_.tensors.size(); ++i) {
      text_.line("move {0}, i32[{1}, step, {1}_plane]", registers_.at(chain_.tensors[i]), name_of(i));
    }
    for (const Operator* op : chain_.members) {
      append(*op);
    }
    text_.line("move i32[to, step, to_plane], {}", registers_.at(chain_.members.back()->outputs[0]));
    for (std::size_t i = 0; i < chain_.tensors.size(); ++i) {
      advance(name_of(i));
    }
    if (chain_.also != graph::kNoTensor) {
      text_.line("move i32[also, step, to_plane], {}", registers_.at(chain_.also));
      advance("also");
    }
    advance("to");
    text_.line("sub rows, rows, {}", kernel::kStripRows);
    text_.line("end");
    text_.line("end");
    return text_.text();
  }

 private:
  static std::string name_of(std::size_t operand) { return std::string(1, static_cast<char>('a' + operand)); }

  void advance(const std::string& row) { text_.line("add {0}, {0}, {1}", row, kernel::kStripRows * step_); }

  /// Arguments and registers.
  void begin() {
    std::string arguments;
    std::vector<TensorId> values;
    for (const TensorId id : chain_.tensors) {
      arguments += fmt::format("{0}, {0}_plane, ", name_of(values.size()));
      values.push_back(id);
    }
    for (const TensorId id : chain_.numbers) {
      arguments += fmt::format("{}, ", name_of(values.size()));
      values.push_back(id);
    }
    for (const Operator* op : chain_.members) {
      values.push_back(op->outputs[0]);
    }
    text_.line("kernel fused({}{}to, to_plane, rows, strips)", arguments,
               chain_.also == graph::kNoTensor ? "" : "also, ");
    text_.line("scalar value, step");
    text_.line("vector {}", kScratchRegisters);
    for (const TensorId id : values) {
      registers_[id] = fmt::format("value{}", registers_.size());
      text_.line("vector {}", registers_[id]);
    }
    text_.line("set step, {}", step_);
  }

  /// The word in the first lane of a row, in all lanes of all rows. Other lanes of the row may be anything.
  void spread(const std::string& row, const std::string& to, bool first) {
    if (first) {
      text_.line("set value, 0");  // the distance of the rows
      text_.line("add_lane part, 0");
      text_.line("equal part, part, 0");
    }
    text_.line("and {}, part, i32[{}, value]", to, row);
    text_.line("sum_lanes {0}, {0}", to);
  }

  void append(const Operator& op) {
    const std::string& to = registers_.at(op.outputs[0]);
    if (const auto* unary = std::get_if<graph::Unary>(&op.kind)) {
      text_.line("move {}, {}", to, registers_.at(op.inputs[0]));
      unary->kind == graph::UnaryKind::kSigmoid ? append_near_sigmoid(text_, to)
                                                : append_near_reciprocal_root(text_, to);
      return;
    }
    if (const auto* binary = std::get_if<graph::Binary>(&op.kind)) {
      const std::string a = operand(op.inputs[0]), b = operand(op.inputs[1]);
      text_.line("{} {}, {}, {}", element_operation(binary->kind), to, a, b);
      return;
    }
    select(to, registers_.at(op.inputs[0]), op.inputs[1], op.inputs[2]);
  }

  /// `chosen` where all bits of `where` are ones, else `other`.
  void select(const std::string& to, const std::string& where, TensorId chosen, TensorId other) {
    const auto a = number(chosen), b = number(other);
    if (b == 0U) {
      const std::string from = operand(chosen);
      text_.line("and {}, {}, {}", to, where, from);
      return;
    }
    if (a && b) {
      text_.line("set value, {:#010x}", *a ^ *b);
      text_.line("and {}, {}, value", to, where);
      text_.line("xor {}, {}, {}", to, to, operand(other));
      return;
    }
    const std::string first = operand(chosen), second = operand(other);
    text_.line("xor {}, {}, {}", to, first, second);
    text_.line("and {0}, {0}, {1}", to, where);
    text_.line("xor {0}, {0}, {1}", to, second);
  }

  /// The bits of a constant.
  std::optional<std::uint32_t> number(TensorId id) const {
    const graph::Tensor& tensor = graph_.tensor(id);
    return tensor.constant ? std::optional(bits_of(graph::elements<float>(graph::constant_value(tensor))[0]))
                           : std::nullopt;
  }

  /// The register of an operand, or `value`, which becomes the constant.
  std::string operand(TensorId id) {
    const auto constant = number(id);
    if (constant) {
      text_.line("set value, {:#010x}", *constant);
    }
    return constant ? "value" : registers_.at(id);
  }

  const graph::Graph& graph_;
  const ElementChain& chain_;
  const std::int64_t step_;
  KernelText text_;
  std::map<TensorId, std::string> registers_;
};

}  // namespace

std::string element_kernel(const graph::Graph& graph, const ElementChain& chain, std::int64_t step) {
  return Source(graph, chain, step).text();
}

}  // namespace systole::network
