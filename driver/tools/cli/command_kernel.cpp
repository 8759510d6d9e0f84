// SPDX-License-Identifier: Apache-2.0
// `systole kernel`: runs a kernel of the vector processor from its source.
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "commands.hpp"
#include "exit_codes.hpp"
#include "files.hpp"
#include "input_samples.hpp"
#include "kernel_report.hpp"
#include "memory_plans.hpp"
#include "npy.hpp"
#include "number_options.hpp"
#include "output_options.hpp"
#include "standard_output.hpp"

namespace systole::cli {
namespace {

struct Values {
  DeviceOptions device;
  std::string file;
  KernelOptions call;
  std::vector<double> tolerance;  ///< absolute and relative
  bool list = false;
};

void list(const kernel::Kernel& kernel) {
  for (std::size_t i = 0; i < kernel.words.size(); ++i) {
    print("{:5}  line {:<5}  {:#018x}  {}\n", i, kernel.lines[i], kernel.words[i],
          kernel::disassemble(kernel.words[i]));
  }
}

/// Compares a result with the expected array, if there is one, and adds the verdict to the run.
void compare(const PlacedOperand& operand, const graph::Value& result, const Values& values, Run& run) {
  const KernelOperand& wanted = *operand.operand;
  if (!wanted.expected) {
    return;
  }
  Tolerance tolerance;
  if (!values.tolerance.empty()) {
    tolerance = {values.tolerance.front(), values.tolerance.size() > 1 ? values.tolerance[1] : 0};
  }
  const Deviation found = deviation(wanted.name, *wanted.expected, result, tolerance);
  run.values += static_cast<std::size_t>(graph::count(result.shape));
  run.within = run.within || found.within;
  run.largest_difference = std::max(run.largest_difference, found.largest);
  run.difference = run.difference.empty() ? found.first : run.difference;
}

void take_results(const KernelProgram& program, Device& device, const Values& values, Run& run, Outputs& outputs) {
  for (const PlacedOperand& operand : program.operands()) {
    if (!operand.operand->is_result()) {
      continue;
    }
    const graph::Value result = program.read(operand, device);
    compare(operand, result, values, run);
    if (const std::string& file = operand.operand->output; !file.empty()) {
      outputs.add([&] { write_file("--out " + operand.operand->name, file, npy::serialize(result)); });
    }
  }
}

void run_kernel(const Values& values, Session& session) {
  const KernelSource source = read_kernel(values.file);
  const kernel::Kernel& kernel = source.kernel;
  if (values.list) {
    list(kernel);
    return;
  }
  const KernelCall call = read_call(kernel, values.call);
  check_layer(values.device.trace, {kernel.name});
  Device device = open_device(values.device);
  MemoryPlans plans(device, values.device, 1);
  KernelProgram program(kernel, call, device.configuration());
  KernelRun result;
  result.work = work_of(source, call, program);
  result.words = kernel.words.size();
  for (const PlacedOperand& operand : program.operands()) {
    result.rows = std::max(result.rows, operand.planes.rows * operand.planes.blocks);
  }
  Run& run = result.run;
  run = make_run(device, kernel.name);
  run.against = values.call.expect.empty() ? "no --expect" : "--expect";
  RunOptions options = values.device.run_options();
  options.check = true;  // whoever writes a kernel is glad of it
  options.name = kernel.name;
  const Stopwatch stopwatch(device);
  run.stats = device.run(program.program(), options);
  stopwatch.stop(run);
  result.vector_cycles = vector_cycles_of(run.stats);
  Outputs outputs;
  take_results(program, device, values, run, outputs);
  const bool differs = run.verdict() == Verdict::kDifferent;
  if (differs) {
    device.backend().record_failure();
  }
  if (!values.device.quiet()) {
    print("{}", text_of(result, program, style_of(stdout)));
    flush_output();
  }
  nlohmann::ordered_json json = to_json(result);
  plans.add_to(json);
  outputs.add([&] { write_json(values.device, json); });
  outputs.add([&] { finish_recordings(values.device, device); });
  if (differs) {
    fmt::print(stderr, "{}", failure_text(run, waves_text(session, kernel.name), style_of(stderr)));
    session.exit_code = kMismatch;
  }
  outputs.check();
}

}  // namespace

void add_kernel(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "kernel", "Runs a kernel of the vector processor, a .tpuk file, on arrays, and compares what it computes");
  auto values = std::make_shared<Values>();
  command
      ->add_option("file", values->file,
                   "source of the kernel; examples/README.md has the syntax, isa/spec/pages/kernel.md the operations")
      ->required()
      ->type_name("FILE");
  const auto texts = [&](const char* option, std::vector<std::string>& list, const char* type, const char* help) {
    return command->add_option(option, list, help)->type_name(type)->allow_extra_args(false);
  };
  texts("--in", values->call.in, "NAME=FILE",
        "array (.npy) for the scratchpad: int8, uint8, int16, int32 or float32; the last axis is channels, the others "
        "rows; NAME, an argument of the kernel, is its first row. DIM channels are a plane (i8, u8), two (i16) or four "
        "(i32), with 0 behind the last channel; planes have as many rows as the array and follow each other. "
        "acc:NAME=FILE: int32 or float32 in "
        "accumulator rows, one for DIM channels");
  auto* out =
      texts("--out", values->call.out, "NAME=FILE:SHAPE:TYPE",
            "the same for an array that the kernel writes, for example y=y.npy:100x16:int8; shape and type may be left "
            "out if --in or --expect names the array, too; acc:NAME=FILE:SHAPE:TYPE");
  is_output(out, OutputForm::kNamedFile);
  texts("--arg", values->call.values, "NAME=VALUE",
        "argument that is a number: an integer, or with a point a binary32 number");
  command->add_option("--table", values->call.table, "256 words for the table: int32, uint32 or float32 (.npy)")
      ->type_name("FILE");
  texts("--expect", values->call.expect, "NAME=FILE",
        "compare what the kernel writes with this array; without --out, this also gives shape and type");
  command
      ->add_option("--tolerance", values->tolerance,
                   "allowed difference from the expected arrays: ABSOLUTE + RELATIVE x |expected|; default 0")
      ->type_name("ABSOLUTE[,RELATIVE]")
      ->delimiter(',')
      ->expected(1, 2)
      ->check(real_in(0, 1e300))
      ->allow_extra_args(false);
  command->add_flag(
      "--list", values->list,
      "print the words of the kernel with their numbers, which are those of word_number_o in waves/views/vector.gtkw, "
      "and stop");
  add_device_options(*command, values->device);
  command->footer(
      "Examples:\n"
      "  systole kernel relu.tpuk --list\n"
      "  systole kernel relu.tpuk --in src=x.npy --out dst=y.npy:100x16:int8 --arg rows=100 --arg slope=0.1\n"
      "  systole kernel relu.tpuk --in src=x.npy --expect dst=y.npy --arg rows=100 --arg slope=0.1 --json -\n"
      "  systole kernel scale.tpuk --in acc:x=x.npy --out acc:x=y.npy --arg rows=8 --config tiny --trace "
      "waves/out/scale.fst");
  command->callback([values, &session] { run_kernel(*values, session); });
}

}  // namespace systole::cli
