// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as the JSON of a run: a report as text and as a page, or a BadFile.
#include "json_field.hpp"
#include "report_html.hpp"
#include "report_text.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace systole;
  try {
    const report::RunFile run = report::parse_run({reinterpret_cast<const char*>(data), size}, "fuzz");
    report::text_report(run, &run, {});
    report::html_report(run, &run);
  } catch (const report::BadFile&) {}
  return 0;
}
