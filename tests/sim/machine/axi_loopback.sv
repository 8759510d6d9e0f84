// SPDX-License-Identifier: Apache-2.0
// Test design with the pins of tpu_core: copies Length beats from Source to Destination in bursts, with reads of both
// identifiers in flight, raises the interrupt at the end, and can be told to misbehave. It exercises the machine around
// the core (memory, checkers, register bus, interrupt, watchdog) before and beside the core.
//
// Read identifier 0 feeds the copy; each of its bursts is read a second time with identifier 1 into a checksum.
// Registers: IDENTITY, STATUS, IRQ_STATUS, IRQ_ENABLE, COMMANDS at the core's offsets, and the CSR_* below.
//
// Parameters: Dim, bytes of the data bus: 4, 8, 16 or 32.
`include "tpu_assert.svh"
module axi_loopback #(
  parameter int Dim = 16
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             test_en_i,
  output logic             irq_o,
  input  logic             s_axil_awvalid_i,
  output logic             s_axil_awready_o,
  input  logic [11:0]      s_axil_awaddr_i,
  input  logic             s_axil_wvalid_i,
  output logic             s_axil_wready_o,
  input  logic [31:0]      s_axil_wdata_i,
  input  logic [3:0]       s_axil_wstrb_i,
  output logic             s_axil_bvalid_o,
  input  logic             s_axil_bready_i,
  output logic [1:0]       s_axil_bresp_o,
  input  logic             s_axil_arvalid_i,
  output logic             s_axil_arready_o,
  input  logic [11:0]      s_axil_araddr_i,
  output logic             s_axil_rvalid_o,
  input  logic             s_axil_rready_i,
  output logic [31:0]      s_axil_rdata_o,
  output logic [1:0]       s_axil_rresp_o,
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
  input  logic [8*Dim-1:0] m_axi_rdata_i,
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
  output logic [8*Dim-1:0] m_axi_wdata_o,
  output logic [Dim-1:0]   m_axi_wstrb_o,
  output logic             m_axi_wlast_o,
  input  logic             m_axi_bvalid_i,
  output logic             m_axi_bready_o,
  input  logic             m_axi_bid_i,
  input  logic [1:0]       m_axi_bresp_i
);
  // Beats the design has room for: a read is issued only when its beats fit.
  localparam int Room = 512;

  // Registers of this design.
  localparam logic [11:0] CsrIdentity = 12'h000, CsrStatus = 12'h024, CsrIrqStatus = 12'h028, CsrIrqEnable = 12'h02C,
                          CsrCommands = 12'h060, CsrCauses = 12'h200, CsrSource = 12'h300, CsrDestination = 12'h304,
                          CsrBeats = 12'h308, CsrBurst = 12'h30C, CsrMode = 12'h310, CsrChecksum = 12'h314,
                          CsrGo = 12'h318;
  // Bits of Mode.
  localparam int ModeAssert = 0;  // break an assertion on Go
  localparam int ModeDrop = 1;    // break the AXI protocol: drop a write address that is not taken
  localparam int ModeHang = 2;    // stay busy without doing anything
  localparam int ModeWork = 3;    // before anything else, a long instruction: WorkCycles without bus traffic
  localparam int WorkCycles = 50000;

  logic [31:0] source_q, destination_q, beats_q, burst_q, checksum_q, commands_q, work_q;
  logic [3:0]  mode_q;
  logic        busy_q, go, error_q, hold, working;
  logic [1:0]  irq_status_q, irq_enable_q;

  assign working = mode_q[ModeWork] && work_q != WorkCycles;
  assign hold    = mode_q[ModeHang] || working;

  // Register port: one access at a time, each channel's pins registered first.
  logic        aw_held_q, w_held_q, ar_held_q, do_write, do_read, known;
  logic [11:0] aw_addr_q, ar_addr_q;
  logic [31:0] w_data_q, rdata;
  assign s_axil_awready_o = !aw_held_q;
  assign s_axil_wready_o  = !w_held_q;
  assign s_axil_arready_o = !ar_held_q;
  assign do_write = aw_held_q && w_held_q && !s_axil_bvalid_o;
  assign do_read  = ar_held_q && !s_axil_rvalid_o;
  assign go       = do_write && aw_addr_q == CsrGo && !busy_q;

  always_comb begin
    known = 1'b1;
    rdata = '0;
    unique case (ar_addr_q)
      CsrIdentity:    rdata = 32'h4C4F4F50;
      CsrStatus:      rdata = {31'b0, busy_q};
      CsrIrqStatus:   rdata = {30'b0, irq_status_q};
      CsrIrqEnable:   rdata = {30'b0, irq_enable_q};
      CsrCommands:    rdata = commands_q;
      CsrCauses:      rdata = work_q;
      CsrSource:      rdata = source_q;
      CsrDestination: rdata = destination_q;
      CsrBeats:       rdata = beats_q;
      CsrBurst:       rdata = burst_q;
      CsrMode:        rdata = {28'b0, mode_q};
      CsrChecksum:    rdata = checksum_q;
      default:        known = ar_addr_q[11:8] == 4'h2 || ar_addr_q == 12'h038;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {aw_held_q, w_held_q, ar_held_q, s_axil_bvalid_o, s_axil_rvalid_o} <= '0;
      mode_q <= '0;
      irq_enable_q <= '0;
    end else begin
      if (s_axil_awvalid_i && s_axil_awready_o) aw_held_q <= 1'b1;
      if (s_axil_wvalid_i && s_axil_wready_o) w_held_q <= 1'b1;
      if (s_axil_arvalid_i && s_axil_arready_o) ar_held_q <= 1'b1;
      if (do_write) {aw_held_q, w_held_q} <= '0;
      if (do_read) ar_held_q <= 1'b0;
      if (s_axil_bready_i) s_axil_bvalid_o <= 1'b0;
      if (s_axil_rready_i) s_axil_rvalid_o <= 1'b0;
      if (do_write) s_axil_bvalid_o <= 1'b1;
      if (do_read) s_axil_rvalid_o <= 1'b1;
      if (do_write && aw_addr_q == CsrMode) mode_q <= w_data_q[3:0];
      if (do_write && aw_addr_q == CsrIrqEnable) irq_enable_q <= w_data_q[1:0];
    end
    if (!aw_held_q) aw_addr_q <= s_axil_awaddr_i;
    if (!w_held_q) w_data_q <= s_axil_wdata_i;
    if (!ar_held_q) ar_addr_q <= s_axil_araddr_i;
    if (do_write) s_axil_bresp_o <= aw_addr_q[11] ? 2'b10 : 2'b00;
    if (do_read) s_axil_rdata_o <= rdata;
    if (do_read) s_axil_rresp_o <= known ? 2'b00 : 2'b10;
    if (do_write && aw_addr_q == CsrSource) source_q <= w_data_q;
    if (do_write && aw_addr_q == CsrDestination) destination_q <= w_data_q;
    if (do_write && aw_addr_q == CsrBeats) beats_q <= w_data_q;
    if (do_write && aw_addr_q == CsrBurst) burst_q <= w_data_q;
  end

  // Memory port, pins registered at once.
  logic             r_valid_q, r_id_q, r_error_q, b_valid_q, b_error_q;
  logic [8*Dim-1:0] r_data_q;
  always_ff @(posedge clk_i) begin
    r_valid_q <= m_axi_rvalid_i && rst_ni;
    r_id_q    <= m_axi_rid_i;
    r_error_q <= m_axi_rresp_i != 2'b00;
    if (m_axi_rvalid_i) r_data_q <= m_axi_rdata_i;
    b_valid_q <= m_axi_bvalid_i && rst_ni;
    b_error_q <= m_axi_bresp_i != 2'b00;
  end
  assign m_axi_rready_o = 1'b1;
  assign m_axi_bready_o = 1'b1;

  // Reads: each burst twice, first with identifier 0, then with identifier 1.
  logic [31:0] read_q, owed_q;   // beats of the copy asked for; beats of both identifiers not yet received
  logic [31:0] room_q;           // beats of the copy asked for and not yet written
  logic [31:0] chunk, write_chunk, written_q, answered_q, sent_q;
  logic        second_q, read_taken, write_taken, beat_sent, push;
  assign chunk       = beats_q - read_q < burst_q ? beats_q - read_q : burst_q;
  assign read_taken  = m_axi_arvalid_o && m_axi_arready_i;
  assign write_taken = m_axi_awvalid_o && m_axi_awready_i;
  assign beat_sent   = m_axi_wvalid_o && m_axi_wready_i;
  assign push        = r_valid_q && !r_id_q;

  logic [8*Dim-1:0] pop_data;
  logic             push_ready, pop_valid, pop;
  logic [9:0]       level;
  tpu_fifo #(.Width(8*Dim), .Depth(Room)) u_beats (
    .clk_i, .rst_ni, .wr_valid_i(push), .wr_ready_o(push_ready), .wr_data_i(r_data_q),
    .rd_valid_o(pop_valid), .rd_ready_i(pop), .rd_data_o(pop_data), .level_o(level));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      m_axi_arvalid_o <= 1'b0;
    end else begin
      if (read_taken) m_axi_arvalid_o <= 1'b0;
      if (busy_q && !hold && !m_axi_arvalid_o && read_q != beats_q
          && (second_q || room_q + chunk <= Room)) begin
        m_axi_arvalid_o <= 1'b1;
        m_axi_arid_o    <= second_q;
        m_axi_araddr_o  <= source_q + read_q * Dim;
        m_axi_arlen_o   <= 8'(chunk - 1);
      end
    end
    if (go) second_q <= 1'b0;
    else if (read_taken) second_q <= !second_q;
    if (go) read_q <= '0;
    else if (read_taken && second_q) read_q <= read_q + chunk;
  end
  assign m_axi_arsize_o  = 3'($clog2(Dim));
  assign m_axi_arburst_o = 2'b01;

  // Writes: a burst is started when its data are there.
  logic [31:0] beat_q, send_q;  // beats left of the burst in flight; beats of it still to leave the fifo
  assign write_chunk = beats_q - written_q < burst_q ? beats_q - written_q : burst_q;
  assign pop = send_q != 0 && (!m_axi_wvalid_o || m_axi_wready_i);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      m_axi_awvalid_o <= 1'b0;
      m_axi_wvalid_o  <= 1'b0;
      send_q <= '0;
      beat_q <= '0;
    end else begin
      if (write_taken || (mode_q[ModeDrop] && m_axi_awvalid_o)) m_axi_awvalid_o <= 1'b0;
      if (beat_sent) m_axi_wvalid_o <= 1'b0;
      if (pop) m_axi_wvalid_o <= 1'b1;
      if (pop) send_q <= send_q - 1;
      if (beat_sent) beat_q <= beat_q - 1;
      if (busy_q && beat_q == 0 && !m_axi_awvalid_o && written_q != beats_q && 32'(level) >= write_chunk) begin
        m_axi_awvalid_o <= 1'b1;
        m_axi_awaddr_o  <= destination_q + written_q * Dim;
        m_axi_awlen_o   <= 8'(write_chunk - 1);
        send_q <= write_chunk;
        beat_q <= write_chunk;
      end
    end
    if (pop) m_axi_wdata_o <= pop_data;
    if (pop) m_axi_wlast_o <= send_q == 1;
    if (go) written_q <= '0;
    else if (beat_sent && m_axi_wlast_o) written_q <= written_q + write_chunk;
  end
  assign m_axi_awid_o    = 1'b0;
  assign m_axi_awsize_o  = 3'($clog2(Dim));
  assign m_axi_awburst_o = 2'b01;
  assign m_axi_wstrb_o   = '1;

  // Progress and end.
  logic done;
  assign done = busy_q && !hold && read_q == beats_q && written_q == beats_q && owed_q == 0
             && !m_axi_awvalid_o && answered_q == sent_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      irq_status_q <= '0;
      commands_q <= '0;
    end else begin
      if (go) busy_q <= 1'b1;
      else if (done) busy_q <= 1'b0;
      if (do_write && aw_addr_q == CsrIrqStatus) irq_status_q <= irq_status_q & ~w_data_q[1:0];
      if (done) irq_status_q <= {error_q, 1'b1};
      if (done) commands_q <= commands_q + 1;
    end
    irq_o <= (irq_status_q & irq_enable_q) != 0 && rst_ni;
    if (go) owed_q <= '0;
    else owed_q <= owed_q + (read_taken ? 32'(m_axi_arlen_o) + 1 : 0) - (r_valid_q ? 1 : 0);
    if (go) room_q <= '0;
    else room_q <= room_q + (read_taken && !second_q ? chunk : 0) - (beat_sent ? 1 : 0);
    if (go) sent_q <= '0;
    else if (write_taken) sent_q <= sent_q + 1;
    if (go) answered_q <= '0;
    else if (b_valid_q) answered_q <= answered_q + 1;
    if (go) error_q <= 1'b0;
    else if ((r_valid_q && r_error_q) || (b_valid_q && b_error_q)) error_q <= 1'b1;
    if (go) checksum_q <= '0;
    else if (r_valid_q && r_id_q) checksum_q <= checksum_q + r_data_q[31:0];
    if (go) work_q <= '0;
    else if (busy_q && working) work_q <= work_q + 1;
  end

  // Room was reserved before the read was asked for.
  `TPU_ASSERT(RoomIsReserved, !push || push_ready)
  `TPU_ASSERT(NoAssertMode, !(go && mode_q[ModeAssert]))

  logic unused;
  assign unused = &{1'b0, test_en_i, s_axil_wstrb_i, m_axi_rlast_i, m_axi_bid_i, pop_valid};
endmodule
