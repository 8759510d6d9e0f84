// SPDX-License-Identifier: Apache-2.0
// Builds a program from instructions in the order in which they would run one at a time. Kernels append plain
// sequential code; the builder
//   1. derives from the footprints which instructions of other engines each one depends on (read after write, write
//      after read, write after write);
//   2. interleaves the instruction streams, of each engine one in each of two lanes, by the time at which the engine
//      could start (cost model), so that prefetches are dispatched before the work that they overlap with;
//   3. assigns semaphores: one per ordered pair of engines. A producer signals 1, its consumer waits for 1; a
//      dependency that earlier waits already imply, also through a third engine, gets none. More than two waits or
//      signals go to a SYNC.
// Every signal has its wait, so all semaphores are zero at the end; a signal is never more than 200 ahead of its wait.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "program_ranges.hpp"
#include "rings.hpp"
#include "row_footprint.hpp"
#include "systole/errors.hpp"
#include "systole/generated/configuration.hpp"
#include "systole/program.hpp"
#include "timing.hpp"

namespace systole::compiler {

/// Rows of the on-chip memories that operators allocate in turn: an operator begins where the previous one ended, so
/// that it need not wait for that to finish.
struct ChipRings {
  explicit ChipRings(const Configuration& configuration);
  RowRing weights, params;
  std::array<RowRing, 2> accumulators;
  int next_half = 0;  ///< next accumulator half
};

/// An operator needs a unit that the configuration has left out.
class MissingPart : public InvalidArgument {
 public:
  using InvalidArgument::InvalidArgument;
};

/// Says that a configuration lacks a part: "configuration nano has no vector processor".
std::string missing(Part part, const Configuration& configuration);

class Builder {
 public:
  explicit Builder(const Configuration& configuration, const MemoryTiming& memory = {});

  const Configuration& configuration() const { return configuration_; }
  int dim() const { return configuration_.dim; }

  /// Begins a layer: the following operators, up to the next layer, belong to it. A layer is a label of the program.
  /// `useful_macs` are its multiply-accumulates; its operators may execute more, for padding or zero points. Without a
  /// name it takes that of its first operator. Returns its number.
  std::size_t begin_layer(std::string name, std::uint64_t useful_macs);
  /// The following operators belong to this layer, which was begun before.
  void resume_layer(std::size_t layer) { layer_ = layer; }

  /// Begins an operator with its useful multiply-accumulates; it is a layer of its own unless a layer was begun.
  void begin_operator(std::string name, std::uint64_t useful_macs);

  /// Of the multiply-accumulates of the current operator, so many are by zeros that are skipped.
  void leave_out(std::uint64_t macs) { layer_macs_[layer_].left_out += macs; }
  /// Those of a layer's useful ones: none if its operators have more, as where moves became products with zeros.
  std::uint64_t left_out(std::size_t layer) const;

  ChipRings& rings() { return rings_; }

  /// Scratchpad rows that operators may use for loads and staging; the others hold tensors. Initially all rows. Throws
  /// InternalError unless they lie in the scratchpad.
  void set_workspace(int first, int rows);
  int workspace_begin() const { return workspace_begin_; }
  int workspace_rows() const { return workspace_rows_; }
  /// Instructions that have been appended so far.
  int instructions() const { return first_ + static_cast<int>(items_.size()); }
  /// The number of the last instruction that accesses some of these rows of the scratchpad; -1 if none does.
  int last_access(int first, int rows) const;

  bool empty() const { return items_.empty(); }

  /// A copy for trying and timing what comes next: without name or constants, and with only the last `recent`
  /// instructions, since earlier ones have long committed. Reads this builder, which must not change while the copy is
  /// used.
  Builder fork(std::size_t recent = 256) const;

  /// Appends an instruction; its semaphore fields must be empty. Throws MissingPart, and InternalError when it is
  /// illegal or accesses rows that do not exist, or memory that was not reserved for the program.
  void append(const isa::Instruction& instruction);
  template <class Op>
  void append(const Op& op) {
    append(op.encode());
  }

  /// Number of the word of the kernel memory where `kernel` begins. Appends the LOAD that brings it there unless the
  /// memory still holds it. `kernel` must outlive the builder. Throws InternalError when it is larger than the memory.
  std::uint16_t place_kernel(const kernel::Kernel& kernel);

  /// Whether the table of words, or the look-up table, still holds what set_table() said.
  bool holds_table(bool words, const std::vector<std::uint8_t>& bytes) const { return tables_[words] == bytes; }
  /// The TABLE before wrote these bytes.
  void set_table(bool words, std::vector<std::uint8_t> bytes) { tables_[words] = std::move(bytes); }

  /// Kernels, tables and lookups that follow may run before or after other instructions of the vector unit that do not
  /// depend on them: where they fill the gaps.
  void set_kernels_apart(bool apart) { kernels_apart_ = apart; }
  bool kernels_apart() const { return kernels_apart_; }

  /// The lane of the instructions that follow: each engine takes from both lanes in turn, as far as what they access
  /// lets it. Lanes overlap where they use different rows.
  void set_lane(int lane) { lane_ = lane; }

  /// Reserves memory of the program for a constant, which is copied before the program runs; returns its address
  /// (ProgramRanges).
  std::uint32_t constant(std::vector<std::uint8_t> bytes);
  /// Reserves memory of the program for a tensor that the host writes or reads; returns its address.
  std::uint32_t binding(std::uint64_t bytes) { return ranges_.append(kBindingsWindow, bytes); }
  /// Reserves memory of the program for an intermediate tensor; returns its address.
  std::uint32_t temporary(std::uint64_t bytes) { return ranges_.append(kScratchWindow, bytes); }

  /// Estimated cycles of the program so far, without finishing it.
  std::int64_t estimated_cycles() const;

  /// Cycles that the read bus needs for the program so far, instructions and data: a lower bound on its cycles.
  std::int64_t read_cycles() const;

  /// Orders, synchronizes and links the instructions and returns the program. The builder is empty afterwards.
  Program finish();

 private:
  friend class KeptRegisters;
  struct Item {
    isa::Instruction instruction;
    Event event;
    std::uint16_t label;
  };
  /// The last accesses of a row (or of 64 bytes of device memory): index of the instruction, or -1. The writer's stream
  /// is in the low digit to keep the record small, since programs access millions of rows.
  struct Touch {
    int writer = -1;
    StreamPlaces reader = kNowhere;
  };
  using Page = std::vector<Touch>;

  /// An instruction being appended, and the last instruction of each engine that it depends on.
  struct Visitor {
    int index;
    std::size_t stream;
    StreamPlaces after = kNowhere;
    void comes_after(int writer);
    void visit(Touch* first, const Touch* last, bool is_write);
    void read(Touch* first, const Touch* last);
    void write(Touch* first, const Touch* last);
  };

  void forget_kernels();
  std::vector<Touch>& touches(Memory memory);
  Page& page(std::uint64_t number);
  void visit_device(const Span& span, Visitor& visitor);
  void visit_tables(const isa::Instruction& instruction, Visitor& visitor);
  void visit_registers(const isa::Instruction& instruction, Visitor& visitor);
  std::vector<int> program_order() const;
  Event placed_event(const Item& item, const std::vector<int>& place) const;

  const Configuration configuration_;
  const MemoryTiming memory_;
  ProgramRanges ranges_;
  ChipRings rings_;
  int workspace_begin_ = 0, workspace_rows_ = 0;
  bool is_fork_ = false;
  int first_ = 0;  ///< index of items_[0]: nonzero for a fork, which has dropped earlier ones
  std::vector<Item> items_;
  std::array<std::vector<Touch>, 5> rows_;                  ///< per on-chip memory
  std::array<Touch, 2> table_touches_;                      ///< of the look-up table and the table of words
  std::vector<kernel::Word> kernel_words_;                  ///< content of the kernel memory
  std::map<const kernel::Kernel*, std::uint16_t> kernels_;  ///< what it holds, and where
  std::set<std::uint16_t> plain_kernels_;                   ///< where those are that do not read the table of words
  Touch register_touches_;                                  ///< of vector registers that are kept: all are as one
  std::set<std::uint16_t> followers_;                       ///< where kernels are that need them kept
  std::array<std::vector<std::uint8_t>, 2> tables_;         ///< look-up table and table of words; empty: unknown
  std::size_t kernel_end_ = 0;                              ///< first word that is free
  std::unordered_map<std::uint64_t, Page> pages_;
  const Builder* forked_from_ = nullptr;  ///< holds the pages that this fork has not written
  Program program_;
  bool kernels_apart_ = false;
  bool registers_kept_ = false;
  int lane_ = 0;
  struct LayerMacs {
    std::uint64_t useful = 0, of_operators = 0, left_out = 0;
  };
  std::map<std::size_t, LayerMacs> layer_macs_;
  bool in_layer_ = false;  ///< operators belong to the current layer
  std::size_t layer_ = 0;  ///< the current layer
};

/// While it lives, each kernel finds vector registers as the one before it has left them: no kernel of another lane
/// runs between them.
class KeptRegisters {
 public:
  explicit KeptRegisters(Builder& builder) : builder_(builder) { builder_.registers_kept_ = true; }
  ~KeptRegisters() { builder_.registers_kept_ = false; }
  KeptRegisters(const KeptRegisters&) = delete;
  KeptRegisters& operator=(const KeptRegisters&) = delete;

 private:
  Builder& builder_;
};

}  // namespace systole::compiler
