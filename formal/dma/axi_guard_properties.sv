// SPDX-License-Identifier: Apache-2.0
// Properties of tpu_axi_guard: rules of AXI on its pins, counts of what the bus owes, and resets at any time. The bus
// may answer what and when it likes; only its marks of last beats are right.
`include "properties.svh"
module axi_guard_properties #(
  parameter int Dim = 16,
  parameter int WriteBursts = 16,
  localparam int Width = 8 * Dim
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic                  reset_request_i,
  input logic [31:0]           watchdog_i,
  input logic                  fetch_ar_valid_i,
  input tpu_axi_pkg::request_t fetch_ar_i,
  input logic                  load_ar_valid_i,
  input tpu_axi_pkg::request_t load_ar_i,
  input logic                  aw_valid_i,
  input tpu_axi_pkg::request_t aw_i,
  input logic                  w_valid_i,
  input logic [Width-1:0]      w_data_i,
  input logic [Dim-1:0]        w_strb_i,
  input logic                  w_last_i,
  input logic                  m_axi_arready_i,
  input logic                  m_axi_rvalid_i,
  input logic                  m_axi_rid_i,
  input logic [Width-1:0]      m_axi_rdata_i,
  input logic [1:0]            m_axi_rresp_i,
  input logic                  m_axi_rlast_i,
  input logic                  m_axi_awready_i,
  input logic                  m_axi_wready_i,
  input logic                  m_axi_bvalid_i,
  input logic                  m_axi_bid_i,
  input logic [1:0]            m_axi_bresp_i
);
  logic             event_o, resetting_o, core_rst_no, fault_valid_o, read_beat_o, write_beat_o;
  logic [7:0]       fault_code_o, m_axi_arlen_o, m_axi_awlen_o;
  logic [31:0]      fault_addr_o, m_axi_araddr_o, m_axi_awaddr_o;
  logic             fetch_ar_ready_o, load_ar_ready_o, fetch_r_valid_o, load_r_valid_o, r_error_o, aw_ready_o;
  logic             w_ready_o, b_valid_o, b_error_o, m_axi_arvalid_o, m_axi_arid_o, m_axi_rready_o, m_axi_awvalid_o;
  logic             m_axi_awid_o, m_axi_wvalid_o, m_axi_wlast_o, m_axi_bready_o;
  logic [Width-1:0] r_data_o, m_axi_wdata_o;
  logic [2:0]       m_axi_arsize_o, m_axi_awsize_o;
  logic [1:0]       m_axi_arburst_o, m_axi_awburst_o;
  logic [Dim-1:0]   m_axi_wstrb_o;
  tpu_axi_guard #(.Dim(Dim), .WriteBursts(WriteBursts)) u_guard (.*);
  `CHECKED_OUTSIDE_RESET
  `ASSUMPTION(LastIsRight, !u_guard.u_reads.last_wrong_o)
  `ASSUMPTION(ShortBursts, aw_i.len < 8'd32)

  // Payloads offered in the previous cycle and not accepted.
  logic             ar_held_q, aw_held_q, w_held_q, core_rst_q;
  logic [40:0]      ar_q;
  logic [39:0]      aw_q;
  logic [9*Dim:0]   w_q;
  always_ff @(posedge clk_i) begin
    ar_held_q  <= rst_ni && m_axi_arvalid_o && !m_axi_arready_i;
    aw_held_q  <= rst_ni && m_axi_awvalid_o && !m_axi_awready_i;
    w_held_q   <= rst_ni && m_axi_wvalid_o && !m_axi_wready_i;
    core_rst_q <= rst_ni && core_rst_no;
    ar_q       <= {m_axi_arid_o, m_axi_arlen_o, m_axi_araddr_o};
    aw_q       <= {m_axi_awlen_o, m_axi_awaddr_o};
    w_q        <= {m_axi_wdata_o, m_axi_wstrb_o, m_axi_wlast_o};
  end

  // Beats that the bus owes each reader, counted a cycle after their request was taken, and answers that came.
  logic [1:0][9:0] beats_q;
  logic            taken_q, taken_id_q, answer_q, answer_id_q, good;
  logic [7:0]      taken_len_q;
  assign good = answer_q && beats_q[answer_id_q] != '0;
  always_ff @(posedge clk_i) begin
    taken_q     <= rst_ni && m_axi_arvalid_o && m_axi_arready_i;
    taken_id_q  <= m_axi_arid_o;
    taken_len_q <= m_axi_arlen_o;
    answer_q    <= rst_ni && m_axi_rvalid_i;
    answer_id_q <= m_axi_rvalid_i ? m_axi_rid_i : answer_id_q;
    for (int id = 0; id < 2; id++) begin
      beats_q[id] <= !rst_ni ? '0 : beats_q[id] - 10'(good && answer_id_q == 1'(id)) +
                     (taken_q && taken_id_q == 1'(id) ? 10'(taken_len_q) + 10'd1 : '0);
    end
  end
  `ASSUMPTION(ReadersReserveRoom, !taken_q || beats_q[taken_id_q] <= 10'd700)

  // Write bursts that were accepted: not answered; answers that are due; last beats not on the bus.
  logic       accepted, done_q, response_q;
  logic [9:0] writes_q, due_q, unsent_q;
  logic       response;
  assign accepted = aw_valid_i && aw_ready_o;
  assign response = response_q && due_q != '0;
  always_ff @(posedge clk_i) begin
    done_q     <= rst_ni && m_axi_wvalid_o && m_axi_wready_i && m_axi_wlast_o;
    response_q <= rst_ni && m_axi_bvalid_i && !m_axi_bid_i;
    writes_q   <= !rst_ni ? '0 : writes_q + 10'(accepted) - 10'(response);
    due_q      <= !rst_ni ? '0 : due_q + 10'(done_q) - 10'(response);
    unsent_q   <= !rst_ni ? '0 : unsent_q + 10'(accepted) -
                                 10'(m_axi_wvalid_o && m_axi_wready_i && m_axi_wlast_o);
  end
  `ASSUMPTION(AtMost128Bursts, !accepted || writes_q < 10'd300)

  `PROPERTY(ReadAddressStable, ar_held_q, m_axi_arvalid_o && {m_axi_arid_o, m_axi_arlen_o, m_axi_araddr_o} == ar_q)
  `PROPERTY(WriteAddressStable, aw_held_q, m_axi_awvalid_o && {m_axi_awlen_o, m_axi_awaddr_o} == aw_q)
  `PROPERTY(WriteDataStable, w_held_q, m_axi_wvalid_o && {m_axi_wdata_o, m_axi_wstrb_o, m_axi_wlast_o} == w_q)
  `PROPERTY(BeatsAreOwed, answer_q, read_beat_o == good)
  `PROPERTY(BeatsReachTheirReader, good && core_rst_no && !resetting_o,
            fetch_r_valid_o == !answer_id_q && load_r_valid_o == answer_id_q)
  `PROPERTY(DataOfAcceptedBursts, m_axi_wvalid_o && m_axi_wlast_o, unsent_q != '0)
  `PROPERTY(ResponsesAreDue, response_q && core_rst_no && !resetting_o, b_valid_o == response)
  `PROPERTY(NothingFromReset, !core_rst_no || resetting_o,
            !fetch_ar_ready_o && !load_ar_ready_o && !aw_ready_o && !w_ready_o && !fetch_r_valid_o &&
            !load_r_valid_o && !b_valid_o)
  `PROPERTY(ResetWaits, core_rst_no && !core_rst_q, beats_q == '0 && writes_q == '0 && unsent_q == '0 && !taken_q &&
            !m_axi_arvalid_o && !m_axi_awvalid_o && !m_axi_wvalid_o)
  logic stray_q;
  always_ff @(posedge clk_i) stray_q <= rst_ni && answer_q && !good;
  `PROPERTY(StrayBeatIsAFault, stray_q, fault_valid_o && fault_code_o == tpu_pkg::ERROR_BUS_PROTOCOL)

  // The guard's counts, and the last beats in its register slice.
  `INVARIANT(Reads, u_guard.u_reads.fetch_q.beats == beats_q[0] && u_guard.u_reads.load_q.beats == beats_q[1] &&
             u_guard.u_reads.taken_q == taken_q && u_guard.r_valid_q == answer_q &&
             (!answer_q || u_guard.r_q.id == answer_id_q) &&
             (!taken_q || u_guard.u_reads.taken_id_q == taken_id_q && u_guard.u_reads.taken_len_q == taken_len_q))
  `INVARIANT(Writes, u_guard.u_writes.owed_q == writes_q && u_guard.u_writes.complete_q == due_q &&
             u_guard.u_writes.done_q == done_q && (u_guard.b_valid_q && !u_guard.b_q.id) == response_q)
  `INVARIANT(Unsent, unsent_q == 10'(u_guard.u_writes.lens_level) + 10'(m_axi_wvalid_o && m_axi_wlast_o) +
             10'(u_guard.u_writes.u_data.second_q && u_guard.u_writes.u_data.second_data_q[9*Dim]))
  `INVARIANT(Bursts, u_guard.u_writes.lens_level <= ($clog2(WriteBursts)+1)'(WriteBursts))
  `INVARIANT(Due, writes_q == unsent_q + due_q + 10'(done_q) && writes_q <= 10'd300 && unsent_q <= writes_q &&
             due_q <= writes_q)
  `INVARIANT(Slices, (!u_guard.u_writes.u_data.second_q || m_axi_wvalid_o) &&
             (!u_guard.u_writes.u_requests.second_q || m_axi_awvalid_o) &&
             (!u_guard.u_reads.u_requests.second_q || m_axi_arvalid_o))
  `INVARIANT(OneState, !core_rst_no || !resetting_o)
  `INVARIANT(Drained, resetting_o || (core_rst_q && core_rst_no) || beats_q == '0 && writes_q == '0 && !taken_q &&
             !m_axi_arvalid_o && !m_axi_awvalid_o && !m_axi_wvalid_o)
endmodule
