// SPDX-License-Identifier: Apache-2.0
// Generated from isa/spec by scripts/gen/generate. Do not edit.
// Types of the ports between tpu_csr and its register map: the registers that are written, and the values to be read.
package tpu_csr_map_pkg;
  typedef struct packed {
    logic       control;
    logic       irq_status;
    logic       irq_enable;
    logic       ring_base;
    logic       ring_config;
    logic       tail;
    logic       watchdog;
    logic [7:0] window_base;
    logic [7:0] window_size;
    logic [7:0] window_permission;
  } written_t;

  typedef struct packed {
    logic         status_busy;
    logic         status_halted;
    logic         status_resetting;
    logic         status_nonfinite;
    logic [3:0]   status_engine_busy;
    logic [3:0]   status_engine_waiting;
    logic         irq_status_done;
    logic         irq_status_error;
    logic         irq_enable_done;
    logic         irq_enable_error;
    logic [25:0]  ring_base;
    logic [4:0]   ring_config_log2_entries;
    logic [2:0]   ring_config_window;
    logic [31:0]  head;
    logic [31:0]  tail;
    logic [31:0]  end_tag;
    logic [31:0]  end_count;
    logic [7:0]   error_code_code;
    logic [7:0]   error_code_engine;
    logic [31:0]  error_index;
    logic [31:0]  error_address;
    logic [31:0]  error_count;
    logic [31:0]  watchdog;
    logic [31:0]  cycles;
    logic [31:0]  commands;
    logic [31:0]  read_beats;
    logic [31:0]  write_beats;
    logic [31:0]  waiting_semaphores;
    logic [31:0]  padded_vectors;
    logic [255:0] semaphores;
    logic [7:0]   engine_state_in_flight;
    logic [7:0]   engine_state_queued;
    logic [3:0]   engine_state_cause;
    logic [127:0] engine_index;
    logic [31:0]  engine_since;
    logic [207:0] window_base;
    logic [207:0] window_size;
    logic [23:0]  window_permission;
    logic [31:0]  cause_count;
    logic [31:0]  semaphore_wait;
  } values_t;
endpackage
