// SPDX-License-Identifier: Apache-2.0
#include "fused_elements.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "kernel_steps.hpp"
#include "kernel_text.hpp"
#include "producers.hpp"
#include "systole/execute.hpp"
#include "systole/graph_value.hpp"
#include "systole/kernel.hpp"

namespace systole::network {
namespace {

using graph::BinaryKind;
using graph::ElementType;
using graph::Graph;
using graph::Operator;
using graph::TensorId;
using graph::UnaryKind;

constexpr std::size_t kMostOperands = 4;  // each takes two arguments of a kernel, of 12
constexpr std::size_t kMostValues = 11;   // in vector registers

const char* operation(BinaryKind kind) {
  switch (kind) {
    case BinaryKind::kAdd: return "fadd";
    case BinaryKind::kSubtract: return "fsub";
    case BinaryKind::kMultiply: return "fmul";
    default: return nullptr;
  }
}

bool is_number(const graph::Tensor& tensor) { return tensor.constant && graph::count(tensor.shape) == 1; }

class Fusion {
 public:
  Fusion(const Graph& graph, const Operator& op)
      : graph_(graph), op_(op), elements_(graph::count(graph.tensor(op.outputs[0]).shape)) {}

  std::optional<std::vector<Layer>> run() {
    if (!fuses(op_)) {
      return std::nullopt;
    }
    members_ = {&op_};
    for (std::size_t next = 0; next < members_.size(); ++next) {
      for (const TensorId id : members_[next]->inputs) {
        take(id);
      }
    }
    // A kernel of the library does not take a single position's channels as rows.
    const bool in_library =
        op_.arithmetic == graph::Arithmetic::kOnnx && grid_of(graph_.tensor(op_.outputs[0]).shape).positions != 1;
    if (members_.size() == 1 && in_library) {
      return std::nullopt;
    }
    return layers();
  }

 private:
  /// Whether a kernel can compute it in the order of its elements.
  bool fuses(const Operator& op) const {
    if (graph_.tensor(op.outputs[0]).type != ElementType::kFloat32 ||
        graph::count(graph_.tensor(op.outputs[0]).shape) != elements_) {
      return false;
    }
    const auto fits = [&](TensorId id) {
      const graph::Tensor& tensor = graph_.tensor(id);
      return tensor.type == ElementType::kFloat32 && !tensor.quantization &&
             (is_number(tensor) || (!tensor.constant && graph::count(tensor.shape) == elements_));
    };
    const bool computed =
        std::any_of(op.inputs.begin(), op.inputs.end(), [&](TensorId id) { return !graph_.tensor(id).constant; });
    if (!computed || !std::all_of(op.inputs.begin(), op.inputs.end(), fits)) {
      return false;
    }
    if (const auto* binary = std::get_if<graph::Binary>(&op.kind)) {
      return op.arithmetic == graph::Arithmetic::kOnnx && operation(binary->kind) != nullptr &&
             binary->activation == Activation::kNone;
    }
    return std::holds_alternative<graph::Unary>(op.kind) && op.arithmetic == graph::Arithmetic::kBlocks;
  }

  /// The tensors that members read and none of them computes.
  std::vector<TensorId> operands(const std::vector<const Operator*>& members) const {
    std::vector<TensorId> found;
    for (const Operator* op : members) {
      for (const TensorId id : op->inputs) {
        const bool inside =
            std::any_of(members.begin(), members.end(), [&](const Operator* other) { return other->outputs[0] == id; });
        if (!inside && !graph_.tensor(id).constant && std::count(found.begin(), found.end(), id) == 0) {
          found.push_back(id);
        }
      }
    }
    return found;
  }

  /// What computes the tensor becomes a member if nothing but members reads it, and there is room.
  void take(TensorId id) {
    const Operator* made = graph_.tensor(id).constant ? nullptr : producer(graph_, id);
    if (made == nullptr || std::count(members_.begin(), members_.end(), made) != 0 || !fuses(*made)) {
      return;
    }
    std::ptrdiff_t inside = 0;
    for (const Operator* op : members_) {
      inside += std::count(op->inputs.begin(), op->inputs.end(), id);
    }
    if (uses_of(graph_, id) != static_cast<std::size_t>(inside)) {
      return;
    }
    std::vector<const Operator*> more = members_;
    more.push_back(made);
    const std::size_t read = operands(more).size();
    if (read <= kMostOperands && read + more.size() <= kMostValues) {
      members_ = std::move(more);
    }
  }

  std::vector<Layer> layers() {
    // In the order of the graph, which is topological.
    std::sort(members_.begin() + 1, members_.end());
    std::rotate(members_.begin(), members_.begin() + 1, members_.end());
    const std::vector<TensorId> read = operands(members_);
    for (std::size_t i = 0; i < read.size(); ++i) {
      registers_[read[i]] = fmt::format("operand{}", i);
    }
    for (std::size_t i = 0; i < members_.size(); ++i) {
      registers_[members_[i]->outputs[0]] = fmt::format("result{}", i);
    }
    KernelSteps steps(graph_, op_);
    compiler::KernelCall call{"fused"};
    call.source = [plain = source(read, 1), apart = source(read, kWordBytes)](int, int step) {
      return step == 1 ? plain : apart;
    };
    std::vector<Term> terms;
    for (const TensorId id : read) {
      terms.push_back({id});
    }
    return steps.finish(steps.apply(std::move(call), terms));
  }

  /// For rows of words that are `step` apart.
  std::string source(const std::vector<TensorId>& read, std::int64_t step) const {
    KernelText text;
    std::string arguments;
    for (std::size_t i = 0; i < read.size(); ++i) {
      arguments += fmt::format("{0}, {0}_plane, ", static_cast<char>('a' + i));
    }
    text.line("kernel fused({}to, to_plane, rows, strips)", arguments);
    text.line("scalar value, step");
    text.line("vector {}", kScratchRegisters);
    for (const auto& [id, name] : registers_) {
      text.line("vector {}", name);
    }
    text.line("set step, {}", step);
    text.line("loop strips");
    text.line("rows rows");
    for (std::size_t i = 0; i < read.size(); ++i) {
      text.line("move {0}, i32[{1}, step, {1}_plane]", registers_.at(read[i]), static_cast<char>('a' + i));
    }
    for (const Operator* op : members_) {
      append(text, *op);
    }
    text.line("move i32[to, step, to_plane], {}", registers_.at(op_.outputs[0]));
    for (std::size_t i = 0; i < read.size(); ++i) {
      text.line("add {0}, {0}, {1}", static_cast<char>('a' + i), kernel::kStripRows * step);
    }
    text.line("add to, to, {}", kernel::kStripRows * step);
    text.line("sub rows, rows, {}", kernel::kStripRows);
    text.line("end");
    text.line("end");
    return text.text();
  }

  void append(KernelText& text, const Operator& op) const {
    const std::string& to = registers_.at(op.outputs[0]);
    if (const auto* unary = std::get_if<graph::Unary>(&op.kind)) {
      text.line("move {}, {}", to, registers_.at(op.inputs[0]));
      unary->kind == UnaryKind::kSigmoid ? append_near_sigmoid(text, to) : append_near_reciprocal_root(text, to);
      return;
    }
    std::vector<std::string> names;
    for (const TensorId id : op.inputs) {
      const graph::Tensor& tensor = graph_.tensor(id);
      if (tensor.constant) {
        text.line("set value, {:#010x}", bits_of(graph::elements<float>(graph::constant_value(tensor))[0]));
      }
      names.push_back(tensor.constant ? "value" : registers_.at(id));
    }
    text.line("{} {}, {}, {}", operation(std::get<graph::Binary>(op.kind).kind), to, names[0], names[1]);
  }

  const Graph& graph_;
  const Operator& op_;
  const std::int64_t elements_;
  std::vector<const Operator*> members_;
  std::map<TensorId, std::string> registers_;
};

}  // namespace

std::optional<std::vector<Layer>> lower_fused_elements(const Graph& graph, const Operator& op) {
  return Fusion(graph, op).run();
}

}  // namespace systole::network
