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
endpackage
