// SPDX-License-Identifier: Apache-2.0
// Generated from isa/spec by scripts/gen/generate. Do not edit.
// Decides whether an instruction is legal.
//
// Latency: combinational; costs nothing while valid_i is low. Rules are those of the reference pages (isa/spec/pages).
// Parameters: Dim, the array side (4, 8, 16 or 32); Parts, those that the core has, by tpu_pkg::PART_*.
module tpu_legal #(
  parameter int Dim = 16,
  parameter logic [tpu_pkg::PARTS-1:0] Parts = '1
) (
  input  logic         valid_i,
  input  logic [511:0] instr_i,
  output logic         legal_o
);
  // The place of the highest bit that is set, and above it whether others are: a tree over pairs of parts.
  function automatic logic [5:0] size(input logic [31:0] value);
    logic [31:0]      any, more;
    logic [31:0][4:0] place;
    any   = value;
    more  = '0;
    place = '0;
    for (int level = 0; level < 5; level++) begin
      for (int n = 0; n < 16 >> level; n++) begin
        more[n]         = more[2*n] || more[2*n+1] || (any[2*n] && any[2*n+1]);
        place[n]        = any[2*n+1] ? place[2*n+1] : place[2*n];
        place[n][level] = any[2*n+1];
        any[n]          = any[2*n] || any[2*n+1];
      end
    end
    return {more[0], place[0]};
  endfunction

  // Whether the product of four values, each rounded up to a power of two, is at most 2**WORK_LOG2.
  function automatic logic bounded(input logic [3:0][23:0] values);
    logic [3:0]      more;
    logic [3:0][4:0] place;
    logic [6:0]      first, second, third, last, bits, carries, sum;
    for (int n = 0; n < 4; n++) {more[n], place[n]} = size(32'(values[n]));
    {first, second, third, last} = {7'(place[0]), 7'(place[1]), 7'(place[2]), 7'(place[3])};
    // Three are made two, twice, and only two are added. The lowest bit of the carries is free.
    bits    = first ^ second ^ third;
    carries = {6'((first & second) | (first & third) | (second & third)), more[0]};
    first   = bits ^ carries ^ last;
    carries = {6'((bits & carries) | (bits & last) | (carries & last)), more[1]};
    sum     = first + carries + 7'(more[2]);
    return {sum, more[3]} <= {7'(tpu_pkg::WORK_LOG2), 1'b0};
  endfunction

  // Whether a bit is set of those that are reserved in the same instructions.
  logic [27:0] set;
  // Waits, and signals, that name one semaphore twice.
  logic [1:0] twice;

  always_comb begin
    legal_o = 1'bx;
    set = '0;
    twice = '0;
    if (valid_i) begin
      set[0] = |{instr_i[8]};
      set[1] = |{instr_i[9]};
      set[2] = |{instr_i[87:85], instr_i[71:69], instr_i[55:53], instr_i[39:37], instr_i[31:10]};
      set[3] = |{instr_i[95:88], instr_i[84:72], instr_i[68:56], instr_i[52:40], instr_i[36:32]};
      set[4] = |{instr_i[111:96]};
      set[5] = |{instr_i[127:112]};
      set[6] = |{instr_i[143:128]};
      set[7] = |{instr_i[151:144]};
      set[8] = |{instr_i[154:152]};
      set[9] = |{instr_i[158:155]};
      set[10] = |{instr_i[159]};
      set[11] = |{instr_i[175:160]};
      set[12] = |{instr_i[191:176]};
      set[13] = |{instr_i[223:192]};
      set[14] = |{instr_i[319:288], instr_i[255:224]};
      set[15] = |{instr_i[287:256]};
      set[16] = |{instr_i[335:320]};
      set[17] = |{instr_i[343:336]};
      set[18] = |{instr_i[351:344]};
      set[19] = |{instr_i[367:352]};
      set[20] = |{instr_i[415:400], instr_i[375:368]};
      set[21] = |{instr_i[383:376]};
      set[22] = |{instr_i[399:384]};
      set[23] = |{instr_i[431:416]};
      set[24] = |{instr_i[447:432]};
      set[25] = |{instr_i[463:448]};
      set[26] = |{instr_i[479:464]};
      set[27] = |{instr_i[511:480]};
      twice[0] = instr_i[40 +: 8] != '0 && instr_i[56 +: 8] != '0 && instr_i[32 +: 5] == instr_i[48 +: 5];
      twice[1] = instr_i[72 +: 8] != '0 && instr_i[88 +: 8] != '0 && instr_i[64 +: 5] == instr_i[80 +: 5];
      case (instr_i[tpu_pkg::OPCODE_LSB +: tpu_pkg::OPCODE_W])
        tpu_pkg::OP_END: begin
          legal_o = &{
            ((set & 28'hfffffce) == '0) // else: a reserved bit is set
          };
        end
        tpu_pkg::OP_JUMP: begin
          legal_o = &{
            ((set & 28'hffffe0f) == '0), // else: a reserved bit is set
            (instr_i[96 +: 6] == 0), // else: target is not a multiple of 64
            (instr_i[128 +: 24] != 0) // else: count below 1
          };
        end
        tpu_pkg::OP_LOAD: begin
          legal_o = &{
            ((set & 28'hc000407) == '0), // else: a reserved bit is set
            (twice == '0), // else: both waits or both signals name the same semaphore
            (instr_i[128 +: 24] != 0), // else: run_bytes below 1
            (instr_i[157 +: 2] <= 2'd2), // else: turn above 2
            (instr_i[176 +: 16] != 0), // else: pieces below 1
            (instr_i[224 +: 16] != 0), // else: slot_bytes below 1
            (instr_i[256 +: 16] != 0), // else: count0 below 1
            (instr_i[272 +: 16] != 0), // else: count1 below 1
            (32'(instr_i[208 +: 16]) <= 32'(instr_i[224 +: 16])), // else: piece_bytes exceeds slot_bytes
            (32'(instr_i[240 +: 8]) < 32'(Dim)), // else: lane is not below DIM
            (32'(instr_i[288 +: 16]) <= 32'(instr_i[304 +: 16])), // else: valid_from exceeds valid_to
            (32'(instr_i[304 +: 16]) <= 32'(instr_i[256 +: 16])), // else: valid_to exceeds count0
            (!(32'(instr_i[192 +: 16]) < 32'(instr_i[208 +: 16])) || 32'(instr_i[208 +: 16]) <= 32'(tpu_pkg::WINDOW_PIECE_BEATS * Dim)), // else: overlapping pieces are longer than the line buffer promises
            (Parts[tpu_pkg::PART_TURNING_LOADS] || 32'(instr_i[157 +: 2]) == 32'd0), // else: this core turns no rows
            (Parts[tpu_pkg::PART_VECTOR_PROCESSOR] || 32'(instr_i[155 +: 2]) < 32'd3), // else: this core has no kernel memory
            (!(32'd0 < 32'(instr_i[157 +: 2])) || 32'(instr_i[176 +: 16]) == 32'd1), // else: a run that is turned has several pieces
            (!(32'd0 < 32'(instr_i[157 +: 2])) || 32'(instr_i[224 +: 16]) == 32'(Dim)), // else: a run that is turned is not a row
            (!(32'd0 < 32'(instr_i[157 +: 2])) || 32'(instr_i[240 +: 8]) == 32'd0), // else: a run that is turned does not begin with a row
            (!(32'd0 < 32'(instr_i[157 +: 2])) || 32'(instr_i[155 +: 2]) < 32'd2), // else: rows are turned on their way to scratchpad and weight ring only
            (!(32'(instr_i[157 +: 2]) == 32'd1) || 32'(instr_i[256 +: 16]) == 32'(Dim)), // else: the rows of an inner loop are not as many as their bytes
            (!(32'(instr_i[157 +: 2]) == 32'd2) || 32'(instr_i[256 +: 16]) == 32'(Dim / 4)), // else: the rows of an inner loop are not as many as their words
            (bounded({24'(instr_i[176 +: 16]), 24'(instr_i[224 +: 16]), 24'(instr_i[256 +: 16]), 24'(instr_i[272 +: 16])})), // else: more bytes are written than one instruction may write
            (bounded({24'(instr_i[128 +: 24]), 24'(instr_i[256 +: 16]), 24'(instr_i[272 +: 16]), 24'd1})) // else: more bytes are read than one instruction may read
          };
        end
        tpu_pkg::OP_CONV: begin
          legal_o = &{
            ((set & 28'h8040004) == '0), // else: a reserved bit is set
            (twice == '0), // else: both waits or both signals name the same semaphore
            (instr_i[176 +: 16] != 0), // else: blocks below 1
            (instr_i[192 +: 16] != 0), // else: in_height below 1
            (instr_i[192 +: 16] <= 16'd32767), // else: in_height above 32767
            (instr_i[208 +: 16] != 0), // else: in_width below 1
            (instr_i[208 +: 16] <= 16'd32767), // else: in_width above 32767
            (instr_i[256 +: 16] != 0), // else: out_height below 1
            (instr_i[272 +: 16] != 0), // else: out_width below 1
            (instr_i[288 +: 8] != 0), // else: kernel_h below 1
            (instr_i[296 +: 8] != 0), // else: kernel_w below 1
            (instr_i[304 +: 8] != 0), // else: stride_h below 1
            (instr_i[312 +: 8] != 0), // else: stride_w below 1
            (instr_i[320 +: 8] != 0), // else: dilation_h below 1
            (instr_i[328 +: 8] != 0), // else: dilation_w below 1
            (Parts[tpu_pkg::PART_BLOCK_FLOAT] || 32'(instr_i[9 +: 1]) == 32'd0), // else: this core has no block floating point
            (!(32'd0 < 32'(instr_i[9 +: 1])) || 32'(instr_i[352 +: 32]) == 32'd0), // else: tiles of block floating point are skipped
            (!(32'd0 < 32'(instr_i[9 +: 1])) || 32'(instr_i[384 +: 32]) == 32'd0), // else: tiles of block floating point are skipped
            (!(32'd0 < 32'(instr_i[9 +: 1])) || 32'(instr_i[416 +: 32]) == 32'd0), // else: tiles of block floating point are skipped
            (!(32'd0 < 32'(instr_i[9 +: 1])) || 32'(instr_i[448 +: 32]) == 32'd0) // else: tiles of block floating point are skipped
          };
        end
        tpu_pkg::OP_DEPTHWISE: begin
          legal_o = &{
            ((set & 28'hffd0006) == '0), // else: a reserved bit is set
            (twice == '0), // else: both waits or both signals name the same semaphore
            (Parts[tpu_pkg::PART_DEPTHWISE]), // else: this core has no depthwise unit
            (instr_i[176 +: 16] != 0), // else: blocks below 1
            (instr_i[192 +: 16] != 0), // else: in_height below 1
            (instr_i[192 +: 16] <= 16'd32767), // else: in_height above 32767
            (instr_i[208 +: 16] != 0), // else: in_width below 1
            (instr_i[208 +: 16] <= 16'd32767), // else: in_width above 32767
            (instr_i[256 +: 16] != 0), // else: out_height below 1
            (instr_i[272 +: 16] != 0), // else: out_width below 1
            (instr_i[272 +: 16] <= 16'd254), // else: out_width above 254
            (instr_i[288 +: 8] != 0), // else: kernel_h below 1
            (instr_i[288 +: 8] <= 8'd3), // else: kernel_h above 3
            (instr_i[296 +: 8] != 0), // else: kernel_w below 1
            (instr_i[296 +: 8] <= 8'd3), // else: kernel_w above 3
            (instr_i[304 +: 8] != 0), // else: stride_h below 1
            (instr_i[304 +: 8] <= 8'd4), // else: stride_h above 4
            (instr_i[312 +: 8] != 0), // else: stride_w below 1
            (instr_i[312 +: 8] <= 8'd4), // else: stride_w above 4
            (!(32'd1 < 32'(instr_i[312 +: 8])) || 32'(instr_i[272 +: 16]) <= 32'(tpu_pkg::DEPTHWISE_COLUMNS / 2)), // else: out_width exceeds the line buffers at a stride of 2
            (!(32'd2 < 32'(instr_i[312 +: 8])) || 32'(instr_i[272 +: 16]) <= 32'(tpu_pkg::DEPTHWISE_COLUMNS / 3)), // else: out_width exceeds the line buffers at a stride of 3
            (!(32'd3 < 32'(instr_i[312 +: 8])) || 32'(instr_i[272 +: 16]) <= 32'(tpu_pkg::DEPTHWISE_COLUMNS / 4)) // else: out_width exceeds the line buffers at a stride of 4
          };
        end
        tpu_pkg::OP_DRAIN: begin
          legal_o = &{
            ((set & 28'hf01c044) == '0), // else: a reserved bit is set
            (twice == '0), // else: both waits or both signals name the same semaphore
            (instr_i[192 +: 16] != 0), // else: out_height below 1
            (instr_i[208 +: 16] != 0), // else: out_width below 1
            (instr_i[336 +: 8] <= 8'd2), // else: rounding above 2
            ($signed(instr_i[352 +: 8]) <= $signed(instr_i[360 +: 8])), // else: clamp_min exceeds clamp_max
            ($signed(instr_i[416 +: 8]) <= $signed(instr_i[424 +: 8])) // else: mid_min exceeds mid_max
          };
        end
        tpu_pkg::OP_DRAIN32: begin
          legal_o = &{
            ((set & 28'heffd847) == '0), // else: a reserved bit is set
            (twice == '0), // else: both waits or both signals name the same semaphore
            (instr_i[192 +: 16] != 0), // else: out_height below 1
            (instr_i[208 +: 16] != 0) // else: out_width below 1
          };
        end
        tpu_pkg::OP_PRELOAD: begin
          legal_o = &{
            ((set & 28'heffdf87) == '0), // else: a reserved bit is set
            (twice == '0), // else: both waits or both signals name the same semaphore
            (instr_i[192 +: 16] != 0), // else: out_height below 1
            (instr_i[208 +: 16] != 0) // else: out_width below 1
          };
        end
        tpu_pkg::OP_MAXPOOL: begin
          legal_o = &{
            ((set & 28'hff61807) == '0), // else: a reserved bit is set
            (twice == '0), // else: both waits or both signals name the same semaphore
            (instr_i[192 +: 16] != 0), // else: out_height below 1
            (instr_i[208 +: 16] != 0), // else: out_width below 1
            (instr_i[224 +: 16] != 0), // else: in_height below 1
            (instr_i[224 +: 16] <= 16'd32767), // else: in_height above 32767
            (instr_i[240 +: 16] != 0), // else: in_width below 1
            (instr_i[240 +: 16] <= 16'd32767), // else: in_width above 32767
            (instr_i[288 +: 8] != 0), // else: kernel_h below 1
            (instr_i[296 +: 8] != 0), // else: kernel_w below 1
            (instr_i[304 +: 8] != 0), // else: stride_h below 1
            (instr_i[312 +: 8] != 0), // else: stride_w below 1
            (instr_i[320 +: 8] != 0), // else: dilation_h below 1
            (instr_i[328 +: 8] != 0), // else: dilation_w below 1
            ($signed(instr_i[352 +: 8]) <= $signed(instr_i[360 +: 8])), // else: clamp_min exceeds clamp_max
            (bounded({24'(instr_i[192 +: 16]), 24'(instr_i[208 +: 16]), 24'(instr_i[288 +: 8]), 24'(instr_i[296 +: 8])})) // else: more taps are read than one instruction may read
          };
        end
        tpu_pkg::OP_AVGPOOL: begin
          legal_o = &{
            ((set & 28'hfe01806) == '0), // else: a reserved bit is set
            (twice == '0), // else: both waits or both signals name the same semaphore
            (instr_i[192 +: 16] != 0), // else: out_height below 1
            (instr_i[208 +: 16] != 0), // else: out_width below 1
            (instr_i[224 +: 16] != 0), // else: in_height below 1
            (instr_i[224 +: 16] <= 16'd32767), // else: in_height above 32767
            (instr_i[240 +: 16] != 0), // else: in_width below 1
            (instr_i[240 +: 16] <= 16'd32767), // else: in_width above 32767
            (instr_i[288 +: 8] != 0), // else: kernel_h below 1
            (instr_i[296 +: 8] != 0), // else: kernel_w below 1
            (instr_i[304 +: 8] != 0), // else: stride_h below 1
            (instr_i[312 +: 8] != 0), // else: stride_w below 1
            (instr_i[320 +: 8] != 0), // else: dilation_h below 1
            (instr_i[328 +: 8] != 0), // else: dilation_w below 1
            (instr_i[336 +: 8] <= 8'd2), // else: rounding above 2
            ($signed(instr_i[352 +: 8]) <= $signed(instr_i[360 +: 8])), // else: clamp_min exceeds clamp_max
            (bounded({24'(instr_i[192 +: 16]), 24'(instr_i[208 +: 16]), 24'(instr_i[288 +: 8]), 24'(instr_i[296 +: 8])})) // else: more taps are read than one instruction may read
          };
        end
        tpu_pkg::OP_ADD: begin
          legal_o = &{
            ((set & 28'hfc1c007) == '0), // else: a reserved bit is set
            (twice == '0), // else: both waits or both signals name the same semaphore
            (instr_i[192 +: 16] != 0), // else: out_height below 1
            (instr_i[208 +: 16] != 0), // else: out_width below 1
            (instr_i[336 +: 8] <= 8'd2), // else: rounding above 2
            ($signed(instr_i[352 +: 8]) <= $signed(instr_i[360 +: 8])), // else: clamp_min exceeds clamp_max
            (bounded({24'(instr_i[192 +: 16]), 24'(instr_i[208 +: 16]), 24'd1, 24'd1})) // else: more positions than one instruction may have
          };
        end
        tpu_pkg::OP_MULTIPLY: begin
          legal_o = &{
            ((set & 28'hfc1c007) == '0), // else: a reserved bit is set
            (twice == '0), // else: both waits or both signals name the same semaphore
            (instr_i[192 +: 16] != 0), // else: out_height below 1
            (instr_i[208 +: 16] != 0), // else: out_width below 1
            (instr_i[336 +: 8] <= 8'd2), // else: rounding above 2
            ($signed(instr_i[352 +: 8]) <= $signed(instr_i[360 +: 8])), // else: clamp_min exceeds clamp_max
            (bounded({24'(instr_i[192 +: 16]), 24'(instr_i[208 +: 16]), 24'd1, 24'd1})) // else: more positions than one instruction may have
          };
        end
        tpu_pkg::OP_TABLE: begin
          legal_o = &{
            ((set & 28'hfbffff6) == '0), // else: a reserved bit is set
            (twice == '0), // else: both waits or both signals name the same semaphore
            (Parts[tpu_pkg::PART_VECTOR_PROCESSOR] || 32'(instr_i[8 +: 1]) == 32'd0) // else: this core has no table of words
          };
        end
        tpu_pkg::OP_MAP: begin
          legal_o = &{
            ((set & 28'hff7d806) == '0), // else: a reserved bit is set
            (twice == '0), // else: both waits or both signals name the same semaphore
            (instr_i[192 +: 16] != 0), // else: out_height below 1
            (instr_i[208 +: 16] != 0), // else: out_width below 1
            ($signed(instr_i[352 +: 8]) <= $signed(instr_i[360 +: 8])), // else: clamp_min exceeds clamp_max
            (bounded({24'(instr_i[192 +: 16]), 24'(instr_i[208 +: 16]), 24'd1, 24'd1})) // else: more positions than one instruction may have
          };
        end
        tpu_pkg::OP_VECTOR: begin
          legal_o = &{
            ((set & 28'h27) == '0), // else: a reserved bit is set
            (twice == '0), // else: both waits or both signals name the same semaphore
            (Parts[tpu_pkg::PART_VECTOR_PROCESSOR]) // else: this core has no vector processor
          };
        end
        tpu_pkg::OP_STORE: begin
          legal_o = &{
            ((set & 28'hc007687) == '0), // else: a reserved bit is set
            (twice == '0), // else: both waits or both signals name the same semaphore
            (instr_i[128 +: 16] != 0), // else: pieces below 1
            (instr_i[160 +: 16] != 0), // else: piece_bytes below 1
            (instr_i[256 +: 16] != 0), // else: count0 below 1
            (instr_i[272 +: 16] != 0), // else: count1 below 1
            (bounded({24'(instr_i[128 +: 16]), 24'(instr_i[160 +: 16]), 24'(instr_i[256 +: 16]), 24'(instr_i[272 +: 16])})) // else: more bytes are written than one instruction may write
          };
        end
        tpu_pkg::OP_SYNC_LOAD: begin
          legal_o = &{
            ((set & 28'hffffff7) == '0), // else: a reserved bit is set
            (twice == '0) // else: both waits or both signals name the same semaphore
          };
        end
        tpu_pkg::OP_SYNC_MXU: begin
          legal_o = &{
            ((set & 28'hffffff7) == '0), // else: a reserved bit is set
            (twice == '0) // else: both waits or both signals name the same semaphore
          };
        end
        tpu_pkg::OP_SYNC_VPU: begin
          legal_o = &{
            ((set & 28'hffffff7) == '0), // else: a reserved bit is set
            (twice == '0) // else: both waits or both signals name the same semaphore
          };
        end
        tpu_pkg::OP_SYNC_STORE: begin
          legal_o = &{
            ((set & 28'hffffff7) == '0), // else: a reserved bit is set
            (twice == '0) // else: both waits or both signals name the same semaphore
          };
        end
        default: begin
          legal_o = 1'b0;
        end
      endcase
    end
  end
endmodule
