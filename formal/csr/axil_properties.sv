// SPDX-License-Identifier: Apache-2.0
// Properties of tpu_axil: every request is answered once, and makes its access once.
`include "properties.svh"
module axil_properties (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        s_axil_awvalid_i,
  input logic [11:0] s_axil_awaddr_i,
  input logic        s_axil_wvalid_i,
  input logic [31:0] s_axil_wdata_i,
  input logic [3:0]  s_axil_wstrb_i,
  input logic        s_axil_bready_i,
  input logic        s_axil_arvalid_i,
  input logic [11:0] s_axil_araddr_i,
  input logic        s_axil_rready_i,
  input logic        wr_error_i,
  input logic        rd_ready_i,
  input logic [31:0] rd_data_i,
  input logic        rd_error_i
);
  localparam logic [1:0] SlaveError = 2'b10;

  logic        event_o, s_axil_awready_o, s_axil_wready_o, s_axil_bvalid_o, s_axil_arready_o, s_axil_rvalid_o;
  logic [1:0]  s_axil_bresp_o, s_axil_rresp_o;
  logic [31:0] s_axil_rdata_o, wr_data_o;
  logic        wr_valid_o, rd_start_o, rd_valid_o;
  logic [9:0]  wr_word_o, rd_word_o;
  tpu_axil u_axil (.*);
  `CHECKED_OUTSIDE_RESET

  // Requests that were accepted and not answered, accesses that they made, and what was accepted. wait: cycles since
  // a request was complete.
  logic        aw_q, w_q, ar_q, written_q, write_failed_q, read_q, read_failed_q, b_held_q, r_held_q;
  logic [11:0] aw_addr_q, ar_addr_q;
  logic [31:0] w_data_q, read_data_q, r_data_q;
  logic [3:0]  w_strb_q;
  logic [1:0]  b_resp_q, r_resp_q;
  logic [2:0]  write_wait_q, read_wait_q;
  always_ff @(posedge clk_i) begin
    b_held_q <= rst_ni && s_axil_bvalid_o && !s_axil_bready_i;
    b_resp_q <= s_axil_bresp_o;
    r_held_q <= rst_ni && s_axil_rvalid_o && !s_axil_rready_i;
    r_resp_q <= s_axil_rresp_o;
    r_data_q <= s_axil_rdata_o;
    if (!rst_ni) begin
      {aw_q, w_q, ar_q, written_q, read_q} <= '0;
      write_wait_q <= '0;
      read_wait_q  <= '0;
    end else begin
      if (s_axil_awvalid_i && s_axil_awready_o) begin
        aw_q      <= 1'b1;
        aw_addr_q <= s_axil_awaddr_i;
      end
      if (s_axil_wvalid_i && s_axil_wready_o) begin
        w_q      <= 1'b1;
        w_data_q <= s_axil_wdata_i;
        w_strb_q <= s_axil_wstrb_i;
      end
      if (wr_valid_o) begin
        written_q      <= 1'b1;
        write_failed_q <= wr_error_i;
      end
      if (aw_q && w_q && !s_axil_bvalid_o) write_wait_q <= write_wait_q + 3'd1;
      if (s_axil_bvalid_o && s_axil_bready_i) begin
        {aw_q, w_q, written_q} <= '0;
        write_wait_q <= '0;
      end
      if (s_axil_arvalid_i && s_axil_arready_o) begin
        ar_q      <= 1'b1;
        ar_addr_q <= s_axil_araddr_i;
      end
      if (rd_valid_o) begin
        read_q        <= 1'b1;
        read_failed_q <= rd_error_i;
        read_data_q   <= rd_data_i;
      end
      if (ar_q && !s_axil_rvalid_o && (rd_ready_i || !rd_start_o)) read_wait_q <= read_wait_q + 3'd1;
      if (s_axil_rvalid_o && s_axil_rready_i) begin
        {ar_q, read_q} <= '0;
        read_wait_q <= '0;
      end
    end
  end

  logic write_sound, read_sound;
  assign write_sound = aw_addr_q[1:0] == '0 && w_strb_q == '1;
  assign read_sound  = ar_addr_q[1:0] == '0;

  `PROPERTY(WriteAnswered, s_axil_bvalid_o, aw_q && w_q && written_q == write_sound)
  `PROPERTY(WriteInTime, aw_q && w_q, write_wait_q < 3'd2)
  `PROPERTY(OneWrite, aw_q || w_q, !(aw_q && s_axil_awready_o) && !(w_q && s_axil_wready_o))
  `PROPERTY(WriteAccess, wr_valid_o, aw_q && w_q && write_sound && !written_q && wr_word_o == aw_addr_q[11:2] &&
                                     wr_data_o == w_data_q)
  `PROPERTY(WriteResponse, s_axil_bvalid_o, s_axil_bresp_o == (write_sound && !write_failed_q ? '0 : SlaveError))
  `PROPERTY(WriteStable, b_held_q, s_axil_bvalid_o && s_axil_bresp_o == b_resp_q)
  `PROPERTY(ReadAnswered, s_axil_rvalid_o, ar_q && read_q == read_sound)
  `PROPERTY(ReadInTime, ar_q, read_wait_q < 3'd3)
  `PROPERTY(OneRead, ar_q, !s_axil_arready_o)
  `PROPERTY(ReadAccess, rd_valid_o, ar_q && read_sound && !read_q && rd_word_o == ar_addr_q[11:2])
  `PROPERTY(ReadData, s_axil_rvalid_o && read_sound && !read_failed_q,
            s_axil_rdata_o == read_data_q && s_axil_rresp_o == '0)
  `PROPERTY(ReadRefused, s_axil_rvalid_o && (!read_sound || read_failed_q), s_axil_rresp_o == SlaveError)
  `PROPERTY(ReadStable, r_held_q, s_axil_rvalid_o && {s_axil_rdata_o, s_axil_rresp_o} == {r_data_q, r_resp_q})

  `INVARIANT(Requests, aw_q == !s_axil_awready_o && w_q == !s_axil_wready_o && ar_q == !s_axil_arready_o)
  `INVARIANT(Waits, (aw_q && w_q || write_wait_q == '0) && (ar_q || read_wait_q == '0))
  `INVARIANT(Write, aw_q && w_q && (write_wait_q != '0) == s_axil_bvalid_o || !s_axil_bvalid_o && !written_q)
  `INVARIANT(Held, (!aw_q || u_axil.aw_addr_q == aw_addr_q) && (!ar_q || u_axil.ar_addr_q == ar_addr_q) &&
                   (!w_q || u_axil.w_strb_q == w_strb_q && wr_data_o == w_data_q))
  `INVARIANT(Read, ar_q || !s_axil_rvalid_o && !read_q)
  `INVARIANT(Steps, u_axil.read_q == (read_wait_q == 3'd1) && s_axil_rvalid_o == (read_wait_q == 3'd2) &&
                    (!read_q || read_wait_q == 3'd2))
endmodule
