// SPDX-License-Identifier: Apache-2.0
// Control and status registers behind AXI4-Lite; addresses and access kinds are those of isa/spec/registers.toml.
//
// Latency: a write takes effect two cycles after its last handshake (the doorbell pulses then), a read answers three
// cycles after its address. Throughput and back-pressure: those of tpu_axil. irq_o is a register; it rises in the cycle
// after end_valid_i.
//
// Reset: rst_ni clears everything. CONTROL.RESET pulses reset_request_o; the fall of core_rst_ni that follows empties
// the error record and the pending interrupts, and while core_rst_ni is low the ring's tail, END_TAG, END_COUNT and the
// performance counters stay zero (a doorbell is ignored). Ring registers, windows, interrupt enable and watchdog keep
// their values. Ring registers and windows, which a running program relies on, are not written while busy_i: the write
// is answered with SLVERR and recorded as an error. Windows begin and end at multiples of 64 bytes; bits below are
// dropped.
//
// Ports: event_o or the valid of a pin is high in every cycle whose edge changes a register on clk_i, so that it may
// rest in the others;
// count_clk_i, the clock of the counters, never does. s_axil_* are pins; ring_*, win_* and watchdog_o are registers;
// doorbell_o pulses in the first cycle of a new tail_o; halt_o is high from the cycle after an error event until it is
// cleared; the rest are the outputs of tpu_command and tpu_axi_guard.
// Parameters: the configuration, as the read-only registers show it.
module tpu_csr #(
  parameter int Dim = 16,
  parameter int ScratchRows = 12288,
  parameter int WeightRows = 4096,
  parameter int AccRows = 1024,
  parameter int ParamRows = 256,
  parameter int QueueDepth = tpu_pkg::QUEUE_DEPTH
) (
  input  logic                           clk_i,
  input  logic                           count_clk_i,
  input  logic                           rst_ni,
  input  logic                           core_rst_ni,
  output logic                           event_o,
  output logic                           irq_o,
  // AXI4-Lite.
  input  logic                           s_axil_awvalid_i,
  output logic                           s_axil_awready_o,
  input  logic [11:0]                    s_axil_awaddr_i,
  input  logic                           s_axil_wvalid_i,
  output logic                           s_axil_wready_o,
  input  logic [31:0]                    s_axil_wdata_i,
  input  logic [3:0]                     s_axil_wstrb_i,
  output logic                           s_axil_bvalid_o,
  input  logic                           s_axil_bready_i,
  output logic [1:0]                     s_axil_bresp_o,
  input  logic                           s_axil_arvalid_i,
  output logic                           s_axil_arready_o,
  input  logic [11:0]                    s_axil_araddr_i,
  output logic                           s_axil_rvalid_o,
  input  logic                           s_axil_rready_i,
  output logic [31:0]                    s_axil_rdata_o,
  output logic [1:0]                     s_axil_rresp_o,
  // Guard.
  output logic                           reset_request_o,
  input  logic                           resetting_i,
  input  logic                           clearing_i,
  output logic [31:0]                    watchdog_o,
  input  logic                           bus_fault_valid_i,
  input  logic [7:0]                     bus_fault_code_i,
  input  logic [31:0]                    bus_fault_addr_i,
  input  logic                           read_beat_i,
  input  logic                           write_beat_i,
  // Matrix unit.
  input  logic                           padded_vector_i,
  // Windows.
  output logic [32*tpu_pkg::WINDOWS-1:0] win_base_o,
  output logic [32*tpu_pkg::WINDOWS-1:0] win_size_o,
  output logic [3*tpu_pkg::WINDOWS-1:0]  win_perm_o,
  // Command processor.
  output logic                           halt_o,
  output logic                           doorbell_o,
  output logic [31:0]                    tail_o,
  output logic [31:0]                    ring_base_o,
  output logic [4:0]                     ring_log2_o,
  output logic [1:0]                     ring_window_o,
  input  logic [4*tpu_pkg::CAUSES-1:0]   cause_i,
  input  logic                           busy_i,
  input  logic [3:0]                     engine_busy_i,
  input  logic [3:0]                     engine_waiting_i,
  input  logic [31:0]                    waiting_semaphores_i,
  input  logic [127:0]                   oldest_index_i,
  input  logic [63:0]                    engine_level_i,
  input  logic [255:0]                   semaphore_i,
  input  logic [31:0]                    head_i,
  input  logic [31:0]                    commands_i,
  input  logic                           end_valid_i,
  input  logic [31:0]                    end_tag_i,
  input  logic                           end_clear_i,
  input  logic                           error_valid_i,
  input  logic [2:0]                     error_engine_i,
  input  logic [7:0]                     error_code_i,
  input  logic [31:0]                    error_index_i,
  input  logic [31:0]                    error_address_i,
  input  logic [2:0]                     error_number_i
);
  logic        accessed, wr_valid, wr_error, rd_start, rd_valid, rd_error;
  logic [9:0]  wr_word, rd_word;
  logic [31:0] wr_data, rd_data;

  tpu_axil u_axil (
    .clk_i, .rst_ni, .event_o(accessed),
    .s_axil_awvalid_i, .s_axil_awready_o, .s_axil_awaddr_i, .s_axil_wvalid_i, .s_axil_wready_o, .s_axil_wdata_i,
    .s_axil_wstrb_i, .s_axil_bvalid_o, .s_axil_bready_i, .s_axil_bresp_o, .s_axil_arvalid_i, .s_axil_arready_o,
    .s_axil_araddr_i, .s_axil_rvalid_o, .s_axil_rready_i, .s_axil_rdata_o, .s_axil_rresp_o,
    .wr_valid_o(wr_valid), .wr_word_o(wr_word), .wr_data_o(wr_data), .wr_error_i(wr_error),
    .rd_start_o(rd_start), .rd_valid_o(rd_valid), .rd_word_o(rd_word), .rd_data_i(rd_data), .rd_error_i(rd_error)
  );

  // ---------------------------------------------------------------------------------------------------- registers
  logic        core_rst_q, core_clear, clear_counters_q, reset_pending_q;
  logic [31:0] end_tag_q, end_count_q;
  logic [1:0]  irq_status_q, irq_enable_q, irq_status_d, irq_enable_d, irq_set;
  logic        raised, window_word, refused;
  logic [2:0]  error_engine;
  logic [7:0]  error_code;
  logic [31:0] error_index, error_address, error_count;
  logic [31:0] cycles, read_beats, write_beats, padded_vectors, count, cause_since;
  logic [3:0]  cause_now;

  assign core_clear = core_rst_q && !core_rst_ni;
  // What an access sets in motion here ends while its answer stands.
  assign event_o    = accessed || end_valid_i || error_valid_i || bus_fault_valid_i || resetting_i
                   || !core_rst_ni || !core_rst_q;

  assign window_word = wr_word[9:4] == tpu_pkg::REG_WINDOW_BASE[11:6] && wr_word[1:0] != 2'b11;
  assign refused     = wr_valid && busy_i && (window_word || wr_word == tpu_pkg::REG_RING_BASE[11:2]
                    || wr_word == tpu_pkg::REG_RING_CONFIG[11:2]);

  // Set goes before clear, so that no interrupt is lost.
  assign irq_set = {raised, end_valid_i && core_rst_ni};
  always_comb begin
    irq_status_d = irq_status_q;
    irq_enable_d = irq_enable_q;
    if (wr_valid && wr_word == tpu_pkg::REG_IRQ_STATUS[11:2]) irq_status_d = irq_status_q & ~wr_data[1:0];
    if (wr_valid && wr_word == tpu_pkg::REG_IRQ_ENABLE[11:2]) irq_enable_d = wr_data[1:0];
    if (core_clear) irq_status_d = '0;
    irq_status_d = irq_status_d | irq_set;
  end

  always_ff @(posedge clk_i) begin
    core_rst_q <= core_rst_ni;
    if (!rst_ni) begin
      irq_o            <= 1'b0;
      irq_status_q     <= '0;
      irq_enable_q     <= '0;
      reset_request_o  <= 1'b0;
      reset_pending_q  <= 1'b0;
      clear_counters_q <= 1'b0;
      ring_base_o      <= '0;
      ring_log2_o      <= '0;
      ring_window_o    <= '0;
      watchdog_o       <= tpu_pkg::REG_WATCHDOG_RESET;
      win_base_o       <= '0;
      win_size_o       <= '0;
      win_perm_o       <= '0;
    end else begin
      irq_o            <= (irq_status_d & irq_enable_d) != '0;
      irq_status_q     <= irq_status_d;
      irq_enable_q     <= irq_enable_d;
      reset_request_o  <= 1'b0;
      clear_counters_q <= 1'b0;
      // The guard answers a request a little later; until then the register says so already.
      if (resetting_i) reset_pending_q <= 1'b0;
      if (wr_valid && !refused) begin
        case (wr_word)
          tpu_pkg::REG_CONTROL[11:2]: begin
            reset_request_o  <= wr_data[tpu_pkg::REG_CONTROL_RESET_LSB];
            reset_pending_q  <= wr_data[tpu_pkg::REG_CONTROL_RESET_LSB];
            clear_counters_q <= wr_data[tpu_pkg::REG_CONTROL_CLEAR_COUNTERS_LSB];
          end
          tpu_pkg::REG_RING_BASE[11:2]: ring_base_o <= {wr_data[31:6], 6'd0};
          tpu_pkg::REG_RING_CONFIG[11:2]: begin
            ring_log2_o   <= wr_data[tpu_pkg::REG_RING_CONFIG_LOG2_ENTRIES_LSB +: 5];
            ring_window_o <= wr_data[tpu_pkg::REG_RING_CONFIG_WINDOW_LSB +: 2];
          end
          tpu_pkg::REG_WATCHDOG[11:2]: watchdog_o <= wr_data;
          default: begin
            if (window_word) begin
              case (wr_word[1:0])
                tpu_pkg::REG_WINDOW_BASE[3:2]: win_base_o[wr_word[3:2]*32 +: 32] <= {wr_data[31:6], 6'd0};
                tpu_pkg::REG_WINDOW_SIZE[3:2]: win_size_o[wr_word[3:2]*32 +: 32] <= {wr_data[31:6], 6'd0};
                tpu_pkg::REG_WINDOW_PERMISSION[3:2]: win_perm_o[wr_word[3:2]*3 +: 3] <= wr_data[2:0];
                default: ;
              endcase
            end
          end
        endcase
      end
    end
  end

  // What belongs to the core's life.
  always_ff @(posedge clk_i) begin
    if (!rst_ni || !core_rst_ni) begin
      doorbell_o  <= 1'b0;
      tail_o      <= '0;
      end_tag_q   <= '0;
      end_count_q <= '0;
    end else begin
      doorbell_o <= wr_valid && wr_word == tpu_pkg::REG_TAIL[11:2];
      if (wr_valid && wr_word == tpu_pkg::REG_TAIL[11:2]) tail_o <= wr_data;
      if (end_valid_i) begin
        end_tag_q   <= end_tag_i;
        end_count_q <= end_count_q + 32'd1;
      end
    end
  end

  tpu_errors u_errors (
    .clk_i, .rst_ni, .clear_i(core_clear),
    .error_valid_i, .error_engine_i, .error_code_i, .error_index_i, .error_address_i, .error_number_i,
    .bus_valid_i(bus_fault_valid_i), .bus_code_i(bus_fault_code_i), .bus_address_i(bus_fault_addr_i),
    .refused_valid_i(refused), .refused_offset_i({wr_word, 2'b00}), .commands_i,
    .halted_o(halt_o), .raised_o(raised), .engine_o(error_engine), .code_o(error_code), .index_o(error_index),
    .address_o(error_address), .count_o(error_count)
  );

  // Counter of an engine that a read asks for, as tpu_cause_counters numbers them; any other read asks in vain.
  logic       rd_wait, rd_engine_register;
  logic [1:0] rd_engine;
  logic [5:0] rd_index;
  assign rd_wait            = rd_word[9:7] == tpu_pkg::REG_SEMAPHORE_WAIT[11:9];
  assign rd_engine_register = rd_word[9:7] == '0;
  assign rd_engine = rd_engine_register ? rd_word[1:0] : rd_wait ? rd_word[6:5] : rd_word[5:4];
  assign rd_index  = rd_wait ? {1'b0, rd_word[4:0]} : {2'b10, rd_word[3:0]};

  tpu_counters u_counters (
    .clk_i(count_clk_i), .rst_ni, .clear_i(clear_counters_q || !core_rst_ni), .end_clear_i(end_valid_i && end_clear_i),
    .run_i(busy_i && !halt_o), .cause_i,
    .semaphore_i(waiting_semaphores_i), .read_beat_i, .write_beat_i, .padded_vector_i,
    .cycles_o(cycles), .read_beats_o(read_beats), .write_beats_o(write_beats), .padded_vectors_o(padded_vectors),
    .rd_start_i(rd_start), .rd_valid_i(rd_valid), .rd_engine_i(rd_engine), .rd_index_i(rd_index), .rd_count_o(count),
    .rd_cause_o(cause_now), .rd_since_o(cause_since)
  );

  // -------------------------------------------------------------------------------------------- access and reading
  // A write is refused unless the register is known to take it; a read, unless it is known.
  always_comb begin
    wr_error = 1'b0;
    if (wr_valid) begin
      case (wr_word)
        tpu_pkg::REG_CONTROL[11:2], tpu_pkg::REG_IRQ_STATUS[11:2], tpu_pkg::REG_IRQ_ENABLE[11:2],
        tpu_pkg::REG_RING_BASE[11:2], tpu_pkg::REG_RING_CONFIG[11:2], tpu_pkg::REG_TAIL[11:2],
        tpu_pkg::REG_WATCHDOG[11:2]: wr_error = refused;
        default: wr_error = !window_word || refused;
      endcase
    end
  end

  always_comb begin
    rd_data  = '0;
    rd_error = 1'b0;
    if (rd_valid) begin
      case (rd_word)
        tpu_pkg::REG_IDENTITY[11:2]: rd_data = tpu_pkg::IDENTITY;
        tpu_pkg::REG_ISA_VERSION[11:2]: rd_data = tpu_pkg::ISA_VERSION;
        tpu_pkg::REG_DIM[11:2]: rd_data = 32'(Dim);
        tpu_pkg::REG_SCRATCH_ROWS[11:2]: rd_data = 32'(ScratchRows);
        tpu_pkg::REG_WEIGHT_ROWS[11:2]: rd_data = 32'(WeightRows);
        tpu_pkg::REG_ACC_ROWS[11:2]: rd_data = 32'(AccRows);
        tpu_pkg::REG_PARAM_ROWS[11:2]: rd_data = 32'(ParamRows);
        tpu_pkg::REG_QUEUE_DEPTH[11:2]: rd_data = 32'(QueueDepth);
        tpu_pkg::REG_CONTROL[11:2]: rd_data = '0;
        tpu_pkg::REG_STATUS[11:2]: begin
          rd_data[tpu_pkg::REG_STATUS_BUSY_LSB]                = busy_i;
          rd_data[tpu_pkg::REG_STATUS_HALTED_LSB]              = halt_o;
          rd_data[tpu_pkg::REG_STATUS_RESETTING_LSB]           = resetting_i || reset_pending_q || clearing_i;
          rd_data[tpu_pkg::REG_STATUS_ENGINE_BUSY_LSB +: 4]    = engine_busy_i;
          rd_data[tpu_pkg::REG_STATUS_ENGINE_WAITING_LSB +: 4] = engine_waiting_i;
        end
        tpu_pkg::REG_IRQ_STATUS[11:2]: rd_data = 32'(irq_status_q);
        tpu_pkg::REG_IRQ_ENABLE[11:2]: rd_data = 32'(irq_enable_q);
        tpu_pkg::REG_RING_BASE[11:2]: rd_data = ring_base_o;
        tpu_pkg::REG_RING_CONFIG[11:2]: begin
          rd_data[tpu_pkg::REG_RING_CONFIG_LOG2_ENTRIES_LSB +: 5] = ring_log2_o;
          rd_data[tpu_pkg::REG_RING_CONFIG_WINDOW_LSB +: 2]       = ring_window_o;
        end
        tpu_pkg::REG_HEAD[11:2]: rd_data = head_i;
        tpu_pkg::REG_TAIL[11:2]: rd_data = tail_o;
        tpu_pkg::REG_END_TAG[11:2]: rd_data = end_tag_q;
        tpu_pkg::REG_END_COUNT[11:2]: rd_data = end_count_q;
        tpu_pkg::REG_ERROR_CODE[11:2]: begin
          rd_data[tpu_pkg::REG_ERROR_CODE_CODE_LSB +: 8]   = error_code;
          rd_data[tpu_pkg::REG_ERROR_CODE_ENGINE_LSB +: 3] = error_engine;
        end
        tpu_pkg::REG_ERROR_INDEX[11:2]: rd_data = error_index;
        tpu_pkg::REG_ERROR_ADDRESS[11:2]: rd_data = error_address;
        tpu_pkg::REG_ERROR_COUNT[11:2]: rd_data = error_count;
        tpu_pkg::REG_WATCHDOG[11:2]: rd_data = watchdog_o;
        tpu_pkg::REG_CYCLES[11:2]: rd_data = cycles;
        tpu_pkg::REG_COMMANDS[11:2]: rd_data = commands_i;
        tpu_pkg::REG_READ_BEATS[11:2]: rd_data = read_beats;
        tpu_pkg::REG_WRITE_BEATS[11:2]: rd_data = write_beats;
        tpu_pkg::REG_WAITING_SEMAPHORES[11:2]: rd_data = waiting_semaphores_i;
        tpu_pkg::REG_PADDED_VECTORS[11:2]: rd_data = padded_vectors;
        default: begin
          if (rd_word[9:3] == tpu_pkg::REG_SEMAPHORE[11:5]) begin
            rd_data = semaphore_i[rd_word[2:0]*32 +: 32];
          end else if (rd_word[9:2] == tpu_pkg::REG_ENGINE_STATE[11:4]) begin
            rd_data[tpu_pkg::REG_ENGINE_STATE_IN_FLIGHT_LSB +: 16] = engine_level_i[rd_word[1:0]*16 +: 16];
            rd_data[tpu_pkg::REG_ENGINE_STATE_CAUSE_LSB +: 4]      = cause_now;
          end else if (rd_word[9:2] == tpu_pkg::REG_ENGINE_INDEX[11:4]) begin
            rd_data = oldest_index_i[rd_word[1:0]*32 +: 32];
          end else if (rd_word[9:2] == tpu_pkg::REG_ENGINE_SINCE[11:4]) begin
            rd_data = cause_since;
          end else if (rd_word[9:4] == tpu_pkg::REG_WINDOW_BASE[11:6]) begin
            case (rd_word[1:0])
              tpu_pkg::REG_WINDOW_BASE[3:2]: rd_data = win_base_o[rd_word[3:2]*32 +: 32];
              tpu_pkg::REG_WINDOW_SIZE[3:2]: rd_data = win_size_o[rd_word[3:2]*32 +: 32];
              tpu_pkg::REG_WINDOW_PERMISSION[3:2]: rd_data = 32'(win_perm_o[rd_word[3:2]*3 +: 3]);
              default: rd_error = 1'b1;
            endcase
          end else if (rd_word[9:6] == tpu_pkg::REG_CAUSE_COUNT[11:8] || rd_wait) begin
            rd_data = count;
          end else begin
            rd_error = 1'b1;
          end
        end
      endcase
    end
  end
endmodule
