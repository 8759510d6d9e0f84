// SPDX-License-Identifier: Apache-2.0
#include "kernel_types.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "convert.hpp"
#include "exit_codes.hpp"

namespace systole::cli {
namespace {

using graph::ElementType;
using kernel::Format;
using kernel::Group;
using kernel::Op;
using kernel::VectorStep;

/// Whether the sources are binary32.
bool reads_real(Op op) {
  switch (op) {
    case Op::kToInt:
    case Op::kFadd:
    case Op::kFsub:
    case Op::kFmul:
    case Op::kFmin:
    case Op::kFmax:
    case Op::kFless:
    case Op::kMantissa:
    case Op::kFsumLanes:
    case Op::kFmaxLanes: return true;
    default: return false;
  }
}

/// The element types that an array in this format may have.
std::vector<ElementType> types_of(Format format) {
  switch (format) {
    case Format::kI8:
    case Format::kBlocks: return {ElementType::kInt8};
    case Format::kU8: return {ElementType::kUint8};
    case Format::kI16: return {ElementType::kInt16};
    default: return {ElementType::kInt32, ElementType::kFloat32};
  }
}

bool writes_scalar(const kernel::Word word, std::uint32_t scalar) {
  const kernel::OpInfo* info = kernel::find(word);
  const bool scalars = info != nullptr && (info->group == Group::kScalar || info->group == Group::kScalarWide);
  return scalars && get(word, kernel::kDField) == scalar;
}

}  // namespace

KernelTypes::KernelTypes(const KernelSource& source, const KernelCall& call, const KernelProgram& program)
    : source_(source), operands_(program.operands()) {
  const kernel::Kernel& kernel = source.kernel;
  for (std::uint32_t scalar = 0; scalar < kernel.arguments.size(); ++scalar) {
    const auto found = call.integers.find(kernel.arguments[scalar]);
    const bool changes = std::any_of(kernel.words.begin(), kernel.words.end(),
                                     [&](kernel::Word word) { return writes_scalar(word, scalar); });
    integers_.push_back(found == call.integers.end() || changes ? "" : found->second);
  }
}

void KernelTypes::check(const VectorStep& step) const {
  if (step.rows == 0) {
    return;
  }
  if (reads_real(step.info->op)) {
    check_scalar(step, kernel::kAField, kernel::kAKindField);
    if (step.info->group == Group::kVector2) {
      check_scalar(step, kernel::kBField, kernel::kBKindField);
    }
  }
  if (step.has_memory) {
    check_format(step);
  }
}

void KernelTypes::check_scalar(const VectorStep& step, const kernel::Field& field, const kernel::Field& kind) const {
  const std::uint32_t scalar = get(step.word, field);
  if (static_cast<kernel::Source>(get(step.word, kind)) != kernel::Source::kScalar || scalar >= integers_.size() ||
      integers_[scalar].empty()) {
    return;
  }
  const std::string& name = source_.kernel.arguments[scalar];
  throw InputError(
      fmt::format("{}: {} reads binary32, but --arg {}={} is an integer, whose 32 bits are another number; write --arg "
                  "{}={}.0 (or the bits, in hexadecimal)",
                  source_.place(step.at), step.info->name, name, integers_[scalar], name, integers_[scalar]));
}

void KernelTypes::check_format(const VectorStep& step) const {
  const bool sums = step.memory.format == Format::kAcc;
  const std::uint16_t row = step.memory.row(0, 0);
  const auto found = std::find_if(operands_.begin(), operands_.end(), [&](const PlacedOperand& operand) {
    return operand.operand->sums == sums && row >= operand.first && row < operand.first + operand.rows();
  });
  if (found == operands_.end()) {
    return;
  }
  const std::vector<ElementType> types = types_of(step.memory.format);
  if (std::find(types.begin(), types.end(), found->operand->type) == types.end()) {
    std::vector<std::string> names;
    std::transform(types.begin(), types.end(), std::back_inserter(names),
                   [](ElementType type) { return name_of(type); });
    throw InputError(fmt::format("{}: {} {} as {}, but the array is {}; give it as {}, or use another format",
                                 source_.place(step.at), step.memory.store ? "writes" : "reads", found->operand->name,
                                 to_string(step.memory.format), name_of(found->operand->type),
                                 fmt::join(names, " or ")));
  }
}

}  // namespace systole::cli
