// SPDX-License-Identifier: Apache-2.0
// Types of the vector processor: vector operations and their rows.
package tpu_strip_pkg;
  localparam int Planes = 4; // bytes of a word

  // A vector operation. The values are those of the sources SCALAR and IMMEDIATE.
  typedef struct packed {
    logic [5:0]  op;
    logic [3:0]  d;
    logic [3:0]  a;
    logic [3:0]  b;
    logic [1:0]  a_kind;
    logic [1:0]  b_kind;
    logic [31:0] a_value;
    logic [31:0] b_value;
    logic        even;
    logic        store;
    logic        load;   // an operand is in memory
    logic [2:0]  format;
  } operation_t;

  // An operation with its rows: how many, and where the planes of the first lie in memory.
  typedef struct packed {
    operation_t              operation;
    logic [3:0]              rows;
    logic [Planes-1:0][15:0] plane_rows;
    logic [15:0]             row_stride;
  } step_t;

  // A row of an operation, or a cycle of its slot that has none.
  typedef struct packed {
    operation_t              operation;
    logic                    present;
    logic [2:0]              number;
    logic                    ends_block;  // the last row of a block, or of the strip
    logic                    first_pass;  // of an operation over the lanes; always set for others
    logic [Planes-1:0][15:0] plane_rows;
    logic [Planes-1:0]       planes;      // that are read now
    logic                    together;    // all of them
    logic                    last_plane;
  } row_t;
endpackage
