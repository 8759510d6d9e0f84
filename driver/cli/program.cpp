// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cstdio>
#include <stdexcept>

#include "commands.hpp"
#include "errors.hpp"
#include "terminal.hpp"

namespace systole::cli {
namespace {

int fail(int code, const char* what, const std::string& text) {
  std::fflush(stdout);
  fmt::print(stderr, "{} {}\n", style_of(stderr)(Paint::kBad, what), text);
  return code;
}

}  // namespace

int report_failure(const std::exception& error, const Session& session) {
  if (dynamic_cast<const InputError*>(&error) != nullptr || dynamic_cast<const std::invalid_argument*>(&error) != nullptr) {
    return fail(kBadInput, "error:", error.what());
  }
  return fail(kDeviceError, "device error:",
              fmt::format("{}\nrun it again with waves:\n  {}", error.what(), command_with_waves(session, "error")));
}

int run(const std::vector<std::string>& arguments) {
  Session session{arguments, kOk};
  CLI::App program("Systole: an open tensor processing unit, cycle by cycle on its RTL or quickly on its functional model");
  program.name("systole");
  program.require_subcommand(0, 1);  // none is an error below: CLI11 would hide a misspelt one behind it
  program.footer(
      "Examples:\n"
      "  systole matmul --m 256 --n 256 --k 256       a matrix product on the RTL, with cycles and where they went\n"
      "  systole digits                               handwritten digits, classified on the RTL\n"
      "  systole digits --help                        options and examples of one command\n"
      "Exit codes: 0 success, 1 a result differs from the golden model, 2 wrong options or files, 3 the device failed.");
  add_info(program, session);
  add_matmul(program, session);
  add_conv(program, session);
  add_bench(program, session);
  add_digits(program, session);
  add_disasm(program, session);

  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  if (!reversed.empty()) {
    reversed.pop_back();  // the program's own name
  }
  try {
    program.parse(reversed);
    if (program.get_subcommands().empty()) {
      throw InputError("which subcommand? systole --help lists them");
    }
    return session.exit_code;
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? kOk : kBadInput;  // 0: help was asked for
  } catch (const std::exception& error) {
    return report_failure(error, session);
  }
}

}  // namespace systole::cli
