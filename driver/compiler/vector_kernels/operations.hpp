// SPDX-License-Identifier: Apache-2.0
// The vector operations that compute expressions: each once, in an order that needs few registers.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "expression.hpp"
#include "systole/kernel.hpp"

namespace systole::compiler {

/// Where operations find the elements of an operand.
enum class OperandPlace : std::uint8_t {
  kMemory,    ///< read where it is used if one operation reads it, otherwise loaded once
  kLoaded,    ///< in memory, loaded to a register before it is used
  kSame,      ///< in memory, the same for all elements: loaded
  kNumber,    ///< the same, in the first lane
  kRegister,  ///< in a register of its own
};

class Operations {
 public:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  /// What an operation reads.
  struct Source {
    enum class Kind : std::uint8_t { kValue, kOperand, kParameter, kConstant };
    Kind kind;
    std::uint32_t number;  ///< of a value, an operand or a parameter; or the constant
    bool operator<(const Source& other) const { return std::tie(kind, number) < std::tie(other.kind, other.number); }
    bool operator==(const Source& other) const { return kind == other.kind && number == other.number; }
  };

  /// A vector operation. Without a second source, `b` is the constant 0.
  struct Value {
    kernel::Op op;
    Source a, b;
    bool is_same = false;      ///< for all elements
    int registers = 0;         ///< that its computation takes at least, in the order that takes fewest
    std::size_t uses = 0;      ///< by other values and as a result
    std::size_t last_use = 0;  ///< place in the order of the last operation that reads it
  };

  Operations(const std::vector<ExpressionPtr>& results, std::vector<OperandPlace> operands);

  std::vector<Value>& values() { return values_; }
  const std::vector<Value>& values() const { return values_; }
  const std::vector<std::string>& parameters() const { return parameters_; }
  /// Numbers of the values that are results.
  const std::vector<std::size_t>& results() const { return results_; }
  /// Numbers of values, each behind those that it reads.
  const std::vector<std::size_t>& order() const { return order_; }
  /// Those that are the same for all elements come before the loop, or none. How many do.
  std::size_t put_before_loop(bool all);
  bool in_memory(const Source& source) const {
    return source.kind == Source::Kind::kOperand && operands_[source.number] != OperandPlace::kRegister;
  }

 private:
  void count_operands(const ExpressionPtr& e);
  std::size_t result(const ExpressionPtr& e);
  Source source_of(const ExpressionPtr& e);
  Source operation(kernel::Op op, const Source& a, const Source& b);
  std::uint32_t parameter(const std::string& name);
  Source operand(std::uint32_t number);
  Source spread(const Source& number);
  Source append(kernel::Op op, const Source& a, const Source& b = {Source::Kind::kConstant, 0});
  bool is_same(const Source& source) const;
  int registers_of(const Source& source) const;
  void schedule(std::size_t number);

  const std::vector<OperandPlace> operands_;
  std::vector<Value> values_;
  std::vector<std::string> parameters_;
  std::vector<std::size_t> operand_uses_, results_, order_;
  std::set<const Expression*> visited_;
  std::map<const Expression*, Source> of_expression_;
  std::map<std::tuple<kernel::Op, Source, Source>, std::size_t> numbers_;
};

/// Which register each value is in.
class Registers {
 public:
  /// A register that a result should take, once the operand that is in it has been read for the last time.
  struct Wanted {
    static constexpr std::uint32_t kNone = 0xffffffff;  ///< no register, or one that no operand is in
    std::uint32_t number = kNone, operand = kNone;
  };

  /// The first `early` values of the order come before the loop, in which they keep their registers; results keep
  /// theirs to its end. The first `reserved` registers are taken by results alone, as `wanted` for each. There are
  /// enough registers if all().
  Registers(Operations& operations, std::size_t early, std::uint32_t reserved = 0,
            const std::vector<Wanted>& wanted = {});

  bool all() const { return all_; }
  std::uint32_t of(std::size_t value) const { return number_[value]; }

 private:
  std::vector<std::uint32_t> number_;
  std::vector<bool> free_;
  bool all_ = true;
};

}  // namespace systole::compiler
