// SPDX-License-Identifier: Apache-2.0
// Types on the ports between the modules of LOAD.
package tpu_load_pkg;
  localparam int POS_W = 26;                 // of a byte position, which counts modulo 2**26 from reset: more than
                                             // twice the longest run and the pieces behind it
  localparam int AHEAD = 8;                  // commands that wait between source and emitter (power of two)

  // Fields of a command that the walk uses: for its runs, and for the pieces and rows of a run.
  typedef struct packed {
    logic [31:0] src;
    logic [23:0] run_bytes;
    logic [2:0]  window;
    logic [15:0] count0;
    logic [15:0] count1;
    logic [15:0] valid_from;
    logic [15:0] valid_to;
    logic [31:0] src_stride0;
    logic [31:0] src_stride1;
    logic [15:0] dst;
    logic [15:0] dst_stride0;
    logic [15:0] dst_stride1;
  } runs_t;
  typedef struct packed {
    logic [15:0] piece_start;
    logic [15:0] pieces;
    logic [15:0] piece_step;
    logic [15:0] piece_bytes;
    logic [15:0] slot_bytes;
    logic [4:0]  lane;
    logic [7:0]  fill;
    logic [15:0] dst_piece;
    logic [15:0] dst_block;
  } rows_t;
  typedef struct packed {
    logic [1:0] space;
    logic [1:0] turn;
    runs_t      runs;
    rows_t      rows;
  } command_t;

  // How far the source has checked: pulses when all runs of a command have passed; a window violation that stays, and
  // what it names; the current run: inner iterations up to this one, remaining iterations of the outer loop.
  typedef struct packed {
    logic        checked;
    logic        fault;
    logic [31:0] fault_addr;
    logic [15:0] n0;
    logic [15:0] left1;
  } check_t;

  // Where a row goes. An item without `write` has no row and only carries `last`, the end of a command.
  typedef struct packed {
    logic        write;
    logic        last;
    logic [1:0]  turn;
    logic [1:0]  space;
    logic [15:0] row;
  } target_t;

  // Which of its bytes are written: [first, limit); of these [from, to) come from memory, the others are fill.
  typedef struct packed {
    logic [5:0]  first;
    logic [5:0]  limit;
    logic [5:0]  from;
    logic [5:0]  to;
    logic [7:0]  fill;
  } extent_t;

  // A row on its way to tpu_load_align, with the position of lane 0, and behind it.
  typedef struct packed {
    logic             valid;
    target_t          target;
    extent_t          extent;
    logic [POS_W-1:0] pos;
  } row_t;
  typedef struct packed {
    logic    valid;
    target_t target;
  } whole_t;

  // A write of a row.
  typedef struct packed {
    logic        valid;
    logic [1:0]  space;
    logic [15:0] row;
  } write_t;
endpackage
