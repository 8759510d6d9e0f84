// SPDX-License-Identifier: Apache-2.0
// Types of the command processor.
package tpu_command_pkg;
  // Amount that a command takes from a semaphore, or gives to it. An amount of 0 means nothing.
  typedef struct packed {
    logic [7:0] amount;
    logic [4:0] sem;
  } tokens_t;

  // The two waits of a command, or its two signals; number 0 is the lower one.
  typedef tokens_t [1:0] token_pair_t;

  // Ring of instructions, as the registers have it.
  typedef struct packed {
    logic [2:0]  window;
    logic [4:0]  log2;                       // of its entries
    logic [25:0] base;                       // offset in the window, in units of 64 bytes
  } ring_t;

  // Destination of a JUMP: count instructions from target, then ring entry resume and those after it.
  typedef struct packed {
    logic [31:0] resume;
    logic [2:0]  window;
    logic [23:0] count;
    logic [31:0] target;
  } jump_t;

  // END of a program; valid is a pulse.
  typedef struct packed {
    logic        valid;
    logic        clear;                      // the memories
    logic [31:0] tag;
  } end_t;

  // The first of the errors of a cycle, and how many there are; valid is a pulse.
  typedef struct packed {
    logic        valid;
    logic [2:0]  number;
    logic [2:0]  engine;                     // tpu_pkg::ENGINE_*
    logic [7:0]  code;                       // tpu_pkg::ERROR_*
    logic [31:0] index;                      // of the command
    logic [31:0] address;
  } error_t;
endpackage
