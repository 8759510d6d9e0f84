// SPDX-License-Identifier: Apache-2.0
// `systole inspect`: shows where each operator of a model would run and what is unsupported.
#include <fmt/core.h>

#include <memory>

#include "commands.hpp"
#include "exit_codes.hpp"
#include "inspection.hpp"
#include "model_files.hpp"
#include "output_options.hpp"
#include "standard_output.hpp"
#include "status_line.hpp"
#include "terminal.hpp"

namespace systole::cli {
namespace {

/// The options that a recommended command repeats, because it reads the same network.
std::vector<std::string> given_options(const CLI::App& command) {
  std::vector<std::string> given;
  for (const char* name : {"--dimension", "--constant", "--kernel"}) {
    for (const std::string& value : command.get_option(name)->results()) {
      given.push_back(fmt::format("{} {}", name, value));
    }
  }
  return given;
}

}  // namespace

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
  add_without_option(*command, values->import.without);
  add_configuration_option(*command, values->device);
  add_json_option(*command, values->device.json, "the inspection");
  command->footer(
      "Needs no device. Operators are numbered as in the file.\n"
      "Exit codes: 0 all operators run, on the device or the host; 1 the file was read, but something is "
      "unsupported; 2 wrong\n"
      "options, a file that cannot be read, or one that needs --dimension or --constant: the command is printed.\n"
      "Examples:\n"
      "  systole inspect model.tflite\n"
      "  systole inspect model.onnx --dimension batch=1 --dimension sequence=128\n"
      "  systole inspect net.onnx --kernel my.Softsign=softsign.json\n"
      "  systole inspect model.onnx --json - | jq '.missing[].text'");
  command->callback([values, command, &session] {
    StatusLine status;
    status.show(fmt::format("{}: read and compiled for {}", values->model, values->device.config));
    const Inspection inspection = inspect(read_contents(values->model, values->import),
                                          configuration_of(values->device), {values->import.without});
    status.show({});
    if (!values->device.quiet()) {
      const Style style = style_of(stdout);
      const int width = is_terminal(stdout) ? style.width : 0;
      print("{}", text_of(inspection, values->model, style, width, given_options(*command)));
    }
    write_json(values->device, to_json(inspection));
    session.exit_code = inspection.runs() ? kOk : inspection.missing_options().empty() ? kMissing : kBadInput;
  });
}

}  // namespace systole::cli
