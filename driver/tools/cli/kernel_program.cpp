// SPDX-License-Identifier: Apache-2.0
#include "kernel_program.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "exit_codes.hpp"
#include "terminal.hpp"

namespace systole::cli {
namespace {

constexpr int kMostRows = 8192;  // of a LOAD or STORE, whose bytes are limited

enum : std::uint8_t { kLoaded, kComputed };  // semaphores

isa::Engine engine_of(const isa::Instruction& instruction) {
  switch (static_cast<isa::Opcode>(isa::get(instruction, 0, 8))) {
    case isa::Opcode::kLoad: return isa::Engine::kLoad;
    case isa::Opcode::kStore: return isa::Engine::kStore;
    default: return isa::Engine::kVpu;
  }
}

/// Reserves `rows` of a memory's `all`, of which `used` are in use.
int reserve(const KernelOperand& operand, std::int64_t rows, int& used, int all, const char* memory,
            const Configuration& configuration) {
  if (rows > all - used) {
    throw InputError(fmt::format(
        "{}: {} {} needs {} rows of the {}; {} of {} are free in configuration {}: use fewer rows or a larger --config",
        operand.name, graph::to_string(operand.shape), name_of(operand.type), grouped(static_cast<std::uint64_t>(rows)),
        memory, all - used, all, configuration.name));
  }
  return std::exchange(used, used + static_cast<int>(rows));
}

/// Appends bytes to a range that has `bytes`, in units of an address window; returns their offset.
std::uint64_t append_to(std::uint64_t& bytes, std::uint64_t more) {
  return std::exchange(bytes, bytes + (more + kWindowAlignment - 1) / kWindowAlignment * kWindowAlignment);
}

}  // namespace

std::string PlacedOperand::text() const {
  return fmt::format("{:<12} {} {}, {} rows {} to {}", operand->name, graph::to_string(operand->shape),
                     name_of(operand->type), operand->sums ? "accumulator" : "scratchpad", first, first + rows() - 1);
}

KernelProgram::KernelProgram(const kernel::Kernel& kernel, const KernelCall& call, const Configuration& configuration)
    : configuration_(configuration) {
  program_.labels = {kernel.name};
  for (const KernelOperand& operand : call.operands) {
    place(operand);
  }
  graph::Bytes words;
  for (const kernel::Word word : kernel.words) {
    for (std::size_t byte = 0; byte < sizeof word; ++byte) {
      words.push_back(static_cast<std::uint8_t>(word >> 8 * byte));
    }
  }
  load(isa::Space::kKernel, 0, std::move(words));
  if (!call.table.empty()) {
    load(isa::Space::kParam, 0, call.table);
    isa::Table table;
    table.words = 1;
    append(table);
  }
  for (const PlacedOperand& operand : operands_) {
    if (operand.operand->input && operand.operand->sums) {
      move_sums(operand, true);
    }
  }
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    const auto found = std::find_if(operands_.begin(), operands_.end(),
                                    [&](const PlacedOperand& o) { return o.operand->name == kernel.arguments[i]; });
    arguments_[i] =
        found == operands_.end() ? call.values.at(kernel.arguments[i]) : static_cast<std::uint32_t>(found->first);
  }
  const auto& a = arguments_;
  append(isa::Vector{{}, 0, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11]});
  for (const PlacedOperand& operand : operands_) {
    if (operand.operand->is_result()) {
      if (operand.operand->sums) {
        move_sums(operand, false);
      }
      store(operand);
    }
  }
  synchronize();
}

void KernelProgram::place(const KernelOperand& operand) {
  const Configuration& c = configuration_;
  if (graph::count(operand.shape) > graph::kMaxTensorBytes) {
    throw InputError(fmt::format("{}: {} elements of shape {} are more than any memory holds", operand.name,
                                 graph::count(operand.shape), graph::to_string(operand.shape)));
  }
  PlacedOperand placed{&operand, Planes(operand, c.dim), 0, 0, {}};
  const std::int64_t all = placed.planes.all_rows();
  placed.scratch = reserve(operand, all, scratch_rows_, c.scratch_rows, "scratchpad", c);
  placed.first =
      operand.sums ? reserve(operand, placed.rows(), sum_rows_, c.acc_rows, "accumulators", c) : placed.scratch;
  if (operand.input) {
    load(isa::Space::kScratch, placed.scratch, placed.planes.split(operand.input->data));
  }
  if (operand.is_result()) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(all) * static_cast<std::uint64_t>(c.dim);
    placed.result = {append_to(program_.binding_bytes, bytes), bytes};
  }
  operands_.push_back(std::move(placed));
}

/// LOADs of whole rows; the last one is filled up with zeros.
void KernelProgram::load(isa::Space space, int row, graph::Bytes rows) {
  const auto dim = static_cast<std::size_t>(configuration_.dim);
  rows.resize((rows.size() + dim - 1) / dim * dim);
  const auto count = static_cast<int>(rows.size() / dim);
  const std::uint64_t offset = append_to(program_.constant_bytes, rows.size());
  for (int done = 0; done < count; done += kMostRows) {
    isa::Load op;
    op.space = static_cast<std::uint8_t>(space);
    op.window = kConstantsWindow;
    op.src = static_cast<std::uint32_t>(offset + static_cast<std::size_t>(done) * dim);
    op.pieces = static_cast<std::uint16_t>(std::min(kMostRows, count - done));
    op.run_bytes = static_cast<std::uint32_t>(op.pieces * configuration_.dim);
    op.piece_step = op.piece_bytes = op.slot_bytes = static_cast<std::uint16_t>(dim);
    op.dst = static_cast<std::uint16_t>(row + done);
    op.dst_piece = 1;
    op.valid_to = 1;
    append(op);
  }
  program_.constants.push_back({offset, std::move(rows)});
}

void KernelProgram::store(const PlacedOperand& operand) {
  const auto count = static_cast<int>(operand.planes.all_rows());
  for (int done = 0; done < count; done += kMostRows) {
    isa::Store op;
    op.window = kBindingsWindow;
    op.dst = static_cast<std::uint32_t>(operand.result.offset + static_cast<std::uint64_t>(done) *
                                                                    static_cast<std::uint64_t>(configuration_.dim));
    op.pieces = static_cast<std::uint16_t>(std::min(kMostRows, count - done));
    op.piece_bytes = static_cast<std::uint16_t>(configuration_.dim);
    op.src = static_cast<std::uint16_t>(operand.scratch + done);
    op.src_piece = 1;
    append(op);
  }
}

/// Between scratchpad and accumulators, DIM channels at a time: their four planes are an accumulator row each.
void KernelProgram::move_sums(const PlacedOperand& operand, bool in) {
  const auto rows = static_cast<std::uint16_t>(operand.planes.rows);
  for (int block = 0; block < operand.planes.blocks; ++block) {
    const auto scratch = static_cast<std::uint16_t>(operand.scratch + 4 * block * rows);
    const auto sums = static_cast<std::uint16_t>(operand.first + block * rows);
    if (in) {
      isa::Preload op;
      op.src = scratch;
      op.dst = sums;
      op.out_width = op.plane_stride = rows;
      append(op);
    } else {
      isa::Drain32 op;
      op.src = sums;
      op.dst = scratch;
      op.out_width = op.plane_stride = rows;
      append(op);
    }
  }
}

template <class Op>
void KernelProgram::append(const Op& op) {
  program_.instructions.push_back(op.encode());
  program_.label_of.push_back(0);
}

/// An engine executes its instructions in order, so two semaphores suffice: the first instruction of the vector unit
/// waits for the last LOAD, and the first STORE for the last instruction of the vector unit.
void KernelProgram::synchronize() {
  auto& list = program_.instructions;
  const auto is_of = [](isa::Engine engine) {
    return [engine](const isa::Instruction& instruction) { return engine_of(instruction) == engine; };
  };
  const auto order = [&](isa::Engine before, isa::Engine after, std::uint8_t semaphore) {
    const auto first = std::find_if(list.begin(), list.end(), is_of(after));
    if (first == list.end()) {
      return;
    }
    const auto last = std::find_if(list.rbegin(), list.rend(), is_of(before));
    isa::Semaphores signals = isa::decode_semaphores(*last), waits = isa::decode_semaphores(*first);
    signals.signal0_sem = waits.wait0_sem = semaphore;
    signals.signal0_amount = waits.wait0_amount = 1;
    isa::encode(signals, *last);
    isa::encode(waits, *first);
  };
  order(isa::Engine::kLoad, isa::Engine::kVpu, kLoaded);
  order(isa::Engine::kVpu, isa::Engine::kStore, kComputed);
}

graph::Value KernelProgram::read(const PlacedOperand& operand, Device& device) const {
  graph::Bytes rows(operand.result.bytes);
  device.read(program_.bindings(), rows.data(), rows.size(), operand.result.offset);
  return {operand.operand->type, operand.operand->shape, operand.planes.join(rows)};
}

}  // namespace systole::cli
