// SPDX-License-Identifier: Apache-2.0
// AXI4-Lite slave front end: turns bus transactions into register accesses of one cycle.
//
// Latency: a write access is made in the cycle after the last handshake (address and data in any order). A read starts
// in the cycle after its address, or when rd_ready_i is high, and the register side answers in the next cycle. The
// response is valid one cycle after the access.
// Throughput: one read and one write outstanding; a write in three cycles, a read in four if it does not wait.
// Back-pressure: ready is low from the address (or data) handshake until the response has been accepted.
// Misaligned addresses and partial strobes are answered with SLVERR and make no access. Accesses refused by the
// register side are answered with SLVERR, too. Every input is registered first. event_o or the valid of a pin is high
// in every cycle whose clock edge changes a register here, and until a response has been accepted.
//
// Parameters: none.
module tpu_axil (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  output logic                        event_o,
  // AXI4-Lite.
  input  tpu_axi_pkg::lite_request_t  s_axil_i,
  output tpu_axi_pkg::lite_response_t s_axil_o,
  // Register accesses: word address, answered in the same cycle. rd_start_o and rd_ready_i are high in the cycle before
  // rd_valid_o, with the same address, for values that are read from a memory.
  output logic                        wr_valid_o,
  output logic [9:0]                  wr_word_o,
  output logic [31:0]                 wr_data_o,
  input  logic                        wr_error_i,
  output logic                        rd_start_o,
  input  logic                        rd_ready_i,
  output logic                        rd_valid_o,
  output logic [9:0]                  rd_word_o,
  input  logic [31:0]                 rd_data_i,
  input  logic                        rd_error_i
);
  localparam logic [1:0] Okay = 2'b00;
  localparam logic [1:0] SlaveError = 2'b10;

  logic        aw_full_q, w_full_q, ar_full_q, b_valid_q, r_valid_q, read_q;
  logic [11:0] aw_addr_q, ar_addr_q;
  logic [31:0] w_data_q, r_data_q;
  logic [3:0]  w_strb_q;
  logic [1:0]  b_resp_q, r_resp_q;
  logic        write, write_sound, read_sound;

  assign event_o     = (aw_full_q && w_full_q) || ar_full_q;

  // Write.
  assign write       = aw_full_q && w_full_q && !b_valid_q;
  assign write_sound = aw_addr_q[1:0] == '0 && w_strb_q == '1;
  assign wr_valid_o  = write && write_sound;
  assign wr_word_o   = aw_addr_q[11:2];
  assign wr_data_o   = w_data_q;

  assign s_axil_o.aw_ready = !aw_full_q;
  assign s_axil_o.w_ready  = !w_full_q;
  assign s_axil_o.b_valid  = b_valid_q;
  assign s_axil_o.b_resp   = b_resp_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      aw_full_q <= 1'b0;
      w_full_q  <= 1'b0;
      b_valid_q <= 1'b0;
    end else begin
      if (s_axil_i.aw_valid && s_axil_o.aw_ready) aw_full_q <= 1'b1;
      if (s_axil_i.w_valid && s_axil_o.w_ready) w_full_q <= 1'b1;
      if (write) b_valid_q <= 1'b1;
      if (b_valid_q && s_axil_i.b_ready) begin
        aw_full_q <= 1'b0;
        w_full_q  <= 1'b0;
        b_valid_q <= 1'b0;
      end
    end
    if (s_axil_i.aw_valid && s_axil_o.aw_ready) aw_addr_q <= s_axil_i.aw_addr;
    if (s_axil_i.w_valid && s_axil_o.w_ready) begin
      w_data_q <= s_axil_i.w_data;
      w_strb_q <= s_axil_i.w_strb;
    end
    if (write) b_resp_q <= write_sound && !wr_error_i ? Okay : SlaveError;
  end

  // Read.
  assign read_sound = ar_addr_q[1:0] == '0;
  assign rd_start_o = ar_full_q && !read_q && !r_valid_q;
  assign rd_valid_o = read_q && read_sound;
  assign rd_word_o  = ar_addr_q[11:2];

  assign s_axil_o.ar_ready = !ar_full_q;
  assign s_axil_o.r_valid  = r_valid_q;
  assign s_axil_o.r_data   = r_data_q;
  assign s_axil_o.r_resp   = r_resp_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ar_full_q <= 1'b0;
      read_q    <= 1'b0;
      r_valid_q <= 1'b0;
    end else begin
      if (s_axil_i.ar_valid && s_axil_o.ar_ready) ar_full_q <= 1'b1;
      read_q <= rd_start_o && rd_ready_i;
      if (read_q) r_valid_q <= 1'b1;
      if (r_valid_q && s_axil_i.r_ready) begin
        ar_full_q <= 1'b0;
        r_valid_q <= 1'b0;
      end
    end
    if (s_axil_i.ar_valid && s_axil_o.ar_ready) ar_addr_q <= s_axil_i.ar_addr;
    if (read_q) begin
      r_data_q <= rd_valid_o && !rd_error_i ? rd_data_i : '0;
      r_resp_q <= read_sound && !rd_error_i ? Okay : SlaveError;
    end
  end
endmodule
