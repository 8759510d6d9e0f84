// SPDX-License-Identifier: Apache-2.0
// Types of the vector unit: what a command turns on, the rows that it reads and writes, and what travels with a row.
package tpu_vpu_pkg;
  // Destination of a requantized row.
  typedef enum logic [1:0] {
    ToResult, // output row, after zero point, clamp and table (if used)
    ToMiddle, // first operand of a residual DRAIN, after the middle clamp and table
    ToSecond, // second operand of an addition; arrives before the first
    ToFirst   // first operand: added to the second
  } destination_e;

  // A requantization multiplies by multiplier * 2^(shift - 31).
  typedef struct packed {
    logic [31:0] multiplier;
    logic [5:0]  shift;
  } scale_t;

  // Zero point and clamp of int8 values.
  typedef struct packed {
    logic [7:0] zero;
    logic [7:0] low;
    logic [7:0] high;
  } range_t;

  // Controls of the data path for a command.
  typedef struct packed {
    logic       drain;
    logic       drain32;
    logic       residual;
    logic       add;
    logic       multiply;
    logic       preload;
    logic       maxpool;
    logic       average;
    logic       maps;
    logic       looks_up;
    logic       counts_padding;
    logic [1:0] rounding;
    range_t     result;
    range_t     middle;      // its zero point is that of the first operand of element-wise commands, too
    logic [7:0] second_zero;
  } operation_t;

  // Fields of a command that are used while its reads are issued.
  typedef struct packed {
    logic       acc;            // reads accumulators: DRAIN, DRAIN32
    logic       two;            // two reads per position: residual DRAIN, ADD, MULTIPLY
    logic       drain32;
    logic       preload;
    logic       pool;
    logic       average;
    logic       counts_padding;
    logic       table_load;
    logic       block;          // the parameters of a channel block
    logic [1:0] entries;        // scalar entries at the start
  } kind_t;

  // The rows of a command.
  typedef struct packed {
    logic [15:0] src;
    logic [15:0] src_stride;
    logic [15:0] src2;
    logic [15:0] src2_stride;
    logic [15:0] dst;
    logic [15:0] dst_stride;
    logic [15:0] plane_stride;
    logic [15:0] out_height;
    logic [15:0] out_width;
    logic [15:0] in_height;
    logic [15:0] in_width;
    logic [15:0] y0;
    logic [15:0] x0;
    logic [7:0]  kernel_h;
    logic [7:0]  kernel_w;
    logic [7:0]  stride_h;
    logic [7:0]  stride_w;
    logic [7:0]  dilation_h;
    logic [7:0]  dilation_w;
  } geometry_t;

  // The rows of the current position.
  typedef struct packed {
    logic [15:0] src;
    logic        src_inside;     // no padding
    logic        src_first;      // first read of a pooling window, or of the four planes of a PRELOAD
    logic        src_last;
    logic [15:0] src2;
    logic [15:0] dst;
    logic        dst_last_plane;
    logic        dst_done;       // last row of the command
    logic [16:0] acc;
  } position_t;

  // Which of them advance.
  typedef struct packed {
    logic src;
    logic src2;
    logic dst;
    logic acc;
  } step_t;

  // A read, or a tap outside the input, which reads nothing.
  typedef struct packed {
    logic       first;  // of its operand
    logic       last;   // completes its operand
    logic       present; // no padding
    logic [1:0] plane;
    logic       side;   // second operand of a residual
  } read_t;

  // Where a row goes.
  typedef struct packed {
    logic        last; // of its command
    logic [15:0] row;
  } place_t;

  // A request to the reader of parameters.
  typedef struct packed {
    logic        valid;
    logic        block;
    logic        table_load;
    logic [1:0]  entries;
    logic [15:0] scalar_row;
  } request_t;

  // Status: the unit is active, this is its last read, its row does not exist.
  typedef struct packed {
    logic        busy;
    logic        done;
    logic        fault;
    logic [31:0] fault_row;
  } reading_t;

  // Steps of the addresses: to the first position of a pooling window, or from one position to the next.
  typedef struct packed {
    logic       setup;
    logic [1:0] setup_step;
    logic       start;
    step_t      step;
  } walk_t;

  // A word for the tables.
  typedef struct packed {
    logic        valid;
    logic [8:0]  word; // bytes lie behind the words
    logic [31:0] data;
  } table_write_t;
endpackage
