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
  input tpu_axi_pkg::request_t fetch_ar_i,
  input tpu_axi_pkg::request_t load_ar_i,
  input tpu_axi_pkg::request_t aw_i,
  input logic                  w_valid_i,
  input logic [Width-1:0]      w_data_i,
  input logic [Dim-1:0]        w_strb_i,
  input logic                  w_last_i,
  input tpu_axi_pkg::slave_t   m_axi_i,
  input logic [Width-1:0]      m_axi_rdata_i
);
  logic                    event_o, resetting_o, core_rst_no, read_beat_o, write_beat_o;
  logic                    fetch_ar_ready_o, load_ar_ready_o, aw_ready_o, w_ready_o;
  tpu_report_pkg::fault_t  fault_o;
  tpu_axi_pkg::answer_t    fetch_r_o, load_r_o, b_o;
  tpu_axi_pkg::master_t    m_axi_o;
  logic [Width-1:0]        r_data_o, m_axi_wdata_o;
  logic [Dim-1:0]          m_axi_wstrb_o;
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
    ar_held_q  <= rst_ni && m_axi_o.ar_valid && !m_axi_i.ar_ready;
    aw_held_q  <= rst_ni && m_axi_o.aw_valid && !m_axi_i.aw_ready;
    w_held_q   <= rst_ni && m_axi_o.w_valid && !m_axi_i.w_ready;
    core_rst_q <= rst_ni && core_rst_no;
    ar_q       <= {m_axi_o.ar_id, m_axi_o.ar_len, m_axi_o.ar_addr};
    aw_q       <= {m_axi_o.aw_len, m_axi_o.aw_addr};
    w_q        <= {m_axi_wdata_o, m_axi_wstrb_o, m_axi_o.w_last};
  end

  // Beats that the bus owes each reader, counted a cycle after their request was taken, and answers that came.
  logic [1:0][9:0] beats_q;
  logic            taken_q, taken_id_q, answer_q, answer_id_q, good;
  logic [7:0]      taken_len_q;
  assign good = answer_q && beats_q[answer_id_q] != '0;
  always_ff @(posedge clk_i) begin
    taken_q     <= rst_ni && m_axi_o.ar_valid && m_axi_i.ar_ready;
    taken_id_q  <= m_axi_o.ar_id;
    taken_len_q <= m_axi_o.ar_len;
    answer_q    <= rst_ni && m_axi_i.r_valid;
    answer_id_q <= m_axi_i.r_valid ? m_axi_i.r_id : answer_id_q;
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
  assign accepted = aw_i.valid && aw_ready_o;
  assign response = response_q && due_q != '0;
  always_ff @(posedge clk_i) begin
    done_q     <= rst_ni && m_axi_o.w_valid && m_axi_i.w_ready && m_axi_o.w_last;
    response_q <= rst_ni && m_axi_i.b_valid && !m_axi_i.b_id;
    writes_q   <= !rst_ni ? '0 : writes_q + 10'(accepted) - 10'(response);
    due_q      <= !rst_ni ? '0 : due_q + 10'(done_q) - 10'(response);
    unsent_q   <= !rst_ni ? '0 : unsent_q + 10'(accepted) -
                                 10'(m_axi_o.w_valid && m_axi_i.w_ready && m_axi_o.w_last);
  end
  `ASSUMPTION(AtMost128Bursts, !accepted || writes_q < 10'd300)

  `PROPERTY(ReadAddressStable, ar_held_q, m_axi_o.ar_valid && {m_axi_o.ar_id, m_axi_o.ar_len, m_axi_o.ar_addr} == ar_q)
  `PROPERTY(WriteAddressStable, aw_held_q, m_axi_o.aw_valid && {m_axi_o.aw_len, m_axi_o.aw_addr} == aw_q)
  `PROPERTY(WriteDataStable, w_held_q, m_axi_o.w_valid && {m_axi_wdata_o, m_axi_wstrb_o, m_axi_o.w_last} == w_q)
  `PROPERTY(BeatsAreOwed, answer_q, read_beat_o == good)
  `PROPERTY(BeatsReachTheirReader, good && core_rst_no && !resetting_o,
            fetch_r_o.valid == !answer_id_q && load_r_o.valid == answer_id_q)
  `PROPERTY(DataOfAcceptedBursts, m_axi_o.w_valid && m_axi_o.w_last, unsent_q != '0)
  `PROPERTY(ResponsesAreDue, response_q && core_rst_no && !resetting_o, b_o.valid == response)
  `PROPERTY(NothingFromReset, !core_rst_no || resetting_o,
            !fetch_ar_ready_o && !load_ar_ready_o && !aw_ready_o && !w_ready_o && !fetch_r_o.valid &&
            !load_r_o.valid && !b_o.valid)
  `PROPERTY(ResetWaits, core_rst_no && !core_rst_q, beats_q == '0 && writes_q == '0 && unsent_q == '0 && !taken_q &&
            !m_axi_o.ar_valid && !m_axi_o.aw_valid && !m_axi_o.w_valid)
  logic stray_q;
  always_ff @(posedge clk_i) stray_q <= rst_ni && answer_q && !good;
  `PROPERTY(StrayBeatIsAFault, stray_q, fault_o.valid && fault_o.code == tpu_pkg::ERROR_BUS_PROTOCOL)

  // The guard's counts, and the last beats in its register slice.
  `INVARIANT(Reads, u_guard.u_reads.fetch_q.beats == beats_q[0] && u_guard.u_reads.load_q.beats == beats_q[1] &&
             u_guard.u_reads.taken_q == taken_q && u_guard.r_valid_q == answer_q &&
             (!answer_q || u_guard.r_q.id == answer_id_q) &&
             (!taken_q || u_guard.u_reads.taken_id_q == taken_id_q && u_guard.u_reads.taken_len_q == taken_len_q))
  `INVARIANT(Writes, u_guard.u_writes.owed_q == writes_q && u_guard.u_writes.complete_q == due_q &&
             u_guard.u_writes.done_q == done_q && (u_guard.b_valid_q && !u_guard.b_q.id) == response_q)
  `INVARIANT(Unsent, unsent_q == 10'(u_guard.u_writes.lens_level) + 10'(m_axi_o.w_valid && m_axi_o.w_last) +
             10'(u_guard.u_writes.u_data.second_q && u_guard.u_writes.u_data.second_data_q[9*Dim]))
  `INVARIANT(Bursts, u_guard.u_writes.lens_level <= ($clog2(WriteBursts)+1)'(WriteBursts))
  `INVARIANT(Due, writes_q == unsent_q + due_q + 10'(done_q) && writes_q <= 10'd300 && unsent_q <= writes_q &&
             due_q <= writes_q)
  `INVARIANT(Slices, (!u_guard.u_writes.u_data.second_q || m_axi_o.w_valid) &&
             (!u_guard.u_writes.u_requests.second_q || m_axi_o.aw_valid) &&
             (!u_guard.u_reads.u_requests.second_q || m_axi_o.ar_valid))
  `INVARIANT(OneState, !core_rst_no || !resetting_o)
  `INVARIANT(Drained, resetting_o || (core_rst_q && core_rst_no) || beats_q == '0 && writes_q == '0 && !taken_q &&
             !m_axi_o.ar_valid && !m_axi_o.aw_valid && !m_axi_o.w_valid)
endmodule
