// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"

namespace systole::cli {

void add_commands(CLI::App& program, Session& session) {
  for (const AddCommands add :
       {add_info, add_matmul, add_conv, add_bench, add_sweep, add_digits, add_disasm, add_report, add_inspect,
        add_quantize, add_compile, add_run, add_generate, add_train, add_kernel}) {
    add(program, session);
  }
}

int run(const std::vector<std::string>& arguments) {
  return run_program(
      add_commands,
      "Examples:\n"
      "  systole matmul --m 256 --n 256 --k 256       a matrix product on the RTL, with cycles and where they went\n"
      "  systole digits                               handwritten digits, classified on the RTL\n"
      "  systole run model.tflite --input x.npy       a network from a file over samples, on the RTL and the host\n"
      "  systole digits --help                        options and examples of one command\n",
      arguments);
}

}  // namespace systole::cli
