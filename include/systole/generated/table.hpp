// SPDX-License-Identifier: Apache-2.0
// Generated from isa/spec by scripts/gen/generate. Do not edit.
#pragma once

#include <cstdint>

#include "systole/generated/isa.hpp"
#include "systole/isa_table.hpp"

namespace systole::isa::table {

inline constexpr FieldInfo kHeaderFields[] = {
    {"opcode", 0, 8, false, 0LL, 255LL, 1, "", "operation"},
    {"wait0_sem", 32, 5, false, 0LL, 31LL, 1, "", "first semaphore to wait for"},
    {"wait0_amount", 40, 8, false, 0LL, 255LL, 1, "", "the instruction starts when the semaphore holds at least this much, and takes it; 0 does not wait"},
    {"wait1_sem", 48, 5, false, 0LL, 31LL, 1, "", "second semaphore; both waits are taken together"},
    {"wait1_amount", 56, 8, false, 0LL, 255LL, 1, "", "as wait0_amount"},
    {"signal0_sem", 64, 5, false, 0LL, 31LL, 1, "", "first semaphore to signal at commit"},
    {"signal0_amount", 72, 8, false, 0LL, 255LL, 1, "", "amount added at commit; 0 does not signal"},
    {"signal1_sem", 80, 5, false, 0LL, 31LL, 1, "", "second semaphore to signal"},
    {"signal1_amount", 88, 8, false, 0LL, 255LL, 1, "", "as signal0_amount"},
};
inline constexpr HeaderRule kHeaderRules[] = {
    {"wait0_amount", "wait1_amount", "wait0_sem", "wait1_sem", "both waits name the same semaphore"},
    {"signal0_amount", "signal1_amount", "signal0_sem", "signal1_sem", "both signals name the same semaphore"},
};
inline constexpr FieldInfo kEndFields[] = {
    {"clear", 8, 1, false, 0LL, 1LL, 1, "", "1: scratchpad, weights, parameters, accumulators, kernel memory, vector registers, both tables and performance counters are zero for what follows"},
    {"tag", 96, 32, false, 0LL, 4294967295LL, 1, "", "value published in END_TAG"},
};
inline constexpr FieldInfo kJumpFields[] = {
    {"target", 96, 32, false, 0LL, 4294967295LL, 64, "", "window offset of the first instruction, a multiple of 64"},
    {"count", 128, 24, false, 1LL, 16777215LL, 1, "", "number of instructions"},
    {"window", 152, 3, false, 0LL, 7LL, 1, "", "window of the target; needs execute permission"},
};
inline constexpr FieldInfo kLoadFields[] = {
    {"src", 96, 32, false, 0LL, 4294967295LL, 1, "", "window offset of run (0, 0), in bytes"},
    {"run_bytes", 128, 24, false, 1LL, 16777215LL, 1, "", "length of a run, read once as long bursts"},
    {"window", 152, 3, false, 0LL, 7LL, 1, "", "window of the source; needs read permission"},
    {"space", 155, 2, false, 0LL, 3LL, 1, "Space", "destination memory"},
    {"turn", 157, 2, false, 0LL, 2LL, 1, "Turn", "whether the rows of an inner run loop are written as columns; a run is one row then"},
    {"piece_start", 160, 16, true, -32768LL, 32767LL, 1, "", "byte of the run where piece 0 starts; negative for left padding"},
    {"pieces", 176, 16, false, 1LL, 65535LL, 1, "", "pieces per run"},
    {"piece_step", 192, 16, false, 0LL, 65535LL, 1, "", "bytes from one piece's start to the next"},
    {"piece_bytes", 208, 16, false, 0LL, 65535LL, 1, "", "bytes of a piece that come from the run"},
    {"slot_bytes", 224, 16, false, 1LL, 65535LL, 1, "", "bytes written per piece; those past piece_bytes are fill"},
    {"lane", 240, 8, false, 0LL, 255LL, 1, "", "byte of the first row where a piece begins"},
    {"fill", 248, 8, true, -128LL, 127LL, 1, "", "value of bytes that lie outside the run, the valid rows or the piece"},
    {"count0", 256, 16, false, 1LL, 65535LL, 1, "", "iterations of the inner run loop"},
    {"count1", 272, 16, false, 1LL, 65535LL, 1, "", "iterations of the outer run loop"},
    {"valid_from", 288, 16, false, 0LL, 65535LL, 1, "", "first inner iteration that reads memory; those before are all fill"},
    {"valid_to", 304, 16, false, 0LL, 65535LL, 1, "", "inner iteration from which on all is fill again"},
    {"src_stride0", 320, 32, true, -2147483648LL, 2147483647LL, 1, "", "bytes between runs of the inner loop"},
    {"src_stride1", 352, 32, true, -2147483648LL, 2147483647LL, 1, "", "bytes between runs of the outer loop"},
    {"dst", 384, 16, false, 0LL, 65535LL, 1, "", "row of piece 0 of run (0, 0)"},
    {"dst_piece", 400, 16, false, 0LL, 65535LL, 1, "", "rows between pieces"},
    {"dst_block", 416, 16, false, 0LL, 65535LL, 1, "", "rows between consecutive DIM-byte blocks of one piece (plane stride)"},
    {"dst_stride0", 432, 16, false, 0LL, 65535LL, 1, "", "rows per inner iteration"},
    {"dst_stride1", 448, 16, false, 0LL, 65535LL, 1, "", "rows per outer iteration"},
};
inline constexpr Rule kLoadRules[] = {
    {"piece_bytes", "<=", "slot_bytes", "", "", "", "piece_bytes exceeds slot_bytes", -1},
    {"lane", "<", "DIM", "", "", "", "lane is not below DIM", -1},
    {"valid_from", "<=", "valid_to", "", "", "", "valid_from exceeds valid_to", -1},
    {"valid_to", "<=", "count0", "", "", "", "valid_to exceeds count0", -1},
    {"piece_bytes", "<=", "WINDOW_PIECE_BYTES", "piece_step", "<", "piece_bytes", "overlapping pieces are longer than the line buffer promises", -1},
    {"turn", "==", "0", "", "", "", "this core turns no rows", 3},
    {"space", "<", "3", "", "", "", "this core has no kernel memory", 0},
    {"pieces", "==", "1", "0", "<", "turn", "a run that is turned has several pieces", -1},
    {"slot_bytes", "==", "DIM", "0", "<", "turn", "a run that is turned is not a row", -1},
    {"lane", "==", "0", "0", "<", "turn", "a run that is turned does not begin with a row", -1},
    {"space", "<", "2", "0", "<", "turn", "rows are turned on their way to scratchpad and weight ring only", -1},
    {"count0", "==", "DIM", "turn", "==", "1", "the rows of an inner loop are not as many as their bytes", -1},
    {"count0", "==", "DIM/4", "turn", "==", "2", "the rows of an inner loop are not as many as their words", -1},
    {"LOG2(pieces*slot_bytes*count0*count1)", "<=", "WORK_LOG2", "", "", "", "more bytes are written than one instruction may write", -1},
    {"LOG2(run_bytes*count0*count1)", "<=", "WORK_LOG2", "", "", "", "more bytes are read than one instruction may read", -1},
};
inline constexpr FieldInfo kConvFields[] = {
    {"accumulate", 8, 1, false, 0LL, 1LL, 1, "", "1: the first weight tile adds to the accumulators; 0: it overwrites them"},
    {"block_float", 9, 1, false, 0LL, 1LL, 1, "", "1: operands are in block floating point and the accumulators binary32; 0: all are integers"},
    {"act_row", 96, 16, false, 0LL, 65535LL, 1, "", "scratchpad row of input position (0, 0), block 0"},
    {"weight_row", 112, 16, false, 0LL, 65535LL, 1, "", "weight ring row of the first tile; tiles follow each other, DIM rows each (with `block_float` at most 16 and a row of exponents)"},
    {"acc_row", 128, 16, false, 0LL, 65535LL, 1, "", "accumulator row of output position 0; positions follow each other"},
    {"row_stride", 144, 16, false, 0LL, 65535LL, 1, "", "scratchpad rows from one input row to the next"},
    {"plane_stride", 160, 16, false, 0LL, 65535LL, 1, "", "scratchpad rows from one channel block to the next"},
    {"blocks", 176, 16, false, 1LL, 65535LL, 1, "", "input-channel blocks"},
    {"in_height", 192, 16, false, 1LL, 32767LL, 1, "", "input rows present; outside is padding"},
    {"in_width", 208, 16, false, 1LL, 32767LL, 1, "", "input columns present; outside is padding"},
    {"y0", 224, 16, true, -32768LL, 32767LL, 1, "", "input row of output row 0, kernel row 0"},
    {"x0", 240, 16, true, -32768LL, 32767LL, 1, "", "input column of output column 0, kernel column 0"},
    {"out_height", 256, 16, false, 1LL, 65535LL, 1, "", "output rows"},
    {"out_width", 272, 16, false, 1LL, 65535LL, 1, "", "output columns"},
    {"kernel_h", 288, 8, false, 1LL, 255LL, 1, "", "kernel rows"},
    {"kernel_w", 296, 8, false, 1LL, 255LL, 1, "", "kernel columns"},
    {"stride_h", 304, 8, false, 1LL, 255LL, 1, "", "input rows per output row"},
    {"stride_w", 312, 8, false, 1LL, 255LL, 1, "", "input columns per output column"},
    {"dilation_h", 320, 8, false, 1LL, 255LL, 1, "", "input rows per kernel row"},
    {"dilation_w", 328, 8, false, 1LL, 255LL, 1, "", "input columns per kernel column"},
    {"pad_value", 336, 8, true, -128LL, 127LL, 1, "", "activation read outside the input (the input zero point)"},
    {"skip0", 352, 32, false, 0LL, 4294967295LL, 1, "", "bit i: weight tile i is not in the ring, as if it were of zeros"},
    {"skip1", 384, 32, false, 0LL, 4294967295LL, 1, "", "bit i: weight tile 32 + i is not in the ring, as if it were of zeros"},
    {"skip2", 416, 32, false, 0LL, 4294967295LL, 1, "", "bit i: weight tile 64 + i is not in the ring, as if it were of zeros"},
    {"skip3", 448, 32, false, 0LL, 4294967295LL, 1, "", "bit i: weight tile 96 + i is not in the ring, as if it were of zeros"},
};
inline constexpr Rule kConvRules[] = {
    {"block_float", "==", "0", "", "", "", "this core has no block floating point", 1},
    {"skip0", "==", "0", "0", "<", "block_float", "tiles of block floating point are skipped", -1},
    {"skip1", "==", "0", "0", "<", "block_float", "tiles of block floating point are skipped", -1},
    {"skip2", "==", "0", "0", "<", "block_float", "tiles of block floating point are skipped", -1},
    {"skip3", "==", "0", "0", "<", "block_float", "tiles of block floating point are skipped", -1},
};
inline constexpr FieldInfo kDepthwiseFields[] = {
    {"accumulate", 8, 1, false, 0LL, 1LL, 1, "", "1: adds to the accumulators; 0: overwrites them"},
    {"act_row", 96, 16, false, 0LL, 65535LL, 1, "", "scratchpad row of input position (0, 0), block 0"},
    {"weight_row", 112, 16, false, 0LL, 65535LL, 1, "", "weight ring row of the first tap; the taps of a block follow each other, kernel row by kernel row, one ring row (a weight per lane) each, then those of the next block"},
    {"acc_row", 128, 16, false, 0LL, 65535LL, 1, "", "accumulator row of output position 0, block 0; positions follow each other, then those of the next block"},
    {"row_stride", 144, 16, false, 0LL, 65535LL, 1, "", "scratchpad rows from one input row to the next"},
    {"plane_stride", 160, 16, false, 0LL, 65535LL, 1, "", "scratchpad rows from one channel block to the next"},
    {"blocks", 176, 16, false, 1LL, 65535LL, 1, "", "channel blocks"},
    {"in_height", 192, 16, false, 1LL, 32767LL, 1, "", "input rows present; outside is padding"},
    {"in_width", 208, 16, false, 1LL, 32767LL, 1, "", "input columns present; outside is padding"},
    {"y0", 224, 16, true, -32768LL, 32767LL, 1, "", "input row of output row 0, kernel row 0"},
    {"x0", 240, 16, true, -32768LL, 32767LL, 1, "", "input column of output column 0, kernel column 0"},
    {"out_height", 256, 16, false, 1LL, 65535LL, 1, "", "output rows"},
    {"out_width", 272, 16, false, 1LL, 254LL, 1, "", "output columns"},
    {"kernel_h", 288, 8, false, 1LL, 3LL, 1, "", "kernel rows"},
    {"kernel_w", 296, 8, false, 1LL, 3LL, 1, "", "kernel columns"},
    {"stride_h", 304, 8, false, 1LL, 4LL, 1, "", "input rows per output row"},
    {"stride_w", 312, 8, false, 1LL, 4LL, 1, "", "input columns per output column"},
    {"pad_value", 336, 8, true, -128LL, 127LL, 1, "", "activation read outside the input (the input zero point)"},
};
inline constexpr Rule kDepthwiseRules[] = {
    {"out_width", "<=", "DEPTHWISE_COLUMNS/2", "1", "<", "stride_w", "out_width exceeds the line buffers at a stride of 2", -1},
    {"out_width", "<=", "DEPTHWISE_COLUMNS/3", "2", "<", "stride_w", "out_width exceeds the line buffers at a stride of 3", -1},
    {"out_width", "<=", "DEPTHWISE_COLUMNS/4", "3", "<", "stride_w", "out_width exceeds the line buffers at a stride of 4", -1},
};
inline constexpr FieldInfo kDrainFields[] = {
    {"table", 8, 1, false, 0LL, 1LL, 1, "", "1: look the clamped value up in the table"},
    {"residual", 9, 1, false, 0LL, 1LL, 1, "", "1: add src2 as ADD does, the requantized accumulator being its first operand"},
    {"src", 96, 16, false, 0LL, 65535LL, 1, "", "accumulator row of position 0; positions follow each other"},
    {"dst", 112, 16, false, 0LL, 65535LL, 1, "", "scratchpad row of position (0, 0)"},
    {"dst_stride", 144, 16, false, 0LL, 65535LL, 1, "", "scratchpad rows from one output row to the next"},
    {"src2", 160, 16, false, 0LL, 65535LL, 1, "", "scratchpad row of the residual's position (0, 0)"},
    {"src2_stride", 176, 16, false, 0LL, 65535LL, 1, "", "scratchpad rows from one residual row to the next"},
    {"out_height", 192, 16, false, 1LL, 65535LL, 1, "", "output rows"},
    {"out_width", 208, 16, false, 1LL, 65535LL, 1, "", "output columns"},
    {"rounding", 336, 8, false, 0LL, 2LL, 1, "Rounding", "rounding of every requantization of the instruction"},
    {"zero_point", 344, 8, true, -128LL, 127LL, 1, "", "output zero point"},
    {"clamp_min", 352, 8, true, -128LL, 127LL, 1, "", "smallest output"},
    {"clamp_max", 360, 8, true, -128LL, 127LL, 1, "", "largest output"},
    {"zero1", 368, 8, true, -128LL, 127LL, 1, "", "residual: zero point of the requantized accumulator"},
    {"zero2", 376, 8, true, -128LL, 127LL, 1, "", "residual: zero point of src2"},
    {"params", 384, 16, false, 0LL, 65535LL, 1, "", "parameter row of the channel block's parameters: 4 rows bias, 4 rows multiplier (int32 per lane, little-endian, lanes in order), 1 row shift (int8 per lane)"},
    {"scalars", 400, 16, false, 0LL, 65535LL, 1, "", "residual: parameter row of three scalar entries (first operand, second operand, sum); an entry is 2 rows: multiplier in bytes 0 to 3, shift in byte 0 of the second row"},
    {"mid_min", 416, 8, true, -128LL, 127LL, 1, "", "residual: smallest requantized accumulator"},
    {"mid_max", 424, 8, true, -128LL, 127LL, 1, "", "residual: largest requantized accumulator"},
};
inline constexpr Rule kDrainRules[] = {
    {"clamp_min", "<=", "clamp_max", "", "", "", "clamp_min exceeds clamp_max", -1},
    {"mid_min", "<=", "mid_max", "", "", "", "mid_min exceeds mid_max", -1},
};
inline constexpr FieldInfo kDrain32Fields[] = {
    {"src", 96, 16, false, 0LL, 65535LL, 1, "", "accumulator row of position 0"},
    {"dst", 112, 16, false, 0LL, 65535LL, 1, "", "scratchpad row of position (0, 0), bytes 0 to DIM-1"},
    {"dst_stride", 144, 16, false, 0LL, 65535LL, 1, "", "scratchpad rows from one output row to the next"},
    {"out_height", 192, 16, false, 1LL, 65535LL, 1, "", "output rows"},
    {"out_width", 208, 16, false, 1LL, 65535LL, 1, "", "output columns"},
    {"plane_stride", 432, 16, false, 0LL, 65535LL, 1, "", "scratchpad rows between the four planes"},
};
inline constexpr FieldInfo kPreloadFields[] = {
    {"src", 96, 16, false, 0LL, 65535LL, 1, "", "scratchpad row of position (0, 0), bytes 0 to DIM-1"},
    {"dst", 112, 16, false, 0LL, 65535LL, 1, "", "accumulator row of position 0; positions follow each other"},
    {"src_stride", 128, 16, false, 0LL, 65535LL, 1, "", "scratchpad rows from one input row to the next"},
    {"out_height", 192, 16, false, 1LL, 65535LL, 1, "", "rows of positions"},
    {"out_width", 208, 16, false, 1LL, 65535LL, 1, "", "columns of positions"},
    {"plane_stride", 432, 16, false, 0LL, 65535LL, 1, "", "scratchpad rows between the four planes"},
};
inline constexpr FieldInfo kMaxpoolFields[] = {
    {"src", 96, 16, false, 0LL, 65535LL, 1, "", "scratchpad row of input position (0, 0)"},
    {"dst", 112, 16, false, 0LL, 65535LL, 1, "", "scratchpad row of output position (0, 0)"},
    {"src_stride", 128, 16, false, 0LL, 65535LL, 1, "", "scratchpad rows from one input row to the next"},
    {"dst_stride", 144, 16, false, 0LL, 65535LL, 1, "", "scratchpad rows from one output row to the next"},
    {"out_height", 192, 16, false, 1LL, 65535LL, 1, "", "output rows"},
    {"out_width", 208, 16, false, 1LL, 65535LL, 1, "", "output columns"},
    {"in_height", 224, 16, false, 1LL, 32767LL, 1, "", "input rows present"},
    {"in_width", 240, 16, false, 1LL, 32767LL, 1, "", "input columns present"},
    {"y0", 256, 16, true, -32768LL, 32767LL, 1, "", "input row of output row 0, kernel row 0"},
    {"x0", 272, 16, true, -32768LL, 32767LL, 1, "", "input column of output column 0, kernel column 0"},
    {"kernel_h", 288, 8, false, 1LL, 255LL, 1, "", "window rows"},
    {"kernel_w", 296, 8, false, 1LL, 255LL, 1, "", "window columns"},
    {"stride_h", 304, 8, false, 1LL, 255LL, 1, "", "input rows per output row"},
    {"stride_w", 312, 8, false, 1LL, 255LL, 1, "", "input columns per output column"},
    {"dilation_h", 320, 8, false, 1LL, 255LL, 1, "", "input rows per window row"},
    {"dilation_w", 328, 8, false, 1LL, 255LL, 1, "", "input columns per window column"},
    {"clamp_min", 352, 8, true, -128LL, 127LL, 1, "", "smallest output"},
    {"clamp_max", 360, 8, true, -128LL, 127LL, 1, "", "largest output"},
};
inline constexpr Rule kMaxpoolRules[] = {
    {"clamp_min", "<=", "clamp_max", "", "", "", "clamp_min exceeds clamp_max", -1},
    {"LOG2(out_height*out_width*kernel_h*kernel_w)", "<=", "WORK_LOG2", "", "", "", "more taps are read than one instruction may read", -1},
};
inline constexpr FieldInfo kAvgpoolFields[] = {
    {"count_padding", 8, 1, false, 0LL, 1LL, 1, "", "1: positions outside the input count, with the value zero1"},
    {"src", 96, 16, false, 0LL, 65535LL, 1, "", "scratchpad row of input position (0, 0)"},
    {"dst", 112, 16, false, 0LL, 65535LL, 1, "", "scratchpad row of output position (0, 0)"},
    {"src_stride", 128, 16, false, 0LL, 65535LL, 1, "", "scratchpad rows from one input row to the next"},
    {"dst_stride", 144, 16, false, 0LL, 65535LL, 1, "", "scratchpad rows from one output row to the next"},
    {"out_height", 192, 16, false, 1LL, 65535LL, 1, "", "output rows"},
    {"out_width", 208, 16, false, 1LL, 65535LL, 1, "", "output columns"},
    {"in_height", 224, 16, false, 1LL, 32767LL, 1, "", "input rows present"},
    {"in_width", 240, 16, false, 1LL, 32767LL, 1, "", "input columns present"},
    {"y0", 256, 16, true, -32768LL, 32767LL, 1, "", "input row of output row 0, kernel row 0"},
    {"x0", 272, 16, true, -32768LL, 32767LL, 1, "", "input column of output column 0, kernel column 0"},
    {"kernel_h", 288, 8, false, 1LL, 255LL, 1, "", "window rows"},
    {"kernel_w", 296, 8, false, 1LL, 255LL, 1, "", "window columns"},
    {"stride_h", 304, 8, false, 1LL, 255LL, 1, "", "input rows per output row"},
    {"stride_w", 312, 8, false, 1LL, 255LL, 1, "", "input columns per output column"},
    {"dilation_h", 320, 8, false, 1LL, 255LL, 1, "", "input rows per window row"},
    {"dilation_w", 328, 8, false, 1LL, 255LL, 1, "", "input columns per window column"},
    {"rounding", 336, 8, false, 0LL, 2LL, 1, "Rounding", "rounding of the division"},
    {"zero_point", 344, 8, true, -128LL, 127LL, 1, "", "added after the division (0 for a plain average of quantized values)"},
    {"clamp_min", 352, 8, true, -128LL, 127LL, 1, "", "smallest output"},
    {"clamp_max", 360, 8, true, -128LL, 127LL, 1, "", "largest output"},
    {"zero1", 368, 8, true, -128LL, 127LL, 1, "", "value of a counted position outside the input"},
    {"scalars", 400, 16, false, 0LL, 65535LL, 1, "", "parameter row of the reciprocals: scalar entry i (2 rows) serves windows that miss i of kernel_h*kernel_w positions"},
};
inline constexpr Rule kAvgpoolRules[] = {
    {"clamp_min", "<=", "clamp_max", "", "", "", "clamp_min exceeds clamp_max", -1},
    {"LOG2(out_height*out_width*kernel_h*kernel_w)", "<=", "WORK_LOG2", "", "", "", "more taps are read than one instruction may read", -1},
};
inline constexpr FieldInfo kAddFields[] = {
    {"src", 96, 16, false, 0LL, 65535LL, 1, "", "scratchpad row of the first operand's position (0, 0)"},
    {"dst", 112, 16, false, 0LL, 65535LL, 1, "", "scratchpad row of output position (0, 0)"},
    {"src_stride", 128, 16, false, 0LL, 65535LL, 1, "", "scratchpad rows from one row of the first operand to the next"},
    {"dst_stride", 144, 16, false, 0LL, 65535LL, 1, "", "scratchpad rows from one output row to the next"},
    {"src2", 160, 16, false, 0LL, 65535LL, 1, "", "scratchpad row of the second operand's position (0, 0)"},
    {"src2_stride", 176, 16, false, 0LL, 65535LL, 1, "", "scratchpad rows from one row of the second operand to the next"},
    {"out_height", 192, 16, false, 1LL, 65535LL, 1, "", "output rows"},
    {"out_width", 208, 16, false, 1LL, 65535LL, 1, "", "output columns"},
    {"rounding", 336, 8, false, 0LL, 2LL, 1, "Rounding", "rounding of the three requantizations"},
    {"zero_point", 344, 8, true, -128LL, 127LL, 1, "", "output zero point"},
    {"clamp_min", 352, 8, true, -128LL, 127LL, 1, "", "smallest output"},
    {"clamp_max", 360, 8, true, -128LL, 127LL, 1, "", "largest output"},
    {"zero1", 368, 8, true, -128LL, 127LL, 1, "", "zero point of the first operand"},
    {"zero2", 376, 8, true, -128LL, 127LL, 1, "", "zero point of the second operand"},
    {"scalars", 400, 16, false, 0LL, 65535LL, 1, "", "parameter row of three scalar entries (2 rows each): first operand, second operand, sum"},
};
inline constexpr Rule kAddRules[] = {
    {"clamp_min", "<=", "clamp_max", "", "", "", "clamp_min exceeds clamp_max", -1},
    {"LOG2(out_height*out_width)", "<=", "WORK_LOG2", "", "", "", "more positions than one instruction may have", -1},
};
inline constexpr FieldInfo kMultiplyFields[] = {
    {"src", 96, 16, false, 0LL, 65535LL, 1, "", "scratchpad row of the first operand's position (0, 0)"},
    {"dst", 112, 16, false, 0LL, 65535LL, 1, "", "scratchpad row of output position (0, 0)"},
    {"src_stride", 128, 16, false, 0LL, 65535LL, 1, "", "scratchpad rows from one row of the first operand to the next"},
    {"dst_stride", 144, 16, false, 0LL, 65535LL, 1, "", "scratchpad rows from one output row to the next"},
    {"src2", 160, 16, false, 0LL, 65535LL, 1, "", "scratchpad row of the second operand's position (0, 0)"},
    {"src2_stride", 176, 16, false, 0LL, 65535LL, 1, "", "scratchpad rows from one row of the second operand to the next"},
    {"out_height", 192, 16, false, 1LL, 65535LL, 1, "", "output rows"},
    {"out_width", 208, 16, false, 1LL, 65535LL, 1, "", "output columns"},
    {"rounding", 336, 8, false, 0LL, 2LL, 1, "Rounding", "rounding of the requantization"},
    {"zero_point", 344, 8, true, -128LL, 127LL, 1, "", "output zero point"},
    {"clamp_min", 352, 8, true, -128LL, 127LL, 1, "", "smallest output"},
    {"clamp_max", 360, 8, true, -128LL, 127LL, 1, "", "largest output"},
    {"zero1", 368, 8, true, -128LL, 127LL, 1, "", "zero point of the first operand"},
    {"zero2", 376, 8, true, -128LL, 127LL, 1, "", "zero point of the second operand"},
    {"scalars", 400, 16, false, 0LL, 65535LL, 1, "", "parameter row of one scalar entry (2 rows)"},
};
inline constexpr Rule kMultiplyRules[] = {
    {"clamp_min", "<=", "clamp_max", "", "", "", "clamp_min exceeds clamp_max", -1},
    {"LOG2(out_height*out_width)", "<=", "WORK_LOG2", "", "", "", "more positions than one instruction may have", -1},
};
inline constexpr FieldInfo kTableFields[] = {
    {"words", 8, 1, false, 0LL, 1LL, 1, "", "1: into the table of words"},
    {"params", 384, 16, false, 0LL, 65535LL, 1, "", "first of 256/DIM parameter rows, byte i is the result for the value i-128; or of 1024/DIM, little-endian words"},
};
inline constexpr Rule kTableRules[] = {
    {"words", "==", "0", "", "", "", "this core has no table of words", 0},
};
inline constexpr FieldInfo kMapFields[] = {
    {"table", 8, 1, false, 0LL, 1LL, 1, "", "1: look each value up before the clamp"},
    {"src", 96, 16, false, 0LL, 65535LL, 1, "", "scratchpad row of position (0, 0)"},
    {"dst", 112, 16, false, 0LL, 65535LL, 1, "", "scratchpad row of output position (0, 0)"},
    {"src_stride", 128, 16, false, 0LL, 65535LL, 1, "", "scratchpad rows from one input row to the next"},
    {"dst_stride", 144, 16, false, 0LL, 65535LL, 1, "", "scratchpad rows from one output row to the next"},
    {"out_height", 192, 16, false, 1LL, 65535LL, 1, "", "output rows"},
    {"out_width", 208, 16, false, 1LL, 65535LL, 1, "", "output columns"},
    {"clamp_min", 352, 8, true, -128LL, 127LL, 1, "", "smallest output"},
    {"clamp_max", 360, 8, true, -128LL, 127LL, 1, "", "largest output"},
};
inline constexpr Rule kMapRules[] = {
    {"clamp_min", "<=", "clamp_max", "", "", "", "clamp_min exceeds clamp_max", -1},
    {"LOG2(out_height*out_width)", "<=", "WORK_LOG2", "", "", "", "more positions than one instruction may have", -1},
};
inline constexpr FieldInfo kVectorFields[] = {
    {"entry", 96, 16, false, 0LL, 65535LL, 1, "", "word of the kernel memory where the kernel begins"},
    {"arg0", 128, 32, false, 0LL, 4294967295LL, 1, "", "scalar 0 at the kernel's start"},
    {"arg1", 160, 32, false, 0LL, 4294967295LL, 1, "", "scalar 1 at the kernel's start"},
    {"arg2", 192, 32, false, 0LL, 4294967295LL, 1, "", "scalar 2 at the kernel's start"},
    {"arg3", 224, 32, false, 0LL, 4294967295LL, 1, "", "scalar 3 at the kernel's start"},
    {"arg4", 256, 32, false, 0LL, 4294967295LL, 1, "", "scalar 4 at the kernel's start"},
    {"arg5", 288, 32, false, 0LL, 4294967295LL, 1, "", "scalar 5 at the kernel's start"},
    {"arg6", 320, 32, false, 0LL, 4294967295LL, 1, "", "scalar 6 at the kernel's start"},
    {"arg7", 352, 32, false, 0LL, 4294967295LL, 1, "", "scalar 7 at the kernel's start"},
    {"arg8", 384, 32, false, 0LL, 4294967295LL, 1, "", "scalar 8 at the kernel's start"},
    {"arg9", 416, 32, false, 0LL, 4294967295LL, 1, "", "scalar 9 at the kernel's start"},
    {"arg10", 448, 32, false, 0LL, 4294967295LL, 1, "", "scalar 10 at the kernel's start"},
    {"arg11", 480, 32, false, 0LL, 4294967295LL, 1, "", "scalar 11 at the kernel's start"},
};
inline constexpr FieldInfo kStoreFields[] = {
    {"dst", 96, 32, false, 0LL, 4294967295LL, 1, "", "window offset of run (0, 0), in bytes"},
    {"pieces", 128, 16, false, 1LL, 65535LL, 1, "", "pieces per run; they follow each other in memory"},
    {"window", 152, 3, false, 0LL, 7LL, 1, "", "window of the destination; needs write permission"},
    {"piece_bytes", 160, 16, false, 1LL, 65535LL, 1, "", "bytes per piece"},
    {"count0", 256, 16, false, 1LL, 65535LL, 1, "", "iterations of the inner run loop"},
    {"count1", 272, 16, false, 1LL, 65535LL, 1, "", "iterations of the outer run loop"},
    {"dst_stride0", 320, 32, true, -2147483648LL, 2147483647LL, 1, "", "bytes between runs of the inner loop"},
    {"dst_stride1", 352, 32, true, -2147483648LL, 2147483647LL, 1, "", "bytes between runs of the outer loop"},
    {"src", 384, 16, false, 0LL, 65535LL, 1, "", "scratchpad row of piece 0 of run (0, 0)"},
    {"src_piece", 400, 16, false, 0LL, 65535LL, 1, "", "rows between pieces"},
    {"src_block", 416, 16, false, 0LL, 65535LL, 1, "", "rows between consecutive DIM-byte blocks of one piece"},
    {"src_stride0", 432, 16, false, 0LL, 65535LL, 1, "", "rows per inner iteration"},
    {"src_stride1", 448, 16, false, 0LL, 65535LL, 1, "", "rows per outer iteration"},
};
inline constexpr Rule kStoreRules[] = {
    {"LOG2(pieces*piece_bytes*count0*count1)", "<=", "WORK_LOG2", "", "", "", "more bytes are written than one instruction may write", -1},
};
inline constexpr InstructionInfo kInstructions[] = {
    {"END", Opcode::kEnd, Engine::kCommand, false, kEndFields, 2, nullptr, 0, -1},
    {"JUMP", Opcode::kJump, Engine::kCommand, false, kJumpFields, 3, nullptr, 0, -1},
    {"LOAD", Opcode::kLoad, Engine::kLoad, true, kLoadFields, 23, kLoadRules, 15, -1},
    {"CONV", Opcode::kConv, Engine::kMxu, true, kConvFields, 25, kConvRules, 5, -1},
    {"DEPTHWISE", Opcode::kDepthwise, Engine::kMxu, true, kDepthwiseFields, 18, kDepthwiseRules, 3, 2},
    {"DRAIN", Opcode::kDrain, Engine::kVpu, true, kDrainFields, 19, kDrainRules, 2, -1},
    {"DRAIN32", Opcode::kDrain32, Engine::kVpu, true, kDrain32Fields, 6, nullptr, 0, -1},
    {"PRELOAD", Opcode::kPreload, Engine::kVpu, true, kPreloadFields, 6, nullptr, 0, -1},
    {"MAXPOOL", Opcode::kMaxpool, Engine::kVpu, true, kMaxpoolFields, 18, kMaxpoolRules, 2, -1},
    {"AVGPOOL", Opcode::kAvgpool, Engine::kVpu, true, kAvgpoolFields, 23, kAvgpoolRules, 2, -1},
    {"ADD", Opcode::kAdd, Engine::kVpu, true, kAddFields, 15, kAddRules, 2, -1},
    {"MULTIPLY", Opcode::kMultiply, Engine::kVpu, true, kMultiplyFields, 15, kMultiplyRules, 2, -1},
    {"TABLE", Opcode::kTable, Engine::kVpu, true, kTableFields, 2, kTableRules, 1, -1},
    {"MAP", Opcode::kMap, Engine::kVpu, true, kMapFields, 9, kMapRules, 2, -1},
    {"VECTOR", Opcode::kVector, Engine::kVpu, true, kVectorFields, 13, nullptr, 0, 0},
    {"STORE", Opcode::kStore, Engine::kStore, true, kStoreFields, 13, kStoreRules, 1, -1},
    {"SYNC_LOAD", Opcode::kSyncLoad, Engine::kLoad, true, nullptr, 0, nullptr, 0, -1},
    {"SYNC_MXU", Opcode::kSyncMxu, Engine::kMxu, true, nullptr, 0, nullptr, 0, -1},
    {"SYNC_VPU", Opcode::kSyncVpu, Engine::kVpu, true, nullptr, 0, nullptr, 0, -1},
    {"SYNC_STORE", Opcode::kSyncStore, Engine::kStore, true, nullptr, 0, nullptr, 0, -1},
};

}  // namespace systole::isa::table
