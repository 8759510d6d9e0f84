// SPDX-License-Identifier: Apache-2.0
#include "random_commands.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "kernel_set.hpp"
#include "systole/kernel_sequencer.hpp"
#include "systole/legality.hpp"
#include "systole/races.hpp"

namespace systole::programs {
namespace {

/// Rows are 16 bits; strides above this are negative.
long long signed16(std::uint16_t value) { return static_cast<std::int16_t>(value); }

const std::vector<isa::Opcode>& vector_opcodes() {
  using O = isa::Opcode;
  static const std::vector<O> list = {O::kDrain,   O::kDrain,   O::kDrain, O::kDrain32,  O::kPreload,
                                      O::kMaxpool, O::kAvgpool, O::kAdd,   O::kMultiply, O::kTable,
                                      O::kMap,     O::kVector,  O::kVector};
  return list;
}

/// Rows of the vector operations of a kernel, up to `most`.
double kernel_cost(const isa::Vector& op, const Configuration& c, double most) {
  kernel::Sequencer sequencer(kernels_of(c).known.kernels, op.entry, kernel::arguments_of(op));
  double rows = 0;
  try {
    while (const kernel::VectorStep* step = rows < most ? sequencer.next() : nullptr) {
      rows += kernel::kStripRows * (step->has_memory ? step->memory.planes() : 1);
    }
  } catch (const kernel::KernelFault&) {}
  return rows;
}

}  // namespace

double cost(const isa::Instruction& i, const Configuration& c) {
  const isa::InstructionInfo* info = isa::find_instruction(i);
  if (!info) return 0;
  if (info->opcode == isa::Opcode::kVector) return kernel_cost(isa::Vector::decode(i), c, 10'000);
  const auto value = [&](const char* name) {
    const isa::FieldInfo* field = isa::find_field(*info, name);
    return field ? static_cast<double>(isa::field_value(*field, i)) : 1;
  };
  // The depthwise unit passes what lies between outputs, too.
  const bool raster = info->opcode == isa::Opcode::kDepthwise;
  const double positions = (raster ? value("stride_h") * value("stride_w") : 1) * value("out_height") *
                           value("out_width") * value("kernel_h") * value("kernel_w") * value("blocks");
  const double piece = std::max(value("slot_bytes"), value("piece_bytes")) / c.dim + 1;
  const double runs = value("count0") * value("count1") * (value("run_bytes") / c.dim + value("pieces") * piece);
  return std::max(4 * positions, runs);
}

isa::Opcode Commands::opcode() {
  const long long draw = source_.range(0, 99);
  if (draw < 25) return isa::Opcode::kLoad;
  if (draw < 40) return isa::Opcode::kStore;
  if (draw < 53) return isa::Opcode::kConv;
  if (draw < 62) return isa::Opcode::kDepthwise;
  return source_.of(vector_opcodes());
}

isa::Instruction Commands::any() {
  for (;;) {
    const isa::Opcode drawn = opcode();
    const int part = isa::find_instruction(static_cast<std::uint32_t>(drawn))->part;
    if (part < 0 || c_.has(static_cast<Part>(part))) return one(drawn);
  }
}

isa::Instruction Commands::one(isa::Opcode opcode) {
  for (;;) {
    const isa::Instruction instruction = attempt(opcode);
    if (cost(instruction, c_) > 3000) continue;
    const KnownMemory& known = kernels_of(c_).known;
    if (!check_program({instruction}, c_, windows_, known) && !check_races({instruction}, c_, windows_, known)) {
      return instruction;
    }
  }
}

isa::Instruction Commands::attempt(isa::Opcode opcode) {
  switch (opcode) {
    case isa::Opcode::kLoad: return load();
    case isa::Opcode::kStore: return store();
    case isa::Opcode::kConv: return conv();
    case isa::Opcode::kDepthwise: return depthwise();
    case isa::Opcode::kDrain: return drain();
    case isa::Opcode::kDrain32: return drain32();
    case isa::Opcode::kPreload: return preload();
    case isa::Opcode::kMaxpool: return pool(drawn<isa::Maxpool>());
    case isa::Opcode::kAvgpool: {
      auto op = drawn<isa::Avgpool>();
      op.scalars = static_cast<std::uint16_t>(source_.range(0, c_.param_rows / 2));
      return pool(op);
    }
    case isa::Opcode::kAdd: return pair(drawn<isa::Add>(), 6);
    case isa::Opcode::kMultiply: return pair(drawn<isa::Multiply>(), 2);
    case isa::Opcode::kTable: return table();
    case isa::Opcode::kMap: return map();
    case isa::Opcode::kVector: return vector();
    default: throw std::logic_error("random commands: no case for this opcode");
  }
}

/// Every field uniform over its legal range.
template <class Op>
Op Commands::drawn() {
  const isa::InstructionInfo& info = *isa::find_instruction(static_cast<std::uint32_t>(Op::kOpcode));
  isa::Instruction instruction;
  for (int f = 0; f < info.field_count; ++f) {
    const isa::FieldInfo& field = info.fields[f];
    isa::set_field(field, instruction, source_.range(field.min / field.align, field.max / field.align) * field.align);
  }
  return Op::decode(instruction);
}

Commands::Span Commands::span(std::initializer_list<Loop> loops) {
  Span s{0, 0};
  for (const Loop& loop : loops) {
    (loop.stride < 0 ? s.low : s.high) += (loop.count - 1) * loop.stride;
  }
  return s;
}

int Commands::small(int most) { return static_cast<int>(source_.range(1, style_.large ? 3 * most : most)); }

std::uint16_t Commands::stride() {
  const long long draw = source_.range(0, 9);
  return static_cast<std::uint16_t>(draw < 7   ? source_.range(0, 9)
                                    : draw < 9 ? -source_.range(1, 9)
                                               : source_.range(0, c_.scratch_rows / 6));
}

/// A base such that the span lies in [0, limit), in the preferred rows if it fits there.
std::uint16_t Commands::place(const Span& span, long long limit, bool scratch) {
  long long low = 0, high = limit;
  if (scratch && !source_.chance(10)) {
    low = style_.first_row;
    high = std::min<long long>(limit, low + style_.rows);
    if (high - low <= span.high - span.low) low = 0, high = limit;
  }
  const long long from = low - span.low, to = high - 1 - span.high;
  return static_cast<std::uint16_t>(from <= to ? source_.range(from, to) : from);
}

int Commands::window_with(std::uint32_t permission) {
  std::vector<int> fit;
  for (int w = 0; w < isa::kWindows; ++w) {
    if (windows_[static_cast<std::size_t>(w)].permission & permission) fit.push_back(w);
  }
  return source_.of(fit);
}

std::uint32_t Commands::bytes(int window, const Span& span) {
  const long long to = windows_[static_cast<std::size_t>(window)].size - 1ll - span.high;
  if (-span.low > to) return 0;
  const long long start = source_.range(-span.low, to);
  return static_cast<std::uint32_t>(source_.chance(50) ? std::max(-span.low, start / c_.dim * c_.dim) : start);
}

isa::Instruction Commands::load() {
  auto op = drawn<isa::Load>();
  if (op.space == static_cast<std::uint8_t>(isa::Space::kKernel)) op.space = 0;  // kernels stay as they are known
  op.window = static_cast<std::uint8_t>(window_with(isa::kPermissionRead));
  const bool long_run = source_.chance(style_.large ? 30 : 5);
  op.run_bytes = static_cast<std::uint32_t>(source_.range(1, long_run ? 6000 : 10 * c_.dim));
  op.pieces = static_cast<std::uint16_t>(small(long_run ? 40 : 6));
  op.slot_bytes = static_cast<std::uint16_t>(small(source_.chance(5) ? 30 * c_.dim : 3 * c_.dim));
  op.piece_bytes = static_cast<std::uint16_t>(source_.chance(30) ? op.slot_bytes : source_.range(0, op.slot_bytes));
  op.piece_step = static_cast<std::uint16_t>(source_.chance(30) ? op.piece_bytes : source_.range(0, 2 * op.slot_bytes));
  op.piece_start = static_cast<std::int16_t>(source_.chance(40) ? 0 : source_.range(-2 * c_.dim, op.run_bytes));
  op.lane = static_cast<std::uint8_t>(source_.chance(40) ? 0 : source_.range(0, c_.dim - 1));
  op.count0 = static_cast<std::uint16_t>(small(4));
  op.count1 = static_cast<std::uint16_t>(small(3));
  op.valid_from = static_cast<std::uint16_t>(source_.chance(60) ? 0 : source_.range(0, op.count0));
  op.valid_to = static_cast<std::uint16_t>(source_.chance(60) ? op.count0 : source_.range(op.valid_from, op.count0));
  op.turn = 0;
  if (op.space < static_cast<std::uint8_t>(isa::Space::kParam) && source_.chance(20)) {
    const bool words = source_.chance(50);
    op.turn = static_cast<std::uint8_t>(words ? isa::Turn::kWords : isa::Turn::kBytes);
    op.pieces = 1;
    op.lane = 0;
    op.slot_bytes = static_cast<std::uint16_t>(c_.dim);
    op.piece_bytes = std::min(op.piece_bytes, op.slot_bytes);
    op.count0 = static_cast<std::uint16_t>(words ? c_.dim / 4 : c_.dim);
    op.valid_to = std::min(op.valid_to, op.count0);
    op.valid_from = std::min(op.valid_from, op.valid_to);
  }
  op.src_stride0 = static_cast<std::int32_t>(source_.range(-300, 300));
  op.src_stride1 = static_cast<std::int32_t>(source_.range(-300, 300));
  Span runs = span({{op.count1, op.src_stride1}, {op.count0, op.src_stride0}});
  runs.high += op.run_bytes - 1;
  op.src = bytes(op.window, runs);
  op.dst_piece = stride();
  op.dst_block = stride();
  op.dst_stride0 = stride();
  op.dst_stride1 = stride();
  const auto rows = span({{op.count1, signed16(op.dst_stride1)},
                          {op.count0, signed16(op.dst_stride0)},
                          {op.pieces, signed16(op.dst_piece)},
                          {(op.lane + op.slot_bytes - 1) / c_.dim + 1, signed16(op.dst_block)}});
  switch (static_cast<isa::Space>(op.space)) {
    case isa::Space::kScratch: op.dst = scratch(rows); break;
    case isa::Space::kParam: op.dst = place(rows, c_.param_rows); break;
    case isa::Space::kWeight:  // the ring takes any row
    case isa::Space::kKernel: break;
  }
  return op.encode();
}

isa::Instruction Commands::store() {
  auto op = drawn<isa::Store>();
  op.window = static_cast<std::uint8_t>(window_with(isa::kPermissionWrite));
  op.pieces = static_cast<std::uint16_t>(small(6));
  op.piece_bytes = static_cast<std::uint16_t>(small(source_.chance(5) ? 20 * c_.dim : 3 * c_.dim));
  op.count0 = static_cast<std::uint16_t>(small(3));
  op.count1 = static_cast<std::uint16_t>(small(2));
  op.dst_stride0 = static_cast<std::int32_t>(source_.range(-300, 300));
  op.dst_stride1 = static_cast<std::int32_t>(source_.range(-300, 300));
  Span runs = span({{op.count1, op.dst_stride1}, {op.count0, op.dst_stride0}});
  runs.high += op.pieces * op.piece_bytes - 1;
  op.dst = bytes(op.window, runs);
  op.src_piece = stride();
  op.src_block = stride();
  op.src_stride0 = stride();
  op.src_stride1 = stride();
  op.src = scratch(span({{op.count1, signed16(op.src_stride1)},
                         {op.count0, signed16(op.src_stride0)},
                         {op.pieces, signed16(op.src_piece)},
                         {(op.piece_bytes - 1) / c_.dim + 1, signed16(op.src_block)}}));
  return op.encode();
}

template <class Op>
void Commands::shape(Op& op) {
  op.out_height = static_cast<std::uint16_t>(small(4));
  op.out_width = static_cast<std::uint16_t>(small(5));
}

template <class Op>
void Commands::window_of_taps(Op& op) {
  op.in_height = static_cast<std::uint16_t>(small(7));
  op.in_width = static_cast<std::uint16_t>(small(7));
  op.kernel_h = static_cast<std::uint8_t>(source_.range(1, 3));
  op.kernel_w = static_cast<std::uint8_t>(source_.range(1, 3));
  op.stride_h = static_cast<std::uint8_t>(source_.range(1, 3));
  op.stride_w = static_cast<std::uint8_t>(source_.range(1, 3));
  op.y0 = static_cast<std::int16_t>(source_.range(-3, 3));
  op.x0 = static_cast<std::int16_t>(source_.range(-3, 3));
}

template <class Op>
void Commands::dilation(Op& op) {
  op.dilation_h = static_cast<std::uint8_t>(source_.range(1, 2));
  op.dilation_w = static_cast<std::uint8_t>(source_.range(1, 2));
}

template <class Op>
void Commands::clamp(Op& op) {
  if (op.clamp_min > op.clamp_max) std::swap(op.clamp_min, op.clamp_max);
}

isa::Instruction Commands::conv() {
  auto op = drawn<isa::Conv>();
  shape(op);
  window_of_taps(op);
  dilation(op);
  op.blocks = static_cast<std::uint16_t>(source_.range(1, 3));
  if (source_.chance(30)) op.kernel_h = op.kernel_w = 1;
  if (op.block_float != 0 || source_.chance(70)) op.skip0 = 0;  // at most 27 tiles
  op.skip1 = op.skip2 = op.skip3 = 0;
  op.row_stride = stride();
  op.plane_stride = stride();
  op.act_row = scratch(
      span({{op.blocks, signed16(op.plane_stride)}, {op.in_height, signed16(op.row_stride)}, {op.in_width, 1}}));
  op.acc_row = place({0, op.out_height * op.out_width - 1}, c_.acc_rows);
  return op.encode();
}

isa::Instruction Commands::depthwise() {
  auto op = drawn<isa::Depthwise>();
  shape(op);
  window_of_taps(op);
  op.blocks = static_cast<std::uint16_t>(source_.range(1, 3));
  if (source_.chance(30)) op.stride_h = op.stride_w = 1;
  op.row_stride = stride();
  op.plane_stride = stride();
  op.act_row = scratch(
      span({{op.blocks, signed16(op.plane_stride)}, {op.in_height, signed16(op.row_stride)}, {op.in_width, 1}}));
  op.acc_row = place({0, op.blocks * op.out_height * op.out_width - 1}, c_.acc_rows);
  return op.encode();
}

isa::Instruction Commands::drain() {
  auto op = drawn<isa::Drain>();
  shape(op);
  clamp(op);
  if (op.mid_min > op.mid_max) std::swap(op.mid_min, op.mid_max);
  op.dst_stride = stride();
  op.src2_stride = stride();
  op.src = place({0, op.out_height * op.out_width - 1}, c_.acc_rows);
  op.dst = scratch(span({{op.out_height, signed16(op.dst_stride)}, {op.out_width, 1}}));
  op.src2 = source_.chance(20) ? op.dst : scratch(span({{op.out_height, signed16(op.src2_stride)}, {op.out_width, 1}}));
  op.params = parameters(9);
  op.scalars = parameters(6);
  return op.encode();
}

isa::Instruction Commands::drain32() {
  auto op = drawn<isa::Drain32>();
  shape(op);
  op.dst_stride = stride();
  op.plane_stride = source_.chance(50) ? static_cast<std::uint16_t>(op.out_width) : stride();
  op.src = place({0, op.out_height * op.out_width - 1}, c_.acc_rows);
  op.dst = scratch(span({{op.out_height, signed16(op.dst_stride)}, {op.out_width, 1}, {4, signed16(op.plane_stride)}}));
  return op.encode();
}

isa::Instruction Commands::preload() {
  auto op = drawn<isa::Preload>();
  shape(op);
  op.src_stride = stride();
  op.plane_stride = stride();
  op.dst = place({0, op.out_height * op.out_width - 1}, c_.acc_rows);
  op.src = scratch(span({{op.out_height, signed16(op.src_stride)}, {op.out_width, 1}, {4, signed16(op.plane_stride)}}));
  return op.encode();
}

template <class Op>
isa::Instruction Commands::pool(Op op) {
  shape(op);
  clamp(op);
  window_of_taps(op);
  dilation(op);
  op.src_stride = stride();
  op.dst_stride = stride();
  op.src = scratch(span({{op.in_height, signed16(op.src_stride)}, {op.in_width, 1}}));
  op.dst = scratch(span({{op.out_height, signed16(op.dst_stride)}, {op.out_width, 1}}));
  return op.encode();
}

template <class Op>
isa::Instruction Commands::pair(Op op, int parameter_rows) {
  shape(op);
  clamp(op);
  op.src_stride = stride();
  op.src2_stride = stride();
  op.dst_stride = stride();
  op.src = scratch(span({{op.out_height, signed16(op.src_stride)}, {op.out_width, 1}}));
  op.src2 = source_.chance(20) ? op.src : scratch(span({{op.out_height, signed16(op.src2_stride)}, {op.out_width, 1}}));
  op.dst = scratch(span({{op.out_height, signed16(op.dst_stride)}, {op.out_width, 1}}));
  if (source_.chance(20)) op.dst = op.src, op.dst_stride = op.src_stride;  // in place
  op.scalars = parameters(parameter_rows);
  return op.encode();
}

isa::Instruction Commands::map() {
  auto op = drawn<isa::Map>();
  shape(op);
  clamp(op);
  op.src_stride = stride();
  op.dst_stride = stride();
  op.src = scratch(span({{op.out_height, signed16(op.src_stride)}, {op.out_width, 1}}));
  op.dst = scratch(span({{op.out_height, signed16(op.dst_stride)}, {op.out_width, 1}}));
  return op.encode();
}

isa::Instruction Commands::table() {
  auto op = drawn<isa::Table>();
  const int bytes = op.words != 0 ? 4 * kernel::kTableWords : 256;
  op.params = parameters(bytes / c_.dim);
  return op.encode();
}

/// Other values than those of the set, which no address depends on.
isa::Instruction Commands::vector() {
  isa::Vector op = source_.of(kernels_of(c_).starts);
  if (source_.chance(50)) op.arg10 = static_cast<std::uint32_t>(source_.word());
  if (source_.chance(50)) op.arg11 = static_cast<std::uint32_t>(source_.word());
  return op.encode();
}

}  // namespace systole::programs
