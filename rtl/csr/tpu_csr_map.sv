// SPDX-License-Identifier: Apache-2.0
// Generated from isa/spec by scripts/gen/generate. Do not edit.
// Register map: decodes register accesses, checks that they are legal, and selects the value of a read. The functions
// of the registers are in tpu_csr.
//
// Latency: combinational. Throughput: one write and one read per cycle. Back-pressure: none. A cycle without access
// costs a simulation nothing.
//
// Ports: wr_valid_i and rd_valid_i mark an access to a word address. wr_error_o, rd_error_o: no register has this
// address, or a write is to a read-only register, or to a locked register while busy_i is high (wr_refused_o, too).
// wr_<register>_o is high when that register is written, bit i for register i of an array. Values to be read are
// <register>_i or <register>_<field>_i; of an array of registers with W bits each, register i is at [W*i +: W], unless
// its value comes from a memory that rd_word_i has already selected. A write-only register reads as zero.
//
// Parameters: none.
module tpu_csr_map (
  // Write access.
  input  logic         wr_valid_i,
  input  logic [9:0]   wr_word_i,
  input  logic         busy_i,
  output logic         wr_error_o,
  output logic         wr_refused_o,
  // Registers written.
  output logic         wr_control_o,
  output logic         wr_irq_status_o,
  output logic         wr_irq_enable_o,
  output logic         wr_ring_base_o,
  output logic         wr_ring_config_o,
  output logic         wr_tail_o,
  output logic         wr_watchdog_o,
  output logic [3:0]   wr_window_base_o,
  output logic [3:0]   wr_window_size_o,
  output logic [3:0]   wr_window_permission_o,
  // Read access.
  input  logic         rd_valid_i,
  input  logic [9:0]   rd_word_i,
  output logic [31:0]  rd_data_o,
  output logic         rd_error_o,
  // Values of the registers.
  input  logic [31:0]  identity_i,
  input  logic [31:0]  isa_version_i,
  input  logic [31:0]  dim_i,
  input  logic [31:0]  scratch_rows_i,
  input  logic [31:0]  weight_rows_i,
  input  logic [31:0]  acc_rows_i,
  input  logic [31:0]  param_rows_i,
  input  logic [31:0]  queue_depth_i,
  input  logic         status_busy_i,
  input  logic         status_halted_i,
  input  logic         status_resetting_i,
  input  logic         status_nonfinite_i,
  input  logic [3:0]   status_engine_busy_i,
  input  logic [3:0]   status_engine_waiting_i,
  input  logic         irq_status_done_i,
  input  logic         irq_status_error_i,
  input  logic         irq_enable_done_i,
  input  logic         irq_enable_error_i,
  input  logic [31:0]  ring_base_i,
  input  logic [4:0]   ring_config_log2_entries_i,
  input  logic [1:0]   ring_config_window_i,
  input  logic [31:0]  head_i,
  input  logic [31:0]  tail_i,
  input  logic [31:0]  end_tag_i,
  input  logic [31:0]  end_count_i,
  input  logic [7:0]   error_code_code_i,
  input  logic [7:0]   error_code_engine_i,
  input  logic [31:0]  error_index_i,
  input  logic [31:0]  error_address_i,
  input  logic [31:0]  error_count_i,
  input  logic [31:0]  watchdog_i,
  input  logic [31:0]  cycles_i,
  input  logic [31:0]  commands_i,
  input  logic [31:0]  read_beats_i,
  input  logic [31:0]  write_beats_i,
  input  logic [31:0]  waiting_semaphores_i,
  input  logic [31:0]  padded_vectors_i,
  input  logic [255:0] semaphore_i,
  input  logic [7:0]   engine_state_in_flight_i,
  input  logic [7:0]   engine_state_queued_i,
  input  logic [3:0]   engine_state_cause_i,
  input  logic [127:0] engine_index_i,
  input  logic [31:0]  engine_since_i,
  input  logic [127:0] window_base_i,
  input  logic [127:0] window_size_i,
  input  logic [11:0]  window_permission_i,
  input  logic [31:0]  cause_count_i,
  input  logic [31:0]  semaphore_wait_i
);
  always_comb begin
    wr_error_o             = 1'b0;
    wr_refused_o           = 1'b0;
    wr_control_o           = '0;
    wr_irq_status_o        = '0;
    wr_irq_enable_o        = '0;
    wr_ring_base_o         = '0;
    wr_ring_config_o       = '0;
    wr_tail_o              = '0;
    wr_watchdog_o          = '0;
    wr_window_base_o       = '0;
    wr_window_size_o       = '0;
    wr_window_permission_o = '0;
    if (wr_valid_i) begin
      casez (wr_word_i)
        tpu_pkg::REG_CONTROL[11:2]: wr_control_o = 1'b1;
        tpu_pkg::REG_IRQ_STATUS[11:2]: wr_irq_status_o = 1'b1;
        tpu_pkg::REG_IRQ_ENABLE[11:2]: wr_irq_enable_o = 1'b1;
        tpu_pkg::REG_RING_BASE[11:2]: begin
          wr_ring_base_o = !busy_i;
          wr_refused_o   = busy_i;
        end
        tpu_pkg::REG_RING_CONFIG[11:2]: begin
          wr_ring_config_o = !busy_i;
          wr_refused_o     = busy_i;
        end
        tpu_pkg::REG_TAIL[11:2]: wr_tail_o = 1'b1;
        tpu_pkg::REG_WATCHDOG[11:2]: wr_watchdog_o = 1'b1;
        10'b00_0100_??00: begin // WINDOW_BASE
          wr_window_base_o[wr_word_i[3:2]] = !busy_i;
          wr_refused_o                     = busy_i;
        end
        10'b00_0100_??01: begin // WINDOW_SIZE
          wr_window_size_o[wr_word_i[3:2]] = !busy_i;
          wr_refused_o                     = busy_i;
        end
        10'b00_0100_??10: begin // WINDOW_PERMISSION
          wr_window_permission_o[wr_word_i[3:2]] = !busy_i;
          wr_refused_o                           = busy_i;
        end
        default: wr_error_o = 1'b1;
      endcase
      if (wr_refused_o) wr_error_o = 1'b1;
    end
  end

  always_comb begin
    rd_data_o  = '0;
    rd_error_o = 1'b0;
    if (rd_valid_i) begin
      casez (rd_word_i)
        tpu_pkg::REG_IDENTITY[11:2]: rd_data_o = identity_i;
        tpu_pkg::REG_ISA_VERSION[11:2]: rd_data_o = isa_version_i;
        tpu_pkg::REG_DIM[11:2]: rd_data_o = dim_i;
        tpu_pkg::REG_SCRATCH_ROWS[11:2]: rd_data_o = scratch_rows_i;
        tpu_pkg::REG_WEIGHT_ROWS[11:2]: rd_data_o = weight_rows_i;
        tpu_pkg::REG_ACC_ROWS[11:2]: rd_data_o = acc_rows_i;
        tpu_pkg::REG_PARAM_ROWS[11:2]: rd_data_o = param_rows_i;
        tpu_pkg::REG_QUEUE_DEPTH[11:2]: rd_data_o = queue_depth_i;
        tpu_pkg::REG_CONTROL[11:2]: rd_data_o = '0;
        tpu_pkg::REG_STATUS[11:2]: begin
          rd_data_o[0]       = status_busy_i;
          rd_data_o[1]       = status_halted_i;
          rd_data_o[2]       = status_resetting_i;
          rd_data_o[3]       = status_nonfinite_i;
          rd_data_o[8 +: 4]  = status_engine_busy_i;
          rd_data_o[12 +: 4] = status_engine_waiting_i;
        end
        tpu_pkg::REG_IRQ_STATUS[11:2]: begin
          rd_data_o[0] = irq_status_done_i;
          rd_data_o[1] = irq_status_error_i;
        end
        tpu_pkg::REG_IRQ_ENABLE[11:2]: begin
          rd_data_o[0] = irq_enable_done_i;
          rd_data_o[1] = irq_enable_error_i;
        end
        tpu_pkg::REG_RING_BASE[11:2]: rd_data_o = ring_base_i;
        tpu_pkg::REG_RING_CONFIG[11:2]: begin
          rd_data_o[0 +: 5] = ring_config_log2_entries_i;
          rd_data_o[8 +: 2] = ring_config_window_i;
        end
        tpu_pkg::REG_HEAD[11:2]: rd_data_o = head_i;
        tpu_pkg::REG_TAIL[11:2]: rd_data_o = tail_i;
        tpu_pkg::REG_END_TAG[11:2]: rd_data_o = end_tag_i;
        tpu_pkg::REG_END_COUNT[11:2]: rd_data_o = end_count_i;
        tpu_pkg::REG_ERROR_CODE[11:2]: begin
          rd_data_o[0 +: 8] = error_code_code_i;
          rd_data_o[8 +: 8] = error_code_engine_i;
        end
        tpu_pkg::REG_ERROR_INDEX[11:2]: rd_data_o = error_index_i;
        tpu_pkg::REG_ERROR_ADDRESS[11:2]: rd_data_o = error_address_i;
        tpu_pkg::REG_ERROR_COUNT[11:2]: rd_data_o = error_count_i;
        tpu_pkg::REG_WATCHDOG[11:2]: rd_data_o = watchdog_i;
        tpu_pkg::REG_CYCLES[11:2]: rd_data_o = cycles_i;
        tpu_pkg::REG_COMMANDS[11:2]: rd_data_o = commands_i;
        tpu_pkg::REG_READ_BEATS[11:2]: rd_data_o = read_beats_i;
        tpu_pkg::REG_WRITE_BEATS[11:2]: rd_data_o = write_beats_i;
        tpu_pkg::REG_WAITING_SEMAPHORES[11:2]: rd_data_o = waiting_semaphores_i;
        tpu_pkg::REG_PADDED_VECTORS[11:2]: rd_data_o = padded_vectors_i;
        10'b00_0010_0???: rd_data_o = semaphore_i[32*rd_word_i[2:0] +: 32]; // SEMAPHORE
        10'b00_0010_10??: begin // ENGINE_STATE
          rd_data_o[0 +: 8]  = engine_state_in_flight_i;
          rd_data_o[8 +: 8]  = engine_state_queued_i;
          rd_data_o[16 +: 4] = engine_state_cause_i;
        end
        10'b00_0010_11??: rd_data_o = engine_index_i[32*rd_word_i[1:0] +: 32]; // ENGINE_INDEX
        10'b00_0011_00??: rd_data_o = engine_since_i; // ENGINE_SINCE
        10'b00_0100_??00: rd_data_o = window_base_i[32*rd_word_i[3:2] +: 32]; // WINDOW_BASE
        10'b00_0100_??01: rd_data_o = window_size_i[32*rd_word_i[3:2] +: 32]; // WINDOW_SIZE
        10'b00_0100_??10: rd_data_o = 32'(window_permission_i[3*rd_word_i[3:2] +: 3]); // WINDOW_PERMISSION
        10'b00_10??_????: rd_data_o = cause_count_i; // CAUSE_COUNT
        10'b01_0???_????: rd_data_o = semaphore_wait_i; // SEMAPHORE_WAIT
        default: rd_error_o = 1'b1;
      endcase
    end
  end
endmodule
