// SPDX-License-Identifier: Apache-2.0
#include "product_output.hpp"

#include <algorithm>
#include <bit>

#include "fields.hpp"
#include "float_results.hpp"
#include "kernel_arguments.hpp"
#include "params.hpp"
#include "results.hpp"
#include "window_maxima.hpp"

namespace systole::compiler {
namespace {

constexpr int kScalarsRows = 6;  // parameter rows of the residual's three scales
constexpr int kWordBytes = 4;

/// Without what is written.
ResultsForm form_of(const FloatStage& floats) {
  return {floats.bias.has_value(), floats.addend.has_value(), floats.low.has_value(), floats.high.has_value()};
}

}  // namespace

ProductOutput::ProductOutput(Builder& builder, const Activations& source, ProductLayout& layout, const Output& output,
                             const OutputStage& stage)
    : builder_(builder),
      source_(source),
      layout_(layout),
      output_(output),
      stage_(stage),
      params_(builder, stage.params, ceil_div(output.columns, builder.dim())),
      bias_(layout.bias) {}

void ProductOutput::begin(const Unit& unit) {
  if (!has_initial_sums()) {
    return;
  }
  // Four rows (one row of int32), written to every position.
  const int bytes = kBiasRows * builder_.dim();
  const Rows rows = layout_.staging.take(kBiasRows);
  isa::Load load;
  load.src = stage_.raw_bias + static_cast<std::uint32_t>(unit.column * bytes);
  load.run_bytes = static_cast<std::uint32_t>(bytes);
  load.piece_step = load.piece_bytes = load.slot_bytes = u16(bytes);
  load.dst = u16(rows.row);
  load.dst_block = 1;
  load.valid_to = 1;
  builder_.append(load);
  isa::Preload op;
  op.src = u16(rows.row);
  op.dst = u16(unit.sums.row);
  op.out_height = u16(positions(unit));
  op.plane_stride = 1;
  builder_.append(op);
}

int ProductOutput::residual_bytes() const {
  if (raw()) {
    return 0;
  }
  if (stage_.floats) {
    return stage_.floats->tensors() * kWordBytes;
  }
  return stage_.residual && !stage_.residual->chip ? 1 : 0;
}

bool ProductOutput::have_room(const std::vector<Unit>& units) const {
  const int bytes = residual_bytes();
  int rows = 0;
  for (const Unit& unit : units) {
    rows += bytes == 0 ? 0 : bytes * residual_plane(unit, bytes);
  }
  return rows <= layout_.residuals.size();
}

void ProductOutput::prepare(Unit& unit) {
  if (raw()) {
    return;
  }
  if (stage_.floats) {
    if (stage_.floats->function) {
      load_numbers();
    }
    if (stage_.floats->tensors() > 0 && unit.residual_row < 0) {
      load_tensors(unit);
    }
    return;
  }
  need_params(unit.column);
  if (stage_.residual && !stage_.residual->chip && unit.residual_row < 0) {
    unit.residual_row = layout_.residuals.take(residual_plane(unit, 1)).row;
    load_residual(unit, stage_.residual->address, stage_.residual->pitch, 1, unit.residual_row);
  }
}

int ProductOutput::need_params(int column) {
  RowRing& ring = builder_.rings().params;
  int row = params_.need(column);
  while (stage_.residual && !ring.holds(scalars_)) {
    scalars_ = ring.take(kScalarsRows);
    load_params(builder_, stage_.residual->scalars, kScalarsRows, scalars_.row);
    row = params_.need(column);  // the ring may have wrapped around and overwritten them
  }
  return row;
}

ProductOutput::Place ProductOutput::on_chip(const Unit& unit, const ChipPlanes& planes) const {
  const TileShape shape = source_.shape(unit.tile);
  const TilePlace place = source_.place(unit.tile);
  const int row = planes.row + unit.column * output_.element_bytes * planes.plane +
                  static_cast<int>(place.first + unit.lines.begin * place.line_step);
  if (place.line_step == shape.width) {
    return {row, 1, positions(unit), 0, planes.plane};
  }
  return {row, unit.lines.size(), shape.width, static_cast<int>(place.line_step), planes.plane};
}

/// One behind the other.
void ProductOutput::load_tensors(Unit& unit) {
  const FloatStage& floats = *stage_.floats;
  const int each = kWordPlanes * residual_plane(unit, kWordBytes);
  unit.residual_row = layout_.residuals.take(floats.tensors() * each).row;
  int row = unit.residual_row;
  if (floats.addend) {
    load_residual(unit, floats.addend->address, floats.addend->pitch, kWordBytes, row);
    row += each;
  }
  for (std::size_t i = 0; floats.function && i < floats.function->tensors(); ++i, row += each) {
    load_residual(unit, floats.function->operands[i], std::int64_t{output_.columns} * kWordBytes, kWordBytes, row);
  }
}

void ProductOutput::load_numbers() {
  const ResultsFunction& function = *stage_.floats->function;
  for (std::size_t i = 0; !has_numbers_ && i < function.numbers; ++i) {
    isa::Load load;
    load.src = function.operands[function.tensors() + i];
    load.run_bytes = load.piece_step = load.piece_bytes = kWordBytes;
    load.slot_bytes = u16(kBiasRows * builder_.dim());
    load.dst = u16(layout_.numbers + static_cast<int>(i) * kWordPlanes);
    load.dst_block = 1;
    load.valid_to = 1;
    builder_.append(load);
  }
  has_numbers_ = true;
}

void ProductOutput::load_residual(const Unit& unit, std::uint32_t address, std::int64_t pitch, int element_bytes,
                                  int row) {
  const TileShape shape = source_.shape(unit.tile);
  const TilePlace place = source_.place(unit.tile);
  const bool contiguous = place.line_step == shape.width;
  const int first = unit.column * builder_.dim();
  isa::Load load;
  load.src = static_cast<std::uint32_t>(address + (place.first + unit.lines.begin * place.line_step) * pitch +
                                        first * element_bytes);
  load.run_bytes = static_cast<std::uint32_t>(std::min(builder_.dim(), output_.columns - first) * element_bytes);
  load.piece_step = load.piece_bytes = u16(load.run_bytes);
  load.slot_bytes = u16(builder_.dim() * element_bytes);
  load.count0 = u16(contiguous ? positions(unit) : shape.width);
  load.count1 = u16(contiguous ? 1 : unit.lines.size());
  load.valid_to = load.count0;
  load.src_stride0 = static_cast<std::int32_t>(pitch);
  load.src_stride1 = static_cast<std::int32_t>(place.line_step * pitch);
  load.dst = u16(row);
  load.dst_stride0 = 1;
  load.dst_stride1 = u16(shape.width);
  load.dst_block = u16(residual_plane(unit, element_bytes));
  builder_.append(load);
}

void ProductOutput::drain(const Unit& unit, const Place& to) {
  if (raw()) {
    isa::Drain32 op;
    op.src = u16(unit.sums.row);
    op.dst = u16(to.row);
    op.out_width = u16(to.width);
    op.plane_stride = u16(to.plane);
    builder_.append(op);
    return;
  }
  const int params = need_params(unit.column);
  isa::Drain op;
  op.src = u16(unit.sums.row);
  op.dst = u16(to.row);
  op.dst_stride = u16(to.stride);
  op.out_height = u16(to.count);
  op.out_width = u16(to.width);
  op.rounding = static_cast<std::uint8_t>(stage_.rounding);
  op.params = u16(params);
  op.zero_point = stage_.zero_point;
  op.clamp_min = stage_.clamp_min;
  op.clamp_max = stage_.clamp_max;
  op.table = stage_.looks_up ? 1 : 0;
  if (stage_.residual) {
    const ResidualStage& r = *stage_.residual;
    const Place from = r.chip ? on_chip(unit, *r.chip) : Place{unit.residual_row, to.count, to.width, to.width};
    op.residual = 1;
    op.src2 = u16(from.row);
    op.src2_stride = u16(from.stride);
    op.scalars = u16(scalars_.row);
    op.zero1 = stage_.zero_point;
    op.mid_min = stage_.clamp_min;
    op.mid_max = stage_.clamp_max;
    op.zero2 = r.zero_point;
    op.zero_point = r.output_zero_point;
    op.clamp_min = r.clamp_min;
    op.clamp_max = r.clamp_max;
  }
  builder_.append(op);
}

void ProductOutput::finish(const Unit& unit) {
  const int count = positions(unit);
  if (output_.chip) {
    const Place to = on_chip(unit, *output_.chip);
    stage_.floats ? compute_floats(unit, {to.row, to.plane}) : drain(unit, to);
    return;
  }
  const StagedRows rows(output_, stage_, count);
  const Planes stage{layout_.staging.take(rows.all).row, rows.plane};
  if (stage_.floats) {
    compute_floats(unit, stage);
  } else {
    drain(unit, {stage.row, 1, count, 0, stage.plane});
  }
  if (!blocks()) {
    store(unit, output_, stage);
    if (stage_.floats && stage_.floats->maxima) {
      store_maxima(unit, stage, {stage.row + rows.maxima, rows.maxima_plane});
    }
    if (rows.also != 0) {
      Output also = output_;
      also.address = *stage_.floats->function->also;
      store(unit, also, {stage.row + rows.also, rows.plane});
    }
    return;
  }
  const TilePlace place = source_.place(unit.tile);
  store_blocks(builder_, *stage_.floats->blocks,
               {{unit.column, unit.column + 1}, place.first + unit.lines.begin * place.line_step, count, stage.row, 0});
  if (stage_.floats->words) {
    store(unit, *stage_.floats->words, {stage.row + rows.plane, rows.word_plane});
  }
}

void ProductOutput::store(const Unit& unit, const Output& output, const Planes& from) {
  const int first = unit.column * builder_.dim();
  const std::int64_t column_pitch =
      output.column_pitch == 0 ? std::int64_t{builder_.dim()} * output.element_bytes : output.column_pitch;
  store_results(builder_, output,
                {source_.shape(unit.tile), source_.place(unit.tile), unit.lines, unit.column * column_pitch,
                 std::min(builder_.dim(), output.columns - first) * output.element_bytes, from.row, from.plane});
}

void ProductOutput::store_maxima(const Unit& unit, const Planes& from, const Planes& to) {
  const BlockMaxima& of = *stage_.floats->maxima;
  const kernel::Kernel& kernel = window_maxima_kernel(of.kernel_h, of.kernel_w);
  const std::uint16_t entry = builder_.place_kernel(kernel);
  KernelArguments arguments(kernel, {kernel.name});
  const int across = of.width / of.kernel_w, lines = positions(unit) / of.line();
  arguments.set("a_plane", from.plane);
  arguments.set("a_line", of.width);
  arguments.set("to_plane", to.plane);
  arguments.set("step", of.kernel_w);
  arguments.set_rows(across);
  for (int line = 0; line < lines; ++line) {
    arguments.set("a", from.row + line * of.line());
    arguments.set("to", to.row + line * across);
    builder_.append(arguments.instruction(entry));
  }
  const TilePlace place = source_.place(unit.tile);
  const std::int64_t first = (place.first + unit.lines.begin * place.line_step) / of.line() * across;
  const int slot = builder_.dim() * kWordBytes;
  const std::int64_t pitch = std::int64_t{output_.columns} * kWordBytes;
  store_results(builder_, {of.address, output_.columns, pitch, kWordBytes},
                {{lines * across, 1},
                 {first, 1},
                 {0, lines * across},
                 std::int64_t{unit.column} * slot,
                 std::min<int>(slot, static_cast<int>(pitch) - unit.column * slot),
                 to.row,
                 to.plane});
}

int ProductOutput::load_bias(const Unit& unit) {
  const int slot = kBiasRows * builder_.dim(), bias = bias_.take(kBiasRows).row;
  const int bytes = std::min(slot, output_.columns * kWordBytes - unit.column * slot);
  isa::Load load;
  load.src = *stage_.floats->bias + static_cast<std::uint32_t>(unit.column * slot);
  load.run_bytes = static_cast<std::uint32_t>(bytes);
  load.piece_step = load.piece_bytes = u16(bytes);
  load.slot_bytes = u16(slot);
  load.dst = u16(bias);
  load.dst_block = 1;
  load.valid_to = 1;
  builder_.append(load);
  return bias;
}

void ProductOutput::compute_function(const Unit& unit, const Planes& to) {
  const FloatStage& floats = *stage_.floats;
  const ResultsFunction& function = *floats.function;
  const kernel::Kernel& kernel = function_kernel(form_of(floats), function);
  const std::uint16_t entry = builder_.place_kernel(kernel);
  KernelArguments arguments(kernel, {kernel.name, function.values});
  const int plane = residual_plane(unit, kWordBytes), each = kWordPlanes * plane;
  const auto set = [&](std::size_t operand, int row, int distance) {
    arguments.set(operand_name(operand), row);
    arguments.set(operand_name(operand) + "_plane", distance);
  };
  int row = unit.residual_row + (floats.addend ? each : 0), number = layout_.numbers;
  const std::size_t all = function.function->operands.size();
  for (std::size_t i = 0; i < all; ++i) {
    if (i == function.result) {
      set(i, unit.sums.row, 0);
    } else if (i < all - function.numbers) {
      set(i, row, plane);
      row += each;
    } else {
      set(i, number, 1);
      number += kWordPlanes;
    }
  }
  if (floats.bias) {
    set(all, load_bias(unit), 1);
  }
  if (floats.addend) {
    set(all + (floats.bias ? 1 : 0), unit.residual_row, plane);
  }
  arguments.set("low", std::bit_cast<std::uint32_t>(floats.low.value_or(0)));
  arguments.set("high", std::bit_cast<std::uint32_t>(floats.high.value_or(0)));
  arguments.set("to", to.row);
  arguments.set("to_plane", to.plane);
  arguments.set("also", to.row + StagedRows(output_, stage_, positions(unit)).also);
  arguments.set_rows(positions(unit));
  builder_.append(arguments.instruction(entry));
}

void ProductOutput::compute_floats(const Unit& unit, const Planes& to) {
  const FloatStage& floats = *stage_.floats;
  if (floats.function) {
    compute_function(unit, to);
    return;
  }
  const bool words = !blocks() || floats.words;
  const int bias = floats.bias ? load_bias(unit) : 0;
  ResultsForm form = form_of(floats);
  form.words = words;
  form.blocks = blocks();
  const kernel::Kernel& kernel = results_kernel(form);
  const std::uint16_t entry = builder_.place_kernel(kernel);
  KernelArguments arguments(kernel, {kernel.name});
  arguments.set("sums", unit.sums.row);
  arguments.set("bias", bias);
  arguments.set("addend", unit.residual_row);
  arguments.set("addend_plane", plane_rows(PlaneForm::kWords, positions(unit)));
  arguments.set("low", std::bit_cast<std::uint32_t>(floats.low.value_or(0)));
  arguments.set("high", std::bit_cast<std::uint32_t>(floats.high.value_or(0)));
  arguments.set("blocks", to.row);
  arguments.set("to", blocks() ? to.row + to.plane : to.row);
  arguments.set("to_plane", blocks() ? StagedRows(output_, stage_, positions(unit)).word_plane : to.plane);
  arguments.set_rows(positions(unit));
  builder_.append(arguments.instruction(entry));
}

}  // namespace systole::compiler
