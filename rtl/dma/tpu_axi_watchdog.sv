// SPDX-License-Identifier: Apache-2.0
// Bus watchdog: cycles without a handshake on any channel while the bus owes one. While only write data of the engine
// are missing, the bus owes nothing. The watchdog fires once; a handshake re-arms it.
//
// Latency: stuck_o rises after limit_i quiet cycles. Throughput, back-pressure: none.
module tpu_axi_watchdog (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [31:0] limit_i,               // cycles, 0: never; may change at any time
  input  logic        owing_i,
  input  logic        moved_i,
  output logic        stuck_o
);
  logic [31:0] quiet_q;
  logic        fired_q;
  assign stuck_o = owing_i && !moved_i && !fired_q && limit_i != '0 && quiet_q >= limit_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || moved_i || !owing_i) begin
      quiet_q <= '0;
      fired_q <= 1'b0;
    end else if (!fired_q) begin
      quiet_q <= quiet_q + 1'b1;
      fired_q <= stuck_o;
    end
  end
endmodule
