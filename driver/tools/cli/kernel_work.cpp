// SPDX-License-Identifier: Apache-2.0
#include "kernel_work.hpp"

#include <fmt/core.h>

#include "exit_codes.hpp"

namespace systole::cli {
namespace {

std::string line_of(const kernel::Kernel& kernel, const std::string& source, std::uint32_t word) {
  return word < kernel.lines.size() ? fmt::format("{}:{}", source, kernel.lines[word]) : source;
}

void check_rows(const kernel::VectorStep& step, const Configuration& configuration, const std::string& line) {
  const bool sums = step.memory.format == kernel::Format::kAcc;
  const int rows = sums ? configuration.acc_rows : configuration.scratch_rows;
  for (int plane = 0; step.has_memory && plane < step.memory.planes(); ++plane) {
    for (int row = 0; row < step.rows; ++row) {
      if (step.memory.row(row, plane) >= rows) {
        throw InputError(fmt::format(
            "{}: {}: row {} of the {}, which has rows 0 to {} in configuration {}; check the arguments and the strides",
            line, kernel::disassemble(step.word), step.memory.row(row, plane), sums ? "accumulators" : "scratchpad",
            rows - 1, configuration.name));
      }
    }
  }
}

}  // namespace

KernelWork work_of(const kernel::Kernel& kernel, const kernel::Arguments& arguments, const Configuration& configuration,
                   const std::string& source) {
  std::vector<kernel::Word> memory = kernel.words;
  memory.resize(kernel::kMemoryWords);
  kernel::Sequencer sequencer(memory, 0, arguments);
  KernelWork work;
  try {
    while (const kernel::VectorStep* step = sequencer.next()) {
      check_rows(*step, configuration, line_of(kernel, source, step->at));
      work.operations += step->rows > 0 ? 1 : 0;
    }
  } catch (const kernel::KernelFault& fault) {
    throw InputError(fmt::format("{}: {}", line_of(kernel, source, fault.word), fault.what()));
  }
  work.words = sequencer.executed();
  return work;
}

}  // namespace systole::cli
