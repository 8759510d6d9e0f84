// SPDX-License-Identifier: Apache-2.0
// Random operators with random attributes on a device against the host, bit for bit. A failing case is reduced to the
// smallest that fails, and reported with the command that runs it again.
#include <fmt/core.h>
#include <rapidcheck.h>
#include <CLI/CLI.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "record.hpp"
#include "trial.hpp"

namespace systole::shapes {
namespace {

struct Options {
  std::string device = "rtl", configuration = "tiny";
  std::vector<std::string> only;
  std::string test_case, record, page;
  std::vector<std::string> records;
  bool write = false, planted = false;
  int count = 50;
  std::uint64_t seed = 1;
};

std::string command(const Options& options, const Spec& spec) {
  return fmt::format("test_shapes --device {} --config {} --case {}", options.device, options.configuration,
                     to_string(spec));
}

/// Draws cases of one kind; returns false if one fails.
bool fuzz(const Options& options, Bench& bench, const Kind& kind, Passed& passed) {
  return rc::check(kind.title, [&] {
    Spec spec{kind.name, {}};
    for (const Parameter& parameter : kind.parameters) {
      spec.values[parameter.name] = *rc::gen::inRange(parameter.min, parameter.max + 1).as(parameter.name);
    }
    settle(spec);
    std::string fault;
    try {
      fault = bench.fault_of(kind, spec);
    } catch (const UnsupportedCase&) {
      RC_DISCARD("no case");
    }
    if (!fault.empty()) {
      RC_FAIL(fmt::format("{}\nagain: {}", fault, command(options, spec)));
    }
    passed.add(spec);
  });
}

int run_case(const Options& options) {
  const Spec spec = parse_spec(options.test_case);
  Bench bench(options.device, options.configuration, options.planted);
  const std::string fault = bench.fault_of(find_kind(spec.kind), spec);
  fmt::print("{}: {}\n", to_string(spec), fault.empty() ? fmt::format("bit-exact, {} cycles", bench.cycles()) : fault);
  return fault.empty() ? 0 : 1;
}

int run_all(const Options& options) {
  ::setenv("RC_PARAMS", fmt::format("seed={} max_success={} max_discard_ratio=50", options.seed, options.count).c_str(),
           1);
  fmt::print("seed {} (--seed {} repeats this run)\n", options.seed, options.seed);
  Bench bench(options.device, options.configuration, options.planted);
  Record record{options.configuration, options.device, {}};
  bool all = true;
  for (const Kind& kind : kinds()) {
    if (options.only.empty() || std::count(options.only.begin(), options.only.end(), kind.name) != 0) {
      all = fuzz(options, bench, kind, record.kinds[kind.name]) && all;
    }
  }
  if (all && !options.record.empty()) {
    std::ofstream(options.record) << to_json(record).dump(2) << "\n";
  }
  return all ? 0 : 1;
}

/// Compares the page with the records, or writes it.
int run_page(const Options& options) {
  std::vector<Record> records;
  for (const std::string& name : options.records) {
    std::ifstream file(name);
    records.push_back(record_from(nlohmann::json::parse(file)));
  }
  const std::string expected = page_of(records);
  if (options.write) {
    std::ofstream(options.page) << expected;
    return 0;
  }
  std::ifstream file(options.page);
  const std::string found(std::istreambuf_iterator<char>(file), {});
  if (found != expected) {
    fmt::print(stderr, "{} is not what the runs say; test_shapes --page {} --records {} --write brings it up to date\n",
               options.page, options.page, options.records.empty() ? "FILES" : options.records[0]);
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace systole::shapes

int main(int argc, char** argv) {
  systole::shapes::Options options;
  CLI::App app("Random operators on a device against the host, bit for bit");
  app.add_option("--device", options.device, "rtl or model")
      ->check(CLI::IsMember({"rtl", "model"}))
      ->capture_default_str();
  app.add_option("--config", options.configuration, "configuration of the core")->capture_default_str();
  app.add_option("--count", options.count, "cases of each kind")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--only", options.only, "these kinds alone")->delimiter(',');
  app.add_option("--seed", options.seed, "of the cases")->envname("SYSTOLE_SEED")->capture_default_str();
  app.add_option("--case", options.test_case, "one case, as a failure says it");
  app.add_option("--record", options.record, "write what passed, as JSON");
  app.add_option("--page", options.page, "compare the table of supported operators with --records");
  app.add_option("--records", options.records, "what passed, of several runs");
  app.add_flag("--write", options.write, "write the page instead");
  app.add_flag("--planted", options.planted,
               "expect something wrong of results that are not tiny, to watch how a failure is found and shrunk");
  app.footer(
      "Examples:\n"
      "  test_shapes --device model --config default --count 1000\n"
      "  test_shapes --only conv2d,depthwise --seed 7");
  CLI11_PARSE(app, argc, argv);
  try {
    return !options.test_case.empty() ? systole::shapes::run_case(options)
           : !options.page.empty()    ? systole::shapes::run_page(options)
                                      : systole::shapes::run_all(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  }
}
