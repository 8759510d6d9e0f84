// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "systole/isa_table.hpp"
#include "systole/program.hpp"

namespace systole {
namespace {

bool multiplies(const isa::Instruction& instruction) {
  const auto opcode = static_cast<isa::Opcode>(instruction.words[0] & 0xFF);
  return opcode == isa::Opcode::kConv || opcode == isa::Opcode::kDepthwise;
}

}  // namespace

std::vector<bool> ends_of_labels(const std::vector<isa::Instruction>& instructions, const std::vector<std::uint16_t>& label_of) {
  const std::size_t labels = label_of.empty() ? 0 : std::size_t{*std::max_element(label_of.begin(), label_of.end())} + 1;
  std::vector<bool> has_products(labels, false);
  for (std::size_t i = 0; i < label_of.size(); ++i) {
    has_products[label_of[i]] = has_products[label_of[i]] || (label_of[i] + 1U < labels && multiplies(instructions[i]));
  }
  std::vector<bool> ends;
  for (std::size_t i = 0; i < label_of.size(); ++i) {
    ends.push_back(!has_products[label_of[i]] || multiplies(instructions[i]));
  }
  return ends;
}

}  // namespace systole
