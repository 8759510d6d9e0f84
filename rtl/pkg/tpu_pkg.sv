// SPDX-License-Identifier: Apache-2.0
// Generated from isa/spec by scripts/gen/generate. Do not edit.
// Opcodes, fields, causes, error codes and registers.
package tpu_pkg;
  localparam logic [31:0] IDENTITY = 32'h53595354;
  localparam logic [31:0] ISA_VERSION = 32'h0001000a;
  localparam int INSTR_W = 512;
  localparam int SEMAPHORES = 32;
  localparam int SEMAPHORE_W = 8;
  localparam int WINDOWS = 8;
  localparam int LINE_BUFFER_BEATS = 256;
  localparam int WINDOW_PIECE_BEATS = 126;
  localparam int DEPTHWISE_COLUMNS = 254;
  localparam int WORK_LOG2 = 28;
  localparam int QUEUE_DEPTH = 8;

  // Parts that a core may lack, by the bit of the register PARTS.
  localparam int PARTS = 5;
  localparam int PART_VECTOR_PROCESSOR = 0; // kernels: VECTOR, the kernel memory, the table of words
  localparam int PART_BLOCK_FLOAT = 1; // CONV with `block_float`, exponents behind the scratchpad, binary32 in the accumulators, kernels that convert
  localparam int PART_DEPTHWISE = 2; // DEPTHWISE
  localparam int PART_TURNING_LOADS = 3; // LOAD with `turn`
  localparam int PART_CAUSE_COUNTERS = 4; // the registers SEMAPHORE_WAIT, ENGINE_SINCE and CAUSE_COUNT, of which only that of WORKING counts without them

  // Engines.
  localparam int ENGINES = 4;
  localparam int ENGINE_LOAD = 0; // device memory to scratchpad, weight ring, parameter buffer or kernel memory
  localparam int ENGINE_MXU = 1; // matrix unit: scratchpad and weights through the array into accumulators
  localparam int ENGINE_VPU = 2; // vector unit: accumulators or scratchpad to scratchpad
  localparam int ENGINE_STORE = 3; // scratchpad to device memory
  localparam int ENGINE_COMMAND = 4; // fetch, decode, semaphores and the ring itself

  // Space: destination memory of a LOAD.
  localparam logic [1:0] SPACE_SCRATCH = 2'd0; // scratchpad rows, and behind them the rows of their exponents
  localparam logic [1:0] SPACE_WEIGHT = 2'd1; // weight ring rows, modulo its size
  localparam logic [1:0] SPACE_PARAM = 2'd2; // parameter buffer rows
  localparam logic [1:0] SPACE_KERNEL = 2'd3; // kernel memory rows: its 64-bit words as little-endian bytes

  // Turn: elements that a LOAD transposes in the rows of each inner run loop.
  localparam logic [1:0] TURN_NONE = 2'd0; // none: rows stay rows
  localparam logic [1:0] TURN_BYTES = 2'd1; // byte i of row k becomes byte k of row i, in DIM rows
  localparam logic [1:0] TURN_WORDS = 2'd2; // word i of row k becomes word k of row i, in DIM/4 rows

  // Rounding: rounding of a requantization.
  localparam logic [1:0] ROUNDING_DOUBLE = 2'd0; // saturating rounding doubling high multiply, then rounding shift
  localparam logic [1:0] ROUNDING_SINGLE = 2'd1; // one rounding, ties to plus infinity
  localparam logic [1:0] ROUNDING_EVEN = 2'd2; // one rounding, ties to even

  // Cause: what an engine did in a cycle: bit position in its one-hot cause.
  localparam int CAUSE_WORKING = 0; // useful work: an activation vector entered the array or the lines of the depthwise unit (MXU), a row was read, the multiplier was the limit or a vector operation had its slot (VPU), a row was written (LOAD), a row was read or a beat sent (STORE)
  localparam int CAUSE_WEIGHT_LOAD = 1; // the array waits for a weight tile
  localparam int CAUSE_OPERAND_WAIT = 2; // operands or parameters of the instruction are being read, or its set-up or its last results are on their way
  localparam int CAUSE_BANK_CONFLICT = 3; // a scratchpad bank serves an engine of higher priority
  localparam int CAUSE_ACC_CONFLICT = 4; // the accumulator bank serves the matrix unit
  localparam int CAUSE_BACK_PRESSURE = 5; // the next stage does not take the result
  localparam int CAUSE_SEMAPHORE = 6; // the next instruction waits for a semaphore; SEMAPHORE_WAIT counts by number
  localparam int CAUSE_MEMORY_LATENCY = 7; // requests are outstanding and nothing has returned since the first
  localparam int CAUSE_MEMORY_BANDWIDTH = 8; // beats flow but the memory port is the limit
  localparam int CAUSE_FETCH = 9; // the engine has no instruction while more of the program is to be dispatched, or its next one is being handed over
  localparam int CAUSE_IDLE = 10; // no program runs, or the engine has nothing left to do until the END that closes it
  localparam int CAUSES = 11;

  // ErrorCode: code of an error record.
  localparam logic [7:0] ERROR_NONE = 8'd0; // no error
  localparam logic [7:0] ERROR_ILLEGAL_INSTRUCTION = 8'd1; // unknown opcode, reserved bit set, field out of range or rule broken
  localparam logic [7:0] ERROR_SCRATCH_RANGE = 8'd2; // scratchpad row beyond the memory; address is the row
  localparam logic [7:0] ERROR_ACC_RANGE = 8'd3; // accumulator row beyond the memory; address is the row
  localparam logic [7:0] ERROR_PARAM_RANGE = 8'd4; // parameter row beyond the memory; address is the row
  localparam logic [7:0] ERROR_WEIGHT_RANGE = 8'd5; // an instruction needs more weight tiles than the ring holds; address is the number of rows
  localparam logic [7:0] ERROR_WINDOW = 8'd6; // address outside its window or without permission; address is the window offset
  localparam logic [7:0] ERROR_AXI_READ = 8'd7; // the bus answered a read with an error; address is that of the beat
  localparam logic [7:0] ERROR_AXI_WRITE = 8'd8; // the bus answered a write with an error; address is that of the burst
  localparam logic [7:0] ERROR_SEMAPHORE_OVERFLOW = 8'd9; // a semaphore passed its largest value; address is its number
  localparam logic [7:0] ERROR_SEMAPHORE_AT_END = 8'd10; // a semaphore is not zero at END; address is its number
  localparam logic [7:0] ERROR_BUS_STUCK = 8'd11; // the bus owes an answer and has not moved for the watchdog's time; address is the oldest request's kind (0 read, 1 write)
  localparam logic [7:0] ERROR_RING = 8'd12; // the tail is more than the ring's size ahead of the head; address is the tail
  localparam logic [7:0] ERROR_JUMP = 8'd13; // JUMP inside a jumped-to program; address is the target
  localparam logic [7:0] ERROR_BUS_PROTOCOL = 8'd14; // the bus gave an answer that AXI4 does not allow: address 0 is a read beat that nobody waits for, 1 the mark of a burst's last read beat too early or missing, 2 a write response that nobody waits for, or of another identifier
  localparam logic [7:0] ERROR_BUSY_REGISTER = 8'd15; // a register that the running program relies on was written, and keeps its value; address is its offset
  localparam logic [7:0] ERROR_KERNEL_RANGE = 8'd16; // kernel memory row beyond the memory; address is the row
  localparam logic [7:0] ERROR_KERNEL = 8'd17; // illegal micro-instruction or loop, a word outside the kernel memory, or more words than one VECTOR may execute; address is the number of the word

  // Permission: what a window allows. Bit positions.
  localparam int PERMISSION_READ = 0; // LOAD may read
  localparam int PERMISSION_WRITE = 1; // STORE may write
  localparam int PERMISSION_EXECUTE = 2; // fetch may read

  // Header fields of every instruction.
  localparam int OPCODE_LSB = 0, OPCODE_W = 8;
  localparam int WAIT0_SEM_LSB = 32, WAIT0_SEM_W = 5;
  localparam int WAIT0_AMOUNT_LSB = 40, WAIT0_AMOUNT_W = 8;
  localparam int WAIT1_SEM_LSB = 48, WAIT1_SEM_W = 5;
  localparam int WAIT1_AMOUNT_LSB = 56, WAIT1_AMOUNT_W = 8;
  localparam int SIGNAL0_SEM_LSB = 64, SIGNAL0_SEM_W = 5;
  localparam int SIGNAL0_AMOUNT_LSB = 72, SIGNAL0_AMOUNT_W = 8;
  localparam int SIGNAL1_SEM_LSB = 80, SIGNAL1_SEM_W = 5;
  localparam int SIGNAL1_AMOUNT_LSB = 88, SIGNAL1_AMOUNT_W = 8;

  // END: end of a program: waits until every engine has committed, checks that all semaphores are zero, clears the core if asked to, publishes the tag and raises the interrupt.
  localparam logic [7:0] OP_END = 8'h01;
  localparam logic [511:0] END_RESERVED = 512'hffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00000000fffffffffffffffffffffe00;
  localparam int END_CLEAR_LSB = 8, END_CLEAR_W = 1;
  localparam int END_TAG_LSB = 96, END_TAG_W = 32;

  // JUMP: run a program stored elsewhere: the next `count` instructions come from `target`, then the ring goes on.
  localparam logic [7:0] OP_JUMP = 8'h02;
  localparam logic [511:0] JUMP_RESERVED = 512'hfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff800000000000000ffffffffffffffffffffff00;
  localparam int JUMP_TARGET_LSB = 96, JUMP_TARGET_W = 32;
  localparam int JUMP_COUNT_LSB = 128, JUMP_COUNT_W = 24;
  localparam int JUMP_WINDOW_LSB = 152, JUMP_WINDOW_W = 3;

  // LOAD: read runs of bytes from device memory and scatter them, piece by piece, into rows of an on-chip memory.
  localparam logic [7:0] OP_LOAD = 8'h10;
  localparam logic [511:0] LOAD_RESERVED = 512'hffffffffffff0000000000000000000000000000000000000000000000000000000000000000000000000000800000000000000000e000e000e000e0ffffff00;
  localparam int LOAD_SRC_LSB = 96, LOAD_SRC_W = 32;
  localparam int LOAD_RUN_BYTES_LSB = 128, LOAD_RUN_BYTES_W = 24;
  localparam int LOAD_WINDOW_LSB = 152, LOAD_WINDOW_W = 3;
  localparam int LOAD_SPACE_LSB = 155, LOAD_SPACE_W = 2;
  localparam int LOAD_TURN_LSB = 157, LOAD_TURN_W = 2;
  localparam int LOAD_PIECE_START_LSB = 160, LOAD_PIECE_START_W = 16;
  localparam int LOAD_PIECES_LSB = 176, LOAD_PIECES_W = 16;
  localparam int LOAD_PIECE_STEP_LSB = 192, LOAD_PIECE_STEP_W = 16;
  localparam int LOAD_PIECE_BYTES_LSB = 208, LOAD_PIECE_BYTES_W = 16;
  localparam int LOAD_SLOT_BYTES_LSB = 224, LOAD_SLOT_BYTES_W = 16;
  localparam int LOAD_LANE_LSB = 240, LOAD_LANE_W = 8;
  localparam int LOAD_FILL_LSB = 248, LOAD_FILL_W = 8;
  localparam int LOAD_COUNT0_LSB = 256, LOAD_COUNT0_W = 16;
  localparam int LOAD_COUNT1_LSB = 272, LOAD_COUNT1_W = 16;
  localparam int LOAD_VALID_FROM_LSB = 288, LOAD_VALID_FROM_W = 16;
  localparam int LOAD_VALID_TO_LSB = 304, LOAD_VALID_TO_W = 16;
  localparam int LOAD_SRC_STRIDE0_LSB = 320, LOAD_SRC_STRIDE0_W = 32;
  localparam int LOAD_SRC_STRIDE1_LSB = 352, LOAD_SRC_STRIDE1_W = 32;
  localparam int LOAD_DST_LSB = 384, LOAD_DST_W = 16;
  localparam int LOAD_DST_PIECE_LSB = 400, LOAD_DST_PIECE_W = 16;
  localparam int LOAD_DST_BLOCK_LSB = 416, LOAD_DST_BLOCK_W = 16;
  localparam int LOAD_DST_STRIDE0_LSB = 432, LOAD_DST_STRIDE0_W = 16;
  localparam int LOAD_DST_STRIDE1_LSB = 448, LOAD_DST_STRIDE1_W = 16;

  // CONV: convolution (or, with a 1x1 kernel, matrix product) of one tile: for each weight tile in the order block, kernel row, kernel column, stream every output position through the array.
  localparam logic [7:0] OP_CONV = 8'h20;
  localparam logic [511:0] CONV_RESERVED = 512'hffffffff00000000000000000000000000000000ff0000000000000000000000000000000000000000000000000000000000000000e000e000e000e0fffffc00;
  localparam int CONV_ACCUMULATE_LSB = 8, CONV_ACCUMULATE_W = 1;
  localparam int CONV_BLOCK_FLOAT_LSB = 9, CONV_BLOCK_FLOAT_W = 1;
  localparam int CONV_ACT_ROW_LSB = 96, CONV_ACT_ROW_W = 16;
  localparam int CONV_WEIGHT_ROW_LSB = 112, CONV_WEIGHT_ROW_W = 16;
  localparam int CONV_ACC_ROW_LSB = 128, CONV_ACC_ROW_W = 16;
  localparam int CONV_ROW_STRIDE_LSB = 144, CONV_ROW_STRIDE_W = 16;
  localparam int CONV_PLANE_STRIDE_LSB = 160, CONV_PLANE_STRIDE_W = 16;
  localparam int CONV_BLOCKS_LSB = 176, CONV_BLOCKS_W = 16;
  localparam int CONV_IN_HEIGHT_LSB = 192, CONV_IN_HEIGHT_W = 16;
  localparam int CONV_IN_WIDTH_LSB = 208, CONV_IN_WIDTH_W = 16;
  localparam int CONV_Y0_LSB = 224, CONV_Y0_W = 16;
  localparam int CONV_X0_LSB = 240, CONV_X0_W = 16;
  localparam int CONV_OUT_HEIGHT_LSB = 256, CONV_OUT_HEIGHT_W = 16;
  localparam int CONV_OUT_WIDTH_LSB = 272, CONV_OUT_WIDTH_W = 16;
  localparam int CONV_KERNEL_H_LSB = 288, CONV_KERNEL_H_W = 8;
  localparam int CONV_KERNEL_W_LSB = 296, CONV_KERNEL_W_W = 8;
  localparam int CONV_STRIDE_H_LSB = 304, CONV_STRIDE_H_W = 8;
  localparam int CONV_STRIDE_W_LSB = 312, CONV_STRIDE_W_W = 8;
  localparam int CONV_DILATION_H_LSB = 320, CONV_DILATION_H_W = 8;
  localparam int CONV_DILATION_W_LSB = 328, CONV_DILATION_W_W = 8;
  localparam int CONV_PAD_VALUE_LSB = 336, CONV_PAD_VALUE_W = 8;
  localparam int CONV_SKIP0_LSB = 352, CONV_SKIP0_W = 32;
  localparam int CONV_SKIP1_LSB = 384, CONV_SKIP1_W = 32;
  localparam int CONV_SKIP2_LSB = 416, CONV_SKIP2_W = 32;
  localparam int CONV_SKIP3_LSB = 448, CONV_SKIP3_W = 32;

  // DEPTHWISE: depthwise convolution of one tile: every lane by itself, a kernel of up to 3x3 taps at once; the input of a block passes once, row by row, and every output position is summed when its last tap has passed.
  localparam logic [7:0] OP_DEPTHWISE = 8'h21;
  localparam logic [511:0] DEPTHWISE_RESERVED = 512'hffffffffffffffffffffffffffffffffffffffffff00ffff0000000000000000000000000000000000000000000000000000000000e000e000e000e0fffffe00;
  localparam int DEPTHWISE_ACCUMULATE_LSB = 8, DEPTHWISE_ACCUMULATE_W = 1;
  localparam int DEPTHWISE_ACT_ROW_LSB = 96, DEPTHWISE_ACT_ROW_W = 16;
  localparam int DEPTHWISE_WEIGHT_ROW_LSB = 112, DEPTHWISE_WEIGHT_ROW_W = 16;
  localparam int DEPTHWISE_ACC_ROW_LSB = 128, DEPTHWISE_ACC_ROW_W = 16;
  localparam int DEPTHWISE_ROW_STRIDE_LSB = 144, DEPTHWISE_ROW_STRIDE_W = 16;
  localparam int DEPTHWISE_PLANE_STRIDE_LSB = 160, DEPTHWISE_PLANE_STRIDE_W = 16;
  localparam int DEPTHWISE_BLOCKS_LSB = 176, DEPTHWISE_BLOCKS_W = 16;
  localparam int DEPTHWISE_IN_HEIGHT_LSB = 192, DEPTHWISE_IN_HEIGHT_W = 16;
  localparam int DEPTHWISE_IN_WIDTH_LSB = 208, DEPTHWISE_IN_WIDTH_W = 16;
  localparam int DEPTHWISE_Y0_LSB = 224, DEPTHWISE_Y0_W = 16;
  localparam int DEPTHWISE_X0_LSB = 240, DEPTHWISE_X0_W = 16;
  localparam int DEPTHWISE_OUT_HEIGHT_LSB = 256, DEPTHWISE_OUT_HEIGHT_W = 16;
  localparam int DEPTHWISE_OUT_WIDTH_LSB = 272, DEPTHWISE_OUT_WIDTH_W = 16;
  localparam int DEPTHWISE_KERNEL_H_LSB = 288, DEPTHWISE_KERNEL_H_W = 8;
  localparam int DEPTHWISE_KERNEL_W_LSB = 296, DEPTHWISE_KERNEL_W_W = 8;
  localparam int DEPTHWISE_STRIDE_H_LSB = 304, DEPTHWISE_STRIDE_H_W = 8;
  localparam int DEPTHWISE_STRIDE_W_LSB = 312, DEPTHWISE_STRIDE_W_W = 8;
  localparam int DEPTHWISE_PAD_VALUE_LSB = 336, DEPTHWISE_PAD_VALUE_W = 8;

  // DRAIN: accumulator rows to int8 scratchpad rows: bias, per-channel requantization, clamp, then optionally a table or a residual addition.
  localparam logic [7:0] OP_DRAIN = 8'h30;
  localparam logic [511:0] DRAIN_RESERVED = 512'hffffffffffffffffffff000000000000000000000000ffffffffffffffffffffffffffff00000000000000000000ffff0000000000e000e000e000e0fffffc00;
  localparam int DRAIN_TABLE_LSB = 8, DRAIN_TABLE_W = 1;
  localparam int DRAIN_RESIDUAL_LSB = 9, DRAIN_RESIDUAL_W = 1;
  localparam int DRAIN_SRC_LSB = 96, DRAIN_SRC_W = 16;
  localparam int DRAIN_DST_LSB = 112, DRAIN_DST_W = 16;
  localparam int DRAIN_DST_STRIDE_LSB = 144, DRAIN_DST_STRIDE_W = 16;
  localparam int DRAIN_SRC2_LSB = 160, DRAIN_SRC2_W = 16;
  localparam int DRAIN_SRC2_STRIDE_LSB = 176, DRAIN_SRC2_STRIDE_W = 16;
  localparam int DRAIN_OUT_HEIGHT_LSB = 192, DRAIN_OUT_HEIGHT_W = 16;
  localparam int DRAIN_OUT_WIDTH_LSB = 208, DRAIN_OUT_WIDTH_W = 16;
  localparam int DRAIN_ROUNDING_LSB = 336, DRAIN_ROUNDING_W = 8;
  localparam int DRAIN_ZERO_POINT_LSB = 344, DRAIN_ZERO_POINT_W = 8;
  localparam int DRAIN_CLAMP_MIN_LSB = 352, DRAIN_CLAMP_MIN_W = 8;
  localparam int DRAIN_CLAMP_MAX_LSB = 360, DRAIN_CLAMP_MAX_W = 8;
  localparam int DRAIN_ZERO1_LSB = 368, DRAIN_ZERO1_W = 8;
  localparam int DRAIN_ZERO2_LSB = 376, DRAIN_ZERO2_W = 8;
  localparam int DRAIN_PARAMS_LSB = 384, DRAIN_PARAMS_W = 16;
  localparam int DRAIN_SCALARS_LSB = 400, DRAIN_SCALARS_W = 16;
  localparam int DRAIN_MID_MIN_LSB = 416, DRAIN_MID_MIN_W = 8;
  localparam int DRAIN_MID_MAX_LSB = 424, DRAIN_MID_MAX_W = 8;

  // DRAIN32: accumulator rows to raw int32: the 4*DIM little-endian bytes of a row go to four scratchpad planes.
  localparam logic [7:0] OP_DRAIN32 = 8'h31;
  localparam logic [511:0] DRAIN32_RESERVED = 512'hffffffffffffffff0000ffffffffffffffffffffffffffffffffffffffffffffffffffff00000000ffffffff0000ffff0000000000e000e000e000e0ffffff00;
  localparam int DRAIN32_SRC_LSB = 96, DRAIN32_SRC_W = 16;
  localparam int DRAIN32_DST_LSB = 112, DRAIN32_DST_W = 16;
  localparam int DRAIN32_DST_STRIDE_LSB = 144, DRAIN32_DST_STRIDE_W = 16;
  localparam int DRAIN32_OUT_HEIGHT_LSB = 192, DRAIN32_OUT_HEIGHT_W = 16;
  localparam int DRAIN32_OUT_WIDTH_LSB = 208, DRAIN32_OUT_WIDTH_W = 16;
  localparam int DRAIN32_PLANE_STRIDE_LSB = 432, DRAIN32_PLANE_STRIDE_W = 16;

  // PRELOAD: raw int32 from four scratchpad planes into accumulator rows (the inverse of DRAIN32).
  localparam logic [7:0] OP_PRELOAD = 8'h32;
  localparam logic [511:0] PRELOAD_RESERVED = 512'hffffffffffffffff0000ffffffffffffffffffffffffffffffffffffffffffffffffffff00000000ffffffffffff00000000000000e000e000e000e0ffffff00;
  localparam int PRELOAD_SRC_LSB = 96, PRELOAD_SRC_W = 16;
  localparam int PRELOAD_DST_LSB = 112, PRELOAD_DST_W = 16;
  localparam int PRELOAD_SRC_STRIDE_LSB = 128, PRELOAD_SRC_STRIDE_W = 16;
  localparam int PRELOAD_OUT_HEIGHT_LSB = 192, PRELOAD_OUT_HEIGHT_W = 16;
  localparam int PRELOAD_OUT_WIDTH_LSB = 208, PRELOAD_OUT_WIDTH_W = 16;
  localparam int PRELOAD_PLANE_STRIDE_LSB = 432, PRELOAD_PLANE_STRIDE_W = 16;

  // MAXPOOL: maximum over a window of scratchpad rows; positions outside the input are ignored (a window wholly outside gives clamp_min).
  localparam logic [7:0] OP_MAXPOOL = 8'h33;
  localparam logic [511:0] MAXPOOL_RESERVED = 512'hffffffffffffffffffffffffffffffffffff0000ffff000000000000000000000000000000000000ffffffff000000000000000000e000e000e000e0ffffff00;
  localparam int MAXPOOL_SRC_LSB = 96, MAXPOOL_SRC_W = 16;
  localparam int MAXPOOL_DST_LSB = 112, MAXPOOL_DST_W = 16;
  localparam int MAXPOOL_SRC_STRIDE_LSB = 128, MAXPOOL_SRC_STRIDE_W = 16;
  localparam int MAXPOOL_DST_STRIDE_LSB = 144, MAXPOOL_DST_STRIDE_W = 16;
  localparam int MAXPOOL_OUT_HEIGHT_LSB = 192, MAXPOOL_OUT_HEIGHT_W = 16;
  localparam int MAXPOOL_OUT_WIDTH_LSB = 208, MAXPOOL_OUT_WIDTH_W = 16;
  localparam int MAXPOOL_IN_HEIGHT_LSB = 224, MAXPOOL_IN_HEIGHT_W = 16;
  localparam int MAXPOOL_IN_WIDTH_LSB = 240, MAXPOOL_IN_WIDTH_W = 16;
  localparam int MAXPOOL_Y0_LSB = 256, MAXPOOL_Y0_W = 16;
  localparam int MAXPOOL_X0_LSB = 272, MAXPOOL_X0_W = 16;
  localparam int MAXPOOL_KERNEL_H_LSB = 288, MAXPOOL_KERNEL_H_W = 8;
  localparam int MAXPOOL_KERNEL_W_LSB = 296, MAXPOOL_KERNEL_W_W = 8;
  localparam int MAXPOOL_STRIDE_H_LSB = 304, MAXPOOL_STRIDE_H_W = 8;
  localparam int MAXPOOL_STRIDE_W_LSB = 312, MAXPOOL_STRIDE_W_W = 8;
  localparam int MAXPOOL_DILATION_H_LSB = 320, MAXPOOL_DILATION_H_W = 8;
  localparam int MAXPOOL_DILATION_W_LSB = 328, MAXPOOL_DILATION_W_W = 8;
  localparam int MAXPOOL_CLAMP_MIN_LSB = 352, MAXPOOL_CLAMP_MIN_W = 8;
  localparam int MAXPOOL_CLAMP_MAX_LSB = 360, MAXPOOL_CLAMP_MAX_W = 8;

  // AVGPOOL: sum over a window of scratchpad rows, times a reciprocal chosen by the number of positions inside the input.
  localparam logic [7:0] OP_AVGPOOL = 8'h34;
  localparam logic [511:0] AVGPOOL_RESERVED = 512'hffffffffffffffffffffffff0000ffffff0000000000000000000000000000000000000000000000ffffffff000000000000000000e000e000e000e0fffffe00;
  localparam int AVGPOOL_COUNT_PADDING_LSB = 8, AVGPOOL_COUNT_PADDING_W = 1;
  localparam int AVGPOOL_SRC_LSB = 96, AVGPOOL_SRC_W = 16;
  localparam int AVGPOOL_DST_LSB = 112, AVGPOOL_DST_W = 16;
  localparam int AVGPOOL_SRC_STRIDE_LSB = 128, AVGPOOL_SRC_STRIDE_W = 16;
  localparam int AVGPOOL_DST_STRIDE_LSB = 144, AVGPOOL_DST_STRIDE_W = 16;
  localparam int AVGPOOL_OUT_HEIGHT_LSB = 192, AVGPOOL_OUT_HEIGHT_W = 16;
  localparam int AVGPOOL_OUT_WIDTH_LSB = 208, AVGPOOL_OUT_WIDTH_W = 16;
  localparam int AVGPOOL_IN_HEIGHT_LSB = 224, AVGPOOL_IN_HEIGHT_W = 16;
  localparam int AVGPOOL_IN_WIDTH_LSB = 240, AVGPOOL_IN_WIDTH_W = 16;
  localparam int AVGPOOL_Y0_LSB = 256, AVGPOOL_Y0_W = 16;
  localparam int AVGPOOL_X0_LSB = 272, AVGPOOL_X0_W = 16;
  localparam int AVGPOOL_KERNEL_H_LSB = 288, AVGPOOL_KERNEL_H_W = 8;
  localparam int AVGPOOL_KERNEL_W_LSB = 296, AVGPOOL_KERNEL_W_W = 8;
  localparam int AVGPOOL_STRIDE_H_LSB = 304, AVGPOOL_STRIDE_H_W = 8;
  localparam int AVGPOOL_STRIDE_W_LSB = 312, AVGPOOL_STRIDE_W_W = 8;
  localparam int AVGPOOL_DILATION_H_LSB = 320, AVGPOOL_DILATION_H_W = 8;
  localparam int AVGPOOL_DILATION_W_LSB = 328, AVGPOOL_DILATION_W_W = 8;
  localparam int AVGPOOL_ROUNDING_LSB = 336, AVGPOOL_ROUNDING_W = 8;
  localparam int AVGPOOL_ZERO_POINT_LSB = 344, AVGPOOL_ZERO_POINT_W = 8;
  localparam int AVGPOOL_CLAMP_MIN_LSB = 352, AVGPOOL_CLAMP_MIN_W = 8;
  localparam int AVGPOOL_CLAMP_MAX_LSB = 360, AVGPOOL_CLAMP_MAX_W = 8;
  localparam int AVGPOOL_ZERO1_LSB = 368, AVGPOOL_ZERO1_W = 8;
  localparam int AVGPOOL_SCALARS_LSB = 400, AVGPOOL_SCALARS_W = 16;

  // ADD: element-wise quantized addition of two scratchpad tensors (TFLite ADD: left shift of 20, three requantizations).
  localparam logic [7:0] OP_ADD = 8'h35;
  localparam logic [511:0] ADD_RESERVED = 512'hffffffffffffffffffffffff0000ffff000000000000ffffffffffffffffffffffffffff0000000000000000000000000000000000e000e000e000e0ffffff00;
  localparam int ADD_SRC_LSB = 96, ADD_SRC_W = 16;
  localparam int ADD_DST_LSB = 112, ADD_DST_W = 16;
  localparam int ADD_SRC_STRIDE_LSB = 128, ADD_SRC_STRIDE_W = 16;
  localparam int ADD_DST_STRIDE_LSB = 144, ADD_DST_STRIDE_W = 16;
  localparam int ADD_SRC2_LSB = 160, ADD_SRC2_W = 16;
  localparam int ADD_SRC2_STRIDE_LSB = 176, ADD_SRC2_STRIDE_W = 16;
  localparam int ADD_OUT_HEIGHT_LSB = 192, ADD_OUT_HEIGHT_W = 16;
  localparam int ADD_OUT_WIDTH_LSB = 208, ADD_OUT_WIDTH_W = 16;
  localparam int ADD_ROUNDING_LSB = 336, ADD_ROUNDING_W = 8;
  localparam int ADD_ZERO_POINT_LSB = 344, ADD_ZERO_POINT_W = 8;
  localparam int ADD_CLAMP_MIN_LSB = 352, ADD_CLAMP_MIN_W = 8;
  localparam int ADD_CLAMP_MAX_LSB = 360, ADD_CLAMP_MAX_W = 8;
  localparam int ADD_ZERO1_LSB = 368, ADD_ZERO1_W = 8;
  localparam int ADD_ZERO2_LSB = 376, ADD_ZERO2_W = 8;
  localparam int ADD_SCALARS_LSB = 400, ADD_SCALARS_W = 16;

  // MULTIPLY: element-wise quantized product of two scratchpad tensors (TFLite MUL).
  localparam logic [7:0] OP_MULTIPLY = 8'h36;
  localparam logic [511:0] MULTIPLY_RESERVED = 512'hffffffffffffffffffffffff0000ffff000000000000ffffffffffffffffffffffffffff0000000000000000000000000000000000e000e000e000e0ffffff00;
  localparam int MULTIPLY_SRC_LSB = 96, MULTIPLY_SRC_W = 16;
  localparam int MULTIPLY_DST_LSB = 112, MULTIPLY_DST_W = 16;
  localparam int MULTIPLY_SRC_STRIDE_LSB = 128, MULTIPLY_SRC_STRIDE_W = 16;
  localparam int MULTIPLY_DST_STRIDE_LSB = 144, MULTIPLY_DST_STRIDE_W = 16;
  localparam int MULTIPLY_SRC2_LSB = 160, MULTIPLY_SRC2_W = 16;
  localparam int MULTIPLY_SRC2_STRIDE_LSB = 176, MULTIPLY_SRC2_STRIDE_W = 16;
  localparam int MULTIPLY_OUT_HEIGHT_LSB = 192, MULTIPLY_OUT_HEIGHT_W = 16;
  localparam int MULTIPLY_OUT_WIDTH_LSB = 208, MULTIPLY_OUT_WIDTH_W = 16;
  localparam int MULTIPLY_ROUNDING_LSB = 336, MULTIPLY_ROUNDING_W = 8;
  localparam int MULTIPLY_ZERO_POINT_LSB = 344, MULTIPLY_ZERO_POINT_W = 8;
  localparam int MULTIPLY_CLAMP_MIN_LSB = 352, MULTIPLY_CLAMP_MIN_W = 8;
  localparam int MULTIPLY_CLAMP_MAX_LSB = 360, MULTIPLY_CLAMP_MAX_W = 8;
  localparam int MULTIPLY_ZERO1_LSB = 368, MULTIPLY_ZERO1_W = 8;
  localparam int MULTIPLY_ZERO2_LSB = 376, MULTIPLY_ZERO2_W = 8;
  localparam int MULTIPLY_SCALARS_LSB = 400, MULTIPLY_SCALARS_W = 16;

  // TABLE: copy 256 bytes of the parameter buffer into the look-up table, or 1,024 bytes into the table of words that kernels read.
  localparam logic [7:0] OP_TABLE = 8'h37;
  localparam logic [511:0] TABLE_RESERVED = 512'hffffffffffffffffffffffffffff0000ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00e000e000e000e0fffffe00;
  localparam int TABLE_WORDS_LSB = 8, TABLE_WORDS_W = 1;
  localparam int TABLE_PARAMS_LSB = 384, TABLE_PARAMS_W = 16;

  // MAP: scratchpad rows through the look-up table (or, without it, a clamped copy) to scratchpad rows.
  localparam logic [7:0] OP_MAP = 8'h38;
  localparam logic [511:0] MAP_RESERVED = 512'hffffffffffffffffffffffffffffffffffff0000ffffffffffffffffffffffffffffffff00000000ffffffff000000000000000000e000e000e000e0fffffe00;
  localparam int MAP_TABLE_LSB = 8, MAP_TABLE_W = 1;
  localparam int MAP_SRC_LSB = 96, MAP_SRC_W = 16;
  localparam int MAP_DST_LSB = 112, MAP_DST_W = 16;
  localparam int MAP_SRC_STRIDE_LSB = 128, MAP_SRC_STRIDE_W = 16;
  localparam int MAP_DST_STRIDE_LSB = 144, MAP_DST_STRIDE_W = 16;
  localparam int MAP_OUT_HEIGHT_LSB = 192, MAP_OUT_HEIGHT_W = 16;
  localparam int MAP_OUT_WIDTH_LSB = 208, MAP_OUT_WIDTH_W = 16;
  localparam int MAP_CLAMP_MIN_LSB = 352, MAP_CLAMP_MIN_W = 8;
  localparam int MAP_CLAMP_MAX_LSB = 360, MAP_CLAMP_MAX_W = 8;

  // VECTOR: run a kernel, a program of micro-instructions that LOAD has written to the kernel memory.
  localparam logic [7:0] OP_VECTOR = 8'h39;
  localparam logic [511:0] VECTOR_RESERVED = 512'h000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000ffff000000e000e000e000e0ffffff00;
  localparam int VECTOR_ENTRY_LSB = 96, VECTOR_ENTRY_W = 16;
  localparam int VECTOR_ARG0_LSB = 128, VECTOR_ARG0_W = 32;
  localparam int VECTOR_ARG1_LSB = 160, VECTOR_ARG1_W = 32;
  localparam int VECTOR_ARG2_LSB = 192, VECTOR_ARG2_W = 32;
  localparam int VECTOR_ARG3_LSB = 224, VECTOR_ARG3_W = 32;
  localparam int VECTOR_ARG4_LSB = 256, VECTOR_ARG4_W = 32;
  localparam int VECTOR_ARG5_LSB = 288, VECTOR_ARG5_W = 32;
  localparam int VECTOR_ARG6_LSB = 320, VECTOR_ARG6_W = 32;
  localparam int VECTOR_ARG7_LSB = 352, VECTOR_ARG7_W = 32;
  localparam int VECTOR_ARG8_LSB = 384, VECTOR_ARG8_W = 32;
  localparam int VECTOR_ARG9_LSB = 416, VECTOR_ARG9_W = 32;
  localparam int VECTOR_ARG10_LSB = 448, VECTOR_ARG10_W = 32;
  localparam int VECTOR_ARG11_LSB = 480, VECTOR_ARG11_W = 32;

  // STORE: gather rows of the scratchpad, piece by piece, into runs of bytes in device memory.
  localparam logic [7:0] OP_STORE = 8'h40;
  localparam logic [511:0] STORE_RESERVED = 512'hffffffffffff000000000000000000000000000000000000ffffffff00000000ffffffffffffffffffff0000f8ff00000000000000e000e000e000e0ffffff00;
  localparam int STORE_DST_LSB = 96, STORE_DST_W = 32;
  localparam int STORE_PIECES_LSB = 128, STORE_PIECES_W = 16;
  localparam int STORE_WINDOW_LSB = 152, STORE_WINDOW_W = 3;
  localparam int STORE_PIECE_BYTES_LSB = 160, STORE_PIECE_BYTES_W = 16;
  localparam int STORE_COUNT0_LSB = 256, STORE_COUNT0_W = 16;
  localparam int STORE_COUNT1_LSB = 272, STORE_COUNT1_W = 16;
  localparam int STORE_DST_STRIDE0_LSB = 320, STORE_DST_STRIDE0_W = 32;
  localparam int STORE_DST_STRIDE1_LSB = 352, STORE_DST_STRIDE1_W = 32;
  localparam int STORE_SRC_LSB = 384, STORE_SRC_W = 16;
  localparam int STORE_SRC_PIECE_LSB = 400, STORE_SRC_PIECE_W = 16;
  localparam int STORE_SRC_BLOCK_LSB = 416, STORE_SRC_BLOCK_W = 16;
  localparam int STORE_SRC_STRIDE0_LSB = 432, STORE_SRC_STRIDE0_W = 16;
  localparam int STORE_SRC_STRIDE1_LSB = 448, STORE_SRC_STRIDE1_W = 16;

  // SYNC_LOAD: no work: carries further waits and signals in the LOAD queue.
  localparam logic [7:0] OP_SYNC_LOAD = 8'h1f;
  localparam logic [511:0] SYNC_LOAD_RESERVED = 512'hffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00e000e000e000e0ffffff00;

  // SYNC_MXU: no work: carries further waits and signals in the MXU queue.
  localparam logic [7:0] OP_SYNC_MXU = 8'h2f;
  localparam logic [511:0] SYNC_MXU_RESERVED = 512'hffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00e000e000e000e0ffffff00;

  // SYNC_VPU: no work: carries further waits and signals in the VPU queue.
  localparam logic [7:0] OP_SYNC_VPU = 8'h3f;
  localparam logic [511:0] SYNC_VPU_RESERVED = 512'hffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00e000e000e000e0ffffff00;

  // SYNC_STORE: no work: carries further waits and signals in the STORE queue.
  localparam logic [7:0] OP_SYNC_STORE = 8'h4f;
  localparam logic [511:0] SYNC_STORE_RESERVED = 512'hffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00e000e000e000e0ffffff00;

  // Opcode of the SYNC of engine e at [8*e +: 8].
  localparam logic [ENGINES-1:0][7:0] SYNC_OPCODES = {OP_SYNC_STORE, OP_SYNC_VPU, OP_SYNC_MXU, OP_SYNC_LOAD};

  // Bit h of [32*e +: 32]: an instruction of engine e uses some of its bits [16*h +: 16].
  localparam logic [ENGINES-1:0][31:0] ENGINE_HALVES = {32'h1ff307fd, 32'hfffffffd, 32'h3ffffffd, 32'h1ffffffd};

  // Registers, byte offsets.
  localparam logic [11:0] REG_IDENTITY = 12'h000; // identity of the device, the letters SYST
  localparam logic [11:0] REG_ISA_VERSION = 12'h004; // instruction set version: major in bits 31:16, minor in bits 15:0
  localparam logic [11:0] REG_DIM = 12'h008; // array side; AXI data are DIM bytes wide
  localparam logic [11:0] REG_SCRATCH_ROWS = 12'h00c; // scratchpad rows of DIM bytes
  localparam logic [11:0] REG_WEIGHT_ROWS = 12'h010; // weight ring rows of DIM bytes
  localparam logic [11:0] REG_ACC_ROWS = 12'h014; // accumulator rows of DIM int32
  localparam logic [11:0] REG_PARAM_ROWS = 12'h018; // parameter rows of DIM bytes
  localparam logic [11:0] REG_QUEUE_DEPTH = 12'h01c; // instructions that each engine's queue holds
  localparam logic [11:0] REG_CONTROL = 12'h020; // requests; a bit acts when 1 is written
  localparam int REG_CONTROL_RESET_LSB = 0, REG_CONTROL_RESET_W = 1;
  localparam int REG_CONTROL_CLEAR_COUNTERS_LSB = 1, REG_CONTROL_CLEAR_COUNTERS_W = 1;
  localparam logic [11:0] REG_STATUS = 12'h024; // state of the core
  localparam int REG_STATUS_BUSY_LSB = 0, REG_STATUS_BUSY_W = 1;
  localparam int REG_STATUS_HALTED_LSB = 1, REG_STATUS_HALTED_W = 1;
  localparam int REG_STATUS_RESETTING_LSB = 2, REG_STATUS_RESETTING_W = 1;
  localparam int REG_STATUS_NONFINITE_LSB = 3, REG_STATUS_NONFINITE_W = 1;
  localparam int REG_STATUS_ENGINE_BUSY_LSB = 8, REG_STATUS_ENGINE_BUSY_W = 4;
  localparam int REG_STATUS_ENGINE_WAITING_LSB = 12, REG_STATUS_ENGINE_WAITING_W = 4;
  localparam logic [11:0] REG_IRQ_STATUS = 12'h028; // pending interrupts; the output is high while an enabled one is pending
  localparam int REG_IRQ_STATUS_DONE_LSB = 0, REG_IRQ_STATUS_DONE_W = 1;
  localparam int REG_IRQ_STATUS_ERROR_LSB = 1, REG_IRQ_STATUS_ERROR_W = 1;
  localparam logic [11:0] REG_IRQ_ENABLE = 12'h02c; // interrupts that drive the output, bits as IRQ_STATUS
  localparam int REG_IRQ_ENABLE_DONE_LSB = 0, REG_IRQ_ENABLE_DONE_W = 1;
  localparam int REG_IRQ_ENABLE_ERROR_LSB = 1, REG_IRQ_ENABLE_ERROR_W = 1;
  localparam logic [11:0] REG_RING_BASE = 12'h030; // window offset of the ring's first entry, a multiple of 64; locked while busy
  localparam logic [11:0] REG_RING_CONFIG = 12'h034; // size and window of the ring; locked while busy
  localparam int REG_RING_CONFIG_LOG2_ENTRIES_LSB = 0, REG_RING_CONFIG_LOG2_ENTRIES_W = 5;
  localparam int REG_RING_CONFIG_WINDOW_LSB = 8, REG_RING_CONFIG_WINDOW_W = 3;
  localparam logic [11:0] REG_HEAD = 12'h038; // ring entries dispatched since reset (free-running); an entry may be overwritten once the head has passed it
  localparam logic [11:0] REG_TAIL = 12'h03c; // ring entries written since reset (free-running); writing it is the doorbell
  localparam logic [11:0] REG_END_TAG = 12'h040; // tag of the last END
  localparam logic [11:0] REG_END_COUNT = 12'h044; // ENDs reached since reset
  localparam logic [11:0] REG_ERROR_CODE = 12'h048; // first error since reset: its ErrorCode in bits 7:0, its engine in bits 15:8
  localparam int REG_ERROR_CODE_CODE_LSB = 0, REG_ERROR_CODE_CODE_W = 8;
  localparam int REG_ERROR_CODE_ENGINE_LSB = 8, REG_ERROR_CODE_ENGINE_W = 8;
  localparam logic [11:0] REG_ERROR_INDEX = 12'h04c; // first error: index of its command, counted in dispatch order since reset, JUMP and END included
  localparam logic [11:0] REG_ERROR_ADDRESS = 12'h050; // first error: address, in the meaning of its code
  localparam logic [11:0] REG_ERROR_COUNT = 12'h054; // errors since reset, the first included
  localparam logic [11:0] REG_WATCHDOG = 12'h058; // cycles without movement after which an owed bus answer is the error BUS_STUCK; 0 never
  localparam logic [31:0] REG_WATCHDOG_RESET = 32'h00010000;
  localparam logic [11:0] REG_CYCLES = 12'h05c; // cycles from the doorbell to the interrupt, summed over runs since the counters were cleared
  localparam logic [11:0] REG_COMMANDS = 12'h060; // commands dispatched since reset
  localparam logic [11:0] REG_READ_BEATS = 12'h064; // read beats received since the counters were cleared
  localparam logic [11:0] REG_WRITE_BEATS = 12'h068; // write beats sent since the counters were cleared
  localparam logic [11:0] REG_WAITING_SEMAPHORES = 12'h06c; // byte e: bit 7 set while engine e waits for a semaphore, bits 4:0 the first one that is short
  localparam logic [11:0] REG_PADDED_VECTORS = 12'h070; // activation vectors that the matrix unit made of pad_value since the counters were cleared, each of DIM*DIM multiply-accumulates
  localparam logic [11:0] REG_PARTS = 12'h074; // parts that this core has
  localparam int REG_PARTS_VECTOR_PROCESSOR_LSB = 0, REG_PARTS_VECTOR_PROCESSOR_W = 1;
  localparam int REG_PARTS_BLOCK_FLOAT_LSB = 1, REG_PARTS_BLOCK_FLOAT_W = 1;
  localparam int REG_PARTS_DEPTHWISE_LSB = 2, REG_PARTS_DEPTHWISE_W = 1;
  localparam int REG_PARTS_TURNING_LOADS_LSB = 3, REG_PARTS_TURNING_LOADS_W = 1;
  localparam int REG_PARTS_CAUSE_COUNTERS_LSB = 4, REG_PARTS_CAUSE_COUNTERS_W = 1;
  localparam logic [11:0] REG_WINDOWS = 12'h078; // address windows that this core has; the registers of others keep nothing
  localparam logic [11:0] REG_SEMAPHORE = 12'h080; // values of the semaphores, four to a register, semaphore 4i in bits 7:0
  localparam logic [11:0] REG_ENGINE_STATE = 12'h0a0; // what engine e holds now; the host reads it when nothing moves
  localparam int REG_ENGINE_STATE_IN_FLIGHT_LSB = 0, REG_ENGINE_STATE_IN_FLIGHT_W = 8;
  localparam int REG_ENGINE_STATE_QUEUED_LSB = 8, REG_ENGINE_STATE_QUEUED_W = 8;
  localparam int REG_ENGINE_STATE_CAUSE_LSB = 16, REG_ENGINE_STATE_CAUSE_W = 4;
  localparam logic [11:0] REG_ENGINE_INDEX = 12'h0b0; // index, counted as ERROR_INDEX, of engine e's oldest uncommitted command; without meaning while it has none
  localparam logic [11:0] REG_ENGINE_SINCE = 12'h0c0; // value of CYCLES when engine e's present cause began, of a wait that for its present semaphore
  localparam logic [11:0] REG_WINDOW_BASE = 12'h100; // device address of the window's first byte, a multiple of 64 (lower bits are dropped); locked while busy
  localparam logic [11:0] REG_WINDOW_SIZE = 12'h104; // bytes in the window, a multiple of 64 (lower bits are dropped); 0 closes it, and so does an end beyond 2^32; locked while busy
  localparam logic [11:0] REG_WINDOW_PERMISSION = 12'h108; // Permission bits; locked while busy
  localparam logic [11:0] REG_CAUSE_COUNT = 12'h200; // cycles per Cause since the counters were cleared, engine e and cause c at index 16e+c; those of an engine add up to CYCLES
  localparam logic [11:0] REG_SEMAPHORE_WAIT = 12'h400; // the cycles of cause SEMAPHORE by the semaphore that was short, engine e and semaphore s at index 32e+s; those of an engine add up to its CAUSE_COUNT of SEMAPHORE
endpackage
