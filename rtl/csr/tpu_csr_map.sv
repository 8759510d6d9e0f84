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
// its value comes from a memory that rd_word_i has already selected. A write-only register reads as zero. While
// rd_valid_i is low, and where no register is, rd_data_o is undefined.
//
// Parameters: values of the registers that are constant.
module tpu_csr_map #(
  parameter int Identity = 0,
  parameter int IsaVersion = 0,
  parameter int Dim = 0,
  parameter int ScratchRows = 0,
  parameter int WeightRows = 0,
  parameter int AccRows = 0,
  parameter int ParamRows = 0,
  parameter int QueueDepth = 0,
  parameter int Parts = 0,
  parameter int Windows = 0
) (
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
  output logic [7:0]   wr_window_base_o,
  output logic [7:0]   wr_window_size_o,
  output logic [7:0]   wr_window_permission_o,
  // Read access.
  input  logic         rd_valid_i,
  input  logic [9:0]   rd_word_i,
  output logic [31:0]  rd_data_o,
  output logic         rd_error_o,
  // Values of the registers.
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
  input  logic [25:0]  ring_base_i,
  input  logic [4:0]   ring_config_log2_entries_i,
  input  logic [2:0]   ring_config_window_i,
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
  input  logic [207:0] window_base_i,
  input  logic [207:0] window_size_i,
  input  logic [23:0]  window_permission_i,
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
        10'b00_010?_??00: begin // WINDOW_BASE
          wr_window_base_o[wr_word_i[4:2]] = !busy_i;
          wr_refused_o                     = busy_i;
        end
        10'b00_010?_??01: begin // WINDOW_SIZE
          wr_window_size_o[wr_word_i[4:2]] = !busy_i;
          wr_refused_o                     = busy_i;
        end
        10'b00_010?_??10: begin // WINDOW_PERMISSION
          wr_window_permission_o[wr_word_i[4:2]] = !busy_i;
          wr_refused_o                           = busy_i;
        end
        default: wr_error_o = 1'b1;
      endcase
      if (wr_refused_o) wr_error_o = 1'b1;
    end
  end

  // Words that are registers.
  localparam logic [127:0] Exists = 128'h77777777000fffff7fffffff;

  // A function, because a simulator then fills the table only for a read.
  function automatic logic [31:0] selected(input logic [6:0] number);
    logic [127:0][31:0] word;
    word = 'x;
    word[0] = Identity;
    word[1] = IsaVersion;
    word[2] = Dim;
    word[3] = ScratchRows;
    word[4] = WeightRows;
    word[5] = AccRows;
    word[6] = ParamRows;
    word[7] = QueueDepth;
    word[8] = '0;
    word[9]          = '0;
    word[9][0]       = status_busy_i;
    word[9][1]       = status_halted_i;
    word[9][2]       = status_resetting_i;
    word[9][3]       = status_nonfinite_i;
    word[9][8 +: 4]  = status_engine_busy_i;
    word[9][12 +: 4] = status_engine_waiting_i;
    word[10]    = '0;
    word[10][0] = irq_status_done_i;
    word[10][1] = irq_status_error_i;
    word[11]    = '0;
    word[11][0] = irq_enable_done_i;
    word[11][1] = irq_enable_error_i;
    word[12]          = '0;
    word[12][6 +: 26] = ring_base_i;
    word[13]         = '0;
    word[13][0 +: 5] = ring_config_log2_entries_i;
    word[13][8 +: 3] = ring_config_window_i;
    word[14] = head_i;
    word[15] = tail_i;
    word[16] = end_tag_i;
    word[17] = end_count_i;
    word[18]         = '0;
    word[18][0 +: 8] = error_code_code_i;
    word[18][8 +: 8] = error_code_engine_i;
    word[19] = error_index_i;
    word[20] = error_address_i;
    word[21] = error_count_i;
    word[22] = watchdog_i;
    word[23] = cycles_i;
    word[24] = commands_i;
    word[25] = read_beats_i;
    word[26] = write_beats_i;
    word[27] = waiting_semaphores_i;
    word[28] = padded_vectors_i;
    word[29] = Parts;
    word[30] = Windows;
    word[32] = semaphore_i[32*0 +: 32];
    word[33] = semaphore_i[32*1 +: 32];
    word[34] = semaphore_i[32*2 +: 32];
    word[35] = semaphore_i[32*3 +: 32];
    word[36] = semaphore_i[32*4 +: 32];
    word[37] = semaphore_i[32*5 +: 32];
    word[38] = semaphore_i[32*6 +: 32];
    word[39] = semaphore_i[32*7 +: 32];
    word[40]          = '0;
    word[40][0 +: 8]  = engine_state_in_flight_i;
    word[40][8 +: 8]  = engine_state_queued_i;
    word[40][16 +: 4] = engine_state_cause_i;
    word[41]          = '0;
    word[41][0 +: 8]  = engine_state_in_flight_i;
    word[41][8 +: 8]  = engine_state_queued_i;
    word[41][16 +: 4] = engine_state_cause_i;
    word[42]          = '0;
    word[42][0 +: 8]  = engine_state_in_flight_i;
    word[42][8 +: 8]  = engine_state_queued_i;
    word[42][16 +: 4] = engine_state_cause_i;
    word[43]          = '0;
    word[43][0 +: 8]  = engine_state_in_flight_i;
    word[43][8 +: 8]  = engine_state_queued_i;
    word[43][16 +: 4] = engine_state_cause_i;
    word[44] = engine_index_i[32*0 +: 32];
    word[45] = engine_index_i[32*1 +: 32];
    word[46] = engine_index_i[32*2 +: 32];
    word[47] = engine_index_i[32*3 +: 32];
    word[48] = engine_since_i;
    word[49] = engine_since_i;
    word[50] = engine_since_i;
    word[51] = engine_since_i;
    word[64]          = '0;
    word[64][6 +: 26] = window_base_i[26*0 +: 26];
    word[68]          = '0;
    word[68][6 +: 26] = window_base_i[26*1 +: 26];
    word[72]          = '0;
    word[72][6 +: 26] = window_base_i[26*2 +: 26];
    word[76]          = '0;
    word[76][6 +: 26] = window_base_i[26*3 +: 26];
    word[80]          = '0;
    word[80][6 +: 26] = window_base_i[26*4 +: 26];
    word[84]          = '0;
    word[84][6 +: 26] = window_base_i[26*5 +: 26];
    word[88]          = '0;
    word[88][6 +: 26] = window_base_i[26*6 +: 26];
    word[92]          = '0;
    word[92][6 +: 26] = window_base_i[26*7 +: 26];
    word[65]          = '0;
    word[65][6 +: 26] = window_size_i[26*0 +: 26];
    word[69]          = '0;
    word[69][6 +: 26] = window_size_i[26*1 +: 26];
    word[73]          = '0;
    word[73][6 +: 26] = window_size_i[26*2 +: 26];
    word[77]          = '0;
    word[77][6 +: 26] = window_size_i[26*3 +: 26];
    word[81]          = '0;
    word[81][6 +: 26] = window_size_i[26*4 +: 26];
    word[85]          = '0;
    word[85][6 +: 26] = window_size_i[26*5 +: 26];
    word[89]          = '0;
    word[89][6 +: 26] = window_size_i[26*6 +: 26];
    word[93]          = '0;
    word[93][6 +: 26] = window_size_i[26*7 +: 26];
    word[66]         = '0;
    word[66][0 +: 3] = window_permission_i[3*0 +: 3];
    word[70]         = '0;
    word[70][0 +: 3] = window_permission_i[3*1 +: 3];
    word[74]         = '0;
    word[74][0 +: 3] = window_permission_i[3*2 +: 3];
    word[78]         = '0;
    word[78][0 +: 3] = window_permission_i[3*3 +: 3];
    word[82]         = '0;
    word[82][0 +: 3] = window_permission_i[3*4 +: 3];
    word[86]         = '0;
    word[86][0 +: 3] = window_permission_i[3*5 +: 3];
    word[90]         = '0;
    word[90][0 +: 3] = window_permission_i[3*6 +: 3];
    word[94]         = '0;
    word[94][0 +: 3] = window_permission_i[3*7 +: 3];
    return word[number];
  endfunction

  always_comb begin
    rd_data_o  = 'x;
    rd_error_o = 1'b0;
    if (rd_valid_i) begin
      rd_data_o  = selected(rd_word_i[6:0]);
      rd_error_o = rd_word_i[9:7] != '0 || !Exists[rd_word_i[6:0]];
      if (rd_word_i ==? 10'b00_10??_????) begin // CAUSE_COUNT
        rd_data_o  = cause_count_i;
        rd_error_o = 1'b0;
      end
      if (rd_word_i ==? 10'b01_0???_????) begin // SEMAPHORE_WAIT
        rd_data_o  = semaphore_wait_i;
        rd_error_o = 1'b0;
      end
    end
  end
endmodule
