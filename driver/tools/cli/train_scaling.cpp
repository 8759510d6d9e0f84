// SPDX-License-Identifier: Apache-2.0
#include "train_scaling.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "packing.hpp"
#include "terminal.hpp"

namespace systole::cli {
namespace {

/// By the model: a board, a pod.
constexpr int kBoard = 8, kPod = 256;

/// Without additions.
double link_cycles(const Scaling& scaling) {
  training::StepCost cost = scaling.cost;
  cost.addition = 0;
  return exchange_cycles(cost, scaling.ranks);
}

std::string whole(double cycles) { return grouped(static_cast<std::uint64_t>(std::llround(cycles))); }

std::string micro_batches(std::int64_t count) { return fmt::format("{} micro-batch{}", count, count == 1 ? "" : "es"); }

/// Of the rank that ran the graph longest; some ranks have nothing to add.
GraphCost longest(ranks::Ranks& ranks, const GraphCost& mine) {
  GraphCost most;
  for (const ranks::Bytes& bytes : ranks.all_gather(ranks::bytes_of(mine))) {
    const auto cost = ranks::value_of<GraphCost>(bytes);
    if (cost.cycles_of_run() > most.cycles_of_run() || most.runs == 0) {
      most = cost;
    }
  }
  return most;
}

nlohmann::ordered_json to_json(const training::StepCost& cost, int devices) {
  return {{"devices", devices},
          {"step_cycles", std::llround(step_cycles(cost, devices))},
          {"exchange_cycles", std::llround(exchange_cycles(cost, devices))},
          {"speedup", speedup(cost, devices)}};
}

}  // namespace

Scaling scaling_of(const training::DataParallel& parallel, const training::SplitStep& step, const TrainRunner& runner,
                   const ranks::Link& link, const std::string& topology, std::int64_t micro_batches) {
  Scaling scaling;
  scaling.ranks = parallel.ranks().size();
  scaling.micro_batches = micro_batches;
  scaling.samples = static_cast<std::int64_t>(parallel.batch_size()) / micro_batches;
  scaling.pieces = parallel.pieces();
  const auto cost_of = [&](const graph::Graph& graph) { return longest(parallel.ranks(), runner.cost(graph)); };
  const GraphCost gradient = cost_of(step.gradient.graph), update = cost_of(step.update.graph);
  const GraphCost addition = cost_of(parallel.addition());
  scaling.cost.share = static_cast<std::size_t>((micro_batches + scaling.ranks - 1) / scaling.ranks);
  scaling.cost.gradient = gradient.cycles_of_run();
  scaling.cost.addition = static_cast<double>(scaling.pieces) * addition.cycles_of_run();
  scaling.cost.update = update.cycles_of_run();
  scaling.cost.bytes = static_cast<double>(parallel.bytes());
  scaling.cost.link = link;
  scaling.cost.topology = topology;
  scaling.on_host = gradient.on_host + addition.on_host + update.on_host;
  scaling.timed = gradient.cycles > 0;
  return scaling;
}

std::string text_of(const Scaling& scaling) {
  const training::StepCost& cost = scaling.cost;
  std::string text =
      fmt::format("exchange  {} in {}, {} bytes a step; {} cycles in a {} of {:g} GB/s and {:g} ns\n",
                  micro_batches(scaling.micro_batches), counted(static_cast<std::uint64_t>(scaling.ranks), "rank"),
                  whole(cost.bytes), whole(link_cycles(scaling)), cost.topology, cost.link.gigabytes_per_second,
                  cost.link.latency_ns);
  if (!scaling.timed) {
    return text;
  }
  text += fmt::format("step      {} cycles a device: {} x {} for gradients, {} for the sum, {} for the update",
                      whole(step_cycles(cost, scaling.ranks)), cost.share, whole(cost.gradient),
                      whole(exchange_cycles(cost, scaling.ranks)), whole(cost.update));
  text += scaling.on_host > 0 ? fmt::format("; without {} on the host\n", counted(scaling.on_host, "operator")) : "\n";
  return text +
         fmt::format("scaling   each device with {} samples: {} devices {:.2f} times one, {} devices {:.1f} times\n",
                     static_cast<std::int64_t>(cost.share) * scaling.samples, kBoard, speedup(cost, kBoard), kPod,
                     speedup(cost, kPod));
}

nlohmann::ordered_json to_json(const Scaling& scaling) {
  const training::StepCost& cost = scaling.cost;
  nlohmann::ordered_json json = {
      {"ranks", scaling.ranks},
      {"micro_batches", scaling.micro_batches},
      {"bytes", std::llround(cost.bytes)},
      {"pieces", scaling.pieces},
      {"link",
       {{"gigabytes_per_second", cost.link.gigabytes_per_second},
        {"latency_ns", cost.link.latency_ns},
        {"topology", cost.topology}}},
      {"exchange_cycles", std::llround(link_cycles(scaling))},
      {"ring_sum_cycles", std::llround(ring_sum_cycles(cost.link, scaling.ranks, cost.bytes))},
      {"compute", nullptr},
      {"devices", nullptr}};
  if (scaling.timed) {
    json["compute"] = {{"gradient_cycles", std::llround(cost.gradient)},
                       {"addition_cycles", std::llround(cost.addition)},
                       {"update_cycles", std::llround(cost.update)},
                       {"on_host", scaling.on_host}};
    json["devices"] = nlohmann::ordered_json::array();
    for (const int devices : std::set<int>{1, scaling.ranks, kBoard, kPod}) {
      json["devices"].push_back(to_json(cost, devices));
    }
  }
  return json;
}

}  // namespace systole::cli
