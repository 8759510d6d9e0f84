// SPDX-License-Identifier: Apache-2.0
#include "step_networks.hpp"

#include <fmt/core.h>

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "systole/execute.hpp"
#include "systole/network.hpp"

namespace systole::cli {
namespace {

using Values = std::vector<graph::Value>;

}  // namespace

void count_differences(const Values& seen, const Values& wanted, StepFigures& figures) {
  constexpr std::size_t kSize = sizeof(float);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const graph::Bytes &a = seen.at(i).data, &b = wanted[i].data;
    for (std::size_t at = 0; at < b.size(); at += kSize) {
      figures.different += std::memcmp(a.data() + at, b.data() + at, kSize) != 0 ? 1 : 0;
    }
    figures.compared += b.size() / kSize;
  }
}

StepNetworks::StepNetworks(const DeviceOptions& options, bool compare)
    : device_(open_device(options)), run_options_(options.run_options()), compare_(compare) {}

generation::Prepare StepNetworks::prepare() {
  return [this](const graph::Graph& graph) -> generation::Run {
    const auto network = std::make_shared<Network>(device_, graph);
    figures_.operators += network->graph().operators.size();
    for (const StepReport& step : network->steps()) {
      figures_.on_host += step.on_device ? 0 : 1;
    }
    return [this, network](const Values& inputs) {
      last_step_ = {make_run(device_, "step"), {}, 0, {}};
      const Stopwatch stopwatch(device_);
      Values results = network->run(inputs, run_options_);
      stopwatch.stop(last_step_.run);
      figures_.of_runs.push_back(0);
      if (figures_.nonfinite.empty()) {
        figures_.nonfinite = nonfinite_text(network->steps());
      }
      for (const StepReport& step : network->steps()) {
        figures_.cycles += step.stats.cycles;
        figures_.of_runs.back() += step.stats.cycles;
        for (std::size_t engine = 0; engine < figures_.working.size(); ++engine) {
          figures_.working[engine] += step.stats.causes[engine][static_cast<std::size_t>(isa::Cause::kWorking)];
        }
      }
      last_step_.take(*network);
      last_step_.run.against = "--no-compare";
      if (compare_) {
        const StepFigures before = figures_;
        count_differences(results, execute(network->graph(), inputs), figures_);
        last_step_.run.values = figures_.compared - before.compared;
        last_step_.run.against = "the host";
        if (const std::uint64_t different = figures_.different - before.different; different > 0) {
          last_step_.run.difference = fmt::format("{} values differ", different);
        }
      }
      return results;
    };
  };
}

}  // namespace systole::cli
