// SPDX-License-Identifier: Apache-2.0
// Random commands with small footprints. Every field is drawn from its range in the generated instruction table; fields
// that determine the footprint are then drawn again so that it fits the machine; the project's own checkers decide.
#pragma once

#include "model_state.hpp"
#include "source.hpp"
#include "systole/generated/configuration.hpp"
#include "systole/generated/isa.hpp"
#include "systole/isa_check.hpp"

namespace systole::programs {

/// Location and size of the commands of a program.
struct Style {
  int first_row = 0;   ///< first of the scratchpad rows that the program prefers
  int rows = 1 << 16;  ///< number of preferred rows: few create dependencies between engines, many let them overlap
  bool large = false;  ///< more positions, longer runs
};

/// An upper bound of the beats and rows that a command moves: random fields can make it very large.
double cost(const isa::Instruction& instruction, const Configuration& configuration);

class Commands {
 public:
  Commands(const Configuration& configuration, const AddressWindows& windows, Source& source)
      : c_(configuration), windows_(windows), source_(source) {}

  void set_style(const Style& style) { style_ = style; }

  /// A legal command without waits and signals: any of LOAD, STORE, CONV, DEPTHWISE and the vector instructions, as far
  /// as the configuration has their parts.
  isa::Instruction any();
  /// A legal command of one opcode that takes some thousand cycles at most.
  isa::Instruction one(isa::Opcode opcode);

 private:
  /// A loop of `count` steps of `stride` rows (or bytes).
  struct Loop {
    long long count;
    long long stride;
  };
  struct Span {
    long long low, high;
  };

  isa::Opcode opcode();
  template <class Op>
  Op drawn();
  isa::Instruction attempt(isa::Opcode opcode);
  isa::Instruction load();
  isa::Instruction store();
  isa::Instruction conv();
  isa::Instruction depthwise();
  template <class Op>
  isa::Instruction pool(Op op);
  template <class Op>
  isa::Instruction pair(Op op, int parameter_rows);
  isa::Instruction drain();
  isa::Instruction drain32();
  isa::Instruction preload();
  isa::Instruction map();
  isa::Instruction table();
  isa::Instruction vector();

  static Span span(std::initializer_list<Loop> loops);
  int small(int most);
  std::uint16_t stride();
  std::uint16_t place(const Span& span, long long limit, bool scratch = false);
  std::uint16_t scratch(const Span& span) { return place(span, c_.scratch_end(), true); }
  std::uint16_t parameters(int rows) { return place({0, rows - 1}, c_.param_rows); }
  std::uint32_t bytes(int window, const Span& span);
  int window_with(std::uint32_t permission);
  template <class Op>
  void shape(Op& op);
  template <class Op>
  void window_of_taps(Op& op);
  template <class Op>
  void dilation(Op& op);
  template <class Op>
  void clamp(Op& op);

  const Configuration& c_;
  const AddressWindows& windows_;
  Source& source_;
  Style style_;
};

}  // namespace systole::programs
