// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>

#include "reader.hpp"
#include "systole/accesses.hpp"
#include "systole/deadlock.hpp"
#include "systole/disassemble.hpp"
#include "systole/isa_check.hpp"
#include "systole/legality.hpp"
#include "weight_presets.hpp"
#include "written_tiles.hpp"

namespace systole::container {
namespace {

constexpr const char* kAgain = "compile again with systole compile";
// Limits of the memory accesses of a program, and so of the time that checking it takes. They are many times what
// compiled networks need.
constexpr std::uint64_t kAccessesOfAProgram = std::uint64_t{1} << 22;
constexpr std::uint64_t kAccessesPerByte = 512;  // per byte of instructions; published networks have at most 15
constexpr std::size_t kMostInstructions = (std::size_t{1} << 20) - 1;  // the largest ring, without END

/// The parts of one of a program's ranges of memory.
class Parts {
 public:
  /// `bytes` is the size of the range.
  Parts(const char* range, std::uint64_t bytes) : range_(range), bytes_(bytes) {}

  /// Throws ContainerError unless the part lies in the range, at a unit of buffers, and shares no byte with another.
  void add(std::uint64_t offset, std::uint64_t bytes, const std::string& what) {
    if (offset % kBufferAlignment != 0 || offset > bytes_ || bytes > bytes_ - offset) {
      throw ContainerError(
          fmt::format("{}: {} bytes at {:#x} of the {}, which have {}; they begin at a multiple of {}: {}", what, bytes,
                      offset, range_, bytes_, kBufferAlignment, kAgain));
    }
    if (bytes == 0) {
      return;
    }
    const auto next = begins_.lower_bound(offset);
    const bool meets_next = next != begins_.end() && next->first < offset + bytes;
    const bool meets_previous = next != begins_.begin() && std::prev(next)->second > offset;
    if (meets_next || meets_previous) {
      throw ContainerError(
          fmt::format("{}: {} bytes at {:#x} of the {} overlap others: {}", what, bytes, offset, range_, kAgain));
    }
    begins_[offset] = offset + bytes;
  }

 private:
  const char* range_;
  std::uint64_t bytes_;
  std::map<std::uint64_t, std::uint64_t> begins_;  ///< of parts so far: beginning to end
};

/// Reads a program of the file part by part.
class ProgramReader {
 public:
  ProgramReader(const format::Program& from, const graph::Graph& graph, const Configuration& configuration,
                WeightTiling& weights, Reader& reader)
      : from_(from), graph_(graph), configuration_(configuration), weights_(weights), reader_(reader) {}

  DeviceStep run() {
    read_instructions();
    read_layers();
    read_sizes();
    Program& program = step_.program;
    Parts constants("constants", program.constant_bytes);
    for (flatbuffers::uoffset_t i = 0; i < size_of(from_.constants()); ++i) {
      const format::Preset& preset = *from_.constants()->Get(i);
      if ((preset.data() == nullptr) == (preset.weights() == nullptr)) {
        throw ContainerError(fmt::format("damaged: constant {} is neither bytes alone nor weights alone", i));
      }
      program.constants.push_back({preset.offset(), preset.weights() != nullptr ? weights_.take(column_of(preset))
                                                                                : reader_.numbers(preset.data())});
      constants.add(preset.offset(), program.constants.back().bytes.size(), fmt::format("constant {}", i));
    }
    bind(from_.inputs(), step_.inputs, "input");
    read_tiles();
    bind(from_.outputs(), step_.outputs, "output");
    program.useful_macs = from_.useful_macs();
    program.estimated_cycles = from_.estimated_cycles();
    program.syncs = from_.syncs();
    check();
    return std::move(step_);
  }

 private:
  static ColumnOfWeights column_of(const format::Preset& preset) {
    return {preset.weights()->operator_index(), preset.weights()->packed(), preset.weights()->column()};
  }

  void read_instructions() {
    Program& program = step_.program;
    constexpr std::size_t kWords = std::tuple_size_v<decltype(isa::Instruction::words)>;
    const std::vector<std::uint32_t> words = reader_.numbers(from_.instructions());
    if (words.size() % kWords != 0 || words.size() / kWords > kMostInstructions) {
      throw ContainerError(
          fmt::format("a program of {} words; it has {} per instruction, and at most {} instructions: {}", words.size(),
                      kWords, kMostInstructions, kAgain));
    }
    program.instructions.resize(words.size() / kWords);
    for (std::size_t i = 0; i < program.instructions.size(); ++i) {
      std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(i * kWords), kWords,
                  program.instructions[i].words.begin());
    }
  }

  void read_layers() {
    Program& program = step_.program;
    for (flatbuffers::uoffset_t i = 0; i < from_.layers()->size(); ++i) {
      const format::Layer& layer = *from_.layers()->Get(i);
      program.labels.push_back(reader_.text(layer.label()));
      program.label_cycles.push_back(layer.label_cycles());
      CompiledLayer compiled;
      compiled.name = reader_.text(layer.name());
      compiled.shape = reader_.text(layer.shape());
      compiled.macs = layer.macs();
      compiled.predicted_cycles = layer.predicted_cycles();
      step_.layers.push_back(std::move(compiled));
    }
    check_macs();
    program.label_of = reader_.numbers(from_.label_of());
    if (program.label_of.size() != program.instructions.size()) {
      throw ContainerError(fmt::format("{} instructions with {} labels; each has one: {}", program.instructions.size(),
                                       program.label_of.size(), kAgain));
    }
    for (const std::uint16_t label : program.label_of) {
      if (label >= program.labels.size()) {
        throw ContainerError(fmt::format("an instruction belongs to layer {}, but the number of layers is {}; {}",
                                         label, program.labels.size(), kAgain));
      }
    }
  }

  void check_macs() const {
    std::uint64_t macs = 0;
    for (const CompiledLayer& layer : step_.layers) {
      macs += layer.macs;
    }
    if (macs != from_.useful_macs()) {
      throw ContainerError(
          fmt::format("layers of {} multiply-accumulates in a program of {}: {}", macs, from_.useful_macs(), kAgain));
    }
  }

  void read_sizes() {
    Program& program = step_.program;
    program.binding_bytes = from_.binding_bytes();
    program.constant_bytes = from_.constant_bytes();
    program.scratch_bytes = from_.scratch_bytes();
    try {
      program.windows();
    } catch (const InvalidArgument& error) {
      throw ContainerError(fmt::format("{}: {}", error.what(), kAgain));
    }
  }

  void bind(const flatbuffers::Vector<flatbuffers::Offset<format::Binding>>* bindings,
            std::map<graph::TensorId, MemoryRange>& ranges, const char* what) {
    for (flatbuffers::uoffset_t i = 0; i < size_of(bindings); ++i) {
      const format::Binding& binding = *bindings->Get(i);
      if (binding.tensor() < 0 || static_cast<std::size_t>(binding.tensor()) >= graph_.tensors.size() ||
          ranges.count(binding.tensor()) != 0) {
        throw ContainerError(fmt::format(
            "{} {} of a program is tensor {}; it must be one of the {} of the graph, and used only once: {}", what, i,
            binding.tensor(), graph_.tensors.size(), kAgain));
      }
      const graph::Tensor& tensor = graph_.tensor(binding.tensor());
      const auto elements = static_cast<std::uint64_t>(graph::count(tensor.shape));
      const bool is_tiles = &ranges == &step_.inputs && binding.tiles() != nullptr;  // which read_tiles() checks
      if (!is_tiles && binding.range()->bytes() != elements * graph::element_size(tensor.type)) {
        throw ContainerError(fmt::format("{} '{}' of a program: {} bytes for {} elements of {}: {}", what, tensor.name,
                                         binding.range()->bytes(), elements, graph::name_of(tensor.type), kAgain));
      }
      const MemoryRange range{binding.range()->offset(), binding.range()->bytes()};
      bindings_.add(range.offset, range.bytes, fmt::format("{} '{}'", what, tensor.name));
      ranges.emplace(binding.tensor(), range);
    }
  }

  /// Of inputs that the host writes as weight tiles.
  void read_tiles() {
    for (flatbuffers::uoffset_t i = 0; i < size_of(from_.inputs()); ++i) {
      const format::Binding& binding = *from_.inputs()->Get(i);
      if (binding.tiles() == nullptr) {
        continue;
      }
      const graph::Tensor& tensor = graph_.tensor(binding.tensor());
      const WrittenTiles tiles{binding.tiles()->depth(), binding.tiles()->outputs(), binding.tiles()->transposed()};
      const graph::Shape matrix =
          tiles.transposed ? graph::Shape{tiles.depth, tiles.outputs} : graph::Shape{tiles.outputs, tiles.depth};
      if (tensor.type != graph::ElementType::kFloat32 || tensor.shape != matrix ||
          binding.range()->bytes() != static_cast<std::uint64_t>(network::bytes_of(tiles, configuration_.dim))) {
        throw ContainerError(fmt::format("input '{}' of a program: {} bytes for weight tiles of {} {}: {}", tensor.name,
                                         binding.range()->bytes(), graph::to_string(tensor.shape),
                                         graph::name_of(tensor.type), kAgain));
      }
      step_.tiles[binding.tensor()] = tiles;
    }
  }

  /// Checks that the program is legal, accesses only its own ranges of memory, and cannot deadlock.
  void check() const {
    const Program& program = step_.program;
    std::vector<isa::Instruction> commands = program.instructions;
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const auto opcode = static_cast<isa::Opcode>(isa::get(commands[i], 0, 8));
      if (opcode == isa::Opcode::kEnd || opcode == isa::Opcode::kJump) {
        throw ContainerError(fmt::format(
            "program of layer '{}', instruction {}: {}; a program in a file must not contain END or JUMP: {}",
            program.label(i), i, isa::disassemble(commands[i]), kAgain));
      }
    }
    check_extent();
    commands.push_back(isa::End{}.encode());
    if (const auto refusal = check_program(commands, configuration_, program.windows(), constants(), most_accesses())) {
      throw ContainerError(
          fmt::format("program of layer '{}': {}; {}", program.label(refusal->index), refusal->text(), kAgain));
    }
    if (const auto deadlock = find_deadlock(program)) {
      throw ContainerError(fmt::format("program of layer '{}': {}; {}", program.label(0), deadlock->to_text(), kAgain));
    }
  }

  /// What is known of device memory: the constants of the program, kernels among them.
  KnownMemory constants() const {
    const std::uint64_t base = step_.program.windows()[kConstantsWindow].base;
    const auto read = [this, base](std::uint64_t address, std::size_t bytes, void* to) {
      for (const Program::Constant& constant : step_.program.constants) {
        const std::uint64_t begin = base + constant.offset;
        if (begin <= address && address + bytes <= begin + constant.bytes.size()) {
          std::memcpy(to, constant.bytes.data() + (address - begin), bytes);
          return true;
        }
      }
      return false;
    };
    return {read, {}};
  }

  std::uint64_t most_accesses() const {
    return kAccessesOfAProgram + step_.program.instructions.size() * isa::kInstructionBytes * kAccessesPerByte;
  }

  /// A single instruction with nested loops can describe more accesses than can be checked in reasonable time. Those of
  /// VECTOR follow from its kernel; check_program() limits them.
  void check_extent() const {
    const Program& program = step_.program;
    const std::uint64_t most = most_accesses();
    std::uint64_t accesses = 0;
    for (std::size_t i = 0; i < program.instructions.size(); ++i) {
      const isa::Instruction& instruction = program.instructions[i];
      const bool vector = static_cast<isa::Opcode>(isa::get(instruction, 0, 8)) == isa::Opcode::kVector;
      const bool counts = !vector && isa::is_legal(instruction, configuration_.dim, configuration_.parts);
      accesses += counts ? access_bound(instruction, configuration_) : 0;
      if (accesses > most) {
        throw ContainerError(fmt::format(
            "program of layer '{}', instruction {}: {}; with those before it, it accesses {} rows and ranges of "
            "memory; a program of {} instructions accesses at most {}: {}",
            program.label(i), i, isa::disassemble(instruction), accesses, program.instructions.size(), most, kAgain));
      }
    }
  }

  const format::Program& from_;
  const graph::Graph& graph_;
  const Configuration& configuration_;
  WeightTiling& weights_;
  Reader& reader_;
  DeviceStep step_;
  Parts bindings_{"bindings", from_.binding_bytes()};
};

}  // namespace

DeviceStep read_device_step(const format::Program& from, const graph::Graph& graph, const Configuration& configuration,
                            WeightTiling& weights, Reader& reader) {
  return ProgramReader(from, graph, configuration, weights, reader).run();
}

}  // namespace systole::container
