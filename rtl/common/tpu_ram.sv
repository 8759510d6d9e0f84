// SPDX-License-Identifier: Apache-2.0
// Memory with one synchronous read port and one write port. All memories of the core are instances of this module,
// except the small arrays in tpu_fifo. Replace this file to use the memory macros of a technology.
//
// Latency: read data follow the read enable by one cycle and hold until the next read.
// Throughput: one read and one write per cycle. Back-pressure: none, never stalls.
// Read during write of the same word: the read data is undefined (X in simulation), the write is done. The attributes
// tell this to synthesis tools (Yosys, Quartus, Vivado), so that they use a block RAM without adding logic around
// it. A memory of TPU_BLOCK_RAM_BITS (512) or more asks for a block RAM: queues and rows are wide and would fill the
// LUTs of an FPGA.
//
// Parameters: Width (bits, multiple of LaneWidth), Depth (words, at least 2), LaneWidth (bits that one write-mask
// bit covers; equal to Width for a memory without mask).
`include "tpu_forms.svh"

module tpu_ram #(
  parameter int Width = 128,
  parameter int Depth = 512,
  parameter int LaneWidth = Width,
  localparam int AddrWidth = $clog2(Depth),
  localparam int Lanes = Width / LaneWidth
) (
  input  logic                 clk_i,
  // Read port.
  input  logic                 rd_en_i,
  input  logic [AddrWidth-1:0] rd_addr_i,
  output logic [Width-1:0]     rd_data_o,
  // Write port; a lane is written where its mask bit is set.
  input  logic                 wr_en_i,
  input  logic [AddrWidth-1:0] wr_addr_i,
  input  logic [Width-1:0]     wr_data_i,
  input  logic [Lanes-1:0]     wr_mask_i
);
  (* no_rw_check, ramstyle = "no_rw_check", rw_addr_collision = "no" *)
  (* ram_style = Width * Depth < `TPU_BLOCK_RAM_BITS ? "auto" : "block" *)
  logic [Width-1:0] mem [0:Depth-1];

`ifdef SYNTHESIS
  // The form that synthesis tools document for byte write enables.
  always_ff @(posedge clk_i) begin
    if (wr_en_i) begin
      for (int i = 0; i < Lanes; i++) begin
        if (wr_mask_i[i]) mem[wr_addr_i][i*LaneWidth +: LaneWidth] <= wr_data_i[i*LaneWidth +: LaneWidth];
      end
    end
    if (rd_en_i) rd_data_o <= mem[rd_addr_i];
  end
`else
  // The same with the read first and blocking writes, because non-blocking writes cost simulation time in every cycle,
  // with or without a write. Each port is read once and in the branch that needs it: what selects its value then costs
  // an access, not a cycle. A word goes through a variable of a task, because the C++ compiler then knows that source
  // and destination do not overlap, and copies it with vector instructions.
  /* verilator tracing_off */
  logic [AddrWidth-1:0] rd_addr, wr_addr;
  logic [Width-1:0]     wr_data;
  logic [Lanes-1:0]     wr_mask;
  /* verilator tracing_on */

  /* verilator lint_off BLKSEQ */
  task automatic read;
    logic [Width-1:0] word;
    word = mem[rd_addr];
    rd_data_o <= word;
  endtask

  task automatic write;
    logic [Width-1:0] word;
    word = wr_data_i;
    mem[wr_addr] = word;
  endtask

  always_ff @(posedge clk_i) begin
    if (rd_en_i) begin
      rd_addr = rd_addr_i;
      read;
    end
    if (wr_en_i) begin
      wr_addr = wr_addr_i;
      wr_mask = wr_mask_i;
      if (rd_en_i && wr_addr == rd_addr) rd_data_o <= 'x;
      if (wr_mask == '1) begin
        write;
      end else begin
        wr_data = wr_data_i;
        for (int i = 0; i < Lanes; i++) begin
          if (wr_mask[i]) mem[wr_addr][i*LaneWidth +: LaneWidth] = wr_data[i*LaneWidth +: LaneWidth];
        end
      end
    end
  end
  /* verilator lint_on BLKSEQ */
`endif
endmodule
