// SPDX-License-Identifier: Apache-2.0
// Properties of the way out of tpu_fetch_request. With WholeBeats of tpu_window_check no instruction is fetched outside
// of a window with permission: what is requested is what the check allowed, or the first instructions of it.
`include "properties.svh"
module fetch_properties #(
  parameter int Entries = 16,
  parameter int Chunk = 8,
  parameter int Beats = 4,
  localparam int ChunkWidth = $clog2(Chunk)
) (
  input logic                           clk_i,
  input logic                           rst_ni,
  input logic                           halt_i,
  input logic                           busy_i,
  input tpu_command_pkg::ring_t         ring_i,
  input logic [31:0]                    tail_i,
  input tpu_window_pkg::windows_t       windows_i,
  input logic                           jump_i,
  input tpu_command_pkg::jump_t         jump_to_i,
  input logic                           taken_i,
  input logic                           ar_ready_i,
  input logic                           made_ready_i
);
  logic                event_o, made_valid_o, made_outside_o;
  tpu_axi_pkg::request_t ar_o;
  logic [ChunkWidth:0] made_count_o;
  logic [25:0]         made_address_o;
  tpu_fetch_request #(.Entries(Entries), .Chunk(Chunk), .Beats(Beats)) u_request (.*);
  `CHECKED_OUTSIDE_RESET

  // The last access that the request looked at, and the answer of the check.
  logic        looked, allowed_q, execute_q, held_q;
  logic [31:0] address_q, length_q;
  logic [40:0] offered_q;
  assign looked = u_request.step_q == 2'd1 || !busy_i;
  always_ff @(posedge clk_i) begin
    if (looked) begin
      allowed_q <= u_request.u_window.allowed_o;
      address_q <= u_request.u_window.address_o;
      execute_q <= windows_i[u_request.u_window.window_i].permission[tpu_pkg::PERMISSION_EXECUTE];
      length_q  <= 32'(u_request.u_window.length_i);
    end
    held_q    <= rst_ni && ar_o.valid && !ar_ready_i;
    offered_q <= ar_o;
  end

  logic requested;
  assign requested = made_valid_o && !made_outside_o;
  // The request that is offered, in bytes.
  logic [31:0] bytes_q, from_q;
  always_ff @(posedge clk_i) begin
    if (requested) begin
      from_q  <= {address_q[31:6], 6'd0};
      bytes_q <= 32'(made_count_o) << 6;
    end
  end

  `PROPERTY(RequestIsAllowed, requested, allowed_q && {made_address_o, 6'd0} == {address_q[31:6], 6'd0} &&
                                         32'(made_count_o) << 6 <= length_q)
  `PROPERTY(AddressOfTheRequest, ar_o.valid, ar_o.addr == from_q && (32'(ar_o.len) + 32'd1) * (64 / Beats) == bytes_q)
  `PROPERTY(MayExecute, requested, execute_q)
  `PROPERTY(AddressStable, held_q, ar_o.valid && ar_o == offered_q)
  `PROPERTY(NotWhileHalted, halt_i && !ar_o.valid, !made_valid_o)
  `PROPERTY(NotBehindTheTail, requested && u_request.left_q == '0, $signed(tail_i - u_request.ptr_q) >=
                              $signed(32'(made_count_o)) && made_count_o != '0)

  // In its last step the preparation keeps what the check said.
  `INVARIANT(Checked, u_request.step_q != 2'd2 || u_request.allowed_q == allowed_q && (execute_q || !allowed_q) &&
             u_request.address_q == address_q[31:6] && {26'(u_request.limit_q), 6'd0} == length_q)
  `INVARIANT(Steps, u_request.step_q != 2'd3 && (u_request.step_q != 2'd2 || u_request.limit_q != '0))
  `INVARIANT(Offered, !ar_o.valid || ar_o.addr == from_q && (32'(ar_o.len) + 32'd1) * (64 / Beats) == bytes_q)
endmodule
