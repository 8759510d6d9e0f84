// SPDX-License-Identifier: Apache-2.0
// `systole inspect`: shows where each operator of a model would run and what is unsupported.
#include <fmt/core.h>

#include <memory>

#include "commands.hpp"
#include "exit_codes.hpp"
#include "inspection.hpp"
#include "model_files.hpp"
#include "status_line.hpp"
#include "terminal.hpp"

namespace systole::cli {

void add_inspect(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand("inspect",
                                         "Shows how a network would run: each operator with its shape and "
                                         "multiply-accumulates, where it runs and why, and what is unsupported");
  struct Values {
    std::string model;
    graph::ImportOptions import;
    DeviceOptions device;
  };
  auto values = std::make_shared<Values>();
  command->add_option("model", values->model, "network: .tflite, .onnx, or .systole")->required()->type_name("MODEL");
  add_import_options(*command, values->import);
  add_configuration_option(*command, values->device);
  command
      ->add_option("--json", values->device.json,
                   "write the inspection as JSON; - is standard output, without the text for humans")
      ->type_name("FILE");
  command->footer(
      "Needs no device. Operators are numbered as in the file.\n"
      "Exit codes: 0 all operators run, on the device or the host; 1 the file was read, but something is "
      "unsupported; 2 wrong\n"
      "options, or a file that cannot be read.\n"
      "Examples:\n"
      "  systole inspect model.tflite\n"
      "  systole inspect model.onnx --dimension batch=1 --dimension sequence=128\n"
      "  systole inspect model.onnx --json - | jq '.missing[].text'");
  command->callback([values, &session] {
    StatusLine status;
    status.show(fmt::format("{}: read and compiled for {}", values->model, values->device.config));
    const Inspection inspection =
        inspect(read_contents(values->model, values->import), configuration_of(values->device));
    status.show({});
    if (!values->device.quiet()) {
      const Style style = style_of(stdout);
      fmt::print("{}", text_of(inspection, values->model, style, is_terminal(stdout) ? style.width : 0));
    }
    write_json(values->device, to_json(inspection));
    session.exit_code = inspection.runs() ? kOk : kMissing;
  });
}

}  // namespace systole::cli
