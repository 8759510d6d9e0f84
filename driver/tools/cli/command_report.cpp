// SPDX-License-Identifier: Apache-2.0
// `systole report`: shows the JSON of a run as a page or as text.
#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

#include "commands.hpp"
#include "exit_codes.hpp"
#include "files.hpp"
#include "output_options.hpp"
#include "report_html.hpp"
#include "report_text.hpp"
#include "standard_output.hpp"

namespace systole::cli {
namespace {

struct Values {
  std::string run, against, output;
};

void write_page(const std::string& page, const std::string& output) {
  if (output == "-") {
    print_text(page);
    return;
  }
  write_file("--output", output, page);
}

void run_command(const Values& values) {
  if (values.run == "-" && values.against == "-") {
    throw InputError("--against: standard input holds one file only, and RUN.json is read from it");
  }
  const report::RunFile run = report::read_run(values.run);
  std::optional<report::RunFile> before;
  if (!values.against.empty()) {
    before = report::read_run(values.against);
  }
  const report::RunFile* old = before ? &*before : nullptr;
  if (values.output.empty()) {
    print("{}", report::text_report(run, old, style_of(stdout)));
  } else {
    write_page(report::html_report(run, old), values.output);
  }
}

}  // namespace

void add_report(CLI::App& program, Session&) {
  auto* command = program.add_subcommand(
      "report",
      "What a run's JSON says: cycles, where they went and what cost most of them, roofline, memory plan; as a page or "
      "as text");
  auto values = std::make_shared<Values>();
  command
      ->add_option("run", values->run,
                   "JSON written by --json of matmul, conv, digits, run, kernel or bench; - is standard input")
      ->required()
      ->type_name("RUN.json");
  command->add_option("--against", values->against, "an older run to compare with, layers matched by name")
      ->type_name("OLD.json");
  is_output(command->add_option("-o,--output", values->output,
                                "write one self-contained HTML page, - is standard output; without it: text"),
            OutputForm::kFileOrOutput);
  command->footer(
      "Examples:\n"
      "  systole digits --json new.json && systole report new.json\n"
      "  systole report new.json -o report.html\n"
      "  systole report new.json --against old.json -o report.html\n"
      "  systole matmul --m 64 --json - | systole report -");
  command->callback([values] { run_command(*values); });
}

}  // namespace systole::cli
