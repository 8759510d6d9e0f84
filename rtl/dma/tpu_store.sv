// SPDX-License-Identifier: Apache-2.0
// STORE engine: gathers rows of the scratchpad, piece by piece, into runs of bytes in device memory.
//
//   commands -> tpu_store_walk -> runs -> tpu_burst_split -> write addresses    (each burst enters the table of open
//                        |                                                       bursts, for its response)
//                        +-> rows -> tpu_store_rows -> tpu_store_pack -> write data
//
// The bus must not wait for data that may not come: an address is issued only when the first row of its run has been
// read and at most NearBeats beats of earlier bursts are left to send. Every burst that was issued is completed: after
// a row out of range its remaining beats are sent with strobes off. Up to 128 bursts may be outstanding. When reads of
// the scratchpad are refused too often, STORE claims it (tpu_store_claim).
//
// Latency: four cycles from command to address, five to its first beat; more if a run has more than 3 pieces
// (tpu_store_length). Throughput: one row read, one beat and one burst per cycle, also with bursts of one beat.
// Back-pressure: rd_ready_i, aw_ready_i and w_ready_i.
//
// Protocol: cmd_*, rd_*, aw_* and w_* are valid/ready streams; a read must be granted while rd_claim_o is high. Read
// data are valid in the cycle after the grant. Responses come in the order of the bursts and have no ready.
// report_o.retire pulses in the cycle after the last response of a command. report_o.fault.valid pulses once, when the
// command is the oldest and no burst is outstanding; the engine then stops until reset. The first faulty run decides,
// and no later one is issued. Within a run a window violation has priority, then an error response to a burst whose
// rows were all read, then a row out of range. report_o.cause is one-hot and tells of the cycle before.
//
// Parameters: Dim (4, 8, 16 or 32), bytes of a row and of a beat; ScratchRows (at most 65536), the rows from BlockRows
// on are exponents; Windows.
`include "tpu_assert.svh"
module tpu_store #(
  parameter int Dim = 16,
  parameter int Windows = 4,
  parameter int ScratchRows = 12288,
  parameter int BlockRows = ScratchRows
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  // Address windows, from the registers.
  input  tpu_window_pkg::windows_t    windows_i,
  // Commands.
  input  logic                        cmd_valid_i,
  output logic                        cmd_ready_o,
  input  logic [tpu_pkg::INSTR_W-1:0] cmd_instr_i,
  output tpu_report_pkg::report_t     report_o,
  // Scratchpad reads.
  output logic                        rd_claim_o,
  output logic                        rd_valid_o,
  input  logic                        rd_ready_i,
  output logic [15:0]                 rd_row_o,
  input  logic [8*Dim-1:0]            rd_data_i,
  // Bus writes.
  input  logic                        aw_ready_i,
  output tpu_axi_pkg::request_t       aw_o,
  output logic                        w_valid_o,
  input  logic                        w_ready_i,
  output logic [8*Dim-1:0]            w_data_o,
  output logic [Dim-1:0]              w_strb_o,
  output logic                        w_last_o,
  input  tpu_axi_pkg::answer_t        b_i
);
  `TPU_ASSERT_INIT(DimIsKnown, Dim == 4 || Dim == 8 || Dim == 16 || Dim == 32)

  localparam int Log = $clog2(Dim);
  localparam int BlockLog = $clog2(tpu_axi_pkg::MAX_BEATS);
  localparam int BytesWidth = tpu_pkg::WORK_LOG2 + 1;
  localparam int NearBeats = 8;              // a burst is issued when at most so many beats are left to send
  localparam int OpenBursts = 128;           // bursts without response; exceeds the latency of the bus in cycles

  logic halted_q, bus_bad_q;

  // A row that is read, as the walk describes it.
  typedef struct packed {
    logic                run_end;
    logic                run_first;
    logic [Log:0]        count;
    logic [Log-1:0]      shift;
    logic [BlockLog-1:0] beat;
  } place_t;

  // Runs and rows.
  logic                  span_ready, window_bad, range_bad;
  tpu_axi_pkg::span_t    span;
  logic                  walking, taken, walk_valid, room;
  logic [31:0]           window_addr;
  logic [BytesWidth-1:0] span_bytes;
  place_t                place, item;
  tpu_store_walk #(.Dim(Dim), .Windows(Windows), .ScratchRows(ScratchRows)) u_walk (
    .clk_i, .rst_ni, .windows_i,
    .cmd_valid_i, .cmd_ready_o, .cmd_instr_i, .halted_i(halted_q || bus_bad_q), .busy_o(walking),
    .span_o(span), .span_ready_i(span_ready), .span_bytes_o(span_bytes),
    .fault_o(window_bad), .fault_addr_o(window_addr),
    .row_valid_o(walk_valid), .row_ready_i(room && rd_ready_i), .row_o(rd_row_o),
    .beat_o(place.beat), .shift_o(place.shift), .count_o(place.count), .run_first_o(place.run_first),
    .run_end_o(place.run_end), .taken_o(taken), .range_o(range_bad));
  assign rd_valid_o = walk_valid && room;

  logic             item_valid, item_ready, items_empty;
  logic [8*Dim-1:0] item_data;
  tpu_store_rows #(.Width(8*Dim), .MetaWidth($bits(place_t))) u_rows (
    .clk_i, .rst_ni, .room_o(room), .grant_i(taken), .meta_i(place), .data_i(rd_data_i),
    .item_valid_o(item_valid), .item_ready_i(item_ready), .item_meta_o(item), .item_data_o(item_data),
    .empty_o(items_empty));

  // Bursts.
  logic                  go, pending, table_ready;
  tpu_axi_pkg::issue_t   issue;
  tpu_burst_split #(.Dim(Dim), .BytesWidth(BytesWidth)) u_split (
    .clk_i, .rst_ni,
    .span_i(span), .span_ready_o(span_ready), .span_bytes_i(span_bytes), .go_i(go && table_ready),
    .issue_o(issue), .pending_o(pending), .addr_ready_i(aw_ready_i), .addr_o(aw_o));

  typedef struct packed {
    logic            last;                   // of its command
    logic [31-Log:0] addr;                   // in beats
  } open_t;
  open_t issued, answered;
  logic  open_valid;
  logic [$clog2(OpenBursts):0] open_level;
  assign issued.last = issue.last;
  assign issued.addr = aw_o.addr[31:Log];
  // A response comes later than its word appears here.
  tpu_fifo_ram #(.Width($bits(open_t)), .Depth(OpenBursts)) u_table (
    .clk_i, .rst_ni,
    .wr_valid_i(issue.valid), .wr_ready_o(table_ready), .wr_data_i(issued),
    .rd_valid_o(open_valid), .rd_ready_i(b_i.valid), .rd_data_o(answered), .level_o(open_level));

  // When to issue. beats_q: beats issued and not sent. begun_q: runs whose first row was read and whose last burst was
  // not issued, at most that of the bursts and that of the walk.
  logic [5:0] beats_q;
  logic [1:0] begun_q;
  logic       first, send, burst_sent, real_burst;
  assign first = taken && place.run_first;
  assign go = begun_q != '0 && beats_q <= 6'(NearBeats) && !halted_q && !bus_bad_q && !range_bad;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      beats_q <= '0;
      begun_q <= '0;
    end else begin
      if (issue.valid || send) beats_q <= beats_q + (issue.valid ? issue.beats : '0) - 6'(send);
      if (first != issue.span_done) begun_q <= first ? begun_q + 2'd1 : begun_q - 2'd1;
    end
  end
  `TPU_ASSERT_WHEN(DataOfIssuedBurstsOnly, send, beats_q != '0)

  tpu_store_pack #(.Dim(Dim)) u_pack (
    .clk_i, .rst_ni,
    .item_valid_i(item_valid), .item_ready_o(item_ready), .item_data_i(item_data), .item_beat_i(item.beat),
    .item_shift_i(item.shift), .item_count_i(item.count), .item_first_i(item.run_first), .item_end_i(item.run_end),
    .null_i(range_bad && items_empty), .owed_i(beats_q != '0), .owed_one_i(beats_q == 6'd1),
    .send_o(send), .burst_o(burst_sent), .real_o(real_burst),
    .w_valid_o, .w_ready_i, .w_data_o, .w_strb_o, .w_last_o);

  tpu_store_claim #(.BlockRows(BlockRows)) u_claim (
    .clk_i, .rst_ni, .rd_valid_i(rd_valid_o), .rd_ready_i, .rd_row_i(rd_row_o),
    .open_i(beats_q != '0), .burst_i(burst_sent), .claim_o(rd_claim_o));

  // Responses. real_q: bursts sent with all their data and not yet answered. An error response to a burst that was
  // completed with strobes off is ignored, and its command does not retire.
  logic [7:0]      real_q;
  logic [31-Log:0] bus_beat_q;
  logic            owed, retire_q, fault_q, fault;
  assign owed = open_level != '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      real_q    <= '0;
      bus_bad_q <= 1'b0;
      retire_q  <= 1'b0;
      halted_q  <= 1'b0;
      fault_q   <= 1'b0;
    end else begin
      if (real_burst != (b_i.valid && real_q != '0)) real_q <= real_burst ? real_q + 8'd1 : real_q - 8'd1;
      retire_q <= b_i.valid && answered.last && !b_i.error && !bus_bad_q && real_q != '0;
      if (b_i.valid && b_i.error && !bus_bad_q && real_q != '0) begin
        bus_bad_q  <= 1'b1;
        bus_beat_q <= answered.addr;
      end
      fault_q <= fault;
      if (fault) halted_q <= 1'b1;
    end
  end

  // The fault of the oldest command: all bursts before it are answered, so all older commands have retired. A run is
  // checked when the last burst of the run before it is issued. What the fault tells does not change any more.
  assign fault         = !halted_q && !owed && !aw_o.valid && (bus_bad_q || range_bad || window_bad);
  assign report_o.retire      = retire_q;
  assign report_o.fault.valid = fault_q;
  always_comb begin
    report_o.fault.code = tpu_pkg::ERROR_WINDOW;
    report_o.fault.addr = window_addr;
    if (bus_bad_q) begin
      report_o.fault.code = tpu_pkg::ERROR_AXI_WRITE;
      report_o.fault.addr = {bus_beat_q, Log'(0)};
    end else if (range_bad) begin
      report_o.fault.code = tpu_pkg::ERROR_SCRATCH_RANGE;
      report_o.fault.addr = {16'd0, rd_row_o};
    end
  end

  // `resting` depends on registers alone. In a process of its own, a simulator does not evaluate it when a grant
  // changes.
  logic resting;
  always_comb begin
    resting = 1'b0;
    if (!w_valid_o && !owed) resting = !walking && !pending;
  end

  // A task, because a simulator then computes nothing when a grant changes.
  logic [tpu_pkg::CAUSES-1:0] cause_q;
  task automatic tell_cause;
    logic [tpu_pkg::CAUSES-1:0] cause;
    cause = '0;
    if (resting) cause[tpu_pkg::CAUSE_IDLE] = 1'b1;
    else if ((w_valid_o && w_ready_i) || taken) cause[tpu_pkg::CAUSE_WORKING] = 1'b1;
    else if (halted_q) cause[tpu_pkg::CAUSE_IDLE] = 1'b1;
    else if (rd_valid_o) cause[tpu_pkg::CAUSE_BANK_CONFLICT] = 1'b1;
    else if (w_valid_o || (aw_o.valid && !aw_ready_i)) cause[tpu_pkg::CAUSE_BACK_PRESSURE] = 1'b1;
    else if (owed && beats_q == '0) cause[tpu_pkg::CAUSE_MEMORY_LATENCY] = 1'b1;
    else cause[tpu_pkg::CAUSE_OPERAND_WAIT] = 1'b1;
    cause_q <= cause;
  endtask
  assign report_o.cause = cause_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) cause_q <= tpu_pkg::CAUSES'(1) << tpu_pkg::CAUSE_IDLE;
    else tell_cause;
  end

  `TPU_ASSERT_WHEN(ResponseIsExpected, b_i.valid, open_valid)
endmodule
