// SPDX-License-Identifier: Apache-2.0
// The run of one kernel, as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "kernel_program.hpp"
#include "kernel_work.hpp"
#include "run.hpp"

namespace systole::cli {

struct KernelRun {
  Run run;
  KernelWork work;
  std::size_t words = 0;            ///< of the kernel
  std::int64_t rows = 0;            ///< of DIM elements, of the largest operand
  std::uint64_t vector_cycles = 0;  ///< in which the vector unit had an instruction that did not wait for others

  double cycles_per_row() const;
};

/// The cycles of the vector unit without those in which it waits for a semaphore or has nothing to do.
std::uint64_t vector_cycles_of(const RunStats& stats);

std::string text_of(const KernelRun& kernel, const KernelProgram& program, const Style& style);

/// That of the run (run.hpp), and `kernel`: {words, words_executed, vector_operations, rows, vector_cycles,
/// cycles_per_row}; the last two are null on the functional model.
nlohmann::ordered_json to_json(const KernelRun& kernel);

}  // namespace systole::cli
