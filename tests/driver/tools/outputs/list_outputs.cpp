// SPDX-License-Identifier: Apache-2.0
// list_outputs: prints "COMMAND OPTION" for each option of `systole` that names an output, and "COMMAND" for each
// command. list_outputs FOLDER: writes model.bin and tokens.bin there, a language model of random weights.
#include <fmt/core.h>

#include "../../compiler/frontends/llama2/made_llama.hpp"
#include "commands.hpp"
#include "output_file.hpp"
#include "output_options.hpp"

namespace systole {
namespace {

bool has_check(CLI::Option* option) {
  try {
    option->get_validator(cli::kOutputCheck);
    return true;
  } catch (const CLI::OptionNotFound&) {
    return false;
  }
}

void list() {
  CLI::App program;
  cli::Session session;
  cli::add_commands(program, session);
  for (CLI::App* command : program.get_subcommands({})) {
    fmt::print("{}\n", command->get_name());
    for (CLI::Option* option : command->get_options([](CLI::Option* o) { return has_check(o); })) {
      fmt::print("{} --{}\n", command->get_name(), option->get_lnames().at(0));
    }
  }
}

void write_model(const std::string& folder) {
  const auto pieces = llama2::test::pieces_with({{" ", -9}, {"a", -9}, {"b", -9}, {" a", -1}});
  llama2::test::Header header = llama2::test::kSmall;
  header[5] = -static_cast<std::int32_t>(pieces.size());
  files::write_bytes(folder + "/model.bin", llama2::test::checkpoint_bytes(header));
  files::write_bytes(folder + "/tokens.bin", llama2::test::tokenizer_bytes(pieces));
}

}  // namespace
}  // namespace systole

int main(int argc, char** argv) {
  argc > 1 ? systole::write_model(argv[1]) : systole::list();
  return 0;
}
