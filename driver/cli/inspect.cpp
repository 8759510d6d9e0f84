// SPDX-License-Identifier: Apache-2.0
// `systole inspect`: what a model file holds.
#include <fmt/core.h>

#include <memory>

#include "commands.hpp"
#include "errors.hpp"
#include "graph/listing.hpp"
#include "models.hpp"
#include "terminal.hpp"

namespace systole::cli {

void add_inspect(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "inspect", "Lists the operators of a network with their shapes, types, quantization and multiply-accumulates; needs no device");
  struct Values {
    std::string model;
    DeviceOptions output;
  };
  auto values = std::make_shared<Values>();
  command->add_option("model", values->model, "network: .tflite, .onnx, or .systole")->required()->type_name("MODEL");
  command->add_option("--json", values->output.json, "write the listing as JSON; - is standard output, without the text for humans")
      ->type_name("FILE");
  command->footer("Examples:\n  systole inspect model.tflite\n  systole inspect model.onnx --json - | jq '.operators[].origin'");
  command->callback([values, &session] {
    const graph::Graph model = load_model(values->model).graph;
    if (!values->output.quiet()) {
      fmt::print("{}", graph::listing(model, style_of(stdout)));
    }
    write_json(values->output, graph::to_json(model));
    session.exit_code = kOk;
  });
}

}  // namespace systole::cli
