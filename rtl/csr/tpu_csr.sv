// SPDX-License-Identifier: Apache-2.0
// Control and status registers with an AXI4-Lite port. The address of each register and its access rules are in
// tpu_csr_map, which is generated from isa/spec/registers.toml; this module implements their functions.
//
// Latency: a write takes effect two cycles after its last handshake (the doorbell pulses then), a read answers three
// cycles after its address, that of a counter later if counting goes first. Throughput and back-pressure: those of
// tpu_axil. irq_o is a register; it rises in the cycle after end_i.valid.
//
// Reset: rst_ni clears all registers. CONTROL.RESET pulses reset_request_o. The falling edge of core_rst_ni that
// follows clears the error record and the pending interrupts. While core_rst_ni is low, the ring's tail, END_TAG,
// END_COUNT and the performance counters are held at zero, and a doorbell is ignored. Ring registers, windows,
// interrupt enable and watchdog keep their values. Locked registers: while busy_i is high, a write to ring registers or
// windows is refused, answered with SLVERR and recorded as an error. Windows begin and end at multiples of 64 bytes;
// lower bits are ignored.
//
// Ports: clk_i may be stopped in cycles in which event_o and the valids of the pins are low, because no register on it
// changes then; count_clk_i, the clock of the counters, always runs. s_axil_* are AXI4-Lite pins. ring_o, windows_o and
// watchdog_o are registers. doorbell_o pulses in the first cycle of a new tail_o. halt_o is high from the cycle after
// an error event until the error record is cleared. The other ports are connected to tpu_command and tpu_axi_guard.
//
// Parameters: the configuration, for the read-only registers; of its Parts (by tpu_pkg::PART_*) the cause counters,
// of the windows the first Windows are here. ClockGating, 0 for FPGAs.
module tpu_csr #(
  parameter int Dim = 16,
  parameter int ScratchRows = 12288,
  parameter int WeightRows = 4096,
  parameter int AccRows = 1024,
  parameter int ParamRows = 256,
  parameter int QueueDepth = tpu_pkg::QUEUE_DEPTH,
  parameter int Windows = 4,
  parameter logic [tpu_pkg::PARTS-1:0] Parts = '1,
  parameter int ClockGating = 0
) (
  input  logic                         clk_i,
  input  logic                         count_clk_i,
  input  logic                         rst_ni,
  input  logic                         test_en_i,
  input  logic                         core_rst_ni,
  output logic                         event_o,
  output logic                         irq_o,
  // AXI4-Lite.
  input  tpu_axi_pkg::lite_request_t   s_axil_i,
  output tpu_axi_pkg::lite_response_t  s_axil_o,
  // Guard.
  output logic                         reset_request_o,
  input  logic                         resetting_i,
  input  logic                         clearing_i,
  output logic [31:0]                  watchdog_o,
  input  tpu_report_pkg::fault_t       bus_fault_i,
  input  logic                         read_beat_i,
  input  logic                         write_beat_i,
  // Matrix unit.
  input  logic                         padded_vector_i,
  // Windows.
  output tpu_window_pkg::windows_t     windows_o,
  // Command processor.
  output logic                         halt_o,
  output logic                         doorbell_o,
  output logic [31:0]                  tail_o,
  output tpu_command_pkg::ring_t       ring_o,
  input  logic [4*tpu_pkg::CAUSES-1:0] cause_i,
  input  logic                         nonfinite_i,    // changes when a block that is not a number is stored
  input  logic                         busy_i,
  input  logic [3:0]                   engine_busy_i,
  input  logic [3:0]                   engine_waiting_i,
  input  logic [31:0]                  waiting_semaphores_i,
  input  logic [3:0][31:0]             oldest_index_i,
  input  logic [3:0][15:0]             engine_level_i,
  input  logic [255:0]                 semaphore_i,
  input  logic [31:0]                  head_i,
  input  logic [31:0]                  commands_i,
  input  tpu_command_pkg::end_t        end_i,
  input  tpu_command_pkg::error_t      error_i
);
  logic        accessed, wr_valid, wr_error, rd_start, rd_ready, rd_valid, rd_error;
  logic [9:0]  wr_word, rd_word;
  logic [31:0] wr_data, rd_data;

  tpu_axil u_axil (
    .clk_i, .rst_ni, .event_o(accessed),
    .s_axil_i, .s_axil_o,
    .wr_valid_o(wr_valid), .wr_word_o(wr_word), .wr_data_o(wr_data), .wr_error_i(wr_error),
    .rd_start_o(rd_start), .rd_ready_i(rd_ready), .rd_valid_o(rd_valid), .rd_word_o(rd_word), .rd_data_i(rd_data),
    .rd_error_i(rd_error)
  );

  // ---------------------------------------------------------------------------------------------------- registers
  logic        core_rst_q, core_clear, clear_counters_q, reset_pending_q;
  logic [31:0] end_tag_q, end_count_q;
  logic [1:0]  irq_status_q, irq_enable_q, irq_status_d, irq_enable_d, irq_set;
  logic        raised, refused;
  tpu_csr_pkg::record_t record;
  logic [31:0] cycles, read_beats, write_beats, padded_vectors;

  // Register that is written.
  tpu_csr_map_pkg::written_t written;

  assign core_clear = core_rst_q && !core_rst_ni;
  // No term for the effects of a register access is needed: they end before its response has been accepted.
  // In processes of their own, a simulator looks at them only when a clock of theirs ran.
  logic own_event, guard_event;
  always_comb begin
    own_event = accessed;
    if (end_i.valid || error_i.valid || !core_rst_q) own_event = 1'b1;
  end
  always_comb begin
    guard_event = bus_fault_i.valid;
    if (resetting_i || !core_rst_ni) guard_event = 1'b1;
  end
  assign event_o = own_event || guard_event;

  // Set has priority over clear, so that no interrupt is lost.
  assign irq_set = {raised, end_i.valid && core_rst_ni};
  always_comb begin
    irq_status_d = irq_status_q;
    irq_enable_d = irq_enable_q;
    if (wr_valid || core_clear || irq_set != '0) begin
      if (written.irq_status) irq_status_d = irq_status_q & ~wr_data[1:0];
      if (written.irq_enable) irq_enable_d = wr_data[1:0];
      if (core_clear) irq_status_d = '0;
      irq_status_d = irq_status_d | irq_set;
    end
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
      ring_o           <= '0;
      watchdog_o       <= tpu_pkg::REG_WATCHDOG_RESET;
      windows_o        <= '0;
    end else begin
      irq_o            <= (irq_status_d & irq_enable_d) != '0;
      irq_status_q     <= irq_status_d;
      irq_enable_q     <= irq_enable_d;
      reset_request_o  <= 1'b0;
      clear_counters_q <= 1'b0;
      // STATUS shows a reset from the write on, before the guard has answered the request.
      if (resetting_i) reset_pending_q <= 1'b0;
      if (wr_valid) begin
        if (written.control) begin
          reset_request_o  <= wr_data[tpu_pkg::REG_CONTROL_RESET_LSB];
          reset_pending_q  <= wr_data[tpu_pkg::REG_CONTROL_RESET_LSB];
          clear_counters_q <= wr_data[tpu_pkg::REG_CONTROL_CLEAR_COUNTERS_LSB];
        end
        if (written.ring_base) ring_o.base <= wr_data[31:6];
        if (written.ring_config) begin
          ring_o.log2   <= wr_data[tpu_pkg::REG_RING_CONFIG_LOG2_ENTRIES_LSB +: 5];
          ring_o.window <= wr_data[tpu_pkg::REG_RING_CONFIG_WINDOW_LSB +: 3];
        end
        if (written.watchdog) watchdog_o <= wr_data;
        for (int w = 0; w < Windows; w++) begin
          if (written.window_base[w]) windows_o[w].base <= wr_data[31:6];
          if (written.window_size[w]) windows_o[w].size <= wr_data[31:6];
          if (written.window_permission[w]) windows_o[w].permission <= wr_data[2:0];
        end
      end
    end
  end

  // Registers that are reset with the core.
  always_ff @(posedge clk_i) begin
    if (!rst_ni || !core_rst_ni) begin
      doorbell_o  <= 1'b0;
      tail_o      <= '0;
      end_tag_q   <= '0;
      end_count_q <= '0;
    end else begin
      doorbell_o <= written.tail;
      if (written.tail) tail_o <= wr_data;
      if (end_i.valid) begin
        end_tag_q   <= end_i.tag;
        end_count_q <= end_count_q + 32'd1;
      end
    end
  end

  // STATUS.NONFINITE is cleared with the counters and has their clock. Its source has a clock of its own, which may
  // stand still, and therefore reports by a change. A change that the core's reset makes is not one of these.
  logic nonfinite_q, nonfinite_seen_q;
  always_ff @(posedge count_clk_i) begin
    nonfinite_seen_q <= nonfinite_i;
    // Most of the time nothing is to be done, and a simulation tests no more.
    if (!rst_ni || nonfinite_q || nonfinite_i != nonfinite_seen_q) begin
      nonfinite_q <= rst_ni && core_rst_ni && core_rst_q && !clear_counters_q && !(end_i.valid && end_i.clear);
    end
  end

  tpu_errors u_errors (
    .clk_i, .rst_ni, .clear_i(core_clear),
    .error_i, .bus_i(bus_fault_i), .refused_valid_i(refused), .refused_offset_i({wr_word, 2'b00}), .commands_i,
    .halted_o(halt_o), .raised_o(raised), .record_o(record)
  );

  // Engine and counter that a read requests. Reads of other registers, below 200h, request none and do not wait.
  logic                          rd_wait, rd_count, rd_count_ready;
  tpu_csr_pkg::counter_address_t rd_counter;
  tpu_csr_pkg::counter_value_t   rd_value;
  assign rd_count = rd_word[9:7] != '0;
  assign rd_ready = !rd_count || rd_count_ready;
  assign rd_wait = rd_word[9:7] == tpu_pkg::REG_SEMAPHORE_WAIT[11:9];
  always_comb begin
    rd_counter.number = rd_wait ? {1'b0, rd_word[4:0]} : {2'b10, rd_word[3:0]};
    if (rd_word[9:7] == '0) rd_counter.engine = rd_word[1:0];
    else rd_counter.engine = rd_wait ? rd_word[6:5] : rd_word[5:4];
  end

  logic counters_clear;
  always_comb begin
    counters_clear = clear_counters_q;
    if (!core_rst_ni) counters_clear = 1'b1;
  end

  tpu_counters #(
    .CauseCounters(int'(Parts[tpu_pkg::PART_CAUSE_COUNTERS])), .ClockGating(ClockGating)
  ) u_counters (
    .clk_i(count_clk_i), .rst_ni, .test_en_i,
    .clear_i(counters_clear), .end_clear_i(end_i.valid && end_i.clear),
    .run_i(busy_i && !halt_o), .cause_i, .semaphore_i(waiting_semaphores_i),
    .read_beat_i, .write_beat_i, .padded_vector_i,
    .cycles_o(cycles), .read_beats_o(read_beats), .write_beats_o(write_beats), .padded_vectors_o(padded_vectors),
    .rd_start_i(rd_start && rd_count), .rd_ready_o(rd_count_ready), .rd_valid_i(rd_valid), .rd_address_i(rd_counter),
    .rd_value_o(rd_value)
  );

  // ------------------------------------------------------------------------------------------------ register map
  // Only for a read, so that a simulation collects no values in other cycles.
  tpu_csr_map_pkg::values_t values;
  always_comb begin
    values = 'x;
    if (rd_valid) begin
      values.status_busy              = busy_i;
      values.status_halted            = halt_o;
      values.status_resetting         = resetting_i || reset_pending_q || clearing_i;
      values.status_nonfinite         = nonfinite_q;
      values.status_engine_busy       = engine_busy_i;
      values.status_engine_waiting    = engine_waiting_i;
      values.irq_status_done          = irq_status_q[tpu_pkg::REG_IRQ_STATUS_DONE_LSB];
      values.irq_status_error         = irq_status_q[tpu_pkg::REG_IRQ_STATUS_ERROR_LSB];
      values.irq_enable_done          = irq_enable_q[tpu_pkg::REG_IRQ_ENABLE_DONE_LSB];
      values.irq_enable_error         = irq_enable_q[tpu_pkg::REG_IRQ_ENABLE_ERROR_LSB];
      values.ring_base                = ring_o.base;
      values.ring_config_log2_entries = ring_o.log2;
      values.ring_config_window       = ring_o.window;
      values.head                     = head_i;
      values.tail                     = tail_o;
      values.end_tag                  = end_tag_q;
      values.end_count                = end_count_q;
      values.error_code_code          = record.code;
      values.error_code_engine        = 8'(record.engine);
      values.error_index              = record.index;
      values.error_address            = record.address;
      values.error_count              = record.count;
      values.watchdog                 = watchdog_o;
      values.cycles                   = cycles;
      values.commands                 = commands_i;
      values.read_beats               = read_beats;
      values.write_beats              = write_beats;
      values.waiting_semaphores       = waiting_semaphores_i;
      values.padded_vectors           = padded_vectors;
      values.semaphores               = semaphore_i;
      // State of the engine that is read.
      values.engine_state_in_flight   = engine_level_i[rd_counter.engine][7:0];
      values.engine_state_queued      = engine_level_i[rd_counter.engine][15:8];
      values.engine_state_cause       = rd_value.cause;
      values.engine_index             = oldest_index_i;
      values.engine_since             = rd_value.since;
      for (int w = 0; w < tpu_pkg::WINDOWS; w++) begin
        values.window_base[26*w +: 26]     = windows_o[w].base;
        values.window_size[26*w +: 26]     = windows_o[w].size;
        values.window_permission[3*w +: 3] = windows_o[w].permission;
      end
      values.cause_count              = rd_value.count;
      values.semaphore_wait           = rd_value.count;
    end
  end

  tpu_csr_map #(
    .Identity(tpu_pkg::IDENTITY), .IsaVersion(tpu_pkg::ISA_VERSION), .Dim(Dim), .ScratchRows(ScratchRows),
    .WeightRows(WeightRows), .AccRows(AccRows), .ParamRows(ParamRows), .QueueDepth(QueueDepth),
    .Parts(int'(Parts)), .Windows(Windows)
  ) u_map (
    .wr_valid_i(wr_valid), .wr_word_i(wr_word), .busy_i, .wr_error_o(wr_error), .wr_refused_o(refused),
    .written_o(written),
    .rd_valid_i(rd_valid), .rd_word_i(rd_word), .rd_data_o(rd_data), .rd_error_o(rd_error), .values_i(values)
  );
endmodule
