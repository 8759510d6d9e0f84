// SPDX-License-Identifier: Apache-2.0
// Types of the matrix unit: commands between its set-up and its parts, weight tiles, positions. Members without a
// comment are fields of the instruction; steps are rows of the scratchpad.
package tpu_mxu_pkg;
  // A CONV, from tpu_mxu_setup to tpu_mxu_stream. The set-up keeps the same members of a DEPTHWISE.
  typedef struct packed {
    logic        block_float;
    logic        accumulate;
    logic [15:0] acc_row;
    logic [7:0]  pad_value;
    logic [15:0] base;        // row of position (y0, x0)
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
  } conv_t;

  // A weight tile whose positions have been issued, until the last of their sums.
  typedef struct packed {
    logic        block_float;
    logic        accumulate;
    logic        begins;      // in block floating point: its sums begin a block,
    logic        completes;   // complete a block
    logic        last;        // of the command
    logic [15:0] row;         // accumulator row of its first sum
  } tile_t;

  // Weights of a DEPTHWISE, from tpu_mxu_setup to tpu_depthwise_weights.
  typedef struct packed {
    logic [15:0] row;
    logic [15:0] blocks;
    logic [1:0]  kernel_h;
    logic [1:0]  kernel_w;
  } taps_t;

  // The part of the input that a DEPTHWISE walks, from tpu_depthwise_setup. A line has all input columns that a tap
  // reaches, and at least as many as from the first to the last output.
  typedef struct packed {
    logic [15:0] ys;          // row and column of the first position
    logic [15:0] xs;
    logic [15:0] y_end;       // row after the last that is read
    logic [16:0] y_last;      // last tap of output (0, 0)
    logic [16:0] x_last;
    logic [7:0]  read_from;   // of a line: the positions from this one
    logic [8:0]  read_to;     // to the one before this are read
    logic [7:0]  last_column; // its number of positions minus one
    logic [9:0]  lead;        // positions before the first output
    logic [10:0] row_wait;    // positions between the last output of a row and the first of the next
  } extent_t;

  // A DEPTHWISE, from tpu_mxu_setup to tpu_depthwise_raster.
  typedef struct packed {
    logic        accumulate;
    logic [7:0]  pad_value;
    logic [1:0]  kernel_h;
    logic [1:0]  kernel_w;
    logic [2:0]  stride_h;
    logic [2:0]  stride_w;
    logic [15:0] plane_stride;
    logic [15:0] row_stride;
    logic [15:0] in_height;
    logic [15:0] in_width;
    logic [15:0] acc_row;
    logic [15:0] blocks;
    logic [15:0] out_height;
    logic [7:0]  out_width;
    logic [15:0] base;        // row of the first position
    extent_t     extent;
  } depthwise_t;

  // An output of the depthwise unit whose last tap is at the current position, from tpu_depthwise_raster.
  typedef struct packed {
    logic [2:0]  row_inside;    // its rows and columns inside the input; bit 0 is the last tap
    logic [2:0]  column_inside;
    logic [7:0]  pad_value;
    logic [15:0] acc_row;       // destination of its sum
    logic        accumulate;
    logic        last;          // of the command
  } output_t;

  // In block floating point a tile has the weights of at most this many channels, and a row of exponents.
  function automatic int block_lanes(input int dim);
    return dim < 16 ? dim : 16;
  endfunction

  // Bits of the number of tiles that the weight ring can hold.
  function automatic int tile_bits(input int dim, input int weight_rows);
    return $clog2(weight_rows / (dim > 16 ? 17 : dim) + 1);
  endfunction

  // Tiles of a CONV that it can skip.
  function automatic int skip_bits(input int dim, input int weight_rows);
    return weight_rows / dim < 128 ? weight_rows / dim : 128;
  endfunction

  // Bits of a number of output rows or columns: more than there are accumulator rows are as bad as one more.
  function automatic int out_bits(input int acc_rows);
    return $clog2(acc_rows) + 1;
  endfunction

  // Bits of a signed row of a DEPTHWISE: less than acc_rows strides and 3 taps from the origin.
  function automatic int row_bits(input int acc_rows);
    return $clog2(32768 + 4 * acc_rows + 3) + 1;
  endfunction

  // Bits of a signed coordinate of a CONV: less than acc_rows strides and 255 dilations from the origin.
  function automatic int coordinate_bits(input int acc_rows);
    return $clog2(32768 + 255 * acc_rows + 255 * 255) + 1;
  endfunction
endpackage
