// SPDX-License-Identifier: Apache-2.0
#include "bindings.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "row_footprint.hpp"
#include "systole/disassemble.hpp"
#include "systole/errors.hpp"

namespace systole::network {
namespace {

bool is(const isa::Instruction& instruction, isa::Opcode opcode) {
  return static_cast<isa::Opcode>(isa::get(instruction, 0, 8)) == opcode;
}

/// Whether the instruction accesses the bindings. A LOAD of fill alone has a window, too, but reads nothing.
bool accesses_bindings(const isa::Instruction& instruction) {
  if (is(instruction, isa::Opcode::kLoad)) {
    const isa::Load load = isa::Load::decode(instruction);
    return load.window == kBindingsWindow && load.valid_to > load.valid_from;
  }
  return is(instruction, isa::Opcode::kStore) && isa::Store::decode(instruction).window == kBindingsWindow;
}

template <class Operation>
void add(isa::Instruction& instruction, std::uint32_t Operation::*address, std::uint32_t distance) {
  Operation operation = Operation::decode(instruction);
  operation.*address += distance;
  instruction = operation.encode();
}

}  // namespace

Bindings::Bindings(DeviceStep& step, const Configuration& configuration) : program_(step.program) {
  for (const auto* ranges : {&step.inputs, &step.outputs}) {
    for (const auto& [id, range] : *ranges) {
      bindings_[id] = {range.offset, range.bytes, {}};
    }
  }
  for (std::size_t i = 0; i < program_.instructions.size(); ++i) {
    const isa::Instruction& instruction = program_.instructions[i];
    if (!accesses_bindings(instruction)) {
      continue;
    }
    std::uint64_t begin = ~std::uint64_t{0}, end = 0;
    for (const compiler::Span& span : compiler::footprint(instruction, configuration)) {
      if (span.memory == Memory::kDevice) {
        begin = std::min(begin, span.begin);
        end = std::max(end, span.end);
      }
    }
    const auto found = std::find_if(bindings_.begin(), bindings_.end(), [&](const auto& entry) {
      return begin >= entry.second.offset && end <= entry.second.offset + entry.second.bytes;
    });
    if (found == bindings_.end()) {
      throw InternalError(fmt::format("bytes {:#x} to {:#x} of the bindings are not of one tensor: {}", begin, end,
                                      isa::disassemble(instruction)));
    }
    found->second.instructions.push_back(i);
  }
}

void Bindings::move(graph::TensorId id, std::uint64_t offset) {
  Binding& binding = bindings_.at(id);
  const auto distance = static_cast<std::uint32_t>(offset - binding.offset);
  binding.offset = offset;
  if (distance == 0) {
    return;
  }
  for (const std::size_t i : binding.instructions) {
    isa::Instruction& instruction = program_.instructions[i];
    if (is(instruction, isa::Opcode::kLoad)) {
      add(instruction, &isa::Load::src, distance);
    } else {
      add(instruction, &isa::Store::dst, distance);
    }
  }
}

}  // namespace systole::network
