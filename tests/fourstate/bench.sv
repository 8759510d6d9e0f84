// SPDX-License-Identifier: Apache-2.0
// The core in a four-state simulator: everything that reset does not clear starts as X. A script of the functional
// model (script_backend.hpp) is replayed on it. An X that reaches a pin in use, or a byte of memory that differs from
// the script's, ends the run with FAIL; a run that says PASS had none.
//
//   vvp bench.vvp +script=FILE [+seed=N]
`timescale 1ns/1ps
module bench #(
  parameter int Dim = 4
);
  localparam int Width = 8 * Dim;
  localparam int Patience = 200_000;  // cycles that an interrupt may take

  logic             clk, rst_n, irq;
  logic             awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
  logic [11:0]      awaddr, araddr;
  logic [31:0]      wdata, rdata;
  logic [1:0]       bresp, rresp;
  logic             m_arvalid, m_arready, m_arid, m_rvalid, m_rready, m_rid, m_rlast;
  logic             m_awvalid, m_awready, m_awid, m_wvalid, m_wready, m_wlast, m_bvalid, m_bready, m_bid;
  logic [31:0]      m_araddr, m_awaddr;
  logic [7:0]       m_arlen, m_awlen;
  logic [2:0]       m_arsize, m_awsize;
  logic [1:0]       m_arburst, m_awburst;
  logic [Width-1:0] m_rdata, m_wdata;
  logic [Dim-1:0]   m_wstrb;

  tpu_core dut (
    .clk_i(clk), .rst_ni(rst_n), .test_en_i(1'b0), .irq_o(irq),
    .s_axil_awvalid_i(awvalid), .s_axil_awready_o(awready), .s_axil_awaddr_i(awaddr),
    .s_axil_wvalid_i(wvalid), .s_axil_wready_o(wready), .s_axil_wdata_i(wdata), .s_axil_wstrb_i(4'b1111),
    .s_axil_bvalid_o(bvalid), .s_axil_bready_i(bready), .s_axil_bresp_o(bresp),
    .s_axil_arvalid_i(arvalid), .s_axil_arready_o(arready), .s_axil_araddr_i(araddr),
    .s_axil_rvalid_o(rvalid), .s_axil_rready_i(rready), .s_axil_rdata_o(rdata), .s_axil_rresp_o(rresp),
    .m_axi_arvalid_o(m_arvalid), .m_axi_arready_i(m_arready), .m_axi_arid_o(m_arid), .m_axi_araddr_o(m_araddr),
    .m_axi_arlen_o(m_arlen), .m_axi_arsize_o(m_arsize), .m_axi_arburst_o(m_arburst),
    .m_axi_rvalid_i(m_rvalid), .m_axi_rready_o(m_rready), .m_axi_rid_i(m_rid), .m_axi_rdata_i(m_rdata),
    .m_axi_rresp_i(2'b00), .m_axi_rlast_i(m_rlast),
    .m_axi_awvalid_o(m_awvalid), .m_axi_awready_i(m_awready), .m_axi_awid_o(m_awid), .m_axi_awaddr_o(m_awaddr),
    .m_axi_awlen_o(m_awlen), .m_axi_awsize_o(m_awsize), .m_axi_awburst_o(m_awburst),
    .m_axi_wvalid_o(m_wvalid), .m_axi_wready_i(m_wready), .m_axi_wdata_o(m_wdata), .m_axi_wstrb_o(m_wstrb),
    .m_axi_wlast_o(m_wlast), .m_axi_bvalid_i(m_bvalid), .m_axi_bready_o(m_bready), .m_axi_bid_i(m_bid),
    .m_axi_bresp_i(2'b00)
  );

  memory #(.Dim(Dim)) u_memory (
    .clk_i(clk), .rst_ni(rst_n),
    .arvalid_i(m_arvalid), .arready_o(m_arready), .arid_i(m_arid), .araddr_i(m_araddr), .arlen_i(m_arlen),
    .rvalid_o(m_rvalid), .rready_i(m_rready), .rid_o(m_rid), .rdata_o(m_rdata), .rlast_o(m_rlast),
    .awvalid_i(m_awvalid), .awready_o(m_awready), .awid_i(m_awid), .awaddr_i(m_awaddr),
    .wvalid_i(m_wvalid), .wready_o(m_wready), .wdata_i(m_wdata), .wstrb_i(m_wstrb), .wlast_i(m_wlast),
    .bvalid_o(m_bvalid), .bready_i(m_bready), .bid_o(m_bid)
  );

  int cycle, compared, interrupts, lines, script, seed;

  initial clk = 1'b0;
  always #5 clk = !clk;
  always @(posedge clk) cycle <= cycle + 1;

  task automatic fail(input [8*40-1:0] what, input [63:0] value);
    $display("FAIL cycle %0d, line %0d of the script: %0s %h", cycle, lines, what, value);
    $finish;
  endtask

  // No X at a pin in use.
  logic watching;
  logic unknown_strobed;
  always @(negedge clk) begin
    if (watching) begin
      if (^{irq} === 1'bx) fail("X at irq_o", 64'(irq));
      if (^{awready, wready, bvalid, arready, rvalid} === 1'bx) begin
        fail("X in the handshakes of s_axil", 64'({awready, wready, bvalid, arready, rvalid}));
      end
      if (^{m_arvalid, m_rready, m_awvalid, m_wvalid, m_bready} === 1'bx) begin
        fail("X in the handshakes of m_axi", 64'({m_arvalid, m_rready, m_awvalid, m_wvalid, m_bready}));
      end
      if (bvalid && ^bresp === 1'bx) fail("X at s_axil_bresp_o", 64'(bresp));
      if (rvalid && ^{rresp, rdata} === 1'bx) fail("X at s_axil_rdata_o", 64'(rdata));
      if (m_arvalid && ^{m_arid, m_araddr, m_arlen, m_arsize, m_arburst} === 1'bx) fail("X at m_axi_ar", 64'(m_araddr));
      if (m_awvalid && ^{m_awid, m_awaddr, m_awlen, m_awsize, m_awburst} === 1'bx) fail("X at m_axi_aw", 64'(m_awaddr));
      if (m_wvalid) begin
        unknown_strobed = ^{m_wstrb, m_wlast} === 1'bx;
        for (int i = 0; i < Dim; i++) begin
          if (m_wstrb[i] !== 1'b0 && ^m_wdata[i*8 +: 8] === 1'bx) unknown_strobed = 1'b1;
        end
        if (unknown_strobed) fail("X at m_axi_w", 64'(m_wdata));
      end
    end
  end

  task automatic write_register(input [11:0] offset, input [31:0] value);
    logic address_taken, data_taken;
    address_taken = 1'b0;
    data_taken    = 1'b0;
    awvalid <= 1'b1;
    awaddr  <= offset;
    wvalid  <= 1'b1;
    wdata   <= value;
    while (!address_taken || !data_taken) begin
      @(posedge clk);
      if (awvalid && awready) begin
        address_taken = 1'b1;
        awvalid <= 1'b0;
      end
      if (wvalid && wready) begin
        data_taken = 1'b1;
        wvalid <= 1'b0;
      end
    end
    bready <= 1'b1;
    @(posedge clk);
    while (!bvalid) @(posedge clk);
    bready <= 1'b0;
    if (bresp != 2'b00) fail("error response to a write of", 64'(offset));
    @(posedge clk);
  endtask

  task automatic read_register(input [11:0] offset);
    arvalid <= 1'b1;
    araddr  <= offset;
    @(posedge clk);
    while (!arready) @(posedge clk);
    arvalid <= 1'b0;
    rready  <= 1'b1;
    @(posedge clk);
    while (!rvalid) @(posedge clk);
    rready <= 1'b0;
    if (rresp != 2'b00) fail("error response to a read of", 64'(offset));
    @(posedge clk);
  endtask

  task automatic wait_interrupt();
    int until_cycle;
    until_cycle = cycle + Patience;
    while (irq !== 1'b1 && cycle < until_cycle) @(posedge clk);
    if (irq !== 1'b1) fail("no interrupt in cycles", 64'(Patience));
    interrupts = interrupts + 1;
  endtask

  logic [8*256-1:0] file;
  logic [7:0]       operation;
  logic [31:0]      left, right;
  initial begin
    cycle      = 0;
    compared   = 0;
    interrupts = 0;
    lines      = 0;
    watching   = 1'b0;
    {awvalid, wvalid, bready, arvalid, rready} = '0;
    if (!$value$plusargs("script=%s", file)) fail("+script=FILE is missing", '0);
    if ($value$plusargs("seed=%d", seed)) seed = $urandom(seed);
    script = $fopen(file, "r");
    if (script == 0) fail("cannot read the script", '0);
    rst_n = 1'b0;
    repeat (16) @(posedge clk);
    rst_n <= 1'b1;
    repeat (4) @(posedge clk);
    watching = 1'b1;
    while ($fscanf(script, " %c %h %h", operation, left, right) == 3) begin
      lines = lines + 1;
      case (operation)
        "w": write_register(left[11:0], right);
        "r": read_register(left[11:0]);
        "i": wait_interrupt();
        "d": repeat (left) @(posedge clk);
        "m": u_memory.bytes[left[19:0]] = right[7:0];
        "c": begin
          compared = compared + 1;
          if (u_memory.bytes[left[19:0]] !== right[7:0]) begin
            $display("address %h: expected %h, memory holds %h", left, right[7:0], u_memory.bytes[left[19:0]]);
            fail("wrong byte at", 64'(left));
          end
        end
        default: fail("unknown operation in the script", 64'(operation));
      endcase
    end
    if (interrupts == 0 || compared == 0) fail("nothing was run or compared", '0);
    $display("PASS %0d cycles, %0d programs, %0d bytes compared", cycle, interrupts, compared);
    $finish;
  end
endmodule
