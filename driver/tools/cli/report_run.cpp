// SPDX-License-Identifier: Apache-2.0
#include "report_run.hpp"

#include <fmt/core.h>

#include "exit_codes.hpp"
#include "standard_output.hpp"

namespace systole::cli {

void finish(const Run& run, MemoryPlans& plans, const DeviceOptions& options, Session& session) {
  if (!options.quiet()) {
    print("{}", report(run, style_of(stdout)));
    flush_output();
  }
  nlohmann::ordered_json json = to_json(run);
  plans.add_to(json);
  write_json(options, json);
  if (run.verdict() != Verdict::kExact) {
    fmt::print(stderr, "{}", failure_text(run, waves_text(session, run.name), style_of(stderr)));
    session.exit_code = kMismatch;
  }
}

}  // namespace systole::cli
