// SPDX-License-Identifier: Apache-2.0
// Interface of the core to the AXI4 bus. It arbitrates between the two readers, registers every pin, detects missing
// and unexpected responses, and makes reset safe at any time: the engines are reset at once, while the guard completes
// all outstanding transactions.
//
// Latency: one cycle for requests, one for responses; write data follow their address by one cycle at the earliest.
// Throughput: one request per address channel, one read beat and one write beat per cycle.
// Back-pressure: requests by ready; read data and write responses are always accepted (the engines reserve room first).
// Order: reads of one identifier (0 fetch, 1 LOAD) are answered in order; fetch has priority over LOAD.
// Faults: fault_valid_o pulses with code and address of the error record. An unexpected response is dropped, so that
// the counts of outstanding transactions stay correct. RLAST is checked by counting: the last beat that an identifier
// has outstanding must be the last beat of its last burst. If it is not, nothing is outstanding for that identifier any
// more.
// Reset: from reset_request_i on, no request of the engines is accepted. Requests accepted before are completed, write
// bursts with strobes off, and responses are dropped; then core_rst_no rises again.
//
// Protocol: requests and write data are valid/ready streams; read data and write responses to the engines have no
// ready. The pins are AXI4.
//
// Parameters: Dim (bytes per beat; 4, 8, 16 or 32), WriteBursts (write bursts in flight before their data; power of
// two).
`include "tpu_assert.svh"
module tpu_axi_guard #(
  parameter int Dim = 16,
  parameter int WriteBursts = 32,
  localparam int Width = 8 * Dim
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // A request, a transaction or a reset is in progress. The clock may stop a few cycles after event_o and the valids of
  // the pins have fallen.
  output logic             event_o,
  // Reset of everything behind the guard.
  input  logic             reset_request_i,
  output logic             resetting_o,
  output logic             core_rst_no,
  // Bus watchdog: cycles without a handshake after which the bus is reported as stuck; 0 disables it.
  input  logic [31:0]      watchdog_i,
  output logic             fault_valid_o,
  output logic [7:0]       fault_code_o,
  output logic [31:0]      fault_addr_o,
  // Observation: one pulse per beat.
  output logic             read_beat_o,
  output logic             write_beat_o,
  // Read requests of FETCH and LOAD, in device addresses.
  input  logic             fetch_ar_valid_i,
  output logic             fetch_ar_ready_o,
  input  logic [31:0]      fetch_ar_addr_i,
  input  logic [7:0]       fetch_ar_len_i,
  input  logic             load_ar_valid_i,
  output logic             load_ar_ready_o,
  input  logic [31:0]      load_ar_addr_i,
  input  logic [7:0]       load_ar_len_i,
  // Read data: one valid per reader, common payload.
  output logic             fetch_r_valid_o,
  output logic             load_r_valid_o,
  output logic [Width-1:0] r_data_o,
  output logic             r_error_o,
  // Writes of STORE.
  input  logic             aw_valid_i,
  output logic             aw_ready_o,
  input  logic [31:0]      aw_addr_i,
  input  logic [7:0]       aw_len_i,
  input  logic             w_valid_i,
  output logic             w_ready_o,
  input  logic [Width-1:0] w_data_i,
  input  logic [Dim-1:0]   w_strb_i,
  input  logic             w_last_i,
  output logic             b_valid_o,
  output logic             b_error_o,
  // AXI4 pins.
  output logic             m_axi_arvalid_o,
  input  logic             m_axi_arready_i,
  output logic             m_axi_arid_o,
  output logic [31:0]      m_axi_araddr_o,
  output logic [7:0]       m_axi_arlen_o,
  output logic [2:0]       m_axi_arsize_o,
  output logic [1:0]       m_axi_arburst_o,
  input  logic             m_axi_rvalid_i,
  output logic             m_axi_rready_o,
  input  logic             m_axi_rid_i,
  input  logic [Width-1:0] m_axi_rdata_i,
  input  logic [1:0]       m_axi_rresp_i,
  input  logic             m_axi_rlast_i,
  output logic             m_axi_awvalid_o,
  input  logic             m_axi_awready_i,
  output logic             m_axi_awid_o,
  output logic [31:0]      m_axi_awaddr_o,
  output logic [7:0]       m_axi_awlen_o,
  output logic [2:0]       m_axi_awsize_o,
  output logic [1:0]       m_axi_awburst_o,
  output logic             m_axi_wvalid_o,
  input  logic             m_axi_wready_i,
  output logic [Width-1:0] m_axi_wdata_o,
  output logic [Dim-1:0]   m_axi_wstrb_o,
  output logic             m_axi_wlast_o,
  input  logic             m_axi_bvalid_i,
  output logic             m_axi_bready_o,
  input  logic             m_axi_bid_i,
  input  logic [1:0]       m_axi_bresp_i
);
  // -------------------------------------------------------------------------------------------------------------
  // Constant pins.
  assign m_axi_arsize_o = 3'($clog2(Dim));
  assign m_axi_awsize_o = 3'($clog2(Dim));
  assign m_axi_arburst_o = 2'b01;
  assign m_axi_awburst_o = 2'b01;
  assign m_axi_awid_o = 1'b0;
  assign m_axi_rready_o = 1'b1;
  assign m_axi_bready_o = 1'b1;

  // Responses are registered before they are used.
  logic             r_valid_q, r_id_q, r_last_q, r_error_q, b_valid_q, b_id_q, b_error_q;
  logic [Width-1:0] r_data_q;
  logic             unused_pins;

  assign unused_pins = m_axi_rresp_i[0] ^ m_axi_bresp_i[0];

  always_ff @(posedge clk_i) begin
    r_valid_q <= m_axi_rvalid_i && rst_ni;
    b_valid_q <= m_axi_bvalid_i && rst_ni;
    if (m_axi_rvalid_i) begin
      r_id_q <= m_axi_rid_i;
      r_last_q <= m_axi_rlast_i;
      r_error_q <= m_axi_rresp_i[1];
      r_data_q <= m_axi_rdata_i;
    end
    if (m_axi_bvalid_i) begin
      b_id_q <= m_axi_bid_i;
      b_error_q <= m_axi_bresp_i[1];
    end
  end

  // Expected responses.
  logic r_good, b_good;

  // -------------------------------------------------------------------------------------------------------------
  // Reset sequence.
  logic resetting_q, drained;
  logic core_rst_n_q;

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

  // -------------------------------------------------------------------------------------------------------------
  // Read requests: fetch before LOAD, through a two-entry register slice.
  logic        ar_in_valid, ar_in_ready;
  logic [40:0] ar_in, ar_out;
  logic [1:0]  ar_level;

  assign ar_in_valid = open && (fetch_ar_valid_i || load_ar_valid_i);
  assign ar_in = fetch_ar_valid_i ? {1'b0, fetch_ar_len_i, fetch_ar_addr_i} : {1'b1, load_ar_len_i, load_ar_addr_i};
  assign fetch_ar_ready_o = open && ar_in_ready;
  assign load_ar_ready_o = open && ar_in_ready && !fetch_ar_valid_i;

  tpu_fifo #(.Width(41), .Depth(2)) u_ar (
    .clk_i, .rst_ni,
    .wr_valid_i(ar_in_valid), .wr_ready_o(ar_in_ready), .wr_data_i(ar_in),
    .rd_valid_o(m_axi_arvalid_o), .rd_ready_i(m_axi_arready_i), .rd_data_o(ar_out),
    .level_o(ar_level)
  );
  assign {m_axi_arid_o, m_axi_arlen_o, m_axi_araddr_o} = ar_out;

  assign fetch_r_valid_o = r_good && !r_id_q && open;
  assign load_r_valid_o = r_good && r_id_q && open;
  assign r_data_o = r_data_q;
  assign r_error_o = r_error_q;

  // -------------------------------------------------------------------------------------------------------------
  // Write requests. Data are accepted only for bursts whose address was accepted, so that a reset knows how many beats
  // remain to be sent.
  logic        aw_in_ready, aw_take, lens_ready, lens_valid;
  logic [39:0] aw_out;
  logic [7:0]  owed_len, owed_beat_q;
  logic [1:0]  aw_level, w_level;
  logic        w_in_valid, w_in_ready, w_in_last, w_take;
  logic [$clog2(WriteBursts):0] lens_level;

  assign aw_ready_o = open && aw_in_ready && lens_ready;
  assign aw_take = aw_valid_i && aw_ready_o;

  tpu_fifo #(.Width(40), .Depth(2)) u_aw (
    .clk_i, .rst_ni,
    .wr_valid_i(aw_take), .wr_ready_o(aw_in_ready), .wr_data_i({aw_len_i, aw_addr_i}),
    .rd_valid_o(m_axi_awvalid_o), .rd_ready_i(m_axi_awready_i), .rd_data_o(aw_out),
    .level_o(aw_level)
  );
  assign {m_axi_awlen_o, m_axi_awaddr_o} = aw_out;

  // Lengths of the bursts whose data have not all been accepted, oldest first.
  tpu_fifo #(.Width(8), .Depth(WriteBursts)) u_lens (
    .clk_i, .rst_ni,
    .wr_valid_i(aw_take), .wr_ready_o(lens_ready), .wr_data_i(aw_len_i),
    .rd_valid_o(lens_valid), .rd_ready_i(w_take && w_in_last), .rd_data_o(owed_len),
    .level_o(lens_level)
  );

  assign w_in_last = owed_beat_q == owed_len;
  assign w_in_valid = lens_valid && (resetting_q || (open && w_valid_i));
  assign w_take = w_in_valid && w_in_ready;
  assign w_ready_o = open && lens_valid && w_in_ready;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) owed_beat_q <= '0;
    else if (w_take) owed_beat_q <= w_in_last ? '0 : owed_beat_q + 1'b1;
  end

  tpu_fifo #(.Width(Width + Dim + 1), .Depth(2)) u_w (
    .clk_i, .rst_ni,
    .wr_valid_i(w_in_valid), .wr_ready_o(w_in_ready),
    .wr_data_i({w_data_i, resetting_q ? {Dim{1'b0}} : w_strb_i, w_in_last}),
    .rd_valid_o(m_axi_wvalid_o), .rd_ready_i(m_axi_wready_i),
    .rd_data_o({m_axi_wdata_o, m_axi_wstrb_o, m_axi_wlast_o}),
    .level_o(w_level)
  );

  `TPU_ASSERT_WHEN(EngineLastMatchesBurst, w_take, resetting_q || w_last_i == w_in_last,
                   ("w_last_i %b, the burst ends %b\n", w_last_i, w_in_last))

  assign b_valid_o = b_good && open;
  assign b_error_o = b_error_q;

  // -------------------------------------------------------------------------------------------------------------
  // Outstanding transactions. Reads, for each identifier: beats, and bursts without last beat, counted from the address
  // handshake of the pins on. Writes: bursts without response, counted from when the guard accepts their address
  // (write_owed_q), and those whose last beat is on the bus (complete_q); only the latter may be answered.
  logic [31:0] beats_owed_q, bursts_owed_q;
  logic [15:0] write_owed_q, complete_q;
  logic        ar_done, w_done, ar_done_q, w_done_q, ar_id_q, r_last_wrong, reading;
  logic [7:0]  ar_len_q;
  logic [15:0] beats, bursts;                // of the identifier that answers, after this beat

  // Delayed by a cycle like the responses: a response in the cycle of the handshake is too early to be an answer to it.
  assign ar_done = m_axi_arvalid_o && m_axi_arready_i;
  assign w_done = m_axi_wvalid_o && m_axi_wready_i;
  always_ff @(posedge clk_i) begin
    ar_done_q <= ar_done && rst_ni;
    w_done_q <= w_done && m_axi_wlast_o && rst_ni;
    if (ar_done) begin
      ar_id_q <= m_axi_arid_o;
      ar_len_q <= m_axi_arlen_o;
    end
  end

  assign reading = beats_owed_q != '0 || ar_done_q || ar_level != '0;
  assign r_good = r_valid_q && beats_owed_q[r_id_q*16 +: 16] != '0;
  assign b_good = b_valid_q && !b_id_q && complete_q != '0;
  assign beats = beats_owed_q[r_id_q*16 +: 16] - 16'd1;
  assign bursts = bursts_owed_q[r_id_q*16 +: 16] - 16'(r_last_q);
  assign r_last_wrong = r_good && (beats == '0) != (bursts == '0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      beats_owed_q <= '0;
      bursts_owed_q <= '0;
      write_owed_q <= '0;
      complete_q <= '0;
    end else begin
      for (int id = 0; id < 2; id++) begin
        if ((ar_done_q && ar_id_q == 1'(id)) || (r_good && r_id_q == 1'(id))) begin
          beats_owed_q[id*16 +: 16] <= (!(r_good && r_id_q == 1'(id)) ? beats_owed_q[id*16 +: 16]
                                      : r_last_wrong ? '0 : beats)
                                     + (ar_done_q && ar_id_q == 1'(id) ? 16'(ar_len_q) + 16'd1 : '0);
          bursts_owed_q[id*16 +: 16] <= (!(r_good && r_id_q == 1'(id)) ? bursts_owed_q[id*16 +: 16]
                                       : r_last_wrong ? '0 : bursts)
                                      + 16'(ar_done_q && ar_id_q == 1'(id));
        end
      end
      if (aw_take != b_good) write_owed_q <= aw_take ? write_owed_q + 1'b1 : write_owed_q - 1'b1;
      if (w_done_q != b_good) complete_q <= b_good ? complete_q - 1'b1 : complete_q + 1'b1;
    end
  end

  assign event_o = ar_in_valid || aw_valid_i || w_valid_i || reset_request_i || resetting_q || !core_rst_n_q
                || reading || write_owed_q != '0 || lens_level != '0;

  assign drained = !reading && write_owed_q == '0 && lens_level == '0 && aw_level == '0 && w_level == '0;

  // -------------------------------------------------------------------------------------------------------------
  // Watchdog: cycles without a handshake on any channel while the bus owes one. While the guard waits for write data of
  // the engine, the bus owes nothing. The watchdog fires once; a handshake re-arms it.
  logic [31:0] quiet_q;
  logic        requests_moved_q, moved, owing, fired_q, stuck;

  always_ff @(posedge clk_i) begin
    requests_moved_q <= ar_done || w_done || (m_axi_awvalid_o && m_axi_awready_i);
  end

  assign moved = requests_moved_q || r_good || b_good;
  assign owing = reading || write_owed_q != 16'(lens_level) || aw_level != '0 || w_level != '0;
  assign stuck = owing && !moved && !fired_q && watchdog_i != '0 && quiet_q >= watchdog_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || moved || !owing) begin
      quiet_q <= '0;
      fired_q <= 1'b0;
    end else if (!fired_q) begin
      quiet_q <= quiet_q + 1'b1;
      fired_q <= stuck;
    end
  end

  // At most one fault per cycle: of several at once only the first in this order is reported.
  always_comb begin
    fault_valid_o = 1'b0;
    fault_code_o = tpu_pkg::ERROR_BUS_PROTOCOL;
    fault_addr_o = '0;
    if (r_valid_q && (!r_good || r_last_wrong)) begin
      fault_valid_o = 1'b1;
      fault_addr_o = 32'(r_good);
    end else if (b_valid_q && !b_good) begin
      fault_valid_o = 1'b1;
      fault_addr_o = 32'd2;
    end else if (stuck) begin
      fault_valid_o = 1'b1;
      fault_code_o = tpu_pkg::ERROR_BUS_STUCK;
      fault_addr_o = 32'(!reading);
    end
  end

  assign read_beat_o = r_good;
  assign write_beat_o = w_take;
endmodule
