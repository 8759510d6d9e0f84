// SPDX-License-Identifier: Apache-2.0
// Descriptors: commands as the set-up stages of the matrix unit pass them on, with all products of strides computed.
`ifndef TPU_MXU_DESC_SVH
`define TPU_MXU_DESC_SVH

// A CONV, from tpu_mxu_setup to tpu_mxu_stream. Members without a comment are fields of the instruction; steps are rows
// of the scratchpad.
typedef struct packed {
  logic        too_many;    // more weight tiles than the ring holds
  logic [31:0] weight_rows; // of all tiles; the address of that fault
  logic        block_float;
  logic        accumulate;
  logic [15:0] acc_row;
  logic [7:0]  pad_value;
  logic [15:0] base;        // of position (y0, x0)
  logic [15:0] blocks;
  logic [7:0]  kernel_h;
  logic [7:0]  kernel_w;
  logic [15:0] out_height;
  logic [15:0] out_width;
  logic [15:0] plane_stride;
  logic [15:0] ky_step;     // from one kernel row to the next
  logic [7:0]  dilation_h;
  logic [7:0]  dilation_w;
  logic [15:0] oy_step;     // from one output row to the next
  logic [7:0]  stride_h;
  logic [7:0]  stride_w;
  logic [15:0] in_height;
  logic [15:0] in_width;
  logic [15:0] y0;
  logic [15:0] x0;
} conv_desc_t;

// A DEPTHWISE, from tpu_depthwise_setup to tpu_depthwise_raster, which walks the input from (ys, xs) on.
typedef struct packed {
  logic        accumulate;
  logic [7:0]  pad_value;
  logic [1:0]  kernel_h;
  logic [1:0]  kernel_w;
  logic [2:0]  stride_h;
  logic [2:0]  stride_w;
  logic [15:0] plane_stride;
  logic [15:0] row_stride;
  logic [7:0]  last_column; // of a line: its number of positions minus one
  logic [10:0] row_gap;     // positions from the last output of a row to the first of the next
  logic [15:0] x_end;       // column after the last that is read
  logic [15:0] in_height;
  logic [15:0] in_width;
  logic [15:0] acc_row;
  logic [15:0] blocks;
  logic [15:0] out_height;
  logic [7:0]  out_width;
  logic [15:0] base;        // of position (ys, xs)
  logic [9:0]  lead;        // positions before the first output
  logic [17:0] ys;
  logic [17:0] xs;
  logic [15:0] y_end;       // row after the last that is read
  logic [17:0] y_last;      // last tap of output (0, 0)
  logic [17:0] x_last;
} depthwise_desc_t;

`endif
