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
// written_o tells which register is written, bit i of a member for register i of an array. Values to be read are
// members <register> or <register>_<field> of values_i; of an array of registers with W bits each, register i is at
// [W*i +: W], unless its value comes from a memory that rd_word_i has already selected. A write-only register reads as
// zero. While rd_valid_i is low, and where no register is, rd_data_o is undefined and values_i may be.
//
// Parameters: values of the registers that are constant.
module tpu_csr_map
  import tpu_csr_map_pkg::*;
#(
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
  input  logic        wr_valid_i,
  input  logic [9:0]  wr_word_i,
  input  logic        busy_i,
  output logic        wr_error_o,
  output logic        wr_refused_o,
  output written_t    written_o,
  // Read access.
  input  logic        rd_valid_i,
  input  logic [9:0]  rd_word_i,
  output logic [31:0] rd_data_o,
  output logic        rd_error_o,
  input  values_t     values_i
);
  always_comb begin
    wr_error_o   = 1'b0;
    wr_refused_o = 1'b0;
    written_o    = '0;
    if (wr_valid_i) begin
      casez (wr_word_i)
        tpu_pkg::REG_CONTROL[11:2]: written_o.control = 1'b1;
        tpu_pkg::REG_IRQ_STATUS[11:2]: written_o.irq_status = 1'b1;
        tpu_pkg::REG_IRQ_ENABLE[11:2]: written_o.irq_enable = 1'b1;
        tpu_pkg::REG_RING_BASE[11:2]: begin
          written_o.ring_base = !busy_i;
          wr_refused_o        = busy_i;
        end
        tpu_pkg::REG_RING_CONFIG[11:2]: begin
          written_o.ring_config = !busy_i;
          wr_refused_o          = busy_i;
        end
        tpu_pkg::REG_TAIL[11:2]: written_o.tail = 1'b1;
        tpu_pkg::REG_WATCHDOG[11:2]: written_o.watchdog = 1'b1;
        10'b00_010?_??00: begin // WINDOW_BASE
          written_o.window_base[wr_word_i[4:2]] = !busy_i;
          wr_refused_o                          = busy_i;
        end
        10'b00_010?_??01: begin // WINDOW_SIZE
          written_o.window_size[wr_word_i[4:2]] = !busy_i;
          wr_refused_o                          = busy_i;
        end
        10'b00_010?_??10: begin // WINDOW_PERMISSION
          written_o.window_permission[wr_word_i[4:2]] = !busy_i;
          wr_refused_o                                = busy_i;
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
    word[9][0]       = values_i.status_busy;
    word[9][1]       = values_i.status_halted;
    word[9][2]       = values_i.status_resetting;
    word[9][3]       = values_i.status_nonfinite;
    word[9][8 +: 4]  = values_i.status_engine_busy;
    word[9][12 +: 4] = values_i.status_engine_waiting;
    word[10]    = '0;
    word[10][0] = values_i.irq_status_done;
    word[10][1] = values_i.irq_status_error;
    word[11]    = '0;
    word[11][0] = values_i.irq_enable_done;
    word[11][1] = values_i.irq_enable_error;
    word[12]          = '0;
    word[12][6 +: 26] = values_i.ring_base;
    word[13]         = '0;
    word[13][0 +: 5] = values_i.ring_config_log2_entries;
    word[13][8 +: 3] = values_i.ring_config_window;
    word[14] = values_i.head;
    word[15] = values_i.tail;
    word[16] = values_i.end_tag;
    word[17] = values_i.end_count;
    word[18]         = '0;
    word[18][0 +: 8] = values_i.error_code_code;
    word[18][8 +: 8] = values_i.error_code_engine;
    word[19] = values_i.error_index;
    word[20] = values_i.error_address;
    word[21] = values_i.error_count;
    word[22] = values_i.watchdog;
    word[23] = values_i.cycles;
    word[24] = values_i.commands;
    word[25] = values_i.read_beats;
    word[26] = values_i.write_beats;
    word[27] = values_i.waiting_semaphores;
    word[28] = values_i.padded_vectors;
    word[29] = Parts;
    word[30] = Windows;
    word[32] = values_i.semaphores[32*0 +: 32];
    word[33] = values_i.semaphores[32*1 +: 32];
    word[34] = values_i.semaphores[32*2 +: 32];
    word[35] = values_i.semaphores[32*3 +: 32];
    word[36] = values_i.semaphores[32*4 +: 32];
    word[37] = values_i.semaphores[32*5 +: 32];
    word[38] = values_i.semaphores[32*6 +: 32];
    word[39] = values_i.semaphores[32*7 +: 32];
    word[40]          = '0;
    word[40][0 +: 8]  = values_i.engine_state_in_flight;
    word[40][8 +: 8]  = values_i.engine_state_queued;
    word[40][16 +: 4] = values_i.engine_state_cause;
    word[41]          = '0;
    word[41][0 +: 8]  = values_i.engine_state_in_flight;
    word[41][8 +: 8]  = values_i.engine_state_queued;
    word[41][16 +: 4] = values_i.engine_state_cause;
    word[42]          = '0;
    word[42][0 +: 8]  = values_i.engine_state_in_flight;
    word[42][8 +: 8]  = values_i.engine_state_queued;
    word[42][16 +: 4] = values_i.engine_state_cause;
    word[43]          = '0;
    word[43][0 +: 8]  = values_i.engine_state_in_flight;
    word[43][8 +: 8]  = values_i.engine_state_queued;
    word[43][16 +: 4] = values_i.engine_state_cause;
    word[44] = values_i.engine_index[32*0 +: 32];
    word[45] = values_i.engine_index[32*1 +: 32];
    word[46] = values_i.engine_index[32*2 +: 32];
    word[47] = values_i.engine_index[32*3 +: 32];
    word[48] = values_i.engine_since;
    word[49] = values_i.engine_since;
    word[50] = values_i.engine_since;
    word[51] = values_i.engine_since;
    word[64]          = '0;
    word[64][6 +: 26] = values_i.window_base[26*0 +: 26];
    word[68]          = '0;
    word[68][6 +: 26] = values_i.window_base[26*1 +: 26];
    word[72]          = '0;
    word[72][6 +: 26] = values_i.window_base[26*2 +: 26];
    word[76]          = '0;
    word[76][6 +: 26] = values_i.window_base[26*3 +: 26];
    word[80]          = '0;
    word[80][6 +: 26] = values_i.window_base[26*4 +: 26];
    word[84]          = '0;
    word[84][6 +: 26] = values_i.window_base[26*5 +: 26];
    word[88]          = '0;
    word[88][6 +: 26] = values_i.window_base[26*6 +: 26];
    word[92]          = '0;
    word[92][6 +: 26] = values_i.window_base[26*7 +: 26];
    word[65]          = '0;
    word[65][6 +: 26] = values_i.window_size[26*0 +: 26];
    word[69]          = '0;
    word[69][6 +: 26] = values_i.window_size[26*1 +: 26];
    word[73]          = '0;
    word[73][6 +: 26] = values_i.window_size[26*2 +: 26];
    word[77]          = '0;
    word[77][6 +: 26] = values_i.window_size[26*3 +: 26];
    word[81]          = '0;
    word[81][6 +: 26] = values_i.window_size[26*4 +: 26];
    word[85]          = '0;
    word[85][6 +: 26] = values_i.window_size[26*5 +: 26];
    word[89]          = '0;
    word[89][6 +: 26] = values_i.window_size[26*6 +: 26];
    word[93]          = '0;
    word[93][6 +: 26] = values_i.window_size[26*7 +: 26];
    word[66]         = '0;
    word[66][0 +: 3] = values_i.window_permission[3*0 +: 3];
    word[70]         = '0;
    word[70][0 +: 3] = values_i.window_permission[3*1 +: 3];
    word[74]         = '0;
    word[74][0 +: 3] = values_i.window_permission[3*2 +: 3];
    word[78]         = '0;
    word[78][0 +: 3] = values_i.window_permission[3*3 +: 3];
    word[82]         = '0;
    word[82][0 +: 3] = values_i.window_permission[3*4 +: 3];
    word[86]         = '0;
    word[86][0 +: 3] = values_i.window_permission[3*5 +: 3];
    word[90]         = '0;
    word[90][0 +: 3] = values_i.window_permission[3*6 +: 3];
    word[94]         = '0;
    word[94][0 +: 3] = values_i.window_permission[3*7 +: 3];
    return word[number];
  endfunction

  always_comb begin
    rd_data_o  = 'x;
    rd_error_o = 1'b0;
    if (rd_valid_i) begin
      rd_data_o  = selected(rd_word_i[6:0]);
      rd_error_o = rd_word_i[9:7] != '0 || !Exists[rd_word_i[6:0]];
      if (rd_word_i ==? 10'b00_10??_????) begin // CAUSE_COUNT
        rd_data_o  = values_i.cause_count;
        rd_error_o = 1'b0;
      end
      if (rd_word_i ==? 10'b01_0???_????) begin // SEMAPHORE_WAIT
        rd_data_o  = values_i.semaphore_wait;
        rd_error_o = 1'b0;
      end
    end
  end
endmodule
