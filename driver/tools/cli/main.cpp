// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "standard_output.hpp"

int main(int argc, char** argv) {
  systole::cli::open_standard_streams();
  return systole::cli::end_output(systole::cli::run({argv, argv + argc}));
}
