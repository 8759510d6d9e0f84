// SPDX-License-Identifier: Apache-2.0
// `systole compile`
#include <fmt/core.h>

#include <memory>
#include <utility>

#include "commands.hpp"
#include "exit_codes.hpp"
#include "files.hpp"
#include "model_files.hpp"
#include "output_options.hpp"
#include "pass_report.hpp"
#include "precision.hpp"
#include "sample_batch.hpp"
#include "standard_output.hpp"
#include "systole/configurations.hpp"
#include "terminal.hpp"

namespace systole::cli {
namespace {

struct Values {
  DeviceOptions device;
  std::string model, output;
  graph::ImportOptions import;
  bool graph_only = false;
  Precision precision = Precision::kOfFile;
  std::size_t batch = 0;
  PassOptions passes;
};

void run_command(Values& values) {
  if (values.output.empty() && !values.passes.any()) {
    throw InputError("--output is missing: name a file to write, or ask for --passes or --print-after");
  }
  PassLog log = log_for(values.passes);
  PassLog* told = values.passes.any() ? &log : nullptr;
  values.import.log = told;
  Model model = load_model(values.model, values.import);
  print("load       {}: {}\n", values.model, graph_text(model.graph));
  if (values.precision == Precision::kInt8) {
    throw InputError("--precision int8 takes samples: systole quantize writes an int8 network, which this compiles");
  }
  model.compiled.reset();  // programs in the file may be older than this compiler
  if (const std::string line = apply_precision(values.precision, model); !line.empty()) {
    print("convert    {}\n", line);
  }
  apply_batch(model, values.batch, told);
  if (model.batch > 1) {
    print("batch      {} at a time\n", counted(static_cast<std::uint64_t>(model.batch), "sample"));
  }
  graph::Bytes file;
  if (values.graph_only) {
    file = container::save(model.graph, model.batch);
  } else {
    // The graph leaves the model, so that its constants are free before the file is complete.
    CompiledNetwork network = programs_of({values.model, std::move(model.graph), std::nullopt},
                                          find_configuration(values.device.config), {values.import.without, {}, told});
    print("compile    {}, for {}\n", programs_text(network), values.device.config);
    file = container::save(std::move(network), model.batch);
  }
  print("{}", listings_text(log, values.passes));
  if (values.passes.table) {
    print("\n{}", passes_text(log, Style()));
  }
  if (values.output.empty()) {
    return;
  }
  write_file("--output", values.output, file);
  print("save       {}: {} bytes\n", values.output, grouped(file.size()));
}

}  // namespace

void add_compile(CLI::App& program, Session&) {
  auto* command = program.add_subcommand(
      "compile", "Compiles a network from a file into programs for one configuration of the core, in a file that runs");
  auto values = std::make_shared<Values>();
  command->add_option("model", values->model, "network: .tflite, .onnx, or .systole, whose graph is compiled again")
      ->required()
      ->type_name("MODEL");
  is_output(command->add_option("-o,--output", values->output, "file to write, usually *.systole"));
  command->add_flag("--graph-only", values->graph_only, "write the graph without programs, for any configuration");
  add_precision_option(*command, values->precision, "mx: products of a float network in block floating point");
  add_batch_option(*command, values->batch,
                   "compute so many samples at a time: weights are loaded once for all of them, and every result stays "
                   "as it is for one");
  add_import_options(*command, values->import);
  add_without_option(*command, values->import.without);
  add_pass_options(*command, values->passes);
  add_configuration_option(*command, values->device);
  command->footer(
      "Examples:\n"
      "  systole compile model.tflite -o model.systole\n"
      "  systole compile float.onnx --precision mx -o model.systole\n"
      "  systole compile model.tflite --batch 4 -o four_at_a_time.systole\n"
      "  systole compile model.onnx -o model_tiny.systole --config tiny\n"
      "  systole compile model.tflite --print-after additions --passes\n"
      "  systole compile net.onnx --kernel my.Softsign=softsign.json -o net.systole\n"
      "  systole run model.systole --input inputs.npy --output outputs.npy");
  command->callback([values] { run_command(*values); });
}

}  // namespace systole::cli
