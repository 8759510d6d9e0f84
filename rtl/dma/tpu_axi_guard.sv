// SPDX-License-Identifier: Apache-2.0
// Interface of the core to the AXI4 bus: reads (tpu_axi_reads), writes (tpu_axi_writes), a watchdog. It registers every
// pin, detects missing and unexpected responses, and makes reset safe at any time: the engines are reset at once, while
// the guard completes all outstanding transactions.
//
// Latency: one cycle for requests, one for responses; write data follow their address by one cycle at the earliest.
// Throughput: one request per address channel, one read beat and one write beat per cycle.
// Back-pressure: requests by ready; read data and write responses are always accepted (the engines reserve room first).
// Order: reads of one identifier (tpu_axi_pkg::reader_e) are answered in order; fetch has priority over LOAD.
// Faults: fault_o has code and address of the error record. An unexpected response is dropped, so that
// the counts of outstanding transactions stay correct.
// Reset: from reset_request_i on, no request of the engines is accepted. Requests accepted before are completed, write
// bursts with strobes off, and responses are dropped; then core_rst_no rises again.
//
// Protocol: requests and write data are valid/ready streams, bursts of STORE have at most 32 beats; read data and
// write responses to the engines have no ready. The pins are AXI4.
//
// Parameters: Dim (bytes per beat; 4, 8, 16 or 32), WriteBursts (write bursts in flight before their data; power of
// two).
module tpu_axi_guard #(
  parameter int Dim = 16,
  parameter int WriteBursts = 16,
  localparam int Width = 8 * Dim
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  // A request, a transaction or a reset is in progress. The clock may stop a few cycles after event_o and the valids of
  // the pins have fallen.
  output logic                   event_o,
  // Reset of everything behind the guard.
  input  logic                   reset_request_i,
  output logic                   resetting_o,
  output logic                   core_rst_no,
  // Bus watchdog: cycles without a handshake after which the bus is reported as stuck; 0 disables it.
  input  logic [31:0]            watchdog_i,
  output tpu_report_pkg::fault_t fault_o,
  // Observation: one pulse per beat.
  output logic                   read_beat_o,
  output logic                   write_beat_o,
  // Read requests of FETCH and LOAD, in device addresses.
  output logic                   fetch_ar_ready_o,
  input  tpu_axi_pkg::request_t  fetch_ar_i,
  output logic                   load_ar_ready_o,
  input  tpu_axi_pkg::request_t  load_ar_i,
  // Read data: one answer per reader, common payload.
  output tpu_axi_pkg::answer_t   fetch_r_o,
  output tpu_axi_pkg::answer_t   load_r_o,
  output logic [Width-1:0]       r_data_o,
  // Writes of STORE.
  output logic                   aw_ready_o,
  input  tpu_axi_pkg::request_t  aw_i,
  input  logic                   w_valid_i,
  output logic                   w_ready_o,
  input  logic [Width-1:0]       w_data_i,
  input  logic [Dim-1:0]         w_strb_i,
  input  logic                   w_last_i,
  output tpu_axi_pkg::answer_t   b_o,
  // AXI4 pins.
  output tpu_axi_pkg::master_t   m_axi_o,
  input  tpu_axi_pkg::slave_t    m_axi_i,
  input  logic [Width-1:0]       m_axi_rdata_i,
  output logic [Width-1:0]       m_axi_wdata_o,
  output logic [Dim-1:0]         m_axi_wstrb_o
);
  // Constant pins.
  assign m_axi_o.ar_size = 3'($clog2(Dim));
  assign m_axi_o.aw_size = 3'($clog2(Dim));
  assign m_axi_o.ar_burst = 2'b01;
  assign m_axi_o.aw_burst = 2'b01;
  assign m_axi_o.aw_id = 1'b0;
  assign m_axi_o.r_ready = 1'b1;
  assign m_axi_o.b_ready = 1'b1;

  // Responses are registered before they are used.
  typedef struct packed {
    tpu_axi_pkg::reader_e id;
    logic                 last;
    logic                 error;
  } r_t;
  typedef struct packed {
    logic id;
    logic error;
  } b_t;
  logic             r_valid_q, b_valid_q;
  r_t               r_q;
  b_t               b_q;
  logic [Width-1:0] r_data_q;
  always_ff @(posedge clk_i) begin
    r_valid_q <= m_axi_i.r_valid && rst_ni;
    b_valid_q <= m_axi_i.b_valid && rst_ni;
    if (m_axi_i.r_valid) begin
      r_q.id    <= tpu_axi_pkg::reader_e'(m_axi_i.r_id);
      r_q.last  <= m_axi_i.r_last;
      r_q.error <= m_axi_i.r_resp[1];
      r_data_q  <= m_axi_rdata_i;
    end
    if (m_axi_i.b_valid) begin
      b_q.id    <= m_axi_i.b_id;
      b_q.error <= m_axi_i.b_resp[1];
    end
  end
  logic unused_pins;
  assign unused_pins = m_axi_i.r_resp[0] ^ m_axi_i.b_resp[0];

  // Reset sequence.
  logic resetting_q, core_rst_n_q, drained;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      resetting_q <= 1'b0;
      core_rst_n_q <= 1'b0;
    end else begin
      if (reset_request_i) resetting_q <= 1'b1;
      else if (drained) resetting_q <= 1'b0;
      core_rst_n_q <= !(reset_request_i || resetting_q);
    end
  end
  assign resetting_o = resetting_q;
  assign core_rst_no = core_rst_n_q;

  // Requests of engines that are about to be reset are ignored.
  logic open;
  assign open = core_rst_n_q && !resetting_q;

  logic                  r_good, r_last_wrong, reading, read_taken;
  tpu_axi_pkg::reader_e  ar_id;
  tpu_axi_pkg::request_t ar;
  tpu_axi_reads #(.Dim(Dim)) u_reads (
    .clk_i, .rst_ni, .open_i(open),
    .fetch_ready_o(fetch_ar_ready_o), .fetch_i(fetch_ar_i), .load_ready_o(load_ar_ready_o), .load_i(load_ar_i),
    .ar_ready_i(m_axi_i.ar_ready), .ar_id_o(ar_id), .ar_o(ar),
    .r_valid_i(r_valid_q), .r_id_i(r_q.id), .r_last_i(r_q.last), .good_o(r_good), .last_wrong_o(r_last_wrong),
    .owed_o(reading), .taken_o(read_taken));
  assign m_axi_o.ar_valid = ar.valid;
  assign m_axi_o.ar_id    = ar_id;
  assign m_axi_o.ar_addr  = ar.addr;
  assign m_axi_o.ar_len   = ar.len;
  assign fetch_r_o = '{valid: r_good && r_q.id == tpu_axi_pkg::READER_FETCH && open, error: r_q.error};
  assign load_r_o  = '{valid: r_good && r_q.id == tpu_axi_pkg::READER_LOAD && open, error: r_q.error};
  assign r_data_o  = r_data_q;

  logic                  b_good, writing, write_owed, write_taken;
  tpu_axi_pkg::request_t aw;
  tpu_axi_writes #(.Dim(Dim), .Bursts(WriteBursts)) u_writes (
    .clk_i, .rst_ni, .open_i(open), .flush_i(resetting_q),
    .aw_ready_o, .aw_i, .w_valid_i, .w_ready_o, .w_data_i, .w_strb_i, .w_last_i,
    .aw_ready_i(m_axi_i.aw_ready), .aw_o(aw),
    .w_valid_o(m_axi_o.w_valid), .w_ready_i(m_axi_i.w_ready), .w_data_o(m_axi_wdata_o), .w_strb_o(m_axi_wstrb_o),
    .w_last_o(m_axi_o.w_last),
    .b_valid_i(b_valid_q && !b_q.id), .good_o(b_good),
    .busy_o(writing), .owed_o(write_owed), .beat_o(write_beat_o), .taken_o(write_taken));
  assign m_axi_o.aw_valid = aw.valid;
  assign m_axi_o.aw_addr  = aw.addr;
  assign m_axi_o.aw_len   = aw.len;
  assign b_o              = '{valid: b_good && open, error: b_q.error};
  assign read_beat_o      = r_good;

  assign drained = !reading && !writing;
  assign event_o = fetch_ar_i.valid || load_ar_i.valid || aw_i.valid || w_valid_i || reset_request_i || resetting_q
                || !core_rst_n_q || reading || writing;

  // Requests are seen a cycle later, as responses are.
  logic taken_q, stuck;
  always_ff @(posedge clk_i) taken_q <= read_taken || write_taken;
  tpu_axi_watchdog u_watchdog (
    .clk_i, .rst_ni, .limit_i(watchdog_i), .owing_i(reading || write_owed), .moved_i(taken_q || r_good || b_good),
    .stuck_o(stuck));

  // At most one fault per cycle: of several at once only the first in this order is reported.
  logic        fault_q;
  logic [7:0]  code_q;
  logic [1:0]  place_q;
  always_ff @(posedge clk_i) begin
    fault_q <= 1'b0;
    if (r_valid_q && (!r_good || r_last_wrong)) begin
      fault_q <= rst_ni;
      code_q  <= tpu_pkg::ERROR_BUS_PROTOCOL;
      place_q <= 2'(r_good);
    end else if (b_valid_q && !b_good) begin
      fault_q <= rst_ni;
      code_q  <= tpu_pkg::ERROR_BUS_PROTOCOL;
      place_q <= 2'd2;
    end else if (stuck) begin
      fault_q <= rst_ni;
      code_q  <= tpu_pkg::ERROR_BUS_STUCK;
      place_q <= 2'(!reading);
    end
  end
  assign fault_o = '{valid: fault_q, code: code_q, addr: 32'(place_q)};
endmodule
