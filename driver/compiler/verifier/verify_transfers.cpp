// SPDX-License-Identifier: Apache-2.0
#include "verify_transfers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "constant_bytes.hpp"
#include "copied_content.hpp"
#include "kernel_content.hpp"
#include "systole/accesses.hpp"
#include "systole/disassemble.hpp"
#include "systole/kernel_sequencer.hpp"

namespace systole::verifier {
namespace {

/// Thrown for the first violation of a layer.
struct Broken {
  std::string text;
};

ByteRanges both(const ByteRanges& a, const ByteRanges& b) {
  ByteRanges all = a;
  all.insert(all.end(), b.begin(), b.end());
  return united(std::move(all));
}

/// The accesses of a layer's instructions. Rows and reads are checked as they come. Reads are kept only of layers that
/// must read something: products read their operands again and again.
class Accesses final : public AccessVisitor {
 public:
  /// All layers may read what is `readable`, besides their operands.
  Accesses(const Configuration& configuration, const AddressWindows& windows, const std::vector<Duty>& duties,
           ByteRanges readable)
      : configuration_(configuration),
        windows_(windows),
        readable_(std::move(readable)),
        reads_(duties.size()),
        writes_(duties.size()) {
    for (const Duty& duty : duties) {
      operands_.push_back(united(duty.operands));
      keeps_reads_.push_back(!duty.needs.empty());
    }
  }

  void begin(std::size_t layer) { layer_ = layer; }
  const ByteRanges& reads(std::size_t layer) const { return reads_[layer]; }
  const ByteRanges& writes(std::size_t layer) const { return writes_[layer]; }

  void rows(Memory memory, std::uint32_t first, std::uint32_t count, bool write) override {
    const auto limit = static_cast<std::uint32_t>(rows_of(configuration_, memory));
    if (first + count > limit) {
      throw Broken{fmt::format("it {} {} row {}; there are {}", write ? "writes" : "reads", to_string(memory),
                               std::max(first, limit), limit)};
    }
  }

  void bytes(int window, std::uint32_t offset, std::uint64_t count, bool write) override {
    const std::uint32_t address = windows_[static_cast<std::size_t>(window)].base + offset;
    const ByteRange range{address, address + static_cast<std::int64_t>(count)};
    if (!write) {
      check_read(range);
    }
    if (write || keeps_reads_[layer_]) {
      keep(range, (write ? writes_ : reads_)[layer_]);
    }
  }

 private:
  void check_read(const ByteRange& range) const {
    const auto of_operands = first_byte_outside(range, operands_[layer_]);
    const auto of_others = of_operands ? first_byte_outside(range, readable_) : std::nullopt;
    if (of_others) {
      throw Broken{
          fmt::format("it reads address {:#x}, which is not in an operand", std::max(*of_operands, *of_others))};
    }
  }

  static void keep(const ByteRange& range, ByteRanges& ranges) {
    if (!ranges.empty() && ranges.back().end == range.begin) {
      ranges.back().end = range.end;  // lines that follow each other
    } else {
      ranges.push_back(range);
    }
  }

  const Configuration& configuration_;
  const AddressWindows windows_;
  const ByteRanges readable_;         ///< united
  std::vector<ByteRanges> operands_;  ///< of each layer, united
  std::vector<bool> keeps_reads_;
  std::size_t layer_ = 0;
  std::vector<ByteRanges> reads_, writes_;
};

class Verification {
 public:
  Verification(const Program& program, const Configuration& configuration, const std::vector<Duty>& duties,
               const ByteRanges& own)
      : program_(program),
        configuration_(configuration),
        duties_(duties),
        own_(united(own)),
        windows_(program.windows()),
        constants_(program),
        accesses_(configuration, windows_, duties, both(own_, constants_.ranges())),
        copied_(windows_, constants_, configuration) {}

  std::optional<Violation> run() {
    std::size_t layer = 0;
    try {
      const KnownMemory known{
          [this](std::uint64_t address, std::size_t bytes, void* to) { return read_constant(address, bytes, to); }, {}};
      analysis::KernelContent kernels(program_.instructions, configuration_, windows_, known);
      for (std::size_t i = 0; i < program_.instructions.size(); ++i) {
        layer = program_.label_of[i];
        follow(program_.instructions[i], layer, kernels);
      }
      for (layer = 0; layer < duties_.size(); ++layer) {
        compare(duties_[layer], accesses_.reads(layer), sorted(accesses_.writes(layer)));
      }
    } catch (const Broken& broken) {
      return Violation{layer, broken.text};
    }
    return std::nullopt;
  }

 private:
  bool read_constant(std::uint64_t address, std::size_t bytes, void* to) const {
    const std::uint8_t* constant = constants_.find(static_cast<std::int64_t>(address), bytes);
    if (constant != nullptr) {
      std::memcpy(to, constant, bytes);
    }
    return constant != nullptr;
  }

  void follow(const isa::Instruction& instruction, std::size_t layer, analysis::KernelContent& kernels) {
    accesses_.begin(layer);
    try {
      visit_accesses(instruction, configuration_, accesses_, kernels.words());
    } catch (const Broken& broken) {
      throw Broken{fmt::format("{}: {}", broken.text, isa::disassemble(instruction))};
    } catch (const kernel::KernelFault&) {
      throw Broken{fmt::format("its kernel does not reach its end: {}", isa::disassemble(instruction))};
    }
    kernels.execute(instruction);
    const auto opcode = static_cast<isa::Opcode>(isa::get(instruction, 0, 8));
    if (!duties_[layer].copies) {
      return;
    }
    if (opcode == isa::Opcode::kLoad) {
      copied_.load(isa::Load::decode(instruction));
    } else if (opcode == isa::Opcode::kStore) {
      if (const auto difference = copied_.store(isa::Store::decode(instruction), *duties_[layer].copies)) {
        throw Broken{*difference};
      }
    }
  }

  /// `writes` are sorted.
  void compare(const Duty& duty, const ByteRanges& reads, const ByteRanges& writes) const {
    const ByteRanges written = united(writes);
    if (const auto byte = first_outside(united(duty.needs), united(reads))) {
      throw Broken{fmt::format("it does not read address {:#x}, which is part of an operand", *byte)};
    }
    if (const auto byte = first_outside(written, both(duty.results, own_))) {
      throw Broken{fmt::format("it writes address {:#x}, which is not in its result", *byte)};
    }
    if (!duty.writes_once) {
      return;
    }
    if (const auto byte = first_outside(united(duty.results), written)) {
      throw Broken{fmt::format("it does not write address {:#x} of its result", *byte)};
    }
    ByteRanges of_result;
    std::copy_if(writes.begin(), writes.end(), std::back_inserter(of_result),
                 [&](const ByteRange& range) { return first_byte_outside(range, own_).has_value(); });
    if (const auto byte = first_repeated(std::move(of_result))) {
      throw Broken{fmt::format("it writes address {:#x} of its result twice", *byte)};
    }
  }

  const Program& program_;
  const Configuration& configuration_;
  const std::vector<Duty>& duties_;
  const ByteRanges own_;
  const AddressWindows windows_;
  const ConstantBytes constants_;
  Accesses accesses_;
  CopiedContent copied_;  ///< by all layers that only copy: rows of one are its own until it has stored them
};

}  // namespace

std::optional<Violation> verify_transfers(const Program& program, const Configuration& configuration,
                                          const std::vector<Duty>& duties, const ByteRanges& own) {
  return Verification(program, configuration, duties, own).run();
}

}  // namespace systole::verifier
