// SPDX-License-Identifier: Apache-2.0
#include "systole/legality.hpp"

#include <fmt/core.h>

#include <array>

#include "command_order.hpp"
#include "kernel_content.hpp"
#include "systole/accesses.hpp"
#include "systole/conv_tiles.hpp"
#include "systole/disassemble.hpp"
#include "systole/isa_check.hpp"
#include "systole/kernel_sequencer.hpp"

namespace systole {
namespace {

using isa::ErrorCode;

/// Thrown when a rule is violated; the caller adds the command.
struct IllegalCommand {
  std::string problem;
  std::string remedy;
};

class RangeCheck final : public AccessVisitor {
 public:
  RangeCheck(const Configuration& c, const AddressWindows& windows, std::uint64_t most_kernel_words)
      : c_(c), windows_(windows), most_kernel_words_(most_kernel_words) {}

  void rows(Memory memory, std::uint32_t first, std::uint32_t count, bool write) override {
    const auto limit = static_cast<std::uint32_t>(rows_of(c_, memory));
    if (first + count <= limit) {
      return;
    }
    const ErrorCode code = memory == Memory::kAccumulators ? ErrorCode::kAccRange
                           : memory == Memory::kParameters ? ErrorCode::kParamRange
                           : memory == Memory::kKernels    ? ErrorCode::kKernelRange
                                                           : ErrorCode::kScratchRange;
    throw IllegalCommand{fmt::format("{}s {} row {}; there are {}", write ? "write" : "read", to_string(memory),
                                     std::max(first, limit), limit),
                         isa::remedy(code)};
  }

  void bytes(int window, std::uint32_t offset, std::uint64_t count, bool write) override {
    check_window(window, write ? isa::kPermissionWrite : isa::kPermissionRead, write ? "write" : "read", offset, count);
  }

  void unknown_kernel(std::uint32_t word) override {
    throw IllegalCommand{
        fmt::format("runs word {} of the kernel memory, whose content this check does not know", word),
        "LOAD the kernel in the same program, from memory that no command before it STOREs to and that the check can "
        "read"};
  }

  void executed_words(std::uint32_t count) override {
    kernel_words_ += count;
    if (kernel_words_ > most_kernel_words_) {
      throw IllegalCommand{
          fmt::format("with the VECTORs before it, executes {} words of kernels; at most {} are checked", kernel_words_,
                      most_kernel_words_),
          "split the program"};
    }
  }

  void check_window(int window, std::uint32_t permission, const char* name, std::uint32_t offset,
                    std::uint64_t count) const {
    const AddressWindow& w = windows_[static_cast<std::size_t>(window)];
    if ((w.permission & permission) == 0) {
      throw IllegalCommand{fmt::format("window {} has no {} permission", window, name),
                           "grant the permission, or use another window"};
    }
    if (std::uint64_t{w.base} + w.size > std::uint64_t{1} << 32) {
      throw IllegalCommand{
          fmt::format("window {} of {} bytes at 0x{:x} exceeds the address space and permits no access", window, w.size,
                      w.base),
          "give it a smaller size"};
    }
    if (!allows(w, permission, offset, count)) {
      throw IllegalCommand{
          fmt::format("{} bytes at offset 0x{:x} leave window {} of {} bytes", count, offset, window, w.size),
          isa::remedy(ErrorCode::kWindow)};
    }
  }

 private:
  const Configuration& c_;
  const AddressWindows& windows_;
  const std::uint64_t most_kernel_words_;
  std::uint64_t kernel_words_ = 0;
};

class Checker {
 public:
  Checker(const std::vector<isa::Instruction>& program, const Configuration& c, const AddressWindows& windows,
          const KnownMemory& known, std::uint64_t most_kernel_words)
      : program_(program),
        c_(c),
        ranges_(c, windows, most_kernel_words),
        windows_(windows),
        kernels_(program, c, windows, known) {}

  std::optional<Refusal> run() {
    std::size_t i = 0;
    try {
      for (; i < program_.size(); ++i) {
        check_command(program_[i]);
        kernels_.execute(program_[i]);
      }
      i = program_.empty() ? 0 : program_.size() - 1;
      check_zero();
      const analysis::Order order(program_);
      for (i = 0; i < program_.size(); ++i) {
        check_overlap(order, i);
      }
    } catch (const IllegalCommand& broken) {
      return Refusal{i, isa::disassemble(program_[i]), broken.problem, broken.remedy};
    }
    return std::nullopt;
  }

 private:
  void check_command(const isa::Instruction& instruction) {
    const auto violations = isa::check(instruction, c_.dim, c_.parts);
    if (!violations.empty()) {
      throw IllegalCommand{violations.front().text,
                           "choose a legal value; the reference page of the instruction lists them"};
    }
    switch (static_cast<isa::Opcode>(isa::get(instruction, 0, 8))) {
      case isa::Opcode::kEnd: return check_zero();
      case isa::Opcode::kJump: return check_jump(isa::Jump::decode(instruction));
      case isa::Opcode::kConv: check_weights(tiles_of(isa::Conv::decode(instruction), c_).all_rows()); break;
      case isa::Opcode::kDepthwise: {
        const auto op = isa::Depthwise::decode(instruction);
        check_weights(std::int64_t{op.blocks} * op.kernel_h * op.kernel_w);
        break;
      }
      default: break;
    }
    apply_semaphores(isa::decode_semaphores(instruction));
    try {
      visit_accesses(instruction, c_, ranges_, kernels_.words());
    } catch (const kernel::KernelFault& fault) {
      throw IllegalCommand{fault.what(), isa::remedy(ErrorCode::kKernel)};
    }
  }

  void check_jump(const isa::Jump& op) const {
    ranges_.check_window(op.window, isa::kPermissionExecute, "execute", op.target,
                         std::uint64_t{op.count} * isa::kInstructionBytes);
    if (windows_[op.window].base % isa::kInstructionBytes != 0) {
      throw IllegalCommand{
          fmt::format("window {} does not begin at a multiple of {}", op.window, isa::kInstructionBytes),
          "align the window"};
    }
  }

  void check_weights(std::int64_t rows) const {
    if (rows > c_.weight_rows) {
      throw IllegalCommand{fmt::format("needs {} weight rows; the ring has {}", rows, c_.weight_rows),
                           isa::remedy(ErrorCode::kWeightRange)};
    }
  }

  /// Executes one command at a time in program order.
  void apply_semaphores(const isa::Semaphores& s) {
    const auto wait = [&](std::size_t semaphore, unsigned amount) {
      if (value_[semaphore] < amount) {
        throw IllegalCommand{
            fmt::format("waits for {} of semaphore {}, which holds {}", amount, semaphore, value_[semaphore]),
            "signal it in an earlier command"};
      }
    };
    wait(s.wait0_sem, s.wait0_amount);
    wait(s.wait1_sem, s.wait1_amount);
    value_[s.wait0_sem] -= s.wait0_amount;
    value_[s.wait1_sem] -= s.wait1_amount;
    const auto signal = [&](std::size_t semaphore, unsigned amount) {
      value_[semaphore] += amount;
      if (value_[semaphore] > isa::kSemaphoreMax) {
        throw IllegalCommand{fmt::format("raises semaphore {} to {}; it holds at most {}", semaphore, value_[semaphore],
                                         isa::kSemaphoreMax),
                             isa::remedy(ErrorCode::kSemaphoreOverflow)};
      }
    };
    signal(s.signal0_sem, s.signal0_amount);
    signal(s.signal1_sem, s.signal1_amount);
  }

  void check_zero() const {
    for (std::size_t s = 0; s < value_.size(); ++s) {
      if (value_[s] != 0) {
        throw IllegalCommand{fmt::format("semaphore {} holds {} at the end of the program", s, value_[s]),
                             isa::remedy(ErrorCode::kSemaphoreAtEnd)};
      }
    }
  }

  /// Checks what can happen when engines overlap.
  void check_overlap(const analysis::Order& order, std::size_t i) const {
    if (order.engine(i) == analysis::kEngines) {
      return;
    }
    const isa::Semaphores s = isa::decode_semaphores(program_[i]);
    const auto wait = [&](int semaphore, unsigned amount) {
      if (amount && !order.waits_in_order(i, semaphore)) {
        throw IllegalCommand{
            fmt::format("waits for semaphore {}, which another engine waits for earlier in the program "
                        "without a fixed order",
                        semaphore),
            "use a semaphore that only one engine waits for"};
      }
    };
    wait(s.wait0_sem, s.wait0_amount);
    wait(s.wait1_sem, s.wait1_amount);
    const auto signal = [&](int semaphore, unsigned amount) {
      const std::uint32_t bound = amount ? order.bound_after_signal(i, semaphore) : 0;
      if (bound > isa::kSemaphoreMax) {
        throw IllegalCommand{fmt::format("can raise semaphore {} to {} when its engine runs ahead; it holds at most {}",
                                         semaphore, bound, isa::kSemaphoreMax),
                             "let the engine wait regularly for the engines that take the tokens"};
      }
    };
    signal(s.signal0_sem, s.signal0_amount);
    signal(s.signal1_sem, s.signal1_amount);
  }

  const std::vector<isa::Instruction>& program_;
  const Configuration& c_;
  RangeCheck ranges_;
  const AddressWindows& windows_;
  analysis::KernelContent kernels_;
  std::array<unsigned, isa::kSemaphores> value_{};
};

}  // namespace

std::string Refusal::text() const { return fmt::format("command {}: {}\n  {}\n  {}", index, problem, command, remedy); }

std::optional<Refusal> check_program(const std::vector<isa::Instruction>& program, const Configuration& configuration,
                                     const AddressWindows& windows, const KnownMemory& known,
                                     std::uint64_t most_kernel_words) {
  return Checker(program, configuration, windows, known, most_kernel_words).run();
}

}  // namespace systole
