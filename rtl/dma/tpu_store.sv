// SPDX-License-Identifier: Apache-2.0
// STORE engine: gathers rows of the scratchpad, piece by piece, into runs of bytes in device memory.
//
//   commands -> tpu_store_address -> write addresses       (checks windows; records each burst in two FIFOs:)
//      |                 |  +-> lengths, for the data       +-> table, for the responses
//      +-> FIFO -> tpu_store_read -> tpu_store_pack -> write data
//
// The bus must not wait for data that may not come: an address is issued only when the first row of its run has been
// read and at most NearBeats beats of earlier bursts are left to send. Every burst that was issued is completed: after
// a row out of range its remaining beats are sent with strobes off. Up to 128 bursts may be outstanding. Refused reads
// are counted. After Patience refusals while a burst is open, STORE claims the scratchpad for the cycle after each
// refusal until the burst is sent; after LongPatience refusals while no burst is open, until a read is not refused. For
// exponents ExponentPatience is enough, because the MXU reads them in every cycle of block floating point.
//
// Latency: four cycles from command to address, five to its first beat. Throughput: one row read, one beat and one
// burst per cycle, also with bursts of one beat. Back-pressure: rd_ready_i, aw_ready_i and w_ready_i.
//
// Protocol: cmd_*, rd_*, aw_* and w_* are valid/ready streams; a read must be granted while rd_claim_o is high. Read
// data are valid in the cycle after the grant. Responses come in the order of the bursts and have no ready. retire_o
// pulses with the last response of a command. fault_valid_o pulses once, when the command is the oldest and no burst is
// outstanding; the engine then stops until reset. The first faulty run decides, and no later one is issued. Within a
// run a window violation has priority, then an error response to a burst whose rows were all read, then a row out of
// range. cause_o is one-hot.
//
// Parameters: Dim (4, 8, 16 or 32), bytes of a row and of a beat; ScratchRows (at most 65536), the rows from BlockRows
// on are exponents.
`include "tpu_assert.svh"
module tpu_store #(
  parameter int Dim = 16,
  parameter int ScratchRows = 12288,
  parameter int BlockRows = ScratchRows
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  // Address windows, from the registers.
  input  logic [32*tpu_pkg::WINDOWS-1:0] win_base_i,
  input  logic [32*tpu_pkg::WINDOWS-1:0] win_size_i,
  input  logic [3*tpu_pkg::WINDOWS-1:0]  win_perm_i,
  // Commands.
  input  logic                           cmd_valid_i,
  output logic                           cmd_ready_o,
  input  logic [tpu_pkg::INSTR_W-1:0]    cmd_instr_i,
  output logic                           retire_o,
  output logic                           fault_valid_o,
  output logic [7:0]                     fault_code_o,
  output logic [31:0]                    fault_addr_o,
  output logic [tpu_pkg::CAUSES-1:0]     cause_o,
  // Scratchpad reads.
  output logic                           rd_claim_o,
  output logic                           rd_valid_o,
  input  logic                           rd_ready_i,
  output logic [15:0]                    rd_row_o,
  input  logic [8*Dim-1:0]               rd_data_i,
  // Bus writes.
  output logic                           aw_valid_o,
  input  logic                           aw_ready_i,
  output logic [31:0]                    aw_addr_o,
  output logic [7:0]                     aw_len_o,
  output logic                           w_valid_o,
  input  logic                           w_ready_i,
  output logic [8*Dim-1:0]               w_data_o,
  output logic [Dim-1:0]                 w_strb_o,
  output logic                           w_last_o,
  input  logic                           b_valid_i,
  input  logic                           b_error_i
);
  `TPU_ASSERT_INIT(DimIsKnown, Dim == 4 || Dim == 8 || Dim == 16 || Dim == 32)

  localparam int Log = $clog2(Dim);
  localparam int Ahead = 4;                  // commands that wait between address and data side
  localparam int NearBeats = 8;              // a burst is issued when at most so many beats are left to send
  localparam int DataBursts = 16;            // bursts issued and not yet sent; at most NearBeats bursts of one beat
                                             // and one more
  localparam int Patience = 512;             // refused reads before STORE claims, while a burst is open
  localparam int LongPatience = 1024;        // the same while no burst is open
  localparam int ExponentPatience = 16;      // of exponents
  localparam int OpenBursts = 128;           // bursts without response; exceeds the latency of the bus in cycles

  logic halted_q;

  logic address_ready, queue_ready, head_valid, head_ready;
  logic [tpu_pkg::INSTR_W-1:0] head_instr;
  logic [$clog2(Ahead):0]      queue_level;
  assign cmd_ready_o = address_ready && queue_ready;
  tpu_fifo #(.Width(tpu_pkg::INSTR_W), .Depth(Ahead)) u_queue (
    .clk_i, .rst_ni,
    .wr_valid_i(cmd_valid_i && address_ready), .wr_ready_o(queue_ready), .wr_data_i(cmd_instr_i),
    .rd_valid_o(head_valid), .rd_ready_i(head_ready), .rd_data_o(head_instr), .level_o(queue_level));

  // Addresses.
  logic        checked, window_bad, stop, step, span_done, go, issue, issue_last, address_busy, pending;
  logic        lens_ready, table_ready;
  logic [31:0] window_addr, issue_addr;
  logic [5:0]  issue_beats;
  tpu_store_address #(.Dim(Dim)) u_address (
    .clk_i, .rst_ni, .win_base_i, .win_size_i, .win_perm_i,
    .cmd_valid_i(cmd_valid_i && queue_ready), .cmd_ready_o(address_ready), .cmd_instr_i,
    .checked_o(checked), .fault_o(window_bad), .fault_addr_o(window_addr),
    .halted_i(stop), .step_o(step), .span_done_o(span_done),
    .go_i(go && lens_ready && table_ready),
    .issue_o(issue), .issue_beats_o(issue_beats), .issue_addr_o(issue_addr), .issue_last_o(issue_last),
    .busy_o(address_busy), .pending_o(pending),
    .aw_valid_o, .aw_ready_i, .aw_addr_o, .aw_len_o);

  logic       burst_valid, burst_ready;
  logic [4:0] burst_len;
  logic [$clog2(DataBursts):0] lens_level;
  tpu_fifo #(.Width(5), .Depth(DataBursts)) u_lens (
    .clk_i, .rst_ni,
    .wr_valid_i(issue), .wr_ready_o(lens_ready), .wr_data_i(5'(issue_beats - 6'd1)),
    .rd_valid_o(burst_valid), .rd_ready_i(burst_ready), .rd_data_o(burst_len), .level_o(lens_level));

  logic            open_valid, open_last;
  logic [31-Log:0] open_beat;
  logic [$clog2(OpenBursts):0] open_level;
  // A response comes later than its word appears here.
  tpu_fifo_ram #(.Width(33-Log), .Depth(OpenBursts)) u_table (
    .clk_i, .rst_ni,
    .wr_valid_i(issue), .wr_ready_o(table_ready), .wr_data_i({issue_last, issue_addr[31:Log]}),
    .rd_valid_o(open_valid), .rd_ready_i(b_valid_i), .rd_data_o({open_last, open_beat}), .level_o(open_level));

  // Data.
  logic             first, run, read, range_bad, read_busy, item_valid, item_ready, item_first, item_end, items_empty;
  logic [15:0]      range_row;
  logic [8*Dim-1:0] item_data;
  logic [Log-1:0]   item_shift;
  logic [Log:0]     item_count;
  tpu_store_read #(.Dim(Dim), .ScratchRows(ScratchRows)) u_read (
    .clk_i, .rst_ni, .win_base_i,
    .cmd_valid_i(head_valid), .cmd_ready_o(head_ready), .cmd_instr_i(head_instr),
    .first_o(first), .run_o(run), .read_o(read), .range_bad_o(range_bad), .range_row_o(range_row), .busy_o(read_busy),
    .rd_valid_o, .rd_ready_i, .rd_row_o, .rd_data_i,
    .item_valid_o(item_valid), .item_ready_i(item_ready), .item_data_o(item_data), .item_shift_o(item_shift),
    .item_count_o(item_count), .item_first_o(item_first), .item_end_o(item_end), .empty_o(items_empty));

  logic             send, real_burst;
  tpu_store_pack #(.Dim(Dim)) u_pack (
    .clk_i, .rst_ni,
    .item_valid_i(item_valid), .item_ready_o(item_ready), .item_data_i(item_data), .item_shift_i(item_shift),
    .item_count_i(item_count), .item_first_i(item_first), .item_end_i(item_end),
    .null_i(range_bad && items_empty),
    .burst_valid_i(burst_valid), .burst_ready_o(burst_ready), .burst_len_i(burst_len),
    .send_o(send), .real_o(real_burst),
    .w_valid_o, .w_ready_i, .w_data_o, .w_strb_o, .w_last_o);

  // When to issue. beats_q: beats issued and not sent. begun_q: runs whose first row was read and whose last burst was
  // not issued.
  logic [5:0] beats_q;
  logic [3:0] begun_q;
  assign go = begun_q != '0 && beats_q <= 6'(NearBeats);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      beats_q <= '0;
      begun_q <= '0;
    end else begin
      if (issue || send) beats_q <= beats_q + (issue ? issue_beats : '0) - 6'(send);
      if (first != span_done) begun_q <= first ? begun_q + 4'd1 : begun_q - 4'd1;
    end
  end
  `TPU_ASSERT_WHEN(DataOfIssuedBurstsOnly, send, beats_q != '0)

  // Claim of the scratchpad after too many refused reads, at most every other cycle.
  logic [$clog2(LongPatience):0] refused_q;
  logic open, exponents, waited, claim_q, refused;
  assign refused    = rd_valid_o && !rd_ready_i;
  assign open       = beats_q != '0;
  assign exponents  = 32'(rd_row_o) >= BlockRows;
  assign waited     = 32'(refused_q) >= (exponents ? ExponentPatience : open ? Patience : LongPatience);
  assign rd_claim_o = claim_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      refused_q <= '0;
      claim_q <= 1'b0;
    end else begin
      if (refused && !waited) refused_q <= refused_q + 1'b1;
      else if (open ? send && burst_ready : !refused) refused_q <= '0;
      claim_q <= refused && waited;
    end
  end
  `TPU_ASSERT_WHEN(ClaimIsGranted, claim_q, rd_valid_o && rd_ready_i)

  // checked_q: commands not retired whose runs are all checked. read_q: commands not retired whose rows are all read.
  // lead_q: runs checked and not completely read; negative if rows are read before the check. real_q: bursts sent with
  // all their data and not yet answered.
  logic [7:0]        checked_q, read_q, real_q;
  logic signed [6:0] lead_q;
  logic              bus_bad_q;
  logic [31-Log:0]   bus_beat_q;
  logic              owed;
  assign owed     = open_level != '0;
  assign retire_o = b_valid_i && open_last && !b_error_i && !bus_bad_q && read_q != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      checked_q <= '0;
      read_q <= '0;
      real_q <= '0;
      lead_q <= '0;
      bus_bad_q <= 1'b0;
      halted_q <= 1'b0;
    end else begin
      if (checked != retire_o) checked_q <= checked ? checked_q + 8'd1 : checked_q - 8'd1;
      if (read != retire_o) read_q <= read ? read_q + 8'd1 : read_q - 8'd1;
      if (step != run) lead_q <= step ? lead_q + 7'sd1 : lead_q - 7'sd1;
      if (real_burst != (b_valid_i && real_q != '0)) real_q <= real_burst ? real_q + 8'd1 : real_q - 8'd1;
      // An error response to a burst that was completed with strobes off is ignored.
      if (b_valid_i && b_error_i && !bus_bad_q && real_q != '0) begin
        bus_bad_q <= 1'b1;
        bus_beat_q <= open_beat;
      end
      if (fault_valid_o) halted_q <= 1'b1;
    end
  end

  // After a row out of range the address side continues up to the run of that row. Older runs still complete.
  logic range_first;
  assign range_first = range_bad && lead_q > 7'sd0;
  assign stop        = halted_q || bus_bad_q || range_first;
  always_comb begin
    fault_code_o = tpu_pkg::ERROR_WINDOW;
    fault_addr_o = window_addr;
    fault_valid_o = window_bad && checked_q == '0 && !pending;
    if (bus_bad_q) begin
      fault_code_o = tpu_pkg::ERROR_AXI_WRITE;
      fault_addr_o = {bus_beat_q, Log'(0)};
      fault_valid_o = 1'b1;
    end else if (range_first) begin
      fault_code_o = tpu_pkg::ERROR_SCRATCH_RANGE;
      fault_addr_o = {16'd0, range_row};
      fault_valid_o = read_q == '0;
    end
    if (halted_q || owed || issue) fault_valid_o = 1'b0;
  end

  logic resting;
  always_comb begin
    resting = 1'b1;
    if (w_valid_o || rd_valid_o || aw_valid_o || owed || address_busy || read_busy || queue_level != '0) resting = 1'b0;
  end
  always_comb begin
    cause_o = '0;
    if (resting) cause_o[tpu_pkg::CAUSE_IDLE] = 1'b1;
    else if ((w_valid_o && w_ready_i) || (rd_valid_o && rd_ready_i)) cause_o[tpu_pkg::CAUSE_WORKING] = 1'b1;
    else if (halted_q) cause_o[tpu_pkg::CAUSE_IDLE] = 1'b1;
    else if (rd_valid_o) cause_o[tpu_pkg::CAUSE_BANK_CONFLICT] = 1'b1;
    else if (w_valid_o || (aw_valid_o && !aw_ready_i)) cause_o[tpu_pkg::CAUSE_BACK_PRESSURE] = 1'b1;
    else if (owed && !burst_valid) cause_o[tpu_pkg::CAUSE_MEMORY_LATENCY] = 1'b1;
    else if (owed || address_busy || read_busy || queue_level != '0) cause_o[tpu_pkg::CAUSE_OPERAND_WAIT] = 1'b1;
    else cause_o[tpu_pkg::CAUSE_IDLE] = 1'b1;
  end

  `TPU_ASSERT_WHEN(ResponseIsExpected, b_valid_i, open_valid)
  logic unused;
  assign unused = ^{issue_addr, lens_level};
endmodule
