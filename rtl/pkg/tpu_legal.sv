// SPDX-License-Identifier: Apache-2.0
// Generated from isa/spec by scripts/gen/generate. Do not edit.
// Decides whether an instruction is legal and which engine runs it.
//
// Latency: combinational; costs nothing while valid_i is low. Rules are those of the reference pages (isa/spec/pages).
// Parameters: Dim, the array side (4, 8, 16 or 32).
module tpu_legal #(
  parameter int Dim = 16
) (
  input  logic         valid_i,
  input  logic [511:0] instr_i,
  output logic         legal_o,
  // One of tpu_pkg::ENGINE_*.
  output logic [2:0]   engine_o
);
  // Base-2 logarithm, rounded up, of a value that is not zero; as wide as the sums that it is part of.
  function automatic [31:0] log2_up(input logic [31:0] value);
    logic [31:0] last;
    last = value - 32'd1;
    log2_up = '0;
    for (int bit_ = 0; bit_ < 32; bit_++) begin
      if (last[bit_]) log2_up = 32'(bit_) + 32'd1;
    end
  endfunction

  always_comb begin
    legal_o = 1'b0;
    engine_o = 3'(tpu_pkg::ENGINE_COMMAND);
    if (valid_i) begin
      case (instr_i[tpu_pkg::OPCODE_LSB +: tpu_pkg::OPCODE_W])
        tpu_pkg::OP_END: begin
          engine_o = 3'(tpu_pkg::ENGINE_COMMAND);
          legal_o = ((instr_i & tpu_pkg::END_RESERVED) == '0);
        end
        tpu_pkg::OP_JUMP: begin
          engine_o = 3'(tpu_pkg::ENGINE_COMMAND);
          legal_o = ((instr_i & tpu_pkg::JUMP_RESERVED) == '0)
                 && (instr_i[96 +: 6] == 0) // else: target is not a multiple of 64
                 && (instr_i[128 +: 24] != 0); // else: count below 1
        end
        tpu_pkg::OP_LOAD: begin
          engine_o = 3'(tpu_pkg::ENGINE_LOAD);
          legal_o = ((instr_i & tpu_pkg::LOAD_RESERVED) == '0)
                 && (instr_i[40 +: 8] == 0 || instr_i[56 +: 8] == 0 || instr_i[32 +: 5] != instr_i[48 +: 5]) // else: both waits name the same semaphore
                 && (instr_i[72 +: 8] == 0 || instr_i[88 +: 8] == 0 || instr_i[64 +: 5] != instr_i[80 +: 5]) // else: both signals name the same semaphore
                 && (instr_i[128 +: 24] != 0) // else: run_bytes below 1
                 && (instr_i[156 +: 2] <= 2'd2) // else: turn above 2
                 && (instr_i[176 +: 16] != 0) // else: pieces below 1
                 && (instr_i[224 +: 16] != 0) // else: slot_bytes below 1
                 && (instr_i[256 +: 16] != 0) // else: count0 below 1
                 && (instr_i[272 +: 16] != 0) // else: count1 below 1
                 && (32'(instr_i[208 +: 16]) <= 32'(instr_i[224 +: 16])) // else: piece_bytes exceeds slot_bytes
                 && (32'(instr_i[240 +: 8]) < 32'(Dim)) // else: lane is not below DIM
                 && (32'(instr_i[288 +: 16]) <= 32'(instr_i[304 +: 16])) // else: valid_from exceeds valid_to
                 && (32'(instr_i[304 +: 16]) <= 32'(instr_i[256 +: 16])) // else: valid_to exceeds count0
                 && (!(32'(instr_i[192 +: 16]) < 32'(instr_i[208 +: 16])) || 32'(instr_i[208 +: 16]) <= 32'(tpu_pkg::WINDOW_PIECE_BEATS * Dim)) // else: overlapping pieces are longer than the line buffer promises
                 && (!(32'd0 < 32'(instr_i[156 +: 2])) || 32'(instr_i[176 +: 16]) == 32'd1) // else: a run that is turned has several pieces
                 && (!(32'd0 < 32'(instr_i[156 +: 2])) || 32'(instr_i[224 +: 16]) == 32'(Dim)) // else: a run that is turned is not a row
                 && (!(32'd0 < 32'(instr_i[156 +: 2])) || 32'(instr_i[240 +: 8]) == 32'd0) // else: a run that is turned does not begin with a row
                 && (!(32'd0 < 32'(instr_i[156 +: 2])) || 32'(instr_i[154 +: 2]) < 32'd2) // else: rows are turned on their way to scratchpad and weight ring only
                 && (!(32'(instr_i[156 +: 2]) == 32'd1) || 32'(instr_i[256 +: 16]) == 32'(Dim)) // else: the rows of an inner loop are not as many as their bytes
                 && (!(32'(instr_i[156 +: 2]) == 32'd2) || 32'(instr_i[256 +: 16]) == 32'(Dim / 4)) // else: the rows of an inner loop are not as many as their words
                 && (log2_up(32'(instr_i[176 +: 16])) + log2_up(32'(instr_i[224 +: 16])) + log2_up(32'(instr_i[256 +: 16])) + log2_up(32'(instr_i[272 +: 16])) <= 32'(tpu_pkg::WORK_LOG2)) // else: more bytes are written than one instruction may write
                 && (log2_up(32'(instr_i[128 +: 24])) + log2_up(32'(instr_i[256 +: 16])) + log2_up(32'(instr_i[272 +: 16])) <= 32'(tpu_pkg::WORK_LOG2)); // else: more bytes are read than one instruction may read
        end
        tpu_pkg::OP_CONV: begin
          engine_o = 3'(tpu_pkg::ENGINE_MXU);
          legal_o = ((instr_i & tpu_pkg::CONV_RESERVED) == '0)
                 && (instr_i[40 +: 8] == 0 || instr_i[56 +: 8] == 0 || instr_i[32 +: 5] != instr_i[48 +: 5]) // else: both waits name the same semaphore
                 && (instr_i[72 +: 8] == 0 || instr_i[88 +: 8] == 0 || instr_i[64 +: 5] != instr_i[80 +: 5]) // else: both signals name the same semaphore
                 && (instr_i[176 +: 16] != 0) // else: blocks below 1
                 && (instr_i[192 +: 16] != 0) // else: in_height below 1
                 && (instr_i[192 +: 16] <= 16'd32767) // else: in_height above 32767
                 && (instr_i[208 +: 16] != 0) // else: in_width below 1
                 && (instr_i[208 +: 16] <= 16'd32767) // else: in_width above 32767
                 && (instr_i[256 +: 16] != 0) // else: out_height below 1
                 && (instr_i[272 +: 16] != 0) // else: out_width below 1
                 && (instr_i[288 +: 8] != 0) // else: kernel_h below 1
                 && (instr_i[296 +: 8] != 0) // else: kernel_w below 1
                 && (instr_i[304 +: 8] != 0) // else: stride_h below 1
                 && (instr_i[312 +: 8] != 0) // else: stride_w below 1
                 && (instr_i[320 +: 8] != 0) // else: dilation_h below 1
                 && (instr_i[328 +: 8] != 0); // else: dilation_w below 1
        end
        tpu_pkg::OP_DEPTHWISE: begin
          engine_o = 3'(tpu_pkg::ENGINE_MXU);
          legal_o = ((instr_i & tpu_pkg::DEPTHWISE_RESERVED) == '0)
                 && (instr_i[40 +: 8] == 0 || instr_i[56 +: 8] == 0 || instr_i[32 +: 5] != instr_i[48 +: 5]) // else: both waits name the same semaphore
                 && (instr_i[72 +: 8] == 0 || instr_i[88 +: 8] == 0 || instr_i[64 +: 5] != instr_i[80 +: 5]) // else: both signals name the same semaphore
                 && (instr_i[176 +: 16] != 0) // else: blocks below 1
                 && (instr_i[192 +: 16] != 0) // else: in_height below 1
                 && (instr_i[192 +: 16] <= 16'd32767) // else: in_height above 32767
                 && (instr_i[208 +: 16] != 0) // else: in_width below 1
                 && (instr_i[208 +: 16] <= 16'd32767) // else: in_width above 32767
                 && (instr_i[256 +: 16] != 0) // else: out_height below 1
                 && (instr_i[272 +: 16] != 0) // else: out_width below 1
                 && (instr_i[272 +: 16] <= 16'd254) // else: out_width above 254
                 && (instr_i[288 +: 8] != 0) // else: kernel_h below 1
                 && (instr_i[288 +: 8] <= 8'd3) // else: kernel_h above 3
                 && (instr_i[296 +: 8] != 0) // else: kernel_w below 1
                 && (instr_i[296 +: 8] <= 8'd3) // else: kernel_w above 3
                 && (instr_i[304 +: 8] != 0) // else: stride_h below 1
                 && (instr_i[304 +: 8] <= 8'd4) // else: stride_h above 4
                 && (instr_i[312 +: 8] != 0) // else: stride_w below 1
                 && (instr_i[312 +: 8] <= 8'd4) // else: stride_w above 4
                 && (!(32'd1 < 32'(instr_i[312 +: 8])) || 32'(instr_i[272 +: 16]) <= 32'(tpu_pkg::DEPTHWISE_COLUMNS / 2)) // else: out_width exceeds the line buffers at a stride of 2
                 && (!(32'd2 < 32'(instr_i[312 +: 8])) || 32'(instr_i[272 +: 16]) <= 32'(tpu_pkg::DEPTHWISE_COLUMNS / 3)) // else: out_width exceeds the line buffers at a stride of 3
                 && (!(32'd3 < 32'(instr_i[312 +: 8])) || 32'(instr_i[272 +: 16]) <= 32'(tpu_pkg::DEPTHWISE_COLUMNS / 4)); // else: out_width exceeds the line buffers at a stride of 4
        end
        tpu_pkg::OP_DRAIN: begin
          engine_o = 3'(tpu_pkg::ENGINE_VPU);
          legal_o = ((instr_i & tpu_pkg::DRAIN_RESERVED) == '0)
                 && (instr_i[40 +: 8] == 0 || instr_i[56 +: 8] == 0 || instr_i[32 +: 5] != instr_i[48 +: 5]) // else: both waits name the same semaphore
                 && (instr_i[72 +: 8] == 0 || instr_i[88 +: 8] == 0 || instr_i[64 +: 5] != instr_i[80 +: 5]) // else: both signals name the same semaphore
                 && (instr_i[192 +: 16] != 0) // else: out_height below 1
                 && (instr_i[208 +: 16] != 0) // else: out_width below 1
                 && (instr_i[336 +: 8] <= 8'd2) // else: rounding above 2
                 && ($signed(instr_i[352 +: 8]) <= $signed(instr_i[360 +: 8])) // else: clamp_min exceeds clamp_max
                 && ($signed(instr_i[416 +: 8]) <= $signed(instr_i[424 +: 8])); // else: mid_min exceeds mid_max
        end
        tpu_pkg::OP_DRAIN32: begin
          engine_o = 3'(tpu_pkg::ENGINE_VPU);
          legal_o = ((instr_i & tpu_pkg::DRAIN32_RESERVED) == '0)
                 && (instr_i[40 +: 8] == 0 || instr_i[56 +: 8] == 0 || instr_i[32 +: 5] != instr_i[48 +: 5]) // else: both waits name the same semaphore
                 && (instr_i[72 +: 8] == 0 || instr_i[88 +: 8] == 0 || instr_i[64 +: 5] != instr_i[80 +: 5]) // else: both signals name the same semaphore
                 && (instr_i[192 +: 16] != 0) // else: out_height below 1
                 && (instr_i[208 +: 16] != 0); // else: out_width below 1
        end
        tpu_pkg::OP_PRELOAD: begin
          engine_o = 3'(tpu_pkg::ENGINE_VPU);
          legal_o = ((instr_i & tpu_pkg::PRELOAD_RESERVED) == '0)
                 && (instr_i[40 +: 8] == 0 || instr_i[56 +: 8] == 0 || instr_i[32 +: 5] != instr_i[48 +: 5]) // else: both waits name the same semaphore
                 && (instr_i[72 +: 8] == 0 || instr_i[88 +: 8] == 0 || instr_i[64 +: 5] != instr_i[80 +: 5]) // else: both signals name the same semaphore
                 && (instr_i[192 +: 16] != 0) // else: out_height below 1
                 && (instr_i[208 +: 16] != 0); // else: out_width below 1
        end
        tpu_pkg::OP_MAXPOOL: begin
          engine_o = 3'(tpu_pkg::ENGINE_VPU);
          legal_o = ((instr_i & tpu_pkg::MAXPOOL_RESERVED) == '0)
                 && (instr_i[40 +: 8] == 0 || instr_i[56 +: 8] == 0 || instr_i[32 +: 5] != instr_i[48 +: 5]) // else: both waits name the same semaphore
                 && (instr_i[72 +: 8] == 0 || instr_i[88 +: 8] == 0 || instr_i[64 +: 5] != instr_i[80 +: 5]) // else: both signals name the same semaphore
                 && (instr_i[192 +: 16] != 0) // else: out_height below 1
                 && (instr_i[208 +: 16] != 0) // else: out_width below 1
                 && (instr_i[224 +: 16] != 0) // else: in_height below 1
                 && (instr_i[224 +: 16] <= 16'd32767) // else: in_height above 32767
                 && (instr_i[240 +: 16] != 0) // else: in_width below 1
                 && (instr_i[240 +: 16] <= 16'd32767) // else: in_width above 32767
                 && (instr_i[288 +: 8] != 0) // else: kernel_h below 1
                 && (instr_i[296 +: 8] != 0) // else: kernel_w below 1
                 && (instr_i[304 +: 8] != 0) // else: stride_h below 1
                 && (instr_i[312 +: 8] != 0) // else: stride_w below 1
                 && (instr_i[320 +: 8] != 0) // else: dilation_h below 1
                 && (instr_i[328 +: 8] != 0) // else: dilation_w below 1
                 && ($signed(instr_i[352 +: 8]) <= $signed(instr_i[360 +: 8])) // else: clamp_min exceeds clamp_max
                 && (log2_up(32'(instr_i[192 +: 16])) + log2_up(32'(instr_i[208 +: 16])) + log2_up(32'(instr_i[288 +: 8])) + log2_up(32'(instr_i[296 +: 8])) <= 32'(tpu_pkg::WORK_LOG2)); // else: more taps are read than one instruction may read
        end
        tpu_pkg::OP_AVGPOOL: begin
          engine_o = 3'(tpu_pkg::ENGINE_VPU);
          legal_o = ((instr_i & tpu_pkg::AVGPOOL_RESERVED) == '0)
                 && (instr_i[40 +: 8] == 0 || instr_i[56 +: 8] == 0 || instr_i[32 +: 5] != instr_i[48 +: 5]) // else: both waits name the same semaphore
                 && (instr_i[72 +: 8] == 0 || instr_i[88 +: 8] == 0 || instr_i[64 +: 5] != instr_i[80 +: 5]) // else: both signals name the same semaphore
                 && (instr_i[192 +: 16] != 0) // else: out_height below 1
                 && (instr_i[208 +: 16] != 0) // else: out_width below 1
                 && (instr_i[224 +: 16] != 0) // else: in_height below 1
                 && (instr_i[224 +: 16] <= 16'd32767) // else: in_height above 32767
                 && (instr_i[240 +: 16] != 0) // else: in_width below 1
                 && (instr_i[240 +: 16] <= 16'd32767) // else: in_width above 32767
                 && (instr_i[288 +: 8] != 0) // else: kernel_h below 1
                 && (instr_i[296 +: 8] != 0) // else: kernel_w below 1
                 && (instr_i[304 +: 8] != 0) // else: stride_h below 1
                 && (instr_i[312 +: 8] != 0) // else: stride_w below 1
                 && (instr_i[320 +: 8] != 0) // else: dilation_h below 1
                 && (instr_i[328 +: 8] != 0) // else: dilation_w below 1
                 && (instr_i[336 +: 8] <= 8'd2) // else: rounding above 2
                 && ($signed(instr_i[352 +: 8]) <= $signed(instr_i[360 +: 8])) // else: clamp_min exceeds clamp_max
                 && (log2_up(32'(instr_i[192 +: 16])) + log2_up(32'(instr_i[208 +: 16])) + log2_up(32'(instr_i[288 +: 8])) + log2_up(32'(instr_i[296 +: 8])) <= 32'(tpu_pkg::WORK_LOG2)); // else: more taps are read than one instruction may read
        end
        tpu_pkg::OP_ADD: begin
          engine_o = 3'(tpu_pkg::ENGINE_VPU);
          legal_o = ((instr_i & tpu_pkg::ADD_RESERVED) == '0)
                 && (instr_i[40 +: 8] == 0 || instr_i[56 +: 8] == 0 || instr_i[32 +: 5] != instr_i[48 +: 5]) // else: both waits name the same semaphore
                 && (instr_i[72 +: 8] == 0 || instr_i[88 +: 8] == 0 || instr_i[64 +: 5] != instr_i[80 +: 5]) // else: both signals name the same semaphore
                 && (instr_i[192 +: 16] != 0) // else: out_height below 1
                 && (instr_i[208 +: 16] != 0) // else: out_width below 1
                 && (instr_i[336 +: 8] <= 8'd2) // else: rounding above 2
                 && ($signed(instr_i[352 +: 8]) <= $signed(instr_i[360 +: 8])) // else: clamp_min exceeds clamp_max
                 && (log2_up(32'(instr_i[192 +: 16])) + log2_up(32'(instr_i[208 +: 16])) <= 32'(tpu_pkg::WORK_LOG2)); // else: more positions than one instruction may have
        end
        tpu_pkg::OP_MULTIPLY: begin
          engine_o = 3'(tpu_pkg::ENGINE_VPU);
          legal_o = ((instr_i & tpu_pkg::MULTIPLY_RESERVED) == '0)
                 && (instr_i[40 +: 8] == 0 || instr_i[56 +: 8] == 0 || instr_i[32 +: 5] != instr_i[48 +: 5]) // else: both waits name the same semaphore
                 && (instr_i[72 +: 8] == 0 || instr_i[88 +: 8] == 0 || instr_i[64 +: 5] != instr_i[80 +: 5]) // else: both signals name the same semaphore
                 && (instr_i[192 +: 16] != 0) // else: out_height below 1
                 && (instr_i[208 +: 16] != 0) // else: out_width below 1
                 && (instr_i[336 +: 8] <= 8'd2) // else: rounding above 2
                 && ($signed(instr_i[352 +: 8]) <= $signed(instr_i[360 +: 8])) // else: clamp_min exceeds clamp_max
                 && (log2_up(32'(instr_i[192 +: 16])) + log2_up(32'(instr_i[208 +: 16])) <= 32'(tpu_pkg::WORK_LOG2)); // else: more positions than one instruction may have
        end
        tpu_pkg::OP_TABLE: begin
          engine_o = 3'(tpu_pkg::ENGINE_VPU);
          legal_o = ((instr_i & tpu_pkg::TABLE_RESERVED) == '0)
                 && (instr_i[40 +: 8] == 0 || instr_i[56 +: 8] == 0 || instr_i[32 +: 5] != instr_i[48 +: 5]) // else: both waits name the same semaphore
                 && (instr_i[72 +: 8] == 0 || instr_i[88 +: 8] == 0 || instr_i[64 +: 5] != instr_i[80 +: 5]); // else: both signals name the same semaphore
        end
        tpu_pkg::OP_MAP: begin
          engine_o = 3'(tpu_pkg::ENGINE_VPU);
          legal_o = ((instr_i & tpu_pkg::MAP_RESERVED) == '0)
                 && (instr_i[40 +: 8] == 0 || instr_i[56 +: 8] == 0 || instr_i[32 +: 5] != instr_i[48 +: 5]) // else: both waits name the same semaphore
                 && (instr_i[72 +: 8] == 0 || instr_i[88 +: 8] == 0 || instr_i[64 +: 5] != instr_i[80 +: 5]) // else: both signals name the same semaphore
                 && (instr_i[192 +: 16] != 0) // else: out_height below 1
                 && (instr_i[208 +: 16] != 0) // else: out_width below 1
                 && ($signed(instr_i[352 +: 8]) <= $signed(instr_i[360 +: 8])) // else: clamp_min exceeds clamp_max
                 && (log2_up(32'(instr_i[192 +: 16])) + log2_up(32'(instr_i[208 +: 16])) <= 32'(tpu_pkg::WORK_LOG2)); // else: more positions than one instruction may have
        end
        tpu_pkg::OP_VECTOR: begin
          engine_o = 3'(tpu_pkg::ENGINE_VPU);
          legal_o = ((instr_i & tpu_pkg::VECTOR_RESERVED) == '0)
                 && (instr_i[40 +: 8] == 0 || instr_i[56 +: 8] == 0 || instr_i[32 +: 5] != instr_i[48 +: 5]) // else: both waits name the same semaphore
                 && (instr_i[72 +: 8] == 0 || instr_i[88 +: 8] == 0 || instr_i[64 +: 5] != instr_i[80 +: 5]); // else: both signals name the same semaphore
        end
        tpu_pkg::OP_STORE: begin
          engine_o = 3'(tpu_pkg::ENGINE_STORE);
          legal_o = ((instr_i & tpu_pkg::STORE_RESERVED) == '0)
                 && (instr_i[40 +: 8] == 0 || instr_i[56 +: 8] == 0 || instr_i[32 +: 5] != instr_i[48 +: 5]) // else: both waits name the same semaphore
                 && (instr_i[72 +: 8] == 0 || instr_i[88 +: 8] == 0 || instr_i[64 +: 5] != instr_i[80 +: 5]) // else: both signals name the same semaphore
                 && (instr_i[128 +: 16] != 0) // else: pieces below 1
                 && (instr_i[160 +: 16] != 0) // else: piece_bytes below 1
                 && (instr_i[256 +: 16] != 0) // else: count0 below 1
                 && (instr_i[272 +: 16] != 0) // else: count1 below 1
                 && (log2_up(32'(instr_i[128 +: 16])) + log2_up(32'(instr_i[160 +: 16])) + log2_up(32'(instr_i[256 +: 16])) + log2_up(32'(instr_i[272 +: 16])) <= 32'(tpu_pkg::WORK_LOG2)); // else: more bytes are written than one instruction may write
        end
        tpu_pkg::OP_SYNC_LOAD: begin
          engine_o = 3'(tpu_pkg::ENGINE_LOAD);
          legal_o = ((instr_i & tpu_pkg::SYNC_LOAD_RESERVED) == '0)
                 && (instr_i[40 +: 8] == 0 || instr_i[56 +: 8] == 0 || instr_i[32 +: 5] != instr_i[48 +: 5]) // else: both waits name the same semaphore
                 && (instr_i[72 +: 8] == 0 || instr_i[88 +: 8] == 0 || instr_i[64 +: 5] != instr_i[80 +: 5]); // else: both signals name the same semaphore
        end
        tpu_pkg::OP_SYNC_MXU: begin
          engine_o = 3'(tpu_pkg::ENGINE_MXU);
          legal_o = ((instr_i & tpu_pkg::SYNC_MXU_RESERVED) == '0)
                 && (instr_i[40 +: 8] == 0 || instr_i[56 +: 8] == 0 || instr_i[32 +: 5] != instr_i[48 +: 5]) // else: both waits name the same semaphore
                 && (instr_i[72 +: 8] == 0 || instr_i[88 +: 8] == 0 || instr_i[64 +: 5] != instr_i[80 +: 5]); // else: both signals name the same semaphore
        end
        tpu_pkg::OP_SYNC_VPU: begin
          engine_o = 3'(tpu_pkg::ENGINE_VPU);
          legal_o = ((instr_i & tpu_pkg::SYNC_VPU_RESERVED) == '0)
                 && (instr_i[40 +: 8] == 0 || instr_i[56 +: 8] == 0 || instr_i[32 +: 5] != instr_i[48 +: 5]) // else: both waits name the same semaphore
                 && (instr_i[72 +: 8] == 0 || instr_i[88 +: 8] == 0 || instr_i[64 +: 5] != instr_i[80 +: 5]); // else: both signals name the same semaphore
        end
        tpu_pkg::OP_SYNC_STORE: begin
          engine_o = 3'(tpu_pkg::ENGINE_STORE);
          legal_o = ((instr_i & tpu_pkg::SYNC_STORE_RESERVED) == '0)
                 && (instr_i[40 +: 8] == 0 || instr_i[56 +: 8] == 0 || instr_i[32 +: 5] != instr_i[48 +: 5]) // else: both waits name the same semaphore
                 && (instr_i[72 +: 8] == 0 || instr_i[88 +: 8] == 0 || instr_i[64 +: 5] != instr_i[80 +: 5]); // else: both signals name the same semaphore
        end
        default: begin
          legal_o = 1'b0;
        end
      endcase
    end
  end
endmodule
