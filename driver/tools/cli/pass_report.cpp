// SPDX-License-Identifier: Apache-2.0
#include "pass_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "exit_codes.hpp"
#include "systole/errors.hpp"
#include "systole/transformations.hpp"
#include "text_table.hpp"

namespace systole::cli {
namespace {

std::string text_of(const Amount& amount) { return counted(amount.count, std::string(amount.of).c_str()); }

std::vector<std::string> all_passes() {
  std::vector<std::string> names;
  for (const TransformationText& text : transformation_texts()) {
    if (text.of.empty()) {
      names.emplace_back(text.name);
    }
  }
  return names;
}

/// The runs of a pass on all programs, as one.
struct Row {
  PassRun sum;
  std::size_t times = 0;  ///< that the program had run the pass before
};

std::vector<Row> rows_of(const std::vector<PassRun>& runs) {
  std::vector<Row> rows;
  std::map<std::pair<std::string_view, std::size_t>, std::size_t> times;
  for (const PassRun& run : runs) {
    const std::size_t before = times[{run.pass, run.program}]++;
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& other) {
      return other.sum.pass == run.pass && other.times == before && run.program != 0;
    });
    if (row == rows.end()) {
      rows.push_back({run, before});
      continue;
    }
    row->sum.before.count += run.before.count;
    row->sum.after.count += run.after.count;
    row->sum.applied += run.applied;
    row->sum.milliseconds += run.milliseconds;
  }
  return rows;
}

}  // namespace

void add_pass_options(CLI::App& command, PassOptions& options) {
  const auto take = [&options](const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      if (name == "all") {
        options.all = true;
        options.listed = all_passes();
        return;
      }
    }
    try {
      require_passes(names);
    } catch (const InvalidArgument& error) {
      throw InputError(fmt::format("--print-after: {}; all prints after each", error.what()));
    }
    options.listed = names;
  };
  command
      .add_option_function<std::vector<std::string>>(
          "--print-after", take,
          "print the network after this pass, a line for each operator or layer; once for each; all: after each that "
          "changed it; an unknown name lists all")
      ->type_name("PASS")
      ->allow_extra_args(false)
      ->group("Compiler");
  command
      .add_flag("--passes", options.table,
                "print what each pass found and left, how often it was applied, and how long it took")
      ->group("Compiler");
}

PassLog log_for(const PassOptions& options) { return PassLog(options.listed); }

std::string listings_text(const PassLog& log, const PassOptions& options) {
  std::string text;
  for (const std::string& reason : log.restarts()) {
    text += fmt::format("compiled again: {}\n", reason);
  }
  for (const PassRun& run : log.runs()) {
    const bool changed = run.applied != 0 || run.before.count != run.after.count;
    if (!log.lists(run.pass) || (options.all && !changed)) {
      continue;
    }
    const auto& what = transformation_texts()[static_cast<std::size_t>(transformation(run.pass))].what;
    text += fmt::format("\nafter {}{}: {}, before {}\n{}\n", run.pass,
                        run.program == 0 ? "" : fmt::format(", program {}", run.program + 1), text_of(run.after),
                        text_of(run.before), what);
    std::size_t begin = 0;
    for (std::size_t end = run.listing.find('\n'); end != std::string::npos; end = run.listing.find('\n', begin)) {
      text += "  " + run.listing.substr(begin, end + 1 - begin);
      begin = end + 1;
    }
  }
  return text;
}

std::string passes_text(const PassLog& log, const Style& style) {
  Table table({{"pass", Table::Align::kLeft}, {"before"}, {"after"}, {"applied"}, {"ms"}});
  for (const auto& [sum, times] : rows_of(log.runs())) {
    table.add({std::string(sum.pass), text_of(sum.before), text_of(sum.after),
               sum.applied == 0 ? "" : grouped(static_cast<std::uint64_t>(sum.applied)),
               fmt::format("{:.1f}", sum.milliseconds)});
  }
  return table.text(style);
}

}  // namespace systole::cli
