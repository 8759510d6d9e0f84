// SPDX-License-Identifier: Apache-2.0
#include "page_data.hpp"

#include "analysis.hpp"
#include "comparison.hpp"
#include "systole/throughput.hpp"
#include "terminal.hpp"
#include "verdict.hpp"

namespace systole::report {
namespace {

using Json = nlohmann::ordered_json;

template <class Value>
Json optional(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json roofline_data(const std::optional<Roofline>& roof) {
  if (!roof) {
    return nullptr;
  }
  return {{"intensity", roof->intensity},
          {"attainable", roof->attainable},
          {"achieved", roof->achieved},
          {"roof", to_string(roof->roof)}};
}

/// Rectangles as arrays, since there may be thousands: memory, operand, rows, cycles, instruction, writers.
Json plan_data(const MemoryPlan& plan) {
  Json rectangles = Json::array();
  for (const Occupied& o : plan.occupied) {
    rectangles.push_back({static_cast<int>(o.memory), static_cast<int>(o.operand), o.row, o.row_end, o.from, o.until,
                          o.instruction, o.writers});
  }
  return {{"cycles", plan.cycles},
          {"rows", plan.rows},
          {"merged", plan.merged_cycles},
          {"rectangles", std::move(rectangles)}};
}

Json layer_data(const Layer& layer, int dim) {
  const Analysis analysis = analyse(layer, dim);
  Json losses = Json::array();
  for (const Loss& loss : analysis.losses) {
    losses.push_back({{"share", loss.share}, {"cause", static_cast<int>(loss.cause)}, {"sentence", loss.sentence}});
  }
  return {{"name", layer.name},
          {"label", cli::short_name(layer.name)},
          {"macs", layer.macs},
          {"cycles", layer.cycles},
          {"estimated", optional(layer.estimated_cycles)},
          {"utilization", layer.macs > 0 ? Json(analysis.utilization) : Json(nullptr)},
          {"each", layer.macs > 0 ? Json(analysis.macs_per_cycle) : Json(nullptr)},
          {"multipliers", layer.macs > 0 ? Json(analysis.multiplier_share) : Json(nullptr)},
          {"lost", analysis.lost},
          {"window", optional(layer.window)},
          {"exact", optional(layer.bit_exact)},
          {"commands", optional(layer.commands)},
          {"read", optional(analysis.bytes_read)},
          {"written", optional(analysis.bytes_written)},
          {"bound",
           {{"part", to_string(analysis.bound.part)},
            {"share", analysis.bound.share},
            {"limits", analysis.bound.limits()}}},
          {"roofline", roofline_data(analysis.roofline)},
          {"causes", layer.causes},
          {"headline", analysis.headline},
          {"losses", std::move(losses)},
          {"because", analysis.because}};
}

Json result_data(const RunFile& run) {
  const auto verdict = find_verdict(run);
  return {{"exact", optional(verdict.exact)}, {"text", verdict.text}, {"note", verdict.note}};
}

Json run_data(const RunFile& run) {
  Json layers = Json::array();
  for (const Layer& layer : run.layers) {
    layers.push_back(layer_data(layer, run.dim));
  }
  Json plans = Json::array();
  for (const Layer& layer : run.layers) {
    if (layer.memory_plan) {
      plans.push_back({{"name", cli::short_name(layer.name)}, {"plan", plan_data(*layer.memory_plan)}});
    }
  }
  for (const NamedPlan& plan : run.plans) {
    plans.push_back({{"name", cli::short_name(plan.name)}, {"plan", plan_data(plan.plan)}});
  }
  Json on_host = Json::array();
  for (const HostOperator& op : run.on_host) {
    on_host.push_back({{"name", op.name}, {"reason", op.reason}});
  }
  return {{"file", run.file},
          {"name", run.name},
          {"config", run.config},
          {"dim", run.dim},
          {"host", std::move(on_host)},
          {"multipliers", multipliers(run.dim)},
          {"result", result_data(run)},
          {"layers", std::move(layers)},
          {"total", layer_data(total(run), run.dim)},
          {"plans", std::move(plans)}};
}

/// A layer for the comparison; null if the run does not have it.
Json side_data(const Layer* layer, int dim) {
  if (layer == nullptr) {
    return nullptr;
  }
  return {{"cycles", layer->cycles},
          {"utilization", layer->macs > 0 ? Json(analyse(*layer, dim).utilization) : Json(nullptr)},
          {"causes", layer->causes}};
}

Json pair_data(const Pair& pair, int dim_before, int dim_after) {
  Json changes = Json::array();
  for (const CauseChange& change : pair.changes) {
    changes.push_back({static_cast<int>(change.engine), static_cast<int>(change.cause), change.cycles});
  }
  return {{"name", pair.name},
          {"label", cli::short_name(pair.name)},
          {"before", side_data(pair.before, dim_before)},
          {"after", side_data(pair.after, dim_after)},
          {"changes", std::move(changes)}};
}

Json comparison_data(const RunFile& before, const RunFile& after) {
  const std::vector<Pair> list = compare(before, after);
  Json pairs = Json::array();
  for (const Pair& pair : list) {
    pairs.push_back(pair_data(pair, before.dim, after.dim));
  }
  const auto both = common(list);
  return {{"file", before.file},
          {"name", before.name},
          {"config", before.config},
          {"dim", before.dim},
          {"layers", std::move(pairs)},
          {"total", both ? pair_data(compare(both->before, both->after), before.dim, after.dim) : Json(nullptr)},
          {"complete", both && both->complete}};
}

template <class Kind>
Json names(int count) {
  Json list = Json::array();
  for (int i = 0; i < count; ++i) {
    list.push_back(std::string(to_string(static_cast<Kind>(i))));
  }
  return list;
}

}  // namespace

Json page_data(const RunFile& run, const RunFile* before) {
  Json causes = Json::array();
  for (int cause = 0; cause < kCauseCount; ++cause) {
    causes.push_back(in_words(static_cast<isa::Cause>(cause)));
  }
  return {{"run", run_data(run)},
          {"comparison", before == nullptr ? Json(nullptr) : comparison_data(*before, run)},
          {"engines", names<isa::Engine>(kEngineCount)},
          {"causes", std::move(causes)},
          {"memories", names<OnChip>(kOnChipCount)},
          {"operands", names<Operand>(kOperandCount)}};
}

}  // namespace systole::report
