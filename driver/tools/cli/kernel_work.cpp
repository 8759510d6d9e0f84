// SPDX-License-Identifier: Apache-2.0
#include "kernel_work.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "exit_codes.hpp"
#include "kernel_types.hpp"

namespace systole::cli {
namespace {

using kernel::Group;
using kernel::Source;
using kernel::VectorStep;

/// The vector operations in their order, each checked against what was written before it.
class Checks {
 public:
  Checks(const KernelSource& source, const KernelCall& call, const KernelProgram& program)
      : source_(source), has_table_(!call.table.empty()), operands_(program.operands()) {
    for (std::size_t memory = 0; memory < rows_.size(); ++memory) {
      rows_[memory].assign(1 << 16, Row::kNoArray);
    }
    for (const PlacedOperand& operand : operands_) {
      const Row content = operand.operand->input ? Row::kWritten : Row::kUnwritten;
      std::fill_n(rows_[operand.operand->sums ? 1 : 0].begin() + operand.first, operand.rows(), content);
    }
  }

  void check(const VectorStep& step) {
    if (step.rows == 0) {
      return;
    }
    if (step.info->op == kernel::Op::kTable && !has_table_) {
      refuse(step, "reads the table, which nothing has written; --table FILE gives it 256 words");
    }
    const auto source = [&](const kernel::Field& field, const kernel::Field& kind) {
      if (static_cast<Source>(get(step.word, kind)) == Source::kVector) {
        read_register(step, get(step.word, field));
      }
    };
    source(kernel::kAField, kernel::kAKindField);  // VECTOR is 0, as the kind of operations over lanes is
    if (step.info->group == Group::kVector2) {
      source(kernel::kBField, kernel::kBKindField);
    }
    for (int plane = 0; step.has_memory && plane < step.memory.planes(); ++plane) {
      for (int row = 0; row < step.rows; ++row) {
        use_row(step, step.memory.row(row, plane));
      }
    }
    if (get(step.word, kernel::kStoreField) == 0) {
      int& written = registers_[get(step.word, kernel::kDField)];
      written = std::max(written, step.rows);
    }
  }

 private:
  enum class Row : std::uint8_t { kNoArray, kUnwritten, kWritten };

  [[noreturn]] void refuse(const VectorStep& step, const std::string& what) const {
    throw InputError(fmt::format("{}: {}", source_.place(step.at), what));
  }

  void read_register(const VectorStep& step, std::uint32_t number) const {
    const int written = registers_[number];
    if (written >= step.rows) {
      return;
    }
    const std::string name = source_.vector_name(number);
    if (written == 0) {
      refuse(step,
             fmt::format("reads vector register '{}', which no operation before it has written; a register has no "
                         "value at the start: write it first, for example with: move {}, 0",
                         name, name));
    }
    refuse(step, fmt::format("reads {} rows of vector register '{}', of which {} are written before it; check `rows`",
                             step.rows, name, written));
  }

  void use_row(const VectorStep& step, std::uint16_t number) {
    const bool sums = step.memory.format == kernel::Format::kAcc;
    Row& row = rows_[sums ? 1 : 0][number];
    const char* memory = sums ? "accumulators" : "scratchpad";
    if (row == Row::kNoArray) {
      refuse(step, fmt::format("row {} of the {} belongs to no array ({}); check the strides and the numbers of --arg, "
                               "because the rows of an array depend on --config; an argument can name rows for "
                               "intermediate values: --out {}NAME=FILE.npy:SHAPE:TYPE",
                               number, memory, arrays(sums), sums ? "acc:" : ""));
    }
    if (step.memory.store) {
      row = Row::kWritten;
    } else if (row == Row::kUnwritten) {
      refuse(step, fmt::format("reads row {} of the {}, which nothing has written ({}); give the array with --in, or "
                               "write the row first",
                               number, memory, arrays(sums)));
    }
  }

  /// "src has rows 0 to 159, dst has rows 160 to 319"
  std::string arrays(bool sums) const {
    std::string text;
    for (const PlacedOperand& operand : operands_) {
      if (operand.operand->sums == sums) {
        text += fmt::format("{}{} has rows {} to {}", text.empty() ? "" : ", ", operand.operand->name, operand.first,
                            operand.first + operand.rows() - 1);
      }
    }
    return text.empty() ? "no array is there" : text;
  }

  const KernelSource& source_;
  const bool has_table_;
  const std::vector<PlacedOperand>& operands_;
  std::array<std::vector<Row>, 2> rows_;              ///< of scratchpad and accumulators; row numbers have 16 bits
  std::array<int, kernel::kVectors> registers_ = {};  ///< rows of each that are written
};

}  // namespace

KernelWork work_of(const KernelSource& source, const KernelCall& call, const KernelProgram& program) {
  std::vector<kernel::Word> memory = source.kernel.words;
  memory.resize(kernel::kMemoryWords);
  kernel::Sequencer sequencer(memory, 0, program.arguments());
  Checks checks(source, call, program);
  const KernelTypes types(source, call, program);
  KernelWork work;
  try {
    while (const VectorStep* step = sequencer.next()) {
      types.check(*step);
      checks.check(*step);
      work.operations += step->rows > 0 ? 1 : 0;
    }
  } catch (const kernel::KernelFault& fault) {
    throw InputError(fmt::format("{}: {}", source.place(fault.word), fault.what()));
  }
  work.words = sequencer.executed();
  return work;
}

}  // namespace systole::cli
