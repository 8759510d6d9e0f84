// SPDX-License-Identifier: Apache-2.0
// Write side of the bus edge: gives addresses and data of STORE to the bus, counts the responses that the bus owes, and
// completes bursts when STORE is reset.
//
// Latency: one cycle; data follow their address by one cycle at the earliest, because they are accepted only for bursts
// whose address was accepted, so that a reset knows how many beats remain to be sent.
// Throughput: one address and one beat per cycle. Back-pressure: addresses and data by ready; responses are always
// accepted.
//
// Protocol: addresses and data are valid/ready streams; none is accepted while open_i is low. While flush_i is high,
// the data of accepted bursts are sent with strobes off. A response that nobody waits for is dropped: good_o is low.
// Only a burst whose last beat was on the bus in an earlier cycle may be answered.
//
// Parameters: Dim, bytes of a beat; Bursts, in flight before their data (power of two).
`include "tpu_assert.svh"
module tpu_axi_writes #(
  parameter int Dim = 16,
  parameter int Bursts = 16
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  open_i,
  input  logic                  flush_i,
  // STORE.
  output logic                  aw_ready_o,
  input  tpu_axi_pkg::request_t aw_i,
  input  logic                  w_valid_i,
  output logic                  w_ready_o,
  input  logic [8*Dim-1:0]      w_data_i,
  input  logic [Dim-1:0]        w_strb_i,
  input  logic                  w_last_i,
  // Pins.
  input  logic                  aw_ready_i,
  output tpu_axi_pkg::request_t aw_o,
  output logic                  w_valid_o,
  input  logic                  w_ready_i,
  output logic [8*Dim-1:0]      w_data_o,
  output logic [Dim-1:0]        w_strb_o,
  output logic                  w_last_o,
  // A response that has come.
  input  logic                  b_valid_i,
  output logic                  good_o,
  // Bursts are not answered; the bus owes something, because not all it can do waits for data of STORE; a beat was
  // accepted; an address or a beat was taken by the bus.
  output logic                  busy_o,
  output logic                  owed_o,
  output logic                  beat_o,
  output logic                  taken_o
);
  localparam int Log = $clog2(Dim);
  localparam int LenWidth = $clog2(tpu_axi_pkg::MAX_BEATS);
  localparam int CountWidth = 10;            // STORE has at most 128 bursts outstanding

  // Addresses.
  typedef struct packed {
    logic [LenWidth-1:0] len;
    logic [31-Log:0]     beat;               // address
  } queued_t;
  queued_t in, out;
  logic    in_ready, lens_ready, take;
  assign in.len     = aw_i.len[LenWidth-1:0];
  assign in.beat    = aw_i.addr[31:Log];
  assign aw_ready_o = open_i && in_ready && lens_ready;
  assign take       = aw_i.valid && aw_ready_o;
  tpu_slice #(.Width($bits(queued_t))) u_requests (
    .clk_i, .rst_ni, .wr_valid_i(take), .wr_ready_o(in_ready), .wr_data_i(in),
    .rd_valid_o(aw_o.valid), .rd_ready_i(aw_ready_i), .rd_data_o(out));
  assign aw_o.len  = 8'(out.len);
  assign aw_o.addr = {out.beat, Log'(0)};

  // Lengths of the bursts whose data have not all been accepted, oldest first.
  logic                    lens_valid, last, beat_valid, beat_ready, beat;
  logic [LenWidth-1:0]     len, sent_q;
  logic [$clog2(Bursts):0] lens_level;
  tpu_fifo #(.Width(LenWidth), .Depth(Bursts)) u_lens (
    .clk_i, .rst_ni, .wr_valid_i(take), .wr_ready_o(lens_ready), .wr_data_i(in.len),
    .rd_valid_o(lens_valid), .rd_ready_i(beat && last), .rd_data_o(len), .level_o(lens_level));

  assign last       = sent_q == len;
  assign beat_valid = lens_valid && (flush_i || (open_i && w_valid_i));
  assign beat       = beat_valid && beat_ready;
  assign w_ready_o  = open_i && lens_valid && beat_ready;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) sent_q <= '0;
    else if (beat) sent_q <= last ? '0 : sent_q + 1'b1;
  end

  // The data in the lowest bits: a simulation copies them by words.
  typedef struct packed {
    logic             last;
    logic [Dim-1:0]   strb;
    logic [8*Dim-1:0] data;
  } beat_t;
  beat_t given, sent;
  assign given.data = w_data_i;
  assign given.strb = flush_i ? {Dim{1'b0}} : w_strb_i;
  assign given.last = last;
  tpu_slice #(.Width($bits(beat_t))) u_data (
    .clk_i, .rst_ni, .wr_valid_i(beat_valid), .wr_ready_o(beat_ready), .wr_data_i(given),
    .rd_valid_o(w_valid_o), .rd_ready_i(w_ready_i), .rd_data_o(sent));
  assign w_data_o = sent.data;
  assign w_strb_o = sent.strb;
  assign w_last_o = sent.last;

  `TPU_ASSERT_WHEN(EngineLastMatchesBurst, beat, flush_i || w_last_i == last,
                   ("w_last_i %b, the burst ends %b\n", w_last_i, last))

  // Bursts without response, counted from when their address is accepted, and those whose last beat is on the bus.
  logic [CountWidth-1:0] owed_q, complete_q;
  logic                  done_q;
  always_ff @(posedge clk_i) begin
    done_q <= w_valid_o && w_ready_i && w_last_o && rst_ni;
    if (!rst_ni) begin
      owed_q     <= '0;
      complete_q <= '0;
    end else begin
      if (take != good_o) owed_q <= take ? owed_q + 1'b1 : owed_q - 1'b1;
      if (done_q != good_o) complete_q <= good_o ? complete_q - 1'b1 : complete_q + 1'b1;
    end
  end
  assign good_o  = b_valid_i && complete_q != '0;
  assign busy_o  = owed_q != '0 || lens_valid || aw_o.valid || w_valid_o;
  assign owed_o  = owed_q != CountWidth'(lens_level) || aw_o.valid || w_valid_o;
  assign beat_o  = beat;
  assign taken_o = (aw_o.valid && aw_ready_i) || (w_valid_o && w_ready_i);

  `TPU_ASSERT_WHEN(BurstIsShort, aw_i.valid, 32'(aw_i.len) < tpu_axi_pkg::MAX_BEATS)
  `TPU_ASSERT_WHEN(BurstsAreCounted, take, !(&owed_q))
  logic unused;
  assign unused = ^aw_i;
endmodule
