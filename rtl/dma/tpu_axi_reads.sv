// SPDX-License-Identifier: Apache-2.0
// Read side of the bus edge: gives the requests of two readers to the bus, fetch before LOAD, and counts what the bus
// owes each of them.
//
// Latency: one cycle for requests; responses come registered, and pass. Throughput: one request and one beat per cycle.
// Back-pressure: requests by ready; read data are always accepted, because the readers reserve room first.
//
// Protocol: requests are valid/ready streams; none is accepted while open_i is low. A beat that nobody waits for is
// dropped: good_o is low. RLAST is checked by counting: the last beat that an identifier has outstanding must be the
// last beat of its last burst. If it is not, last_wrong_o is high, and nothing is outstanding for that identifier any
// more. A beat in the cycle of its address handshake is too early to be an answer.
//
// Parameters: Dim, bytes of a beat.
`include "tpu_assert.svh"
module tpu_axi_reads #(
  parameter int Dim = 16
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  open_i,
  // Readers.
  output logic                  fetch_ready_o,
  input  tpu_axi_pkg::request_t fetch_i,
  output logic                  load_ready_o,
  input  tpu_axi_pkg::request_t load_i,
  // Pins.
  input  logic                  ar_ready_i,
  output tpu_axi_pkg::reader_e  ar_id_o,
  output tpu_axi_pkg::request_t ar_o,
  // A beat that has come.
  input  logic                  r_valid_i,
  input  tpu_axi_pkg::reader_e  r_id_i,
  input  logic                  r_last_i,
  output logic                  good_o,
  output logic                  last_wrong_o,
  // The bus owes data or has not taken a request; a request was taken.
  output logic                  owed_o,
  output logic                  taken_o
);
  localparam int Log = $clog2(Dim);
  localparam int CountWidth = 10;            // a reader has at most 256 beats outstanding: LOAD its line buffer, fetch
                                             // its queue

  typedef struct packed {
    tpu_axi_pkg::reader_e id;
    logic [7:0]           len;
    logic [31-Log:0]      beat;              // address
  } queued_t;

  tpu_axi_pkg::request_t request;
  queued_t               in, out;
  logic                  in_ready;
  assign request       = fetch_i.valid ? fetch_i : load_i;
  assign in.id         = fetch_i.valid ? tpu_axi_pkg::READER_FETCH : tpu_axi_pkg::READER_LOAD;
  assign in.len        = request.len;
  assign in.beat       = request.addr[31:Log];
  assign fetch_ready_o = open_i && in_ready;
  assign load_ready_o  = open_i && in_ready && !fetch_i.valid;
  tpu_slice #(.Width($bits(queued_t))) u_requests (
    .clk_i, .rst_ni,
    .wr_valid_i(open_i && (fetch_i.valid || load_i.valid)), .wr_ready_o(in_ready), .wr_data_i(in),
    .rd_valid_o(ar_o.valid), .rd_ready_i(ar_ready_i), .rd_data_o(out));
  assign ar_id_o   = out.id;
  assign ar_o.len  = out.len;
  assign ar_o.addr = {out.beat, Log'(0)};

  // A request that the bus took in the last cycle: what it owes is counted a cycle later, as its data are.
  logic                 taken_q;
  tpu_axi_pkg::reader_e taken_id_q;
  logic [7:0]           taken_len_q;
  always_ff @(posedge clk_i) begin
    taken_q <= ar_o.valid && ar_ready_i && rst_ni;
    if (ar_o.valid) begin
      taken_id_q  <= out.id;
      taken_len_q <= out.len;
    end
  end

  // Beats, and bursts without last beat, of each reader.
  typedef struct packed {
    logic [CountWidth-1:0] bursts;
    logic [CountWidth-1:0] beats;
  } owed_t;
  owed_t fetch_q, load_q, answers, rest;
  assign answers      = r_id_i == tpu_axi_pkg::READER_FETCH ? fetch_q : load_q;
  assign good_o       = r_valid_i && answers.beats != '0;
  assign rest.beats   = answers.beats - 1'b1;
  assign rest.bursts  = answers.bursts - CountWidth'(r_last_i);
  assign last_wrong_o = good_o && (rest.beats == '0) != (rest.bursts == '0);

  function automatic owed_t after(input owed_t owed, input logic answer, input logic taken);
    after = owed;
    if (answer) after = last_wrong_o ? '0 : rest;
    if (taken) begin
      after.beats  = after.beats + CountWidth'(taken_len_q) + 1'b1;
      after.bursts = after.bursts + 1'b1;
    end
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      fetch_q <= '0;
      load_q  <= '0;
    end else if (good_o || taken_q) begin
      fetch_q <= after(fetch_q, good_o && r_id_i == tpu_axi_pkg::READER_FETCH,
                       taken_q && taken_id_q == tpu_axi_pkg::READER_FETCH);
      load_q  <= after(load_q, good_o && r_id_i == tpu_axi_pkg::READER_LOAD,
                       taken_q && taken_id_q == tpu_axi_pkg::READER_LOAD);
    end
  end

  assign owed_o  = fetch_q.beats != '0 || load_q.beats != '0 || taken_q || ar_o.valid;
  assign taken_o = ar_o.valid && ar_ready_i;

  `TPU_ASSERT_WHEN(FetchIsCounted, taken_q && taken_id_q == tpu_axi_pkg::READER_FETCH,
                   32'(fetch_q.beats) + 32'(taken_len_q) + 1 < 2 ** CountWidth)
  `TPU_ASSERT_WHEN(LoadIsCounted, taken_q && taken_id_q == tpu_axi_pkg::READER_LOAD,
                   32'(load_q.beats) + 32'(taken_len_q) + 1 < 2 ** CountWidth)
  logic unused;
  assign unused = ^request;
endmodule
