// SPDX-License-Identifier: Apache-2.0
// Device memory of the four-state simulation: an AXI4 subordinate of one mebibyte that starts as X, answers reads in
// order, and stalls every channel at random.
module memory #(
  parameter int Dim = 4,
  parameter int Width = 8 * Dim
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             arvalid_i,
  output logic             arready_o,
  input  logic             arid_i,
  input  logic [31:0]      araddr_i,
  input  logic [7:0]       arlen_i,
  output logic             rvalid_o,
  input  logic             rready_i,
  output logic             rid_o,
  output logic [Width-1:0] rdata_o,
  output logic             rlast_o,
  input  logic             awvalid_i,
  output logic             awready_o,
  input  logic             awid_i,
  input  logic [31:0]      awaddr_i,
  input  logic             wvalid_i,
  output logic             wready_o,
  input  logic [Width-1:0] wdata_i,
  input  logic [Dim-1:0]   wstrb_i,
  input  logic             wlast_i,
  output logic             bvalid_o,
  input  logic             bready_i,
  output logic             bid_o
);
  localparam int Queue = 64;

  logic [7:0] bytes [0:(1<<20)-1];

  // Bursts accepted and not yet read: address of the next beat, beats after it, identifier.
  logic [31:0] address [0:Queue-1];
  logic [7:0]  length [0:Queue-1];
  logic        id [0:Queue-1];
  int          head, tail;

  logic [31:0] write_address;
  logic        write_active;

  // Three cycles in four.
  function automatic logic chance();
    chance = ($urandom & 32'd3) != 0;
  endfunction

  always_ff @(posedge clk_i) begin : read
    if (!rst_ni) begin
      head      <= 0;
      tail      <= 0;
      arready_o <= 1'b0;
      rvalid_o  <= 1'b0;
    end else begin
      arready_o <= tail - head < Queue - 2 && chance();
      if (arvalid_i && arready_o) begin
        address[tail % Queue] <= araddr_i;
        length[tail % Queue]  <= arlen_i;
        id[tail % Queue]      <= arid_i;
        tail                  <= tail + 1;
      end
      if (!rvalid_o || rready_i) begin
        rvalid_o <= 1'b0;
        if (head < tail && chance()) begin
          rvalid_o <= 1'b1;
          rid_o    <= id[head % Queue];
          rlast_o  <= length[head % Queue] == '0;
          for (int i = 0; i < Dim; i++) rdata_o[i*8 +: 8] <= bytes[(address[head % Queue] + i) & 32'h000F_FFFF];
          address[head % Queue] <= address[head % Queue] + Dim;
          length[head % Queue]  <= length[head % Queue] - 8'd1;
          if (length[head % Queue] == '0) head <= head + 1;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin : write
    if (!rst_ni) begin
      write_active <= 1'b0;
      awready_o    <= 1'b0;
      wready_o     <= 1'b0;
      bvalid_o     <= 1'b0;
    end else begin
      awready_o <= !write_active && !(awvalid_i && awready_o) && !bvalid_o && chance();
      wready_o  <= write_active && !(wvalid_i && wready_o && wlast_i) && chance();
      if (awvalid_i && awready_o) begin
        write_active  <= 1'b1;
        write_address <= awaddr_i;
        bid_o         <= awid_i;
        awready_o     <= 1'b0;
      end
      if (wvalid_i && wready_o) begin
        for (int i = 0; i < Dim; i++) begin
          if (wstrb_i[i]) bytes[(write_address + i) & 32'h000F_FFFF] <= wdata_i[i*8 +: 8];
        end
        write_address <= write_address + Dim;
        if (wlast_i) begin
          write_active <= 1'b0;
          bvalid_o     <= 1'b1;
        end
      end else if (bvalid_o && bready_i) begin
        bvalid_o <= 1'b0;
      end
    end
  end
endmodule
