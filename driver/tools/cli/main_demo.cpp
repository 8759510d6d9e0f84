// SPDX-License-Identifier: Apache-2.0
// The program of scripts/demo: `systole digits` alone, which is built in a fraction of the time of the whole program.
#include "commands.hpp"
#include "standard_output.hpp"

int main(int argc, char** argv) {
  systole::cli::open_standard_streams();
  return systole::cli::end_output(systole::cli::run_program(
      systole::cli::add_digits,
      "This program has one command; scripts/build builds the one that has all, build/release/bin/systole.\n",
      {argv, argv + argc}));
}
