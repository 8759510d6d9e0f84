// SPDX-License-Identifier: Apache-2.0
#include "kernel_report.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace systole::cli {

double KernelRun::cycles_per_row() const {
  return static_cast<double>(vector_cycles) / static_cast<double>(std::max<std::int64_t>(1, rows));
}

std::uint64_t vector_cycles_of(const RunStats& stats) {
  const auto& causes = stats.causes[static_cast<std::size_t>(isa::Engine::kVpu)];
  std::uint64_t cycles = stats.cycles;
  for (const isa::Cause cause : {isa::Cause::kSemaphore, isa::Cause::kFetch, isa::Cause::kIdle}) {
    cycles -= causes[static_cast<std::size_t>(cause)];
  }
  return cycles;
}

std::string text_of(const KernelRun& kernel, const KernelProgram& program, const Style& style) {
  const Run& run = kernel.run;
  std::string text = fmt::format("{} on {}, {} x {}, {} configuration\n\n", style(Paint::kBold, run.name), run.device,
                                 run.dim, run.dim, run.config);
  const auto line = [&](const char* what, const std::string& value) {
    text += fmt::format("  {:<13}{}\n", what, value);
  };
  for (const PlacedOperand& operand : program.operands()) {
    text += fmt::format("  {}\n", operand.text());
  }
  line("result", result_text(run, style));
  line("work", fmt::format("{} vector operations; {} words executed, the kernel has {}",
                           grouped(kernel.work.operations), grouped(kernel.work.words), grouped(kernel.words)));
  if (run.stats.cycles == 0) {
    line("cycles", "none: the functional model has no time");
    return text;
  }
  line("cycles", fmt::format("{}, with what brings the arrays and takes them back", grouped(run.stats.cycles)));
  line("vector unit", fmt::format("{} cycles, {:.2f} for each of {} rows of {} elements", grouped(kernel.vector_cycles),
                                  kernel.cycles_per_row(), grouped(static_cast<std::uint64_t>(kernel.rows)), run.dim));
  return text + "\n" + causes_text(run.stats, style);
}

nlohmann::ordered_json to_json(const KernelRun& kernel) {
  nlohmann::ordered_json json = to_json(kernel.run);
  json.erase("estimated_cycles");  // the cost model has not seen the program
  nlohmann::ordered_json part = {{"words", kernel.words},
                                 {"words_executed", kernel.work.words},
                                 {"vector_operations", kernel.work.operations},
                                 {"rows", kernel.rows},
                                 {"vector_cycles", nullptr},
                                 {"cycles_per_row", nullptr}};
  if (kernel.run.stats.cycles > 0) {
    part["vector_cycles"] = kernel.vector_cycles;
    part["cycles_per_row"] = kernel.cycles_per_row();
  }
  json["kernel"] = std::move(part);
  return json;
}

}  // namespace systole::cli
