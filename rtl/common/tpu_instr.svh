// SPDX-License-Identifier: Apache-2.0
// Generated from isa/spec by scripts/gen/generate. Do not edit.
// Instructions as packed structures: instr_t has the fields common to all instructions that an engine executes,
// <name>_instr_t those of one instruction. Unused bits are reserved_<number of the lowest bit>. Members are unsigned,
// because Icarus treats every member as unsigned: a signed field is read as $signed(instr.y0). A name that is a keyword
// ends in an underscore.
`ifndef TPU_INSTR_SVH
`define TPU_INSTR_SVH

typedef struct packed {
  logic [415:0] reserved_96;
  logic [7:0]   signal1_amount;
  logic [2:0]   reserved_85;
  logic [4:0]   signal1_sem;
  logic [7:0]   signal0_amount;
  logic [2:0]   reserved_69;
  logic [4:0]   signal0_sem;
  logic [7:0]   wait1_amount;
  logic [2:0]   reserved_53;
  logic [4:0]   wait1_sem;
  logic [7:0]   wait0_amount;
  logic [2:0]   reserved_37;
  logic [4:0]   wait0_sem;
  logic [23:0]  reserved_8;
  logic [7:0]   opcode;
} instr_t;

// END.
typedef struct packed {
  logic [383:0] reserved_128;
  logic [31:0]  tag;
  logic [86:0]  reserved_9;
  logic         clear;
  logic [7:0]   opcode;
} end_instr_t;

// JUMP.
typedef struct packed {
  logic [356:0] reserved_155;
  logic [2:0]   window;
  logic [23:0]  count;
  logic [31:0]  target;
  logic [87:0]  reserved_8;
  logic [7:0]   opcode;
} jump_instr_t;

// LOAD.
typedef struct packed {
  logic [47:0] reserved_464;
  logic [15:0] dst_stride1;
  logic [15:0] dst_stride0;
  logic [15:0] dst_block;
  logic [15:0] dst_piece;
  logic [15:0] dst;
  logic [31:0] src_stride1;
  logic [31:0] src_stride0;
  logic [15:0] valid_to;
  logic [15:0] valid_from;
  logic [15:0] count1;
  logic [15:0] count0;
  logic [7:0]  fill;
  logic [7:0]  lane;
  logic [15:0] slot_bytes;
  logic [15:0] piece_bytes;
  logic [15:0] piece_step;
  logic [15:0] pieces;
  logic [15:0] piece_start;
  logic        reserved_159;
  logic [1:0]  turn;
  logic [1:0]  space;
  logic [2:0]  window;
  logic [23:0] run_bytes;
  logic [31:0] src;
  logic [7:0]  signal1_amount;
  logic [2:0]  reserved_85;
  logic [4:0]  signal1_sem;
  logic [7:0]  signal0_amount;
  logic [2:0]  reserved_69;
  logic [4:0]  signal0_sem;
  logic [7:0]  wait1_amount;
  logic [2:0]  reserved_53;
  logic [4:0]  wait1_sem;
  logic [7:0]  wait0_amount;
  logic [2:0]  reserved_37;
  logic [4:0]  wait0_sem;
  logic [23:0] reserved_8;
  logic [7:0]  opcode;
} load_instr_t;

// CONV.
typedef struct packed {
  logic [31:0] reserved_480;
  logic [31:0] skip3;
  logic [31:0] skip2;
  logic [31:0] skip1;
  logic [31:0] skip0;
  logic [7:0]  reserved_344;
  logic [7:0]  pad_value;
  logic [7:0]  dilation_w;
  logic [7:0]  dilation_h;
  logic [7:0]  stride_w;
  logic [7:0]  stride_h;
  logic [7:0]  kernel_w;
  logic [7:0]  kernel_h;
  logic [15:0] out_width;
  logic [15:0] out_height;
  logic [15:0] x0;
  logic [15:0] y0;
  logic [15:0] in_width;
  logic [15:0] in_height;
  logic [15:0] blocks;
  logic [15:0] plane_stride;
  logic [15:0] row_stride;
  logic [15:0] acc_row;
  logic [15:0] weight_row;
  logic [15:0] act_row;
  logic [7:0]  signal1_amount;
  logic [2:0]  reserved_85;
  logic [4:0]  signal1_sem;
  logic [7:0]  signal0_amount;
  logic [2:0]  reserved_69;
  logic [4:0]  signal0_sem;
  logic [7:0]  wait1_amount;
  logic [2:0]  reserved_53;
  logic [4:0]  wait1_sem;
  logic [7:0]  wait0_amount;
  logic [2:0]  reserved_37;
  logic [4:0]  wait0_sem;
  logic [21:0] reserved_10;
  logic        block_float;
  logic        accumulate;
  logic [7:0]  opcode;
} conv_instr_t;

// DEPTHWISE.
typedef struct packed {
  logic [167:0] reserved_344;
  logic [7:0]   pad_value;
  logic [15:0]  reserved_320;
  logic [7:0]   stride_w;
  logic [7:0]   stride_h;
  logic [7:0]   kernel_w;
  logic [7:0]   kernel_h;
  logic [15:0]  out_width;
  logic [15:0]  out_height;
  logic [15:0]  x0;
  logic [15:0]  y0;
  logic [15:0]  in_width;
  logic [15:0]  in_height;
  logic [15:0]  blocks;
  logic [15:0]  plane_stride;
  logic [15:0]  row_stride;
  logic [15:0]  acc_row;
  logic [15:0]  weight_row;
  logic [15:0]  act_row;
  logic [7:0]   signal1_amount;
  logic [2:0]   reserved_85;
  logic [4:0]   signal1_sem;
  logic [7:0]   signal0_amount;
  logic [2:0]   reserved_69;
  logic [4:0]   signal0_sem;
  logic [7:0]   wait1_amount;
  logic [2:0]   reserved_53;
  logic [4:0]   wait1_sem;
  logic [7:0]   wait0_amount;
  logic [2:0]   reserved_37;
  logic [4:0]   wait0_sem;
  logic [22:0]  reserved_9;
  logic         accumulate;
  logic [7:0]   opcode;
} depthwise_instr_t;

// DRAIN.
typedef struct packed {
  logic [79:0]  reserved_432;
  logic [7:0]   mid_max;
  logic [7:0]   mid_min;
  logic [15:0]  scalars;
  logic [15:0]  params;
  logic [7:0]   zero2;
  logic [7:0]   zero1;
  logic [7:0]   clamp_max;
  logic [7:0]   clamp_min;
  logic [7:0]   zero_point;
  logic [7:0]   rounding;
  logic [111:0] reserved_224;
  logic [15:0]  out_width;
  logic [15:0]  out_height;
  logic [15:0]  src2_stride;
  logic [15:0]  src2;
  logic [15:0]  dst_stride;
  logic [15:0]  reserved_128;
  logic [15:0]  dst;
  logic [15:0]  src;
  logic [7:0]   signal1_amount;
  logic [2:0]   reserved_85;
  logic [4:0]   signal1_sem;
  logic [7:0]   signal0_amount;
  logic [2:0]   reserved_69;
  logic [4:0]   signal0_sem;
  logic [7:0]   wait1_amount;
  logic [2:0]   reserved_53;
  logic [4:0]   wait1_sem;
  logic [7:0]   wait0_amount;
  logic [2:0]   reserved_37;
  logic [4:0]   wait0_sem;
  logic [21:0]  reserved_10;
  logic         residual;
  logic         table_;
  logic [7:0]   opcode;
} drain_instr_t;

// DRAIN32.
typedef struct packed {
  logic [63:0]  reserved_448;
  logic [15:0]  plane_stride;
  logic [207:0] reserved_224;
  logic [15:0]  out_width;
  logic [15:0]  out_height;
  logic [31:0]  reserved_160;
  logic [15:0]  dst_stride;
  logic [15:0]  reserved_128;
  logic [15:0]  dst;
  logic [15:0]  src;
  logic [7:0]   signal1_amount;
  logic [2:0]   reserved_85;
  logic [4:0]   signal1_sem;
  logic [7:0]   signal0_amount;
  logic [2:0]   reserved_69;
  logic [4:0]   signal0_sem;
  logic [7:0]   wait1_amount;
  logic [2:0]   reserved_53;
  logic [4:0]   wait1_sem;
  logic [7:0]   wait0_amount;
  logic [2:0]   reserved_37;
  logic [4:0]   wait0_sem;
  logic [23:0]  reserved_8;
  logic [7:0]   opcode;
} drain32_instr_t;

// PRELOAD.
typedef struct packed {
  logic [63:0]  reserved_448;
  logic [15:0]  plane_stride;
  logic [207:0] reserved_224;
  logic [15:0]  out_width;
  logic [15:0]  out_height;
  logic [47:0]  reserved_144;
  logic [15:0]  src_stride;
  logic [15:0]  dst;
  logic [15:0]  src;
  logic [7:0]   signal1_amount;
  logic [2:0]   reserved_85;
  logic [4:0]   signal1_sem;
  logic [7:0]   signal0_amount;
  logic [2:0]   reserved_69;
  logic [4:0]   signal0_sem;
  logic [7:0]   wait1_amount;
  logic [2:0]   reserved_53;
  logic [4:0]   wait1_sem;
  logic [7:0]   wait0_amount;
  logic [2:0]   reserved_37;
  logic [4:0]   wait0_sem;
  logic [23:0]  reserved_8;
  logic [7:0]   opcode;
} preload_instr_t;

// MAXPOOL.
typedef struct packed {
  logic [143:0] reserved_368;
  logic [7:0]   clamp_max;
  logic [7:0]   clamp_min;
  logic [15:0]  reserved_336;
  logic [7:0]   dilation_w;
  logic [7:0]   dilation_h;
  logic [7:0]   stride_w;
  logic [7:0]   stride_h;
  logic [7:0]   kernel_w;
  logic [7:0]   kernel_h;
  logic [15:0]  x0;
  logic [15:0]  y0;
  logic [15:0]  in_width;
  logic [15:0]  in_height;
  logic [15:0]  out_width;
  logic [15:0]  out_height;
  logic [31:0]  reserved_160;
  logic [15:0]  dst_stride;
  logic [15:0]  src_stride;
  logic [15:0]  dst;
  logic [15:0]  src;
  logic [7:0]   signal1_amount;
  logic [2:0]   reserved_85;
  logic [4:0]   signal1_sem;
  logic [7:0]   signal0_amount;
  logic [2:0]   reserved_69;
  logic [4:0]   signal0_sem;
  logic [7:0]   wait1_amount;
  logic [2:0]   reserved_53;
  logic [4:0]   wait1_sem;
  logic [7:0]   wait0_amount;
  logic [2:0]   reserved_37;
  logic [4:0]   wait0_sem;
  logic [23:0]  reserved_8;
  logic [7:0]   opcode;
} maxpool_instr_t;

// AVGPOOL.
typedef struct packed {
  logic [95:0] reserved_416;
  logic [15:0] scalars;
  logic [23:0] reserved_376;
  logic [7:0]  zero1;
  logic [7:0]  clamp_max;
  logic [7:0]  clamp_min;
  logic [7:0]  zero_point;
  logic [7:0]  rounding;
  logic [7:0]  dilation_w;
  logic [7:0]  dilation_h;
  logic [7:0]  stride_w;
  logic [7:0]  stride_h;
  logic [7:0]  kernel_w;
  logic [7:0]  kernel_h;
  logic [15:0] x0;
  logic [15:0] y0;
  logic [15:0] in_width;
  logic [15:0] in_height;
  logic [15:0] out_width;
  logic [15:0] out_height;
  logic [31:0] reserved_160;
  logic [15:0] dst_stride;
  logic [15:0] src_stride;
  logic [15:0] dst;
  logic [15:0] src;
  logic [7:0]  signal1_amount;
  logic [2:0]  reserved_85;
  logic [4:0]  signal1_sem;
  logic [7:0]  signal0_amount;
  logic [2:0]  reserved_69;
  logic [4:0]  signal0_sem;
  logic [7:0]  wait1_amount;
  logic [2:0]  reserved_53;
  logic [4:0]  wait1_sem;
  logic [7:0]  wait0_amount;
  logic [2:0]  reserved_37;
  logic [4:0]  wait0_sem;
  logic [22:0] reserved_9;
  logic        count_padding;
  logic [7:0]  opcode;
} avgpool_instr_t;

// ADD.
typedef struct packed {
  logic [95:0]  reserved_416;
  logic [15:0]  scalars;
  logic [15:0]  reserved_384;
  logic [7:0]   zero2;
  logic [7:0]   zero1;
  logic [7:0]   clamp_max;
  logic [7:0]   clamp_min;
  logic [7:0]   zero_point;
  logic [7:0]   rounding;
  logic [111:0] reserved_224;
  logic [15:0]  out_width;
  logic [15:0]  out_height;
  logic [15:0]  src2_stride;
  logic [15:0]  src2;
  logic [15:0]  dst_stride;
  logic [15:0]  src_stride;
  logic [15:0]  dst;
  logic [15:0]  src;
  logic [7:0]   signal1_amount;
  logic [2:0]   reserved_85;
  logic [4:0]   signal1_sem;
  logic [7:0]   signal0_amount;
  logic [2:0]   reserved_69;
  logic [4:0]   signal0_sem;
  logic [7:0]   wait1_amount;
  logic [2:0]   reserved_53;
  logic [4:0]   wait1_sem;
  logic [7:0]   wait0_amount;
  logic [2:0]   reserved_37;
  logic [4:0]   wait0_sem;
  logic [23:0]  reserved_8;
  logic [7:0]   opcode;
} add_instr_t;

// MULTIPLY.
typedef struct packed {
  logic [95:0]  reserved_416;
  logic [15:0]  scalars;
  logic [15:0]  reserved_384;
  logic [7:0]   zero2;
  logic [7:0]   zero1;
  logic [7:0]   clamp_max;
  logic [7:0]   clamp_min;
  logic [7:0]   zero_point;
  logic [7:0]   rounding;
  logic [111:0] reserved_224;
  logic [15:0]  out_width;
  logic [15:0]  out_height;
  logic [15:0]  src2_stride;
  logic [15:0]  src2;
  logic [15:0]  dst_stride;
  logic [15:0]  src_stride;
  logic [15:0]  dst;
  logic [15:0]  src;
  logic [7:0]   signal1_amount;
  logic [2:0]   reserved_85;
  logic [4:0]   signal1_sem;
  logic [7:0]   signal0_amount;
  logic [2:0]   reserved_69;
  logic [4:0]   signal0_sem;
  logic [7:0]   wait1_amount;
  logic [2:0]   reserved_53;
  logic [4:0]   wait1_sem;
  logic [7:0]   wait0_amount;
  logic [2:0]   reserved_37;
  logic [4:0]   wait0_sem;
  logic [23:0]  reserved_8;
  logic [7:0]   opcode;
} multiply_instr_t;

// TABLE.
typedef struct packed {
  logic [111:0] reserved_400;
  logic [15:0]  params;
  logic [287:0] reserved_96;
  logic [7:0]   signal1_amount;
  logic [2:0]   reserved_85;
  logic [4:0]   signal1_sem;
  logic [7:0]   signal0_amount;
  logic [2:0]   reserved_69;
  logic [4:0]   signal0_sem;
  logic [7:0]   wait1_amount;
  logic [2:0]   reserved_53;
  logic [4:0]   wait1_sem;
  logic [7:0]   wait0_amount;
  logic [2:0]   reserved_37;
  logic [4:0]   wait0_sem;
  logic [22:0]  reserved_9;
  logic         words;
  logic [7:0]   opcode;
} table_instr_t;

// MAP.
typedef struct packed {
  logic [143:0] reserved_368;
  logic [7:0]   clamp_max;
  logic [7:0]   clamp_min;
  logic [127:0] reserved_224;
  logic [15:0]  out_width;
  logic [15:0]  out_height;
  logic [31:0]  reserved_160;
  logic [15:0]  dst_stride;
  logic [15:0]  src_stride;
  logic [15:0]  dst;
  logic [15:0]  src;
  logic [7:0]   signal1_amount;
  logic [2:0]   reserved_85;
  logic [4:0]   signal1_sem;
  logic [7:0]   signal0_amount;
  logic [2:0]   reserved_69;
  logic [4:0]   signal0_sem;
  logic [7:0]   wait1_amount;
  logic [2:0]   reserved_53;
  logic [4:0]   wait1_sem;
  logic [7:0]   wait0_amount;
  logic [2:0]   reserved_37;
  logic [4:0]   wait0_sem;
  logic [22:0]  reserved_9;
  logic         table_;
  logic [7:0]   opcode;
} map_instr_t;

// VECTOR.
typedef struct packed {
  logic [31:0] arg11;
  logic [31:0] arg10;
  logic [31:0] arg9;
  logic [31:0] arg8;
  logic [31:0] arg7;
  logic [31:0] arg6;
  logic [31:0] arg5;
  logic [31:0] arg4;
  logic [31:0] arg3;
  logic [31:0] arg2;
  logic [31:0] arg1;
  logic [31:0] arg0;
  logic [15:0] reserved_112;
  logic [15:0] entry;
  logic [7:0]  signal1_amount;
  logic [2:0]  reserved_85;
  logic [4:0]  signal1_sem;
  logic [7:0]  signal0_amount;
  logic [2:0]  reserved_69;
  logic [4:0]  signal0_sem;
  logic [7:0]  wait1_amount;
  logic [2:0]  reserved_53;
  logic [4:0]  wait1_sem;
  logic [7:0]  wait0_amount;
  logic [2:0]  reserved_37;
  logic [4:0]  wait0_sem;
  logic [23:0] reserved_8;
  logic [7:0]  opcode;
} vector_instr_t;

// STORE.
typedef struct packed {
  logic [47:0] reserved_464;
  logic [15:0] src_stride1;
  logic [15:0] src_stride0;
  logic [15:0] src_block;
  logic [15:0] src_piece;
  logic [15:0] src;
  logic [31:0] dst_stride1;
  logic [31:0] dst_stride0;
  logic [31:0] reserved_288;
  logic [15:0] count1;
  logic [15:0] count0;
  logic [79:0] reserved_176;
  logic [15:0] piece_bytes;
  logic [4:0]  reserved_155;
  logic [2:0]  window;
  logic [7:0]  reserved_144;
  logic [15:0] pieces;
  logic [31:0] dst;
  logic [7:0]  signal1_amount;
  logic [2:0]  reserved_85;
  logic [4:0]  signal1_sem;
  logic [7:0]  signal0_amount;
  logic [2:0]  reserved_69;
  logic [4:0]  signal0_sem;
  logic [7:0]  wait1_amount;
  logic [2:0]  reserved_53;
  logic [4:0]  wait1_sem;
  logic [7:0]  wait0_amount;
  logic [2:0]  reserved_37;
  logic [4:0]  wait0_sem;
  logic [23:0] reserved_8;
  logic [7:0]  opcode;
} store_instr_t;

// SYNC_LOAD.
typedef struct packed {
  logic [415:0] reserved_96;
  logic [7:0]   signal1_amount;
  logic [2:0]   reserved_85;
  logic [4:0]   signal1_sem;
  logic [7:0]   signal0_amount;
  logic [2:0]   reserved_69;
  logic [4:0]   signal0_sem;
  logic [7:0]   wait1_amount;
  logic [2:0]   reserved_53;
  logic [4:0]   wait1_sem;
  logic [7:0]   wait0_amount;
  logic [2:0]   reserved_37;
  logic [4:0]   wait0_sem;
  logic [23:0]  reserved_8;
  logic [7:0]   opcode;
} sync_load_instr_t;

// SYNC_MXU.
typedef struct packed {
  logic [415:0] reserved_96;
  logic [7:0]   signal1_amount;
  logic [2:0]   reserved_85;
  logic [4:0]   signal1_sem;
  logic [7:0]   signal0_amount;
  logic [2:0]   reserved_69;
  logic [4:0]   signal0_sem;
  logic [7:0]   wait1_amount;
  logic [2:0]   reserved_53;
  logic [4:0]   wait1_sem;
  logic [7:0]   wait0_amount;
  logic [2:0]   reserved_37;
  logic [4:0]   wait0_sem;
  logic [23:0]  reserved_8;
  logic [7:0]   opcode;
} sync_mxu_instr_t;

// SYNC_VPU.
typedef struct packed {
  logic [415:0] reserved_96;
  logic [7:0]   signal1_amount;
  logic [2:0]   reserved_85;
  logic [4:0]   signal1_sem;
  logic [7:0]   signal0_amount;
  logic [2:0]   reserved_69;
  logic [4:0]   signal0_sem;
  logic [7:0]   wait1_amount;
  logic [2:0]   reserved_53;
  logic [4:0]   wait1_sem;
  logic [7:0]   wait0_amount;
  logic [2:0]   reserved_37;
  logic [4:0]   wait0_sem;
  logic [23:0]  reserved_8;
  logic [7:0]   opcode;
} sync_vpu_instr_t;

// SYNC_STORE.
typedef struct packed {
  logic [415:0] reserved_96;
  logic [7:0]   signal1_amount;
  logic [2:0]   reserved_85;
  logic [4:0]   signal1_sem;
  logic [7:0]   signal0_amount;
  logic [2:0]   reserved_69;
  logic [4:0]   signal0_sem;
  logic [7:0]   wait1_amount;
  logic [2:0]   reserved_53;
  logic [4:0]   wait1_sem;
  logic [7:0]   wait0_amount;
  logic [2:0]   reserved_37;
  logic [4:0]   wait0_sem;
  logic [23:0]  reserved_8;
  logic [7:0]   opcode;
} sync_store_instr_t;

`endif
