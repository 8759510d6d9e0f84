// SPDX-License-Identifier: Apache-2.0
// Line buffer of LOAD: a ring of beats in order of arrival, in two interleaved RAM banks so that any two adjacent
// beats, which hold any Dim bytes at any alignment, are read in one cycle.
//
// Beats are numbered from reset modulo 2**SeqWidth. keep_seq_i is the first beat that may still be needed; earlier
// beats are released once they have arrived. keep_seq_i may be ahead of the beats that have arrived: those that are not
// needed are then released as they arrive.
//
// Latency: read data follow rd_en_i by one cycle and hold until the next read; a beat can be read from the cycle in
// which write_seq_o counts it, one cycle after it arrived.
// Throughput: one beat in and one pair of beats out per cycle. Back-pressure: none; tpu_load_source reserves room
// before it requests a beat.
//
// Protocol: wr_i.valid and rd_en_i have no ready. Beat numbers are valid in every cycle; error_o stays high until
// reset.
//
// Parameters: Dim (bytes of a beat), Beats (power of two), SeqWidth (bits of a beat number: more than twice the longest
// run in beats).
`include "tpu_assert.svh"
module tpu_line_buffer #(
  parameter int Dim = 16,
  parameter int Beats = 256,
  parameter int SeqWidth = 22,
  localparam int AddrWidth = $clog2(Beats)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // Beats from memory.
  input  tpu_axi_pkg::answer_t wr_i,
  input  logic [8*Dim-1:0]     wr_data_i,
  // Beats arrived, the last of them, beats released modulo twice the ring, and the first beat that arrived with an
  // error.
  output logic [SeqWidth-1:0]  write_seq_o,
  output logic [SeqWidth-1:0]  last_seq_o,
  output logic [AddrWidth:0]   release_seq_o,
  output logic                 error_o,
  output logic [SeqWidth-1:0]  error_seq_o,
  // First beat still needed.
  input  logic [SeqWidth-1:0]  keep_seq_i,
  // Read of beat rd_addr_i (modulo the ring) and its successor.
  input  logic                 rd_en_i,
  input  logic [AddrWidth-1:0] rd_addr_i,
  output logic [8*Dim-1:0]     rd_first_o,
  output logic [8*Dim-1:0]     rd_second_o
);
  `TPU_ASSERT_INIT(BeatsIsPowerOfTwo, Beats >= 4 && (Beats & (Beats - 1)) == 0)

  logic [SeqWidth-1:0] write_q, last_q, error_seq_q;
  logic [AddrWidth:0]  release_q;
  logic                error_q, odd_q;
  logic [8*Dim-1:0]    even_data, odd_data;

  // Beats held, and beats that arrived from the first one needed on, signed. What lies before the beats that are held
  // was needed by an earlier row, and is released.
  logic [AddrWidth:0]  held;
  logic [SeqWidth-1:0] arrived;
  assign held    = write_q[AddrWidth:0] - release_q;
  assign arrived = write_q - keep_seq_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q <= '0;
      last_q <= '1;
      release_q <= '0;
      error_q <= 1'b0;
    end else begin
      if (wr_i.valid) begin
        write_q <= write_q + 1'b1;
        last_q <= write_q;
        if (wr_i.error && !error_q) begin
          error_q <= 1'b1;
          error_seq_q <= write_q;
        end
      end
      if (arrived[SeqWidth-1]) release_q <= write_q[AddrWidth:0];
      else if (arrived <= SeqWidth'(held)) release_q <= keep_seq_i[AddrWidth:0];
    end
  end

  // The successor of an odd beat is in the even bank, in the next word.
  logic [AddrWidth-2:0] even_addr, odd_addr;
  assign odd_addr = rd_addr_i[AddrWidth-1:1];
  assign even_addr = rd_addr_i[AddrWidth-1:1] + (AddrWidth-1)'(rd_addr_i[0]);
  always_ff @(posedge clk_i) begin
    if (rd_en_i) odd_q <= rd_addr_i[0];
  end

  tpu_ram #(.Width(8*Dim), .Depth(Beats/2)) u_even (
    .clk_i, .rd_en_i, .rd_addr_i(even_addr), .rd_data_o(even_data),
    .wr_en_i(wr_i.valid && !write_q[0]), .wr_addr_i(write_q[AddrWidth-1:1]), .wr_data_i, .wr_mask_i(1'b1));
  tpu_ram #(.Width(8*Dim), .Depth(Beats/2)) u_odd (
    .clk_i, .rd_en_i, .rd_addr_i(odd_addr), .rd_data_o(odd_data),
    .wr_en_i(wr_i.valid && write_q[0]), .wr_addr_i(write_q[AddrWidth-1:1]), .wr_data_i, .wr_mask_i(1'b1));

  assign rd_first_o    = odd_q ? odd_data : even_data;
  assign rd_second_o   = odd_q ? even_data : odd_data;
  assign write_seq_o   = write_q;
  assign last_seq_o    = last_q;
  assign release_seq_o = release_q;
  assign error_o       = error_q;
  assign error_seq_o   = error_seq_q;

  `TPU_ASSERT_WHEN(NoOverwrite, wr_i.valid, 32'(held) < Beats, ("%0d beats are held, of %0d\n", held, Beats))
endmodule
