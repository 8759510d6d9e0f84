// SPDX-License-Identifier: Apache-2.0
#include "kernel_arguments.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "fields.hpp"
#include "library.hpp"
#include "params.hpp"
#include "row_kernel.hpp"
#include "systole/errors.hpp"

namespace systole::compiler {
namespace {

constexpr int kWordBytes = 4;

}  // namespace

Strips strips_of(const KernelCall& call, int dim, std::int64_t rows) {
  const bool gains = call.row != nullptr &&
                     (rows == 1 ? call.row->elements() > dim : call.row->apart() > golden::binary32::kSumsOfRow);
  if (!gains && (call.row == nullptr || call.row->result() != kernel::Format::kBlocks)) {
    return Strips::kOfRows;
  }
  return row_kernel(*call.row, dim, Strips::kOfPlanes) ? Strips::kOfPlanes : Strips::kOfRows;
}

const kernel::Kernel& kernel_of(const KernelCall& call, int dim, Strips strips) {
  return call.source            ? made_kernel(call.source(dim))
         : call.fold != nullptr ? made_kernel(*call.fold)
         : call.row != nullptr  ? made_kernel(*call.row, dim, strips)
                                : library_kernel(call.kernel, call.formats);
}

KernelCall fold_call(FoldFunction function, std::map<std::string, std::int64_t> values) {
  KernelCall call{function.name, std::move(values)};
  call.fold = std::make_shared<const FoldFunction>(std::move(function));
  return call;
}

KernelCall row_call(RowFunction function, std::map<std::string, std::int64_t> values) {
  KernelCall call{function.name(), std::move(values)};
  call.row = std::make_shared<const RowFunction>(std::move(function));
  return call;
}

KernelCall element_call(ElementFunction function, std::map<std::string, std::int64_t> values) {
  KernelCall call{function.name, std::move(values)};
  call.function = std::make_shared<const ElementFunction>(std::move(function));
  return call;
}

KernelArguments::KernelArguments(const kernel::Kernel& kernel, const KernelCall& call)
    : kernel_(kernel), set_(kernel.arguments.size(), false) {
  for (const auto& [name, value] : call.values) {
    set(name, value);
  }
}

void KernelArguments::set(const std::string& name, std::int64_t value) {
  const auto found = std::find(kernel_.arguments.begin(), kernel_.arguments.end(), name);
  if (found != kernel_.arguments.end()) {
    const auto i = static_cast<std::size_t>(found - kernel_.arguments.begin());
    values_.at(i) = static_cast<std::uint32_t>(value);
    set_.at(i) = true;
  }
}

void KernelArguments::set_rows(int rows) {
  set("rows", rows);
  set("strips", ceil_div(rows, kernel::kStripRows));
}

isa::Vector KernelArguments::instruction(std::uint16_t entry) const {
  const auto missing = std::find(set_.begin(), set_.end(), false);
  if (missing != set_.end()) {
    throw InternalError(fmt::format("compiler: kernel {} without a value for '{}'", kernel_.name,
                                    kernel_.arguments[static_cast<std::size_t>(missing - set_.begin())]));
  }
  isa::Vector op;
  op.entry = entry;
  kernel::set_arguments(op, values_);
  return op;
}

void load_words(Builder& builder, std::uint32_t address, int row, int rows) {
  const auto line = u16(kWordBytes * builder.dim());
  isa::Load load;
  load.src = address;
  load.piece_step = load.piece_bytes = load.slot_bytes = line;
  load.run_bytes = static_cast<std::uint32_t>(rows) * line;
  load.pieces = u16(rows);
  load.dst = u16(row);
  load.dst_piece = 1;
  load.dst_block = u16(rows);
  load.valid_to = 1;
  builder.append(load);
}

void preload_words(Builder& builder, int rows, int from, int to) {
  isa::Preload op;
  op.src = u16(from);
  op.dst = u16(to);
  op.out_width = u16(rows);
  op.plane_stride = u16(rows);
  builder.append(op);
}

int place_channel_words(Builder& builder, const KernelCall& call, int channels) {
  const int dim = builder.dim();
  const int blocks = ceil_div(channels, dim);
  const auto lists = static_cast<int>(call.channel_words.size());
  const int rows = blocks * lists;
  RowRing& ring = builder.rings().accumulators.back();
  const int step = std::min(rows, builder.workspace_rows() / kWordBytes);
  if (rows > ring.size() || step == 0) {
    throw DoesNotFit(fmt::format("kernel {}: {} rows of constants; half of the accumulators has {}", call.kernel, rows,
                                 ring.size()));
  }
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(rows * dim * kWordBytes));
  for (int list = 0; list < lists; ++list) {
    const std::vector<std::uint32_t>& words = call.channel_words[static_cast<std::size_t>(list)];
    for (int channel = 0; channel < channels; ++channel) {
      const int place = ((channel / dim * lists + list) * dim + channel % dim) * kWordBytes;
      for (int i = 0; i < kWordBytes; ++i) {
        bytes[static_cast<std::size_t>(place + i)] =
            static_cast<std::uint8_t>(words.at(static_cast<std::size_t>(channel)) >> 8 * i);
      }
    }
  }
  const std::uint32_t address = builder.constant(std::move(bytes));
  const int first = ring.take(rows).row;
  const int staging = builder.workspace_begin() + builder.workspace_rows() - step * kWordBytes;
  for (int row = 0; row < rows; row += step) {
    const int count = std::min(step, rows - row);
    load_words(builder, address + static_cast<std::uint32_t>(row * dim * kWordBytes), staging, count);
    preload_words(builder, count, staging, first + row);
  }
  return first;
}

void place_table(Builder& builder, const KernelTable& table) {
  const int rows = kernel::kTableWords * static_cast<int>(sizeof table[0]) / builder.dim();
  if (rows > builder.configuration().param_rows) {
    throw DoesNotFit(fmt::format("a table of {} parameter rows; the configuration has {}", rows,
                                 builder.configuration().param_rows));
  }
  std::vector<std::uint8_t> bytes(sizeof table);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(table[i / sizeof table[0]] >> 8 * (i % sizeof table[0]));
  }
  place_table(builder, true, std::move(bytes));
}

}  // namespace systole::compiler
