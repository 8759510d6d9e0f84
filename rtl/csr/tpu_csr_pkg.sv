// SPDX-License-Identifier: Apache-2.0
// Types of the registers' block: how the performance counters of an engine are read, and the error record.
package tpu_csr_pkg;
  localparam int Engines = 4;  // those of tpu_pkg, which tpu_cause_counters compares
  localparam int FoldBits = 5;  // see tpu_cause_counters

  typedef logic [31:0] count_t;
  // Number of a counter of an engine: s for semaphore s, 32+c for cause c.
  typedef logic [5:0] counter_number_t;

  typedef struct packed {
    logic [1:0] engine;
    logic [5:0] number;
  } counter_address_t;

  typedef struct packed {
    logic [31:0] count;
    logic [3:0]  cause;  // present cause of the engine
    logic [31:0] since;  // cycles when it began, of a wait when that for its present semaphore did
  } counter_value_t;

  typedef struct packed {
    logic [2:0]  engine;
    logic [7:0]  code;
    logic [31:0] index;
    logic [31:0] address;
    logic [31:0] count;  // of all errors
  } record_t;
endpackage
