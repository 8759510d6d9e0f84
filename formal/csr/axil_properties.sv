// SPDX-License-Identifier: Apache-2.0
// Properties of tpu_axil: every request is answered once, and makes its access once.
`include "properties.svh"
module axil_properties (
  input logic        clk_i,
  input logic        rst_ni,
  input tpu_axi_pkg::lite_request_t s_axil_i,
  input logic        wr_error_i,
  input logic        rd_ready_i,
  input logic [31:0] rd_data_i,
  input logic        rd_error_i
);
  localparam logic [1:0] SlaveError = 2'b10;

  tpu_axi_pkg::lite_response_t s_axil_o;
  logic [31:0] wr_data_o;
  logic        event_o, wr_valid_o, rd_start_o, rd_valid_o;
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
    b_held_q <= rst_ni && s_axil_o.b_valid && !s_axil_i.b_ready;
    b_resp_q <= s_axil_o.b_resp;
    r_held_q <= rst_ni && s_axil_o.r_valid && !s_axil_i.r_ready;
    r_resp_q <= s_axil_o.r_resp;
    r_data_q <= s_axil_o.r_data;
    if (!rst_ni) begin
      {aw_q, w_q, ar_q, written_q, read_q} <= '0;
      write_wait_q <= '0;
      read_wait_q  <= '0;
    end else begin
      if (s_axil_i.aw_valid && s_axil_o.aw_ready) begin
        aw_q      <= 1'b1;
        aw_addr_q <= s_axil_i.aw_addr;
      end
      if (s_axil_i.w_valid && s_axil_o.w_ready) begin
        w_q      <= 1'b1;
        w_data_q <= s_axil_i.w_data;
        w_strb_q <= s_axil_i.w_strb;
      end
      if (wr_valid_o) begin
        written_q      <= 1'b1;
        write_failed_q <= wr_error_i;
      end
      if (aw_q && w_q && !s_axil_o.b_valid) write_wait_q <= write_wait_q + 3'd1;
      if (s_axil_o.b_valid && s_axil_i.b_ready) begin
        {aw_q, w_q, written_q} <= '0;
        write_wait_q <= '0;
      end
      if (s_axil_i.ar_valid && s_axil_o.ar_ready) begin
        ar_q      <= 1'b1;
        ar_addr_q <= s_axil_i.ar_addr;
      end
      if (rd_valid_o) begin
        read_q        <= 1'b1;
        read_failed_q <= rd_error_i;
        read_data_q   <= rd_data_i;
      end
      if (ar_q && !s_axil_o.r_valid && (rd_ready_i || !rd_start_o)) read_wait_q <= read_wait_q + 3'd1;
      if (s_axil_o.r_valid && s_axil_i.r_ready) begin
        {ar_q, read_q} <= '0;
        read_wait_q <= '0;
      end
    end
  end

  logic write_sound, read_sound;
  assign write_sound = aw_addr_q[1:0] == '0 && w_strb_q == '1;
  assign read_sound  = ar_addr_q[1:0] == '0;

  `PROPERTY(WriteAnswered, s_axil_o.b_valid, aw_q && w_q && written_q == write_sound)
  `PROPERTY(WriteInTime, aw_q && w_q, write_wait_q < 3'd2)
  `PROPERTY(OneWrite, aw_q || w_q, !(aw_q && s_axil_o.aw_ready) && !(w_q && s_axil_o.w_ready))
  `PROPERTY(WriteAccess, wr_valid_o, aw_q && w_q && write_sound && !written_q && wr_word_o == aw_addr_q[11:2] &&
                                     wr_data_o == w_data_q)
  `PROPERTY(WriteResponse, s_axil_o.b_valid, s_axil_o.b_resp == (write_sound && !write_failed_q ? '0 : SlaveError))
  `PROPERTY(WriteStable, b_held_q, s_axil_o.b_valid && s_axil_o.b_resp == b_resp_q)
  `PROPERTY(ReadAnswered, s_axil_o.r_valid, ar_q && read_q == read_sound)
  `PROPERTY(ReadInTime, ar_q, read_wait_q < 3'd3)
  `PROPERTY(OneRead, ar_q, !s_axil_o.ar_ready)
  `PROPERTY(ReadAccess, rd_valid_o, ar_q && read_sound && !read_q && rd_word_o == ar_addr_q[11:2])
  `PROPERTY(ReadData, s_axil_o.r_valid && read_sound && !read_failed_q,
            s_axil_o.r_data == read_data_q && s_axil_o.r_resp == '0)
  `PROPERTY(ReadRefused, s_axil_o.r_valid && (!read_sound || read_failed_q), s_axil_o.r_resp == SlaveError)
  `PROPERTY(ReadStable, r_held_q, s_axil_o.r_valid && {s_axil_o.r_data, s_axil_o.r_resp} == {r_data_q, r_resp_q})

  `INVARIANT(Requests, aw_q == !s_axil_o.aw_ready && w_q == !s_axil_o.w_ready && ar_q == !s_axil_o.ar_ready)
  `INVARIANT(Waits, (aw_q && w_q || write_wait_q == '0) && (ar_q || read_wait_q == '0))
  `INVARIANT(Write, aw_q && w_q && (write_wait_q != '0) == s_axil_o.b_valid || !s_axil_o.b_valid && !written_q)
  `INVARIANT(Held, (!aw_q || u_axil.aw_addr_q == aw_addr_q) && (!ar_q || u_axil.ar_addr_q == ar_addr_q) &&
                   (!w_q || u_axil.w_strb_q == w_strb_q && wr_data_o == w_data_q))
  `INVARIANT(Read, ar_q || !s_axil_o.r_valid && !read_q)
  `INVARIANT(Steps, u_axil.read_q == (read_wait_q == 3'd1) && s_axil_o.r_valid == (read_wait_q == 3'd2) &&
                    (!read_q || read_wait_q == 3'd2))
endmodule
