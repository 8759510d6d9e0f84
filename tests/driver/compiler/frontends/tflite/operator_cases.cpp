// SPDX-License-Identifier: Apache-2.0
#include "operator_cases.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "archive.hpp"
#include "device_counts.hpp"
#include "import_tflite.hpp"
#include "tflite_kinds.hpp"
#include "value_difference.hpp"

namespace systole::test {
namespace {

using graph::Value;

constexpr int kSkipped = 77;

enum class Verdict {
  kDevice,   ///< right, and every operator ran on the device
  kHost,     ///< right, and some operators or all ran on the host
  kFailed,   ///< wrong
  kRefused,  ///< not imported, not compiled, or not executed
};

struct Outcome {
  Verdict verdict = Verdict::kFailed;
  std::string detail;        ///< the difference, or why it was refused or ran on the host
  std::size_t compared = 0;  ///< number of values
};

struct Options {
  std::filesystem::path data, list, counts;
  std::string group, kind, backend, configuration = "tiny";
  std::size_t most = 0;
  bool verbose = false, record = false;
};

Outcome compared(const OperatorCase& operator_case, const MakeRunnable& make) {
  const Runnable runnable = make(graph::import_tflite(operator_case.model, operator_case.name));
  Outcome outcome;
  const auto samples = static_cast<std::size_t>(operator_case.outputs[0].shape.at(0));
  for (std::size_t sample = 0; sample < samples; ++sample) {
    const std::vector<Value> expected = sample_of(operator_case.outputs, sample, samples);
    const std::vector<Value> results = runnable.run(sample_of(operator_case.inputs, sample, samples));
    if (results.size() != expected.size()) {
      return {Verdict::kFailed, fmt::format("{} outputs, expected {}", results.size(), expected.size()), 0};
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      const std::string wrong = difference(results[i], expected[i]);
      if (!wrong.empty()) {
        return {Verdict::kFailed, fmt::format("sample {}, output {}: {}", sample, i, wrong), 0};
      }
      outcome.compared += static_cast<std::size_t>(graph::count(results[i].shape));
    }
  }
  outcome.verdict = runnable.on_host.empty() ? Verdict::kDevice : Verdict::kHost;
  outcome.detail = runnable.on_host;
  return outcome;
}

Outcome run_case(const OperatorCase& operator_case, const MakeRunnable& make) {
  try {
    return compared(operator_case, make);
  } catch (const graph::GraphError& error) {
    return {Verdict::kRefused, error.what(), 0};
  } catch (const std::exception& error) {
    return {Verdict::kFailed, error.what(), 0};
  }
}

/// `most` of the names, evenly spread; all for 0.
std::vector<std::string> some(const std::vector<std::string>& all, std::size_t most) {
  if (most == 0 || all.size() <= most) {
    return all;
  }
  std::vector<std::string> chosen;
  for (std::size_t i = 0; i < most; ++i) {
    chosen.push_back(all[i * all.size() / most]);
  }
  return chosen;
}

/// Runs a kind and prints its line. Returns whether it is as expected. `counts`, if any: the recorded numbers of cases
/// on the device alone, to be compared or to be recorded.
bool run_kind(const ExpectedKind& kind, const Options& options, const MakeRunnable& make, DeviceCounts* counts) {
  const Archive archive(options.data / (kind.name + ".zip"));
  std::array<std::size_t, 4> times{};
  std::size_t values = 0;
  std::string details;
  std::size_t wrong = 0;
  for (const std::string& folder : some(archive.folders(), options.most)) {
    const Outcome outcome = run_case(archive.read(folder), make);
    ++times[static_cast<std::size_t>(outcome.verdict)];
    values += outcome.compared;
    constexpr std::size_t kShown = 3;
    const bool right = outcome.verdict == Verdict::kDevice || outcome.verdict == Verdict::kHost;
    if (!outcome.detail.empty() && (options.verbose || (!right && wrong++ < kShown))) {
      const char* what = right ? "on the host" : outcome.verdict == Verdict::kFailed ? "failed" : "refused";
      details += fmt::format("  {}/{} {}: {}\n", kind.name, folder, what, outcome.detail);
    }
  }
  const auto [on_device, on_host, failed, refused] = times;
  fmt::print("{:<28} {:>3} passed{}, {} failed, {} refused; {} values compared{}\n{}", kind.name, on_device + on_host,
             options.backend == "host" ? "" : fmt::format(" ({} on the device alone)", on_device), failed, refused,
             values, kind.done ? "" : "; listed as unfinished", details);
  if (archive.folders().size() != kind.cases) {
    fmt::print("  {} has {} cases, {} are listed\n", kind.name, archive.folders().size(), kind.cases);
    return false;
  }
  const bool right = failed + refused == 0 && values > 0;
  if (right && !kind.done && options.most == 0) {
    fmt::print("  {} is finished; take 'unfinished' out of its line in {}\n", kind.name, options.list.string());
    return false;
  }
  if (counts && options.record) {
    (*counts)[kind.name] = on_device;
  }
  const std::string changed = counts ? count_difference(*counts, kind.name, on_device) : "";
  if (!changed.empty()) {
    fmt::print("  {}: {}; in {}\n", kind.name, changed, options.counts.string());
  }
  return (right || !kind.done) && changed.empty();
}

int run(const Options& options, const Backend& backend) {
  const std::vector<ExpectedKind> kinds = read_kinds(options.list);
  if (!std::filesystem::is_directory(options.data)) {
    fmt::print("skipped: {} is not there; -DSYSTOLE_SHARED=FOLDER\n", options.data.string());
    return kSkipped;
  }
  const MakeRunnable make = backend.open(options.backend, options.configuration);
  std::optional<DeviceCounts> counts;
  if (!options.counts.empty()) {
    const bool begins = options.record && !std::filesystem::exists(options.counts);
    counts = begins ? DeviceCounts{} : read_device_counts(options.counts);
  }
  std::size_t chosen = 0;
  bool as_expected = true;
  for (const ExpectedKind& kind : kinds) {
    if ((options.group.empty() || kind.group == options.group) && (options.kind.empty() || kind.name == options.kind)) {
      ++chosen;
      as_expected = run_kind(kind, options, make, counts ? &*counts : nullptr) && as_expected;
    }
  }
  if (chosen == 0) {
    fmt::print("no kind is in group '{}' and called '{}'\n", options.group, options.kind);
    return 1;
  }
  if (counts && options.record) {
    write_device_counts(options.counts, *counts);
  }
  return as_expected ? 0 : 1;
}

}  // namespace

int run_operator_cases(int argc, char** argv, const Backend& backend) {
  Options options;
  options.backend = backend.names.at(0);
  CLI::App app{backend.help};
  app.add_option("--data", options.data, "folder of KIND.zip")->required();
  app.add_option("--list", options.list, "kinds, their groups and numbers of cases")->required();
  app.add_option("--group", options.group, "kinds of this group alone");
  app.add_option("--kind", options.kind, "this kind alone");
  app.add_option("--device", options.backend, "where")->check(CLI::IsMember(backend.names))->capture_default_str();
  app.add_option("--config", options.configuration, "configuration of the device")->capture_default_str();
  CLI::Option* most =
      app.add_option("--most", options.most, "cases of each kind, evenly spread; 0: all")->capture_default_str();
  CLI::Option* counts = app.add_option("--on-device", options.counts,
                                       "recorded numbers of cases with no operator on the host; others are a failure");
  counts->excludes(most);
  app.add_flag("--record", options.record, "write the numbers to that file")->needs(counts);
  app.add_flag("--verbose", options.verbose, "every case that is not right, or not on the device alone");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(options, backend);
  } catch (const std::exception& error) {
    fmt::print("{}\n", error.what());
    return 1;
  }
}

}  // namespace systole::test
