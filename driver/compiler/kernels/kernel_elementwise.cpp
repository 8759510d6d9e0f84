// SPDX-License-Identifier: Apache-2.0
// Element-wise operators, by instructions of their own and by kernels. Dense tensors in device memory are processed as
// one long row of bytes: full rows of DIM and a tail. Other tensors are processed pixel by pixel and block by block;
// those in the scratchpad are read and written in place. An operand of one pixel is one row per block, read again for
// every position.
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <vector>

#include "activations.hpp"
#include "fields.hpp"
#include "kernel_arguments.hpp"
#include "kernels.hpp"
#include "library.hpp"
#include "params.hpp"
#include "results.hpp"
#include "rings.hpp"
#include "systole/errors.hpp"

namespace systole::compiler {
namespace {

/// Appends the vector instruction for `rows` rows. `from` holds the first row of each operand, `to` that of each
/// result; elements of several bytes are in as many planes.
using EmitRows = std::function<void(const std::vector<ChipPlanes>& from, const std::vector<ChipPlanes>& to, int rows)>;

/// A tensor as a matrix: `rows` positions of `columns` bytes.
struct Operand {
  MatrixView view;
  std::optional<ChipPlanes> chip = std::nullopt;
  int element_bytes = 1;
};

/// Inputs have the size of the outputs, or one position. Of several outputs none is in the scratchpad.
struct Operands {
  std::vector<Operand> inputs, outputs;

  const Operand& output() const { return outputs.front(); }
  bool repeats(std::size_t i) const { return inputs[i].view.rows != output().view.rows; }
  bool any_repeats() const {
    return std::any_of(inputs.begin(), inputs.end(),
                       [&](const Operand& input) { return input.view.rows != output().view.rows; });
  }
  bool any_on_chip() const { return output().chip || std::any_of(inputs.begin(), inputs.end(), is_on_chip); }
  int most_element_bytes() const {
    int most = output().element_bytes;
    for (const Operand& input : inputs) {
      most = std::max(most, input.element_bytes);
    }
    return most;
  }
  bool all_on_chip() const { return output().chip && std::all_of(inputs.begin(), inputs.end(), is_on_chip); }

 private:
  static bool is_on_chip(const Operand& operand) { return operand.chip.has_value(); }
};

constexpr int kMostRows = 1024;  // per instruction: the next operator starts when the first instruction is done
constexpr int kLeastTiles = 8;   // of kernels: some are loaded or stored while others are computed,
constexpr int kLeastRows = 32;   // unless they would have fewer rows

/// An input of the operator, loaded tile by tile.
class Input {
 public:
  Input(const Operand& operand, int tile_rows, int dim, RowRing ring)
      : source_(operand.view.address, operand.view.rows, operand.view.columns, operand.view.pitch(), tile_rows, dim,
                plane_form(operand.element_bytes)),
        chip_(operand.chip),
        ring_(ring),
        element_bytes_(operand.element_bytes) {}

  /// The first position and block of DIM elements; loads the tile unless it is in the scratchpad.
  ChipPlanes need(Builder& builder, int tile, Range blocks) {
    const Range planes{blocks.begin * element_bytes_, blocks.end * element_bytes_};
    if (chip_) {
      return {chip_->row + planes.begin * chip_->plane + static_cast<int>(source_.place(tile).first), chip_->plane};
    }
    const int plane = source_.plane_rows(tile);
    const Rows rows = ring_.take(plane * planes.size());
    source_.load(builder, tile, planes, {0, source_.shape(tile).lines}, rows.row);
    return {rows.row, plane};
  }

 private:
  MatrixRows source_;
  std::optional<ChipPlanes> chip_;
  RowRing ring_;
  int element_bytes_;
};

void stream(Builder& builder, const Operands& operands, const EmitRows& emit) {
  const Configuration& c = builder.configuration();
  const int base = builder.workspace_begin();
  const auto inputs = static_cast<int>(operands.inputs.size()), outputs = static_cast<int>(operands.outputs.size());
  // Each operand double-buffered, in halves of a quarter, and the result; fifths with four operands.
  const int share_rows = std::max(1, builder.workspace_rows() / std::max(4, inputs + outputs));
  std::vector<RowRing> stages;
  for (int i = 0; i < outputs; ++i) {
    stages.emplace_back(base + (std::max(2, inputs) + i) * share_rows, share_rows, false);
  }
  const Operand& out = operands.output();
  const int rows = out.view.rows;
  const int blocks = ceil_div(out.view.columns, c.dim * out.element_bytes);
  const int widest = operands.most_element_bytes();
  const int fit = std::min(share_rows / 2 / widest, kMostRows);
  const int of_kernel = std::min(fit - 1, std::max(kLeastRows, ceil_div(rows, kLeastTiles)));  // a row more in planes
  const int most = operands.all_on_chip() ? kMostRows : widest > 1 ? of_kernel : fit;
  if (most < 1) {
    throw DoesNotFit(fmt::format("element-wise operator: {} scratchpad rows are not enough for its operands",
                                 builder.workspace_rows()));
  }
  const int tile_rows = ceil_div(rows, ceil_div(rows, most));
  const int share = operands.any_on_chip() ? 1 : std::min(blocks, fit / plane_rows(plane_form(widest), tile_rows));
  const MatrixRows tiles(out.view.address, rows, out.view.columns, out.view.pitch(), tile_rows, c.dim);
  std::vector<Input> sources;
  for (std::size_t i = 0; i < operands.inputs.size(); ++i) {
    sources.emplace_back(operands.inputs[i], operands.repeats(i) ? 1 : tile_rows, c.dim,
                         RowRing(base + static_cast<int>(i) * share_rows, share_rows, false));
  }
  std::vector<ChipPlanes> from(operands.inputs.size());
  for (int tile = 0; tile < tiles.tiles(); ++tile) {
    const TileShape shape = tiles.shape(tile);
    for (int block = 0; block < blocks; block += share) {
      const Range part{block, std::min(blocks, block + share)};
      for (std::size_t i = 0; i < from.size(); ++i) {
        from[i] = sources[i].need(builder, operands.repeats(i) ? 0 : tile, part);
      }
      const int count = shape.lines * part.size();
      if (out.chip) {
        const int first = out.chip->row + block * out.element_bytes * out.chip->plane;
        emit(from, {{first + static_cast<int>(tiles.place(tile).first), out.chip->plane}}, count);
        continue;
      }
      const int plane = plane_rows(plane_form(out.element_bytes), shape.lines);
      std::vector<ChipPlanes> to;
      for (RowRing& stage : stages) {
        to.push_back({stage.take(plane * part.size() * out.element_bytes).row, plane});
      }
      const std::vector<ChipPlanes> staged = to;
      // Blocks of rows of their own, or of several planes, do not follow each other.
      const int pieces = operands.any_repeats() || widest > 1 ? part.size() : 1;
      for (int piece = 0; piece < pieces; ++piece) {
        emit(from, to, count / pieces);
        for (std::size_t i = 0; i < from.size(); ++i) {
          from[i].row += from[i].plane * operands.inputs[i].element_bytes;
        }
        for (ChipPlanes& result : to) {
          result.row += plane * out.element_bytes;
        }
      }
      const int first_byte = part.begin * c.dim * out.element_bytes;
      for (std::size_t i = 0; i < staged.size(); ++i) {
        const MatrixView& view = operands.outputs[i].view;
        store_results(builder, {view.address, view.columns, view.pitch(), 1},
                      {shape,
                       tiles.place(tile),
                       {0, shape.lines},
                       first_byte,
                       std::min(view.columns, part.end * c.dim * out.element_bytes) - first_byte,
                       staged[i].row,
                       plane});
      }
    }
  }
}

std::int64_t positions_of(const TensorView& t) { return std::int64_t{t.batch} * t.height * t.width; }

void run(Builder& builder, const std::vector<TensorView>& inputs, const std::vector<TensorView>& outputs,
         const EmitRows& emit) {
  const TensorView& output = outputs.front();
  const std::int64_t positions = positions_of(output);
  const auto dense = [&](const TensorView& t) {
    return !t.chip && t.pitch() == t.channels && positions_of(t) == positions;
  };
  const auto stream_all = [&](const auto& view) {
    Operands operands;
    std::transform(inputs.begin(), inputs.end(), std::back_inserter(operands.inputs), view);
    std::transform(outputs.begin(), outputs.end(), std::back_inserter(operands.outputs), view);
    stream(builder, operands, emit);
  };
  if (std::all_of(outputs.begin(), outputs.end(), dense) && std::all_of(inputs.begin(), inputs.end(), dense)) {
    const int dim = builder.dim();
    const std::int64_t elements = positions * output.channels / output.element_bytes;
    const auto part = [&](std::int64_t from, int rows, int columns) {
      stream_all([&](const TensorView& t) {
        const int bytes = columns * t.element_bytes;
        return Operand{{t.address + static_cast<std::uint32_t>(from * t.element_bytes), rows, bytes, bytes},
                       std::nullopt,
                       t.element_bytes};
      });
    };
    const std::int64_t full = elements / dim;
    if (full > 0) {
      part(0, static_cast<int>(full), dim);
    }
    if (elements % dim != 0) {
      part(full * dim, 1, static_cast<int>(elements % dim));
    }
    return;
  }
  stream_all([&](const TensorView& t) {
    return Operand{{t.address, static_cast<int>(positions_of(t)), t.channels, t.pitch()}, t.chip, t.element_bytes};
  });
}

void check_same(const char* what, const TensorView& a, const TensorView& b) {
  if (a.batch != b.batch || a.height != b.height || a.width != b.width ||
      a.channels / a.element_bytes != b.channels / b.element_bytes) {
    throw InvalidArgument(fmt::format("{}: shapes {}x{}x{}x{} and {}x{}x{}x{} differ", what, a.batch, a.height, a.width,
                                      a.channels, b.batch, b.height, b.width, b.channels));
  }
}

/// The second operand has the shape of the first, or is one pixel of it.
void check_second(const char* what, const TensorView& lhs, const TensorView& rhs) {
  if (positions_of(rhs) != 1 || lhs.channels / lhs.element_bytes != rhs.channels / rhs.element_bytes) {
    check_same(what, lhs, rhs);
  }
}

std::int8_t zero_point(const char* what, int value) {
  if (value < -128 || value > 127) {
    throw InvalidArgument(fmt::format("{}: zero point {} is not in -128 .. 127", what, value));
  }
  return static_cast<std::int8_t>(value);
}

/// Fields that ADD and MULTIPLY share.
template <class Op, class Params>
Op binary(const char* what, const Params& p) {
  Op op;
  op.rounding = static_cast<std::uint8_t>(p.rounding);
  op.zero1 = zero_point(what, p.lhs_zero_point);
  op.zero2 = zero_point(what, p.rhs_zero_point);
  op.zero_point = zero_point(what, p.output_zero_point);
  if (p.clamp_min > p.clamp_max) {
    throw InvalidArgument(fmt::format("{}: clamp {} .. {} is empty", what, p.clamp_min, p.clamp_max));
  }
  op.clamp_min = p.clamp_min;
  op.clamp_max = p.clamp_max;
  return op;
}

/// `repeats`: every position is a line, and all lines of the second operand are the same.
template <class Op>
EmitRows emit_binary(Builder& builder, Op op, bool repeats) {
  if (repeats) {
    op.src_stride = op.dst_stride = 1;
  }
  return [&builder, op, repeats](const std::vector<ChipPlanes>& from, const std::vector<ChipPlanes>& to,
                                 int rows) mutable {
    op.src = u16(from[0].row);
    op.src2 = u16(from[1].row);
    op.dst = u16(to[0].row);
    (repeats ? op.out_height : op.out_width) = u16(rows);
    builder.append(op);
  };
}

}  // namespace

void add(Builder& builder, const TensorView& lhs, const TensorView& rhs, const AddParams& params,
         const TensorView& output) {
  check_second("add", lhs, rhs);
  check_same("add", lhs, output);
  check_add("add", params);
  auto op = binary<isa::Add>("add", params);
  const auto scalars = scalar_params(builder.dim(), {params.lhs_scale, params.rhs_scale, params.output_scale});
  builder.begin_operator(fmt::format("add {}x{}x{}", lhs.height, lhs.width, lhs.channels), 0);
  op.scalars = u16(place_params(builder, scalars));
  run(builder, {lhs, rhs}, {output}, emit_binary(builder, op, positions_of(rhs) != positions_of(lhs)));
}

void multiply(Builder& builder, const TensorView& lhs, const TensorView& rhs, const MultiplyParams& params,
              const TensorView& output) {
  check_second("multiply", lhs, rhs);
  check_same("multiply", lhs, output);
  auto op = binary<isa::Multiply>("multiply", params);
  const auto scalars = scalar_params(builder.dim(), {params.output_scale});
  builder.begin_operator(fmt::format("multiply {}x{}x{}", lhs.height, lhs.width, lhs.channels), 0);
  op.scalars = u16(place_params(builder, scalars));
  run(builder, {lhs, rhs}, {output}, emit_binary(builder, op, positions_of(rhs) != positions_of(lhs)));
}

void lookup(Builder& builder, const TensorView& input, const LookupTable& table, const TensorView& output) {
  check_same("lookup", input, output);
  builder.begin_operator(fmt::format("lookup {}x{}x{}", input.height, input.width, input.channels), 0);
  place_lookup_table(builder, table);
  isa::Map map;
  map.table = 1;
  map.clamp_min = -128;
  map.clamp_max = 127;
  run(builder, {input}, {output},
      [&builder, map](const std::vector<ChipPlanes>& from, const std::vector<ChipPlanes>& to, int rows) mutable {
        map.src = u16(from[0].row);
        map.dst = u16(to[0].row);
        map.out_width = u16(rows);
        builder.append(map);
      });
}

namespace {

constexpr int kWordBytes = 4, kWordPlanes = 4;

/// Rows of a kernel: the words of one position, DIM a row. The planes of their bytes are then next to each other.
class Position {
 public:
  Position(Builder& builder, const TensorView& output)
      : builder_(builder),
        rows_(ceil_div(output.channels, builder.dim() * output.element_bytes)),
        planes_(rows_ * output.element_bytes),
        ring_(builder.workspace_begin(), builder.workspace_rows(), false) {}

  /// Whether all operands and results are of this kind, and fit.
  bool takes(const std::vector<TensorView>& inputs, const std::vector<TensorView>& outputs) const {
    const TensorView& output = outputs.front();
    const auto fits = [&](const TensorView& t) {
      return positions_of(t) == 1 && t.channels == output.channels && t.element_bytes == output.element_bytes &&
             (!t.chip || t.chip->plane == 1);
    };
    return rows_ > 1 && output.element_bytes == kWordBytes && planes_ * builder_.dim() <= kMostBytes &&
           std::all_of(outputs.begin(), outputs.end(), fits) && std::all_of(inputs.begin(), inputs.end(), fits) &&
           (off_chip(inputs) + off_chip(outputs)) * planes_ <= builder_.workspace_rows();
  }
  int rows() const { return rows_; }

  int row_of(const TensorView& t, bool load) {
    if (t.chip) {
      return t.chip->row;
    }
    const int row = ring_.take(planes_).row;
    if (load) {
      MatrixRows(t.address, 1, t.channels, t.channels, 1, builder_.dim()).load(builder_, 0, {0, planes_}, {0, 1}, row);
    }
    return row;
  }
  void store(const TensorView& t, int row) const {
    if (!t.chip) {
      store_results(builder_, {t.address, t.channels, t.channels, 1}, {{1, 1}, {0, 1}, {0, 1}, 0, t.channels, row, 1});
    }
  }

 private:
  static constexpr int kMostBytes = 65535;  // that one LOAD or STORE transfers

  static int off_chip(const std::vector<TensorView>& tensors) {
    return static_cast<int>(std::count_if(tensors.begin(), tensors.end(), [](const TensorView& t) { return !t.chip; }));
  }

  Builder& builder_;
  const int rows_, planes_;
  RowRing ring_;
};

/// The name of a result in arguments.
std::string result_name(std::size_t i) { return i == 0 ? "to" : "also"; }

/// The call's kernel for operands that have the size of the outputs or one position, and for single elements.
const kernel::Kernel& kernel_for(const KernelCall& call, const std::vector<TensorView>& inputs,
                                 const TensorView& output, int step) {
  ElementRows rows{{}, step};
  for (const TensorView& input : inputs) {
    rows.operands.push_back(positions_of(input) == positions_of(output) ? Reading::kRows : Reading::kRepeated);
  }
  rows.operands.resize(call.function->operands.size(), Reading::kNumber);
  return made_kernel(*call.function, rows);
}

/// Operands that have the size of the outputs, or one position.
void run_rows(Builder& builder, const KernelCall& call, const std::vector<TensorView>& inputs,
              const std::vector<TensorView>& outputs) {
  const TensorView& output = outputs.front();
  if (Position position(builder, output); position.takes(inputs, outputs)) {
    const kernel::Kernel& kernel = kernel_for(call, inputs, output, kWordPlanes);
    const std::uint16_t entry = builder.place_kernel(kernel);
    KernelArguments arguments(kernel, call);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      arguments.set(operand_name(i), position.row_of(inputs[i], true));
      arguments.set(operand_name(i) + "_plane", 1);
    }
    std::vector<int> to;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      to.push_back(position.row_of(outputs[i], false));
      arguments.set(result_name(i), to.back());
    }
    arguments.set("to_plane", 1);
    arguments.set_rows(position.rows());
    builder.append(arguments.instruction(entry));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      position.store(outputs[i], to[i]);
    }
    return;
  }
  const kernel::Kernel& kernel = kernel_for(call, inputs, output, 1);
  for (const TensorView& input : inputs) {
    check_second(kernel.name.c_str(), output, input);
  }
  const std::uint16_t entry = builder.place_kernel(kernel);
  if (call.table) {
    place_table(builder, *call.table);
  }
  KernelArguments arguments(kernel, call);
  run(builder, inputs, outputs, [&](const std::vector<ChipPlanes>& from, const std::vector<ChipPlanes>& to, int rows) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      arguments.set(operand_name(i), from[i].row);
      arguments.set(operand_name(i) + "_plane", from[i].plane);
    }
    for (std::size_t i = 0; i < to.size(); ++i) {
      arguments.set(result_name(i), to[i].row);
    }
    arguments.set("to_plane", to[0].plane);
    arguments.set_rows(rows);
    builder.append(arguments.instruction(entry));
  });
}

/// The row of an operand of one element: in the last rows of the workspace unless the element is in the scratchpad.
int number_row(Builder& builder, const TensorView& number) {
  if (number.chip) {
    return number.chip->row;
  }
  const int rows = builder.workspace_rows() - kWordPlanes, row = builder.workspace_begin() + rows;
  if (rows < 0) {
    throw DoesNotFit("element-wise operator: no scratchpad rows for an operand of one element");
  }
  MatrixRows(number.address, 1, kWordBytes, kWordBytes, 1, builder.dim())
      .load(builder, 0, {0, kWordPlanes}, {0, 1}, row);
  builder.set_workspace(builder.workspace_begin(), rows);
  return row;
}

}  // namespace

void run_elementwise_kernel(Builder& builder, const KernelCall& call, const std::vector<TensorView>& inputs,
                            const std::vector<TensorView>& outputs) {
  const TensorView& output = outputs.front();
  const auto numbers = inputs.end() - static_cast<std::ptrdiff_t>(call.numbers);
  builder.begin_operator(fmt::format("{} {}x{}x{}", call.kernel, output.height, output.width, output.channels), 0);
  if (numbers == inputs.end()) {
    run_rows(builder, call, inputs, outputs);
    return;
  }
  const int begin = builder.workspace_begin(), rows = builder.workspace_rows();
  KernelCall with_rows = call;
  for (auto number = numbers; number != inputs.end(); ++number) {
    with_rows.values[operand_name(static_cast<std::size_t>(number - inputs.begin()))] = number_row(builder, *number);
  }
  run_rows(builder, with_rows, {inputs.begin(), numbers}, outputs);
  builder.set_workspace(begin, rows);
}

}  // namespace systole::compiler
