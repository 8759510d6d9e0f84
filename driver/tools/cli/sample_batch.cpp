// SPDX-License-Identifier: Apache-2.0
#include "sample_batch.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "exit_codes.hpp"
#include "simplify.hpp"
#include "systole/batch.hpp"
#include "systole/graph_state.hpp"

namespace systole::cli {
namespace {

/// With inputs and outputs of one sample, for their names, types and shapes.
graph::Graph ends_of_one(graph::Graph graph, std::int64_t batch) {
  std::vector<graph::TensorId> ends = graph.inputs;
  ends.insert(ends.end(), graph.outputs.begin(), graph.outputs.end());
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  for (const graph::TensorId id : ends) {
    graph.tensor(id).shape.at(0) /= batch;
  }
  return graph;
}

}  // namespace

void add_batch_option(CLI::App& command, std::size_t& batch, const char* help) {
  command.add_option("--batch", batch, help)->type_name("SAMPLES")->check(CLI::Range(1, 4096));
}

void apply_batch(Model& model, std::size_t batch, PassLog* log) {
  const auto wanted = static_cast<std::int64_t>(batch);
  if (wanted == 0 || wanted == model.batch) {
    return;
  }
  if (model.batch > 1) {
    throw InputError(fmt::format("--batch {}: {} computes {} samples at a time; compile the network again with --batch",
                                 batch, model.path, model.batch));
  }
  if (model.compiled) {
    throw InputError(
        fmt::format("--batch {}: {} is compiled for one sample at a time; compile the network again with --batch",
                    batch, model.path));
  }
  try {
    Transformations transformations({}, log);
    graph::GraphSubject subject{model.graph, 0, wanted};
    run_pass(graph::kBatch, subject, transformations);
    model.batch = wanted;
  } catch (const graph::GraphError& error) {
    throw InputError(fmt::format("--batch {}: {}: {}", batch, model.path, error.what()));
  }
}

SampleBatch::SampleBatch(Model& model, std::size_t batch) : model_(model), one_(model.graph) {
  const std::int64_t of_file = model.batch;
  apply_batch(model, batch);
  rewritten_ = model.batch != of_file;
  if (of_file > 1) {
    one_ = ends_of_one(model.graph, of_file);
  }
  one_.inputs = graph::sample_inputs(one_);
  one_.outputs = graph::sample_outputs(one_);
}

std::vector<graph::Value> SampleBatch::inputs(const Samples& samples, std::size_t first, std::size_t count) const {
  if (size() == 1) {
    return samples.at(first);
  }
  std::vector<std::vector<graph::Value>> all;
  for (std::size_t i = 0; i < size(); ++i) {
    all.push_back(samples.at(std::min(first + i, count - 1)));
  }
  return graph::stacked(all);
}

std::vector<std::vector<graph::Value>> SampleBatch::host_results(const Samples& samples, std::size_t first,
                                                                 std::size_t count) const {
  if (!rewritten_) {
    graph::GraphState state(model_.graph);
    return results(
        state.without_states(graph::execute(model_.graph, state.with_states(inputs(samples, first, count)))));
  }
  std::vector<std::vector<graph::Value>> all;
  for (std::size_t i = first; i < std::min(first + size(), count); ++i) {
    all.push_back(graph::execute(one_, samples.at(i)));
  }
  return all;
}

std::vector<std::vector<graph::Value>> SampleBatch::results(std::vector<graph::Value> outputs) const {
  std::vector<std::vector<graph::Value>> one = {};
  if (size() == 1) {
    one.push_back(std::move(outputs));
    return one;
  }
  return graph::unstacked(outputs, model_.batch);
}

}  // namespace systole::cli
