// SPDX-License-Identifier: Apache-2.0
// Commands of LOAD between source and emitter, in a RAM whose output holds the command at work: its fields need no
// registers.
//
// Latency: a command can be read from the cycle after it was accepted; it is at the output in the cycle after rd_en_i.
// Throughput: one command in and one out per cycle. Back-pressure: wr_ready_o, from registers.
//
// Protocol: wr_* is a valid/ready stream; rd_en_i only while waiting_o is not 0.
module tpu_load_queue (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,
  input  logic                                 wr_valid_i,
  output logic                                 wr_ready_o,
  input  tpu_load_pkg::command_t               wr_command_i,
  output logic [$clog2(tpu_load_pkg::AHEAD):0] waiting_o,
  input  logic                                 rd_en_i,
  output tpu_load_pkg::command_t               command_o
);
  localparam int PtrWidth = $clog2(tpu_load_pkg::AHEAD);

  logic [PtrWidth-1:0] wr_ptr_q, rd_ptr_q;
  logic [PtrWidth:0]   waiting_q;
  logic                push;

  assign wr_ready_o = !waiting_q[PtrWidth];
  assign waiting_o  = waiting_q;
  assign push       = wr_valid_i && wr_ready_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      wr_ptr_q  <= '0;
      rd_ptr_q  <= '0;
      waiting_q <= '0;
    end else if (push || rd_en_i) begin
      wr_ptr_q <= wr_ptr_q + PtrWidth'(push);
      rd_ptr_q <= rd_ptr_q + PtrWidth'(rd_en_i);
      if (push != rd_en_i) waiting_q <= push ? waiting_q + 1'b1 : waiting_q - 1'b1;
    end
  end

  tpu_ram #(.Width($bits(tpu_load_pkg::command_t)), .Depth(tpu_load_pkg::AHEAD)) u_ram (
    .clk_i, .rd_en_i, .rd_addr_i(rd_ptr_q), .rd_data_o(command_o),
    .wr_en_i(push), .wr_addr_i(wr_ptr_q), .wr_data_i(wr_command_i), .wr_mask_i(1'b1));
endmodule
