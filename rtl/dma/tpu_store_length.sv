// SPDX-License-Identifier: Apache-2.0
// Bytes of a run of STORE: pieces times bytes of a piece. The lowest bit of the pieces takes no time, two further bits
// take a cycle.
//
// Latency: valid_o rises in the cycle after load_i for one piece, a cycle later for up to 7, another for up to 31.
// Throughput: one product at a time; load_i begins a new one. Back-pressure: none.
//
// Parameters: Width, bits of the product, which must not be larger.
module tpu_store_length #(
  parameter int Width = 29
) (
  input  logic             clk_i,
  input  logic             load_i,
  input  logic [15:0]      pieces_i,
  input  logic [15:0]      piece_bytes_i,
  output logic             valid_o,
  output logic [Width-1:0] bytes_o
);
  logic [14:0]      pieces_q;                // the bits that are not multiplied
  logic [Width-1:0] piece_bytes_q;           // times the place of the lowest of them

  assign valid_o = pieces_q == '0;

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      pieces_q      <= pieces_i[15:1];
      piece_bytes_q <= Width'(piece_bytes_i) << 1;
      bytes_o       <= pieces_i[0] ? Width'(piece_bytes_i) : '0;
    end else if (!valid_o) begin
      pieces_q      <= pieces_q >> 2;
      piece_bytes_q <= piece_bytes_q << 2;
      bytes_o       <= bytes_o + (pieces_q[0] ? piece_bytes_q : '0) + (pieces_q[1] ? piece_bytes_q << 1 : '0);
    end
  end
endmodule
