// SPDX-License-Identifier: Apache-2.0
// What each vector instruction does to the memories, one position at a time, as the instruction set describes it.
// VECTOR is run by the functional model.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "systole/generated/isa.hpp"
#include "systole/requantize.hpp"
#include "vector_processor.hpp"

namespace systole::test {

struct VectorFault {
  isa::ErrorCode code;
  std::uint32_t address;
};

struct VectorSizes {
  int dim, scratch_rows, acc_rows, param_rows;
  int block_rows;  ///< scratchpad rows that have exponents
};

/// Memories, look-up tables and vector registers; run() throws VectorFault at the first row beyond a memory.
class VectorMachine {
 public:
  explicit VectorMachine(const VectorSizes& sizes)
      : sizes_(sizes),
        scratch(static_cast<std::size_t>(sizes.scratch_rows * sizes.dim)),
        params(static_cast<std::size_t>(sizes.param_rows * sizes.dim)),
        acc(static_cast<std::size_t>(sizes.acc_rows * sizes.dim)),
        table(256),
        kernels(kernel::kMemoryWords),
        registers(static_cast<std::size_t>(kernel::kVectors * kernel::kStripRows * sizes.dim)),
        words(kernel::kTableWords) {}

  void run(const isa::Instruction& instruction) {
    switch (static_cast<isa::Opcode>(instruction.words[0] & 0xff)) {
      case isa::Opcode::kDrain: return drain(isa::Drain::decode(instruction));
      case isa::Opcode::kDrain32: return drain32(isa::Drain32::decode(instruction));
      case isa::Opcode::kPreload: return preload(isa::Preload::decode(instruction));
      case isa::Opcode::kMaxpool: return maxpool(isa::Maxpool::decode(instruction));
      case isa::Opcode::kAvgpool: return avgpool(isa::Avgpool::decode(instruction));
      case isa::Opcode::kAdd: return add(isa::Add::decode(instruction));
      case isa::Opcode::kMultiply: return multiply(isa::Multiply::decode(instruction));
      case isa::Opcode::kTable: return load_table(isa::Table::decode(instruction));
      case isa::Opcode::kMap: return map(isa::Map::decode(instruction));
      case isa::Opcode::kVector: return vector(isa::Vector::decode(instruction));
      default: throw std::logic_error("not a vector instruction");
    }
  }

 private:
  using Row = std::int8_t*;
  VectorSizes sizes_;

 public:
  std::vector<std::int8_t> scratch, params;
  std::vector<std::int32_t> acc;
  std::vector<std::int8_t> table;
  std::vector<kernel::Word> kernels;     ///< the kernel memory
  std::vector<std::uint32_t> registers;  ///< vector registers: register, row, lane
  std::vector<std::uint32_t> words;      ///< the table that kernels read

 private:
  Row scratch_row(std::int64_t row) {
    const auto r = static_cast<std::uint16_t>(row);
    if (r >= sizes_.scratch_rows) throw VectorFault{isa::ErrorCode::kScratchRange, r};
    return &scratch[static_cast<std::size_t>(r * sizes_.dim)];
  }
  Row param_row(std::int64_t row) {
    const auto r = static_cast<std::uint16_t>(row);
    if (r >= sizes_.param_rows) throw VectorFault{isa::ErrorCode::kParamRange, r};
    return &params[static_cast<std::size_t>(r * sizes_.dim)];
  }
  std::int32_t* acc_row(std::int64_t row) {
    if (row >= sizes_.acc_rows) throw VectorFault{isa::ErrorCode::kAccRange, static_cast<std::uint32_t>(row)};
    return &acc[static_cast<std::size_t>(row * sizes_.dim)];
  }

  static std::uint32_t word(const std::int8_t* bytes) {
    std::uint32_t value = 0;
    for (int b = 3; b >= 0; --b) value = value << 8 | static_cast<std::uint8_t>(bytes[b]);
    return value;
  }
  static std::int32_t wrap(std::int64_t value) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(value)); }
  static int shift_of(std::int8_t byte) { return ((byte & 0x3f) ^ 0x20) - 0x20; }
  static std::int8_t clamp(std::int64_t value, std::int8_t low, std::int8_t high) {
    return static_cast<std::int8_t>(value < low ? low : value > high ? high : value);
  }
  std::int8_t look_up(std::int8_t value) const { return table[static_cast<std::size_t>(value + 128)]; }

  QuantParam scalar(std::int64_t row) {
    const std::int8_t* multiplier = param_row(row);
    const std::int8_t* shift = param_row(row + 1);
    return {wrap(word(multiplier)), shift_of(shift[0])};
  }

  struct Addition {
    QuantParam first, second, sum;
  };
  template <typename Op>
  Addition addition(const Op& op) {
    Addition a;
    a.first = scalar(op.scalars);
    a.second = scalar(op.scalars + 2);
    a.sum = scalar(op.scalars + 4);
    return a;
  }
  template <typename Op>
  static std::int8_t add_values(const Op& op, const Addition& a, std::int8_t x1, std::int8_t x2) {
    const auto rounding = static_cast<Rounding>(op.rounding);
    const std::int32_t s1 =
        saturate_to_int32(multiply_by_quantized_multiplier((x1 - op.zero1) * 1048576, a.first, rounding));
    const std::int32_t s2 =
        saturate_to_int32(multiply_by_quantized_multiplier((x2 - op.zero2) * 1048576, a.second, rounding));
    return requantize(wrap(std::int64_t{s1} + s2), a.sum, op.zero_point, op.clamp_min, op.clamp_max, rounding);
  }

  void drain(const isa::Drain& op) {
    const auto rounding = static_cast<Rounding>(op.rounding);
    std::vector<std::int8_t> block;
    for (int r = 0; r < 9; ++r) {
      const std::int8_t* row = param_row(op.params + r);
      block.insert(block.end(), row, row + sizes_.dim);
    }
    const Addition a = op.residual ? addition(op) : Addition{};
    for (std::int64_t oy = 0, p = 0; oy < op.out_height; ++oy) {
      for (std::int64_t ox = 0; ox < op.out_width; ++ox, ++p) {
        const std::int32_t* in = acc_row(op.src + p);
        const std::int8_t* in2 = op.residual ? scratch_row(op.src2 + oy * op.src2_stride + ox) : nullptr;
        Row out = scratch_row(op.dst + oy * op.dst_stride + ox);
        for (int n = 0; n < sizes_.dim; ++n) {
          const std::int32_t value = wrap(std::int64_t{in[n]} + wrap(word(&block[static_cast<std::size_t>(4 * n)])));
          const QuantParam scale{wrap(word(&block[static_cast<std::size_t>(4 * sizes_.dim + 4 * n)])),
                                 shift_of(block[static_cast<std::size_t>(8 * sizes_.dim + n)])};
          std::int8_t q = op.residual ? requantize(value, scale, op.zero1, op.mid_min, op.mid_max, rounding)
                                      : requantize(value, scale, op.zero_point, op.clamp_min, op.clamp_max, rounding);
          if (op.table) q = look_up(q);
          out[n] = op.residual ? add_values(op, a, q, in2[n]) : q;
        }
      }
    }
  }

  void drain32(const isa::Drain32& op) {
    for (std::int64_t oy = 0, p = 0; oy < op.out_height; ++oy) {
      for (std::int64_t ox = 0; ox < op.out_width; ++ox, ++p) {
        const std::int32_t* in = acc_row(op.src + p);
        for (int w = 0; w < 4; ++w) {
          Row out = scratch_row(op.dst + oy * op.dst_stride + ox + w * op.plane_stride);
          for (int l = 0; l < sizes_.dim; ++l) {
            const int byte = w * sizes_.dim + l;
            out[l] = static_cast<std::int8_t>(in[byte / 4] >> (8 * (byte % 4)));
          }
        }
      }
    }
  }

  void preload(const isa::Preload& op) {
    for (std::int64_t oy = 0, p = 0; oy < op.out_height; ++oy) {
      for (std::int64_t ox = 0; ox < op.out_width; ++ox, ++p) {
        std::vector<std::int8_t> bytes;
        for (int w = 0; w < 4; ++w) {
          const std::int8_t* in = scratch_row(op.src + oy * op.src_stride + ox + w * op.plane_stride);
          bytes.insert(bytes.end(), in, in + sizes_.dim);
        }
        std::int32_t* out = acc_row(op.dst + p);
        for (int n = 0; n < sizes_.dim; ++n) out[n] = wrap(word(&bytes[static_cast<std::size_t>(4 * n)]));
      }
    }
  }

  /// Rows of the window's positions that lie inside the input.
  template <typename Op>
  std::vector<const std::int8_t*> window(const Op& op, std::int64_t oy, std::int64_t ox) {
    std::vector<const std::int8_t*> rows;
    for (std::int64_t ky = 0; ky < op.kernel_h; ++ky) {
      for (std::int64_t kx = 0; kx < op.kernel_w; ++kx) {
        const std::int64_t y = op.y0 + oy * op.stride_h + ky * op.dilation_h;
        const std::int64_t x = op.x0 + ox * op.stride_w + kx * op.dilation_w;
        if (y < 0 || y >= op.in_height || x < 0 || x >= op.in_width) continue;
        rows.push_back(scratch_row(op.src + y * op.src_stride + x));
      }
    }
    return rows;
  }

  void maxpool(const isa::Maxpool& op) {
    for (std::int64_t oy = 0; oy < op.out_height; ++oy) {
      for (std::int64_t ox = 0; ox < op.out_width; ++ox) {
        const auto rows = window(op, oy, ox);
        Row out = scratch_row(op.dst + oy * op.dst_stride + ox);
        for (int n = 0; n < sizes_.dim; ++n) {
          std::int8_t best = op.clamp_min;
          for (const std::int8_t* row : rows) best = std::max(best, row[n]);
          out[n] = clamp(best, op.clamp_min, op.clamp_max);
        }
      }
    }
  }

  void avgpool(const isa::Avgpool& op) {
    for (std::int64_t oy = 0; oy < op.out_height; ++oy) {
      for (std::int64_t ox = 0; ox < op.out_width; ++ox) {
        const auto rows = window(op, oy, ox);
        const int missing = op.kernel_h * op.kernel_w - static_cast<int>(rows.size());
        const QuantParam scale = scalar(op.scalars + 2 * (op.count_padding ? 0 : missing));
        Row out = scratch_row(op.dst + oy * op.dst_stride + ox);
        for (int n = 0; n < sizes_.dim; ++n) {
          std::int32_t sum = op.count_padding ? missing * op.zero1 : 0;
          for (const std::int8_t* row : rows) sum += row[n];
          out[n] =
              requantize(sum, scale, op.zero_point, op.clamp_min, op.clamp_max, static_cast<Rounding>(op.rounding));
        }
      }
    }
  }

  void add(const isa::Add& op) {
    const Addition a = addition(op);
    for (std::int64_t oy = 0; oy < op.out_height; ++oy) {
      for (std::int64_t ox = 0; ox < op.out_width; ++ox) {
        const std::int8_t* in1 = scratch_row(op.src + oy * op.src_stride + ox);
        const std::int8_t* in2 = scratch_row(op.src2 + oy * op.src2_stride + ox);
        Row out = scratch_row(op.dst + oy * op.dst_stride + ox);
        for (int n = 0; n < sizes_.dim; ++n) out[n] = add_values(op, a, in1[n], in2[n]);
      }
    }
  }

  void multiply(const isa::Multiply& op) {
    const QuantParam scale = scalar(op.scalars);
    for (std::int64_t oy = 0; oy < op.out_height; ++oy) {
      for (std::int64_t ox = 0; ox < op.out_width; ++ox) {
        const std::int8_t* in1 = scratch_row(op.src + oy * op.src_stride + ox);
        const std::int8_t* in2 = scratch_row(op.src2 + oy * op.src2_stride + ox);
        Row out = scratch_row(op.dst + oy * op.dst_stride + ox);
        for (int n = 0; n < sizes_.dim; ++n) {
          out[n] = requantize((in1[n] - op.zero1) * (in2[n] - op.zero2), scale, op.zero_point, op.clamp_min,
                              op.clamp_max, static_cast<Rounding>(op.rounding));
        }
      }
    }
  }

  void load_table(const isa::Table& op) {
    if (op.words) return load_words(op);
    for (int r = 0; r < 256 / sizes_.dim; ++r) {
      const std::int8_t* row = param_row(op.params + r);
      std::copy(row, row + sizes_.dim, table.begin() + r * sizes_.dim);
    }
  }

  void load_words(const isa::Table& op) {
    for (int i = 0; i < kernel::kTableWords; ++i) {
      const std::int8_t* row = param_row(op.params + 4 * i / sizes_.dim);
      words[static_cast<std::size_t>(i)] = word(row + 4 * i % sizes_.dim);
    }
  }

  void vector(const isa::Vector& op) {
    model::SparseMemory memory(4096);
    model::State state({"vpu", sizes_.dim, sizes_.block_rows, 16 * sizes_.dim, sizes_.acc_rows, sizes_.param_rows},
                       memory);
    state.kernels() = kernels;
    std::copy(scratch.begin(), scratch.end(), state.scratch(0));
    std::copy(acc.begin(), acc.end(), state.accumulator(0));
    std::copy(registers.begin(), registers.end(), state.vector_row(0, 0));
    std::copy(words.begin(), words.end(), state.words().begin());
    const auto copy_back = [&] {
      std::copy_n(state.scratch(0), scratch.size(), scratch.begin());
      std::copy_n(state.accumulator(0), acc.size(), acc.begin());
      std::copy_n(state.vector_row(0, 0), registers.size(), registers.begin());
    };
    try {
      model::VectorProcessor(state).run(op.entry, kernel::arguments_of(op));
    } catch (const kernel::KernelFault& fault) {
      copy_back();
      throw VectorFault{isa::ErrorCode::kKernel, fault.word};
    } catch (const model::Fault& fault) {
      copy_back();
      throw VectorFault{fault.code, fault.address};
    }
    copy_back();
  }

  void map(const isa::Map& op) {
    for (std::int64_t oy = 0; oy < op.out_height; ++oy) {
      for (std::int64_t ox = 0; ox < op.out_width; ++ox) {
        const std::int8_t* in = scratch_row(op.src + oy * op.src_stride + ox);
        Row out = scratch_row(op.dst + oy * op.dst_stride + ox);
        for (int n = 0; n < sizes_.dim; ++n)
          out[n] = clamp(op.table ? look_up(in[n]) : in[n], op.clamp_min, op.clamp_max);
      }
    }
  }
};

}  // namespace systole::test
