// SPDX-License-Identifier: Apache-2.0
#include "row_addresses.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace systole::compiler {
namespace {

using kernel::Format;

int planes_of(Format format) { return format == Format::kI32 ? 4 : format == Format::kI16 ? 2 : 1; }

}  // namespace

RowAddresses::RowAddresses(const RowFunction& function, const RowShape& shape, KernelWriter& writer, bool folds)
    : function_(function), shape_(shape), writer_(writer) {
  std::size_t lists = 0;
  for (std::size_t i = 0; i < function_.operands().size(); ++i) {
    const RowFunction::Operand& operand = function_.operands()[i];
    Rows rows;
    rows.memory.format = operand.format;
    if (operand.is_words) {
      rows.first = lists++ == 0 ? writer_.argument("words") : 0;
    } else {
      const std::string name(1, static_cast<char>('a' + i));
      rows.first = writer_.argument(name);
      if (operand.has_distance || of_planes()) {
        rows.distance = rows.memory.row_stride = writer_.argument(name + "_row");
      }
      rows.memory.plane_stride = writer_.argument(name + "_plane");
    }
    operands_.push_back(rows);
  }
  to_.memory.format = function_.result();
  to_.first = writer_.argument("to");
  if (of_planes()) {
    to_.memory.row_stride = writer_.argument("to_row");
  }
  to_.memory.plane_stride = writer_.argument("to_plane");
  if (!of_planes()) {
    left_ = writer_.argument("rows");
    strips_ = writer_.argument("strips");
  } else if (folds) {
    meeting_ = writer_.argument("meeting");
  }
}

/// The scalar with the distance of an element's planes, if it has several.
RowAddresses::Scalar RowAddresses::plane_stride(const Rows& rows) {
  return planes_of(rows.memory.format) > 1 ? rows.memory.plane_stride : 0;
}

void RowAddresses::take_scalars(int reserved) {
  bool any_words = false;
  std::vector<Rows*> wide;
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    const RowFunction::Operand& operand = function_.operands()[i];
    operands_[i].memory.base = operand.is_number ? operands_[i].first : writer_.take_scalar();
    any_words = any_words || operand.is_words;
    if (!operand.is_words && !operand.is_number && shape_.strips(false) > 1 && rows_to_next(operands_[i]) > 1) {
      wide.push_back(&operands_[i]);
    }
  }
  to_.memory.base = writer_.take_scalar();
  if (shape_.strips(false) > 1 && function_.result_of_row() == nullptr && rows_to_next(to_) > 1) {
    wide.push_back(&to_);
  }
  if (any_words || meeting_ != 0) {
    zero_ = writer_.take_scalar();
    writer_.set(zero_, 0);
  }
  const int left = writer_.scalars_left() - reserved;
  for (int i = 0; i < std::min(left, static_cast<int>(wide.size())); ++i) {
    Rows& rows = *wide[static_cast<std::size_t>(i)];
    rows.step = writer_.take_scalar();
    writer_.add_scalars(rows.step, distance_of(rows), distance_of(rows));
    for (int planes = 2; planes < rows_to_next(rows); planes *= 2) {
      writer_.add_scalars(rows.step, rows.step, rows.step);
    }
  }
}

/// The distances that lead from one whole strip of a pass to the next, and how many of them do.
RowAddresses::Scalar RowAddresses::distance_of(const Rows& rows) const {
  return of_planes() ? rows.memory.row_stride : rows.memory.plane_stride;
}
int RowAddresses::rows_to_next(const Rows& rows) const {
  return of_planes() ? kernel::kStripRows : planes_of(rows.memory.format);
}

void RowAddresses::begin(const RowPass& pass) {
  std::optional<Scalar> words;
  int list = 0;
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    const RowFunction::Operand& operand = function_.operands()[i];
    if (operand.is_words) {
      words = words ? words : operands_[i].first;
    }
    if (pass.reads.count(static_cast<std::uint32_t>(i)) != 0 && !operand.is_number) {
      writer_.add(operands_[i].memory.base, operand.is_words ? *words : operands_[i].first, list);
    }
    list += operand.is_words ? 1 : 0;
  }
  if (uses_result(pass)) {
    writer_.add(to_.memory.base, to_.first, 0);
  }
}

bool RowAddresses::uses_result(const RowPass& pass) const {
  return pass.writes || std::any_of(pass.reads.begin(), pass.reads.end(),
                                    [&](std::uint32_t number) { return number >= operands_.size(); });
}

int RowAddresses::lists() const {
  return static_cast<int>(std::count_if(function_.operands().begin(), function_.operands().end(),
                                        [](const RowFunction::Operand& operand) { return operand.is_words; }));
}

void RowAddresses::advance_operands(const RowPass& pass, int planes) {
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    if (pass.reads.count(static_cast<std::uint32_t>(i)) == 0 || function_.operands()[i].is_number) {
      continue;
    }
    if (function_.operands()[i].is_words) {
      writer_.add(operands_[i].memory.base, operands_[i].memory.base, lists());
    } else {
      advance(operands_[i], planes);
    }
  }
}

/// To the next strip; `planes` are in this one, if it is of planes.
void RowAddresses::advance(const Rows& rows, int planes) {
  if (rows.step != 0 && planes == kernel::kStripRows) {
    writer_.add_scalars(rows.memory.base, rows.memory.base, rows.step);
    return;
  }
  for (int i = of_planes() ? kernel::kStripRows - planes : 0; i < rows_to_next(rows); ++i) {
    writer_.add_scalars(rows.memory.base, rows.memory.base, distance_of(rows));
  }
}

void RowAddresses::next_strip() {
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    if (function_.operands()[i].is_words) {
      continue;
    }
    const Rows& rows = operands_[i];
    if (rows.distance == 0) {
      writer_.add(rows.first, rows.first, kernel::kStripRows);
      continue;
    }
    const Scalar temporary = to_.memory.base;
    writer_.add_scalars(temporary, rows.distance, rows.distance);
    for (int times = 2; times < kernel::kStripRows; times *= 2) {
      writer_.add_scalars(temporary, temporary, temporary);
    }
    writer_.add_scalars(rows.first, rows.first, temporary);
  }
  writer_.add(to_.first, to_.first, kernel::kStripRows);
  writer_.add(left_, left_, -kernel::kStripRows);
}

KernelWriter::Memory RowAddresses::operand(std::size_t number) const {
  KernelWriter::Memory memory = operands_[number].memory;
  memory.plane_stride = plane_stride(operands_[number]);
  memory.row_stride = function_.operands()[number].is_words ? zero_ : memory.row_stride;
  return memory;
}

KernelWriter::Memory RowAddresses::result() const {
  KernelWriter::Memory memory = to_.memory;
  memory.plane_stride = plane_stride(to_);
  return memory;
}

}  // namespace systole::compiler
