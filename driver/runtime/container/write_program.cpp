// SPDX-License-Identifier: Apache-2.0
#include "writer.hpp"

namespace systole::container {
namespace {

Offset<flatbuffers::Vector<Offset<format::Binding>>> write(FlatBufferBuilder& b,
                                                           const std::map<graph::TensorId, MemoryRange>& ranges,
                                                           const std::map<graph::TensorId, WrittenTiles>& written) {
  std::vector<Offset<format::Binding>> bindings;
  for (const auto& [id, range] : ranges) {
    const format::Range at(range.offset, range.bytes);
    if (const auto found = written.find(id); found != written.end()) {
      const format::Tiles tiles{found->second.depth, found->second.outputs, found->second.transposed};
      bindings.push_back(format::CreateBinding(b, &at, id, &tiles));
    } else {
      bindings.push_back(format::CreateBinding(b, &at, id));
    }
  }
  return b.CreateVector(bindings);
}

Offset<flatbuffers::Vector<Offset<format::Layer>>> write_layers(FlatBufferBuilder& b, const DeviceStep& step) {
  const Program& program = step.program;
  std::vector<Offset<format::Layer>> layers;
  for (std::size_t i = 0; i < program.labels.size(); ++i) {
    const CompiledLayer& compiled = step.layers.at(i);
    const auto label = b.CreateString(program.labels[i]);
    const auto name = b.CreateString(compiled.name);
    const auto shape = b.CreateString(compiled.shape);
    layers.push_back(format::CreateLayer(b, label, program.label_cycles.at(i), name, shape, compiled.macs,
                                         compiled.predicted_cycles));
  }
  return b.CreateVector(layers);
}

using Presets = std::vector<Offset<format::Preset>>;

Presets write_constants(FlatBufferBuilder& b, const Program& program, const WeightTiling::Found& weights) {
  Presets presets;
  for (std::size_t i = 0; i < program.constants.size(); ++i) {
    const Program::Constant& constant = program.constants[i];
    if (weights[i]) {
      const format::WeightColumn column(static_cast<std::uint32_t>(weights[i]->op), weights[i]->packed,
                                        static_cast<std::uint32_t>(weights[i]->column));
      presets.push_back(format::CreatePreset(b, constant.offset, 0, &column));
    } else {
      b.ForceVectorAlignment(constant.bytes.size(), 1, 16);
      presets.push_back(format::CreatePreset(b, constant.offset, b.CreateVector(constant.bytes)));
    }
  }
  return presets;
}

Offset<format::Program> write_program(FlatBufferBuilder& b, const DeviceStep& step,
                                      const WeightTiling::Found& weights) {
  const Program& program = step.program;
  std::vector<std::uint32_t> words;
  for (const isa::Instruction& instruction : program.instructions) {
    words.insert(words.end(), instruction.words.begin(), instruction.words.end());
  }
  const Presets constants = write_constants(b, program, weights);
  const auto words_at = b.CreateVector(words);
  const auto label_of = b.CreateVector(program.label_of);
  const auto layers = write_layers(b, step);
  const auto constants_at = b.CreateVector(constants);
  const auto inputs = write(b, step.inputs, step.tiles);
  const auto outputs = write(b, step.outputs, {});
  return format::CreateProgram(b, words_at, label_of, layers, constants_at, inputs, outputs, program.binding_bytes,
                               program.constant_bytes, program.scratch_bytes, program.useful_macs,
                               program.estimated_cycles, program.syncs);
}

Offset<format::Step> write(FlatBufferBuilder& b, const HostStep& step) {
  return format::CreateStep(b, 0, step.op, b.CreateString(step.reason));
}

std::size_t bulk(const DeviceStep& step) {
  std::size_t bytes = step.program.instructions.size() * (isa::kInstructionBytes + sizeof(std::uint16_t));
  for (const Program::Constant& constant : step.program.constants) {
    bytes += constant.bytes.size();
  }
  return bytes;
}
std::size_t bulk(const HostStep&) { return 0; }

}  // namespace

FoundWeights find_weights(const CompiledNetwork& network) {
  std::vector<const Program*> programs;
  for (const NetworkStep& step : network.steps) {
    if (const auto* device = std::get_if<DeviceStep>(&step)) {
      programs.push_back(&device->program);
    }
  }
  return WeightTiling(network.graph, network.configuration.dim).find(programs);
}

void drop(CompiledNetwork& network, const FoundWeights& weights) {
  std::size_t next = 0;
  for (NetworkStep& step : network.steps) {
    if (auto* device = std::get_if<DeviceStep>(&step)) {
      const WeightTiling::Found& found = weights[next++];
      for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i]) {
          device->program.constants[i].bytes = std::vector<std::uint8_t>();
        }
      }
    }
  }
}

Offset<format::Compiled> write_compiled(FlatBufferBuilder& b, const CompiledNetwork& network,
                                        const FoundWeights& weights) {
  const Configuration& c = network.configuration;
  std::vector<Offset<format::Step>> steps;
  std::size_t next = 0;
  for (const NetworkStep& step : network.steps) {
    const auto* device = std::get_if<DeviceStep>(&step);
    steps.push_back(device != nullptr ? format::CreateStep(b, write_program(b, *device, weights[next++]))
                                      : write(b, std::get<HostStep>(step)));
  }
  const auto name = b.CreateString(c.name.data(), c.name.size());
  const auto configuration =
      format::CreateConfiguration(b, name, c.dim, c.scratch_rows, c.weight_rows, c.acc_rows, c.param_rows, c.parts);
  const auto steps_at = b.CreateVector(steps);
  return format::CreateCompiled(b, configuration, isa::kIsaVersion, steps_at);
}

std::size_t bulk_of(const CompiledNetwork& network) {
  std::size_t bytes = 0;
  for (const NetworkStep& step : network.steps) {
    bytes += std::visit([](const auto& s) { return bulk(s); }, step);
  }
  return bytes;
}

}  // namespace systole::container
