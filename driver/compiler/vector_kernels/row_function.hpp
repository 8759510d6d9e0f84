// SPDX-License-Identifier: Apache-2.0
// Functions of rows: the channels of a position. What all elements of a row are combined to, such as their sum or the
// greatest of them, is known to the formula of each element of the result.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "binary32_rows.hpp"
#include "expression.hpp"
#include "systole/kernel.hpp"

namespace systole::compiler {

/// What the elements of a row are combined to.
enum class Combine : std::uint8_t {
  kMax,       ///< the greatest integer
  kMin,       ///< the least
  kSum,       ///< the sum modulo 2^32
  kFloatMax,  ///< the greatest binary32
  kFloatSum,  ///< the sum of binary32, in the order of binary32::sum_of_row() (sim/golden/binary32_rows.hpp)
};

/// What the vector processor computes at once.
enum class Strips : std::uint8_t {
  kOfRows,    ///< a plane of eight rows
  kOfPlanes,  ///< eight planes of one row
};

/// Records a function of rows. Its steps are in the order of the calls; each returns an operand of later expressions.
class RowFunction {
 public:
  struct Operand {
    kernel::Format format = kernel::Format::kI32;
    bool has_distance = false;  ///< whether its rows may be one that is repeated, as argument `b_row` says
    bool is_words = false;      ///< words of the channels, in accumulators (KernelCall::channel_words)
    bool is_number = false;     ///< one element a row, in the first lane
  };
  /// An element in terms of other elements, and of what is known of the row.
  struct Element {
    ExpressionPtr value;
    ExpressionPtr in_last = nullptr;  ///< the same for the elements of the row's last DIM channels, if it differs
  };
  struct Fold {
    Combine combine;
    Element element;
    std::uint32_t number;  ///< of the operand that it becomes
  };
  /// A pass over the elements of a row: some of them are kept, others combined. Or, without either, a value of the row.
  struct Step {
    std::optional<Element> kept = std::nullopt;
    bool recomputes = false;
    std::uint32_t kept_number = 0;
    std::vector<Fold> folds = {};
    ExpressionPtr value = nullptr;
    std::uint32_t value_number = 0;
  };

  /// Of rows of so many elements. Elements of binary32 that are `apart` are summed first.
  RowFunction(std::string name, std::int64_t elements, std::vector<Operand> operands, kernel::Format result,
              int apart = golden::binary32::kSumsOfRow)
      : name_(std::move(name)),
        elements_(elements),
        operands_(std::move(operands)),
        result_(result),
        apart_(apart),
        next_(static_cast<std::uint32_t>(operands_.size())) {}

  ExpressionPtr element(std::uint32_t i) const { return operand(i); }

  /// What the elements are combined to. Folds in a call take one pass.
  std::vector<ExpressionPtr> fold(const std::vector<std::pair<Combine, Element>>& folds);
  ExpressionPtr fold(Combine combine, const Element& element) { return fold({{combine, element}}).front(); }
  ExpressionPtr fold(Combine combine, const ExpressionPtr& value) { return fold(combine, Element{value}); }
  /// The elements, computed once for what follows: in registers, or in the place of the result, which then has 32 bits.
  /// Those beyond the last channel are zeros. A fold that follows takes the same pass.
  ExpressionPtr keep(const Element& element) { return keep(element, false); }
  /// The same if there are registers; otherwise each use computes them.
  ExpressionPtr keep_in_registers(const Element& element) { return keep(element, true); }
  /// A value of the row, computed once.
  ExpressionPtr value(const ExpressionPtr& expression);
  /// The last call: the elements of the result.
  void set_result(const ExpressionPtr& element) { element_ = element; }
  /// Or its only one, in all lanes.
  void set_result_of_row(const ExpressionPtr& value) { of_row_ = value; }

  /// The same with a result in block floating point.
  RowFunction in_blocks() const {
    RowFunction function = *this;
    function.result_ = kernel::Format::kBlocks;
    return function;
  }

  /// The lane of the last element, for expressions of `in_last`.
  static ExpressionPtr last_lane() { return parameter(kLastLane); }
  static constexpr const char* kLastLane = "last_lane";

  /// The last step that reads the operand; the one behind the last if the result does; null if nothing does.
  const Step* last_reader(std::uint32_t number) const;
  /// Whether a step keeps elements.
  bool keeps() const;
  /// Whether elements of the row's last DIM channels differ from others.
  bool has_last_elements() const;
  /// Whether a fold combines elements so.
  bool combines(Combine combine) const;

  const std::string& name() const { return name_; }
  std::int64_t elements() const { return elements_; }
  const std::vector<Operand>& operands() const { return operands_; }
  kernel::Format result() const { return result_; }
  int apart() const { return apart_; }
  const std::vector<Step>& steps() const { return steps_; }
  std::uint32_t numbers() const { return next_; }
  const ExpressionPtr& result_element() const { return element_; }
  const ExpressionPtr& result_of_row() const { return of_row_; }

 private:
  ExpressionPtr keep(const Element& element, bool recomputes);

  std::string name_;
  std::int64_t elements_;
  std::vector<Operand> operands_;
  kernel::Format result_;
  int apart_;
  std::uint32_t next_;
  std::vector<Step> steps_;
  ExpressionPtr element_ = nullptr, of_row_ = nullptr;
};

/// Adds the numbers of the operands that an expression reads, which may be null.
void collect_operands(const ExpressionPtr& e, std::set<std::uint32_t>& numbers);

}  // namespace systole::compiler
